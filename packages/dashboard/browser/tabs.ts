import { button, setAttribute, setChildren } from '@hdrscope/page/dom';

const LIVE = 'Series';

/** The tabs of the page: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export class Tabs {
  readonly element: HTMLElement;
  readonly #onOpen: (tab: string | undefined) => void;
  #names: readonly string[] = [];

  constructor(onOpen: (tab: string | undefined) => void) {
    this.#onOpen = onOpen;
    this.element = document.createElement('nav');
    this.element.className = 'tabs';
    setAttribute(this.element, 'aria-label', 'Contents');
    this.element.hidden = true;
  }

  /** @param taken The tab that is open; `undefined` for the series. */
  show(tabs: readonly string[], taken: string | undefined): void {
    const names = [LIVE, ...tabs];
    if (names.join('\n') !== this.#names.join('\n')) {
      this.#names = names;
      const open = (name: string): void => this.#onOpen(name === LIVE ? undefined : name);
      setChildren(
        this.element,
        names.map((name) => button(name, () => open(name), { 'data-tab': name })),
      );
      this.element.hidden = tabs.length === 0;
    }
    for (const one of this.element.querySelectorAll('button')) {
      const isTaken = one.dataset.tab === (taken ?? LIVE);
      setAttribute(one, 'aria-current', isTaken ? 'page' : undefined);
    }
  }
}
