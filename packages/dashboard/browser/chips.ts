import { button, h, setChildren } from '@hdrscope/page/dom';

/** Texts that people have added, each with a button that removes it. */
export class Chips {
  readonly element: HTMLElement;
  readonly #onRemove: (text: string) => void;
  #shown = '';

  /** @param label What the chips are, for screen readers. */
  constructor(label: string, onRemove: (text: string) => void) {
    this.#onRemove = onRemove;
    this.element = h('ul', { class: 'chips', 'aria-label': label, hidden: true });
  }

  show(texts: readonly string[]): void {
    if (texts.join('\n') === this.#shown) return;
    this.#shown = texts.join('\n');
    this.element.hidden = texts.length === 0;
    setChildren(
      this.element,
      texts.map((text) =>
        h(
          'li',
          { class: 'chip' },
          text,
          button('×', () => this.#onRemove(text), {
            'aria-label': `Remove ${text}`,
            title: `Remove ${text}`,
          }),
        ),
      ),
    );
  }
}
