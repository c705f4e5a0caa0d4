import { formatCount } from '@hdrscope/plot';
import { h, setAttribute, setText } from './dom.ts';
import {
  distinguishingAttributes,
  type SeriesState,
  type Sorting,
  type SortKey,
  type Span,
  valuesOf,
} from './state.ts';
import { rateText, valueText } from './texts.ts';

const COLUMNS: readonly (readonly [key: SortKey, title: string])[] = [
  ['name', 'Series'],
  ['count', 'Count'],
  ['rate', 'Rate'],
  [0, 'p50'],
  [1, 'p90'],
  [2, 'p99'],
  [3, 'p99.9'],
  [4, 'max'],
];

const SPARE_ROWS = 4;

/** Reacts to what people do with the table. */
export interface TableListeners {
  onSelect(series: SeriesState): void;
  onSort(sorting: Sorting): void;
}

/**
 * The table of series. Only visible rows are elements, so that scrolling is smooth for any number of series. `aria-rowindex`
 * has the place of a row in the whole table: https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
export class SeriesTable {
  readonly element: HTMLElement;
  readonly #listeners: TableListeners;
  readonly #grid: HTMLElement;
  readonly #body = h('div', { class: 'rows', role: 'rowgroup' });
  readonly #empty = h('p', { class: 'empty' });
  readonly #heads = new Map<SortKey, HTMLElement>();
  #pool: RowElement[] = [];
  #shown: readonly SeriesState[] = [];
  #selected: number | undefined;
  #span: Span = 'all';
  /** In pixels, from page.css. */
  #rowHeight = 32;
  #sorting: Sorting = { key: 'name', isDescending: false };

  constructor(listeners: TableListeners) {
    this.#listeners = listeners;
    const heads = COLUMNS.map(([key, title]) => this.#head(key, title));
    // Bounded: these are the columns.
    const head = h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 }, ...heads);
    this.#grid = h(
      'div',
      { class: 'grid', role: 'grid', tabindex: '0', 'aria-label': 'Series', 'aria-colcount': COLUMNS.length },
      h('div', { role: 'rowgroup', class: 'heads' }, head),
      this.#body,
    );
    this.element = h('div', { class: 'series' }, this.#grid, this.#empty);
    this.#grid.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.#grid.addEventListener('keydown', (event) => this.#onKey(event));
    new ResizeObserver(() => {
      const style = getComputedStyle(this.#grid);
      this.#rowHeight = Number.parseFloat(style.getPropertyValue('--row-height')) || this.#rowHeight;
      this.#draw();
    }).observe(this.#grid);
  }

  /** @param empty The text of an empty table. */
  show(shown: readonly SeriesState[], span: Span, sorting: Sorting, empty: string): void {
    this.#shown = shown;
    this.#span = span;
    this.#sorting = sorting;
    setText(this.#empty, shown.length === 0 ? empty : '');
    this.#empty.hidden = shown.length > 0;
    this.#draw();
  }

  select(id: number | undefined, isInSight = false): void {
    this.#selected = id;
    if (isInSight) this.#scrollTo(this.#shown.findIndex(({ facts }) => facts.id === id));
    this.#draw();
  }

  focus(): void {
    this.#grid.focus();
  }

  #head(key: SortKey, title: string): HTMLElement {
    const button = h('button', { type: 'button', tabindex: '0' }, title);
    button.addEventListener('click', () => {
      const { key: before, isDescending } = this.#sorting;
      // Names start with A, numbers with the largest.
      this.#listeners.onSort({ key, isDescending: key === before ? !isDescending : key !== 'name' });
    });
    const head = h('div', { role: 'columnheader', class: classOf(key) }, button);
    this.#heads.set(key, head);
    return head;
  }

  #draw(): void {
    const { key, isDescending } = this.#sorting;
    for (const [other, head] of this.#heads) {
      const order = isDescending ? 'descending' : 'ascending';
      setAttribute(head, 'aria-sort', other === key ? order : undefined);
    }
    setAttribute(this.#grid, 'aria-rowcount', this.#shown.length + 1);
    this.#body.style.height = `${this.#shown.length * this.#rowHeight}px`;
    const first = Math.max(0, Math.floor(this.#grid.scrollTop / this.#rowHeight) - SPARE_ROWS);
    const count = Math.ceil(this.#grid.clientHeight / this.#rowHeight) + 2 * SPARE_ROWS;
    const rows = this.#shown.slice(first, first + count);
    while (this.#pool.length < rows.length) this.#pool.push(this.#newRow());
    for (const spare of this.#pool.splice(rows.length)) spare.element.remove();
    rows.forEach((series, i) => {
      this.#pool[i]!.show(series, first + i, series.facts.id === this.#selected, this.#span, this.#rowHeight);
    });
    const isActiveThere = rows.some(({ facts }) => facts.id === this.#selected);
    const active = isActiveThere ? rowId(this.#selected!) : undefined;
    setAttribute(this.#grid, 'aria-activedescendant', active);
  }

  #newRow(): RowElement {
    const row = new RowElement();
    row.element.addEventListener('click', () => {
      if (row.series !== undefined) this.#listeners.onSelect(row.series);
    });
    this.#body.append(row.element);
    return row;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#shown.findIndex(({ facts }) => facts.id === this.#selected);
    const page = Math.max(1, Math.floor(this.#body.parentElement!.clientHeight / this.#rowHeight) - 2);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.#shown.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const series = this.#shown[Math.min(this.#shown.length - 1, Math.max(0, target))];
    if (series === undefined) return;
    this.#scrollTo(this.#shown.indexOf(series));
    this.#listeners.onSelect(series);
  }

  #scrollTo(index: number): void {
    if (index < 0) return;
    const top = index * this.#rowHeight;
    const head = this.#grid.firstElementChild!.clientHeight;
    const { scrollTop, clientHeight } = this.#grid;
    if (top < scrollTop) this.#grid.scrollTop = top;
    else if (top + this.#rowHeight + head > scrollTop + clientHeight) {
      this.#grid.scrollTop = top + this.#rowHeight + head - clientHeight;
    }
  }
}

/** The element of a row, whose series changes when the table scrolls. */
class RowElement {
  readonly element: HTMLElement;
  series: SeriesState | undefined;
  readonly #family = h('b');
  readonly #attributes = h('span', { class: 'attributes' });
  readonly #cells: readonly HTMLElement[];

  constructor() {
    const name = h('div', { role: 'rowheader', class: 'name' }, this.#family, ' ', this.#attributes);
    this.#cells = COLUMNS.slice(1).map(([key]) => h('div', { role: 'gridcell', class: classOf(key) }));
    // Bounded: these are the columns.
    this.element = h('div', { class: 'row', role: 'row' }, name, ...this.#cells);
  }

  show(series: SeriesState, index: number, isSelected: boolean, span: Span, rowHeight: number): void {
    this.series = series;
    const { facts, family, row } = series;
    this.element.style.transform = `translateY(${index * rowHeight}px)`;
    setAttribute(this.element, 'id', rowId(facts.id));
    setAttribute(this.element, 'aria-rowindex', index + 2);
    setAttribute(this.element, 'aria-selected', String(isSelected));
    setText(this.#family, family.name);
    setText(this.#attributes, distinguishingAttributes(series).map(shortAttribute).join(', '));
    setAttribute(this.#family.parentElement!, 'title', series.label);
    const values = valuesOf(series, span);
    const texts = [
      formatCount(row[1]),
      rateText(row[2]),
      ...[0, 1, 2, 3, 4].map((i) => valueText(values[i], family)),
    ];
    texts.forEach((text, i) => {
      setText(this.#cells[i]!, text);
    });
  }
}

/** An attribute without the namespace of its key: `method=GET` for `http.request.method=GET`. */
function shortAttribute(attribute: string): string {
  return attribute.replace(/^[\w.]+\.(?=\w+=)/, '');
}

function rowId(id: number): string {
  return `series-${id}`;
}

function classOf(key: SortKey): string {
  return typeof key === 'number' ? `value v${key}` : key;
}
