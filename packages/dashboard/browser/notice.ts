import { button, h, setAttribute, setChildren } from '@hdrscope/page/dom';

/** A sentence with buttons, shown while it is true. */
export class Notice {
  readonly element: HTMLElement;
  #shown = '';

  /** @param kind Its class: `warning`, or nothing. */
  constructor(kind = '') {
    this.element = h('div', { class: `notice ${kind}`.trim(), role: 'status', hidden: true });
  }

  /** Shows a sentence; nothing with an empty one. */
  show(text: string, actions: Readonly<Record<string, () => void>> = {}): void {
    const names = Object.keys(actions);
    const shown = [text, ...names].join('\n');
    if (shown === this.#shown) return;
    this.#shown = shown;
    setAttribute(this.element, 'hidden', text === '');
    const buttons = Object.entries(actions).map(([name, act]) => button(name, act));
    setChildren(this.element, [h('p', {}, text), ...buttons]);
  }
}
