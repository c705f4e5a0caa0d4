import { button, setAttribute, setChildren } from './dom.ts';

const LIVE = 'Series';

/** The tabs of the page, one for each view: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export class Tabs {
  readonly element: HTMLElement;
  readonly #onOpen: (view: string | undefined) => void;
  #names: readonly string[] = [];

  constructor(onOpen: (view: string | undefined) => void) {
    this.#onOpen = onOpen;
    this.element = document.createElement('nav');
    this.element.className = 'tabs';
    setAttribute(this.element, 'aria-label', 'Views');
    this.element.hidden = true;
  }

  /** @param taken The view that is open; `undefined` for the series. */
  show(views: readonly string[], taken: string | undefined): void {
    const names = [LIVE, ...views];
    if (names.join('\n') !== this.#names.join('\n')) {
      this.#names = names;
      const open = (name: string): void => this.#onOpen(name === LIVE ? undefined : name);
      setChildren(
        this.element,
        names.map((name) => button(name, () => open(name), { 'data-view': name })),
      );
      this.element.hidden = views.length === 0;
    }
    for (const one of this.element.querySelectorAll('button')) {
      const isTaken = one.dataset.view === (taken ?? LIVE);
      setAttribute(one, 'aria-current', isTaken ? 'page' : undefined);
    }
  }
}
