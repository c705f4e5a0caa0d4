import { h, setAttribute, setText } from '@hdrscope/page/dom';
import { formatCount } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { RowChange } from '../src/messages.ts';
import { keyOf } from '../src/question.ts';
import { changeMark, changeText } from './changes-list.ts';
import type { Columns } from './columns.ts';
import { attributeValue, type Span, type TableRow, VALUE_NAMES, valueAt, wideCountOf } from './state.ts';
import { rateText, valueText } from './texts.ts';

/** How a row is shown. */
export interface Showing {
  /** From 0. */
  readonly place: number;
  /** In pixels from the top of all rows. */
  readonly top: number;
  readonly span: Span;
  readonly isPicked: boolean;
  /** Whether the picked row is compared with this one. */
  readonly isOther: boolean;
  /** What has changed; `undefined` when nothing is shown to have. */
  readonly change: RowChange | undefined;
  readonly zone: Zone;
}

/** The element of a row, which shows another row when the table scrolls. */
export class RowElement {
  readonly element: HTMLElement;
  row: TableRow | undefined;
  place = -1;
  readonly #columns: Columns;
  readonly #family: CutText;
  /** How many series were merged. */
  readonly #merged = h('span', { class: 'merged' });
  /** Shows that some values come from wide buckets. */
  readonly #wide = h('span', { class: 'wide' });
  readonly #change = h('span', { class: 'moved' });
  readonly #attributes: readonly AttributeCell[];
  readonly #rest = h('div', { role: 'gridcell', class: 'name rest' });
  readonly #numbers: readonly HTMLElement[];

  /** @param parts How much of a line each name takes; empty where columns have widths. */
  constructor(columns: Columns, parts: readonly number[], onFilter: (attribute: string) => void) {
    this.#columns = columns;
    this.#family = new CutText(columns.familyTail);
    this.element = h('div', { class: 'row', role: 'row' });
    if (columns.hasFamily) {
      this.element.append(
        h(
          'div',
          { role: 'rowheader', class: 'name family' },
          h('b', {}, this.#family.head, this.#family.tail),
          this.#merged,
          this.#wide,
          this.#change,
        ),
      );
    }
    this.#attributes = columns.attributes.map(({ key, tail }, i) => {
      const isFirst = i === 0 && !columns.hasFamily;
      const cell = new AttributeCell(key, tail, isFirst ? 'rowheader' : 'gridcell', onFilter);
      if (isFirst) cell.element.append(this.#merged, this.#wide, this.#change);
      this.element.append(cell.element);
      return cell;
    });
    if (columns.rest.length > 0) this.element.append(this.#rest);
    [...(this.element.children as unknown as Iterable<HTMLElement>)].forEach((cell, i) => {
      if (parts[i] !== undefined) cell.style.gridColumn = `span ${parts[i]}`;
    });
    this.#numbers = CLASSES.map((name) => h('div', { role: 'gridcell', class: name }));
    for (const cell of this.#numbers) this.element.append(cell);
  }

  show(row: TableRow, { place, top, span, isPicked, isOther, change, zone }: Showing): void {
    this.row = row;
    this.place = place;
    this.element.style.transform = `translateY(${top}px)`;
    setAttribute(this.element, 'id', `row-${place}`);
    setAttribute(this.element, 'aria-rowindex', place + 2);
    setAttribute(this.element, 'aria-selected', String(isPicked));
    setAttribute(this.element, 'data-other', isOther);
    setAttribute(this.element, 'data-label', row.label);
    setAttribute(this.element, 'title', row.label);
    this.#family.show(row.family.name);
    const { seriesCount } = row;
    setText(this.#merged, seriesCount > 1 ? ` ×${formatCount(seriesCount)}` : '');
    setAttribute(
      this.#merged,
      'title',
      seriesCount > 1 ? `${formatCount(seriesCount)} series, merged` : undefined,
    );
    for (const cell of this.#attributes) cell.show(row);
    const rest = row.attributes.filter((attribute) => this.#columns.rest.includes(keyOf(attribute)));
    setText(this.#rest, rest.map((attribute) => attribute.slice(this.#columns.restPrefix.length)).join(', '));
    const wide = wideCountOf(row, span);
    setText(this.#wide, wide > 0 ? ' ↔' : '');
    setAttribute(
      this.#wide,
      'title',
      wide > 0
        ? `${formatCount(wide)} of the values come from wide buckets, and may lie anywhere in them: the row shows bounds`
        : undefined,
    );
    setText(this.#change, change === undefined ? '' : changeMark(change));
    setAttribute(this.#change, 'title', change && changeText(change, Date.now(), zone));
    setAttribute(this.#change, 'data-up', change?.isUp ?? false);
    const texts = [
      formatCount(row.row[1]),
      rateText(row.row[2]),
      ...VALUE_NAMES.map((_, i) => valueText(valueAt(row, span, i), row.family)),
    ];
    texts.forEach((text, i) => {
      setText(this.#numbers[i]!, text);
      // A narrow column may cut it.
      setAttribute(this.#numbers[i]!, 'title', text.includes(' to ') ? text : undefined);
    });
  }
}

const CLASSES = [
  'number count',
  'number rate',
  'number v0',
  'number v1',
  'number v2',
  'number v3',
  'number v4',
];

// A text that is hardly longer than its end is shown as one part.
const LEAST_HEAD = 7;

/** A text that is cut in its middle when it has too little room: names of pods and of paths differ at their ends. */
class CutText {
  readonly head: HTMLElement = h('span', { class: 'text' });
  readonly tail: HTMLElement = h('span', { class: 'tail' });

  readonly #tailLength: number;

  constructor(tailLength: number) {
    this.#tailLength = tailLength;
  }

  show(text: string): void {
    const cut = text.length > LEAST_HEAD + this.#tailLength ? text.length - this.#tailLength : text.length;
    setText(this.head, text.slice(0, cut));
    setText(this.tail, text.slice(cut));
  }
}

/** The value of an attribute, with a button that shows only rows that have it. */
class AttributeCell {
  readonly element: HTMLElement;
  readonly #key: string;
  readonly #text: CutText;
  readonly #only: HTMLButtonElement;
  #attribute = '';

  constructor(key: string, tail: number, role: string, onFilter: (attribute: string) => void) {
    this.#key = key;
    this.#text = new CutText(tail);
    this.#only = h('button', { type: 'button', class: 'only', tabindex: '-1' }, 'only');
    this.#only.addEventListener('click', (event) => {
      event.stopPropagation();
      onFilter(this.#attribute);
    });
    this.element = h(
      'div',
      { role, class: 'name attribute', 'data-key': key },
      this.#text.head,
      this.#text.tail,
      this.#only,
    );
  }

  show(row: TableRow): void {
    const value = attributeValue(row, this.#key);
    const text = value ?? '';
    const attribute = `${this.#key}=${text}`;
    this.#only.hidden = value === undefined;
    if (attribute === this.#attribute) return;
    this.#attribute = attribute;
    this.#text.show(value ?? '–');
    setAttribute(this.#only, 'aria-label', `Show only rows with ${attribute}`);
    setAttribute(this.#only, 'title', `Show only rows with ${attribute}`);
  }
}
