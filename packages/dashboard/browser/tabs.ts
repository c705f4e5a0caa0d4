import { h, setAttribute } from './dom.ts';

const LIVE = 'Series';

/** The tabs of the page, one for each view: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export class Tabs {
  readonly element: HTMLElement = h('nav', { class: 'tabs', 'aria-label': 'Views', hidden: true });
  readonly #onOpen: (view: string | undefined) => void;
  #names: readonly string[] = [];
  #taken = LIVE;

  constructor(onOpen: (view: string | undefined) => void) {
    this.#onOpen = onOpen;
  }

  show(views: readonly string[]): void {
    const names = [LIVE, ...views];
    if (names.join('\n') === this.#names.join('\n')) return;
    this.#names = names;
    const buttons = names.map((name) => {
      const button = h('button', { type: 'button', 'data-view': name }, name);
      button.addEventListener('click', () => this.open(name));
      return button;
    });
    this.element.replaceChildren();
    for (const button of buttons) this.element.append(button);
    this.element.hidden = views.length === 0;
    if (!names.includes(this.#taken)) this.open(LIVE);
    this.#mark();
  }

  open(name: string): void {
    this.#taken = name;
    this.#mark();
    this.#onOpen(name === LIVE ? undefined : name);
  }

  #mark(): void {
    for (const button of this.element.querySelectorAll('button')) {
      const isTaken = button.dataset.view === this.#taken;
      setAttribute(button, 'aria-current', isTaken ? 'page' : undefined);
    }
  }
}
