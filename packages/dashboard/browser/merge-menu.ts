import { button, h, setAttribute, setChildren, setText } from '@hdrscope/page/dom';
import { formatCount } from '@hdrscope/plot';
import type { Question } from '../src/question.ts';
import { type AttributeKey, isMerged, withMerged } from './attributes.ts';

type By = Question['by'];

/** A menu of attribute keys: each keeps rows apart, or the rows that differ in it are merged. */
export class MergeMenu {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #panel: HTMLDivElement;
  readonly #quick = h('div', { class: 'quick', role: 'group', 'aria-label': 'Quick choices' });
  readonly #list = h('ul', { class: 'keys' });
  readonly #onChange: (by: By) => void;
  #keys: readonly AttributeKey[] = [];
  #by: By;
  #shown = '';

  constructor(onChange: (by: By) => void) {
    this.#onChange = onChange;
    this.#button = button('Merge', () => this.#open(this.#panel.hidden === true), {
      'aria-expanded': 'false',
      'aria-controls': 'merge',
    });
    const hint = 'Merging adds up the rows of a metric that differ only in these attributes.';
    this.#panel = h(
      'div',
      { class: 'menu', id: 'merge', hidden: true },
      h('p', { class: 'subtitle' }, hint),
      this.#quick,
      this.#list,
    );
    this.element = h('div', { class: 'merge' }, this.#button, this.#panel);
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#panel.hidden) return;
      event.stopPropagation();
      this.#open(false);
      this.#button.focus();
    });
    document.addEventListener('pointerdown', (event) => {
      if (event.target instanceof Node && !this.element.contains(event.target)) this.#open(false);
    });
  }

  /** @param keys All keys of the table. */
  show(keys: readonly AttributeKey[], by: By): void {
    const shown = JSON.stringify([keys, by]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#keys = keys;
    this.#by = by;
    setText(this.#button, by === undefined ? 'Merge' : mergeText(by));
    setAttribute(this.#button, 'data-on', by !== undefined);
    this.element.hidden = keys.length === 0 && by === undefined;
    if (!this.#panel.hidden) this.#draw();
  }

  #open(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    setAttribute(this.#button, 'aria-expanded', String(isOpen));
    if (isOpen) this.#draw();
  }

  #draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.merge;
    const quick = (text: string, by: By): HTMLButtonElement =>
      button(text, () => this.#onChange(by), {
        'data-merge': text,
        'aria-pressed': String(JSON.stringify(by) === JSON.stringify(this.#by)),
      });
    setChildren(this.#quick, [
      quick('No merging', undefined),
      quick('One row for each metric', []),
      ...this.#keys.slice(0, 12).map(({ key }) => quick(`By ${key}`, [key])),
    ]);
    setChildren(
      this.#list,
      this.#keys.map((one) => this.#itemOf(one)),
    );
    if (focused === undefined) return;
    this.#panel.querySelector<HTMLElement>(`[data-merge="${CSS.escape(focused)}"]`)?.focus();
  }

  #itemOf({ key, valueCount }: AttributeKey): HTMLElement {
    const input = h('input', {
      type: 'checkbox',
      'data-merge': `key ${key}`,
      checked: isMerged(this.#by, key),
    });
    input.addEventListener('change', () => {
      this.#onChange(withMerged(this.#by, key, input.checked, this.#keys));
    });
    const values = valueCount === 1 ? '(1 value)' : `(${formatCount(valueCount)} values)`;
    return h('li', {}, h('label', {}, input, ` merge ${key} `, h('span', { class: 'subtitle' }, values)));
  }
}

function mergeText(by: readonly string[]): string {
  return by.length === 0 ? 'Merged: one row for each metric' : `Merged by ${by.join(', ')}`;
}
