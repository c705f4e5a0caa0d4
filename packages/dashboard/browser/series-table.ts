import { button, h, isTyped, setAttribute, setChildren, setName, setText } from '@hdrscope/page/dom';
import type { Zone } from '@hdrscope/plot/internal';
import type { RowChange } from '../src/messages.ts';
import { type Columns, ColumnsMemo, columnsOf, type Room } from './columns.ts';
import { RowElement } from './row-element.ts';
import { type Sorting, type SortKey, type Span, type TableRow, VALUE_NAMES, wideCountOf } from './state.ts';

/** The columns of numbers. */
const NUMBERS: readonly (readonly [key: SortKey, title: string])[] = [
  ['count', 'Count'],
  ['rate', 'Rate'],
  ...VALUE_NAMES.map((name, at) => [at as SortKey, name] as const),
];

const SPARE_ROWS = 4;
const LINE_HEIGHT = 22;
/** The width of the column that attributes share, in characters. */
const REST_WIDTH = 16;

/**
 * How rows are laid out. `less` leaves out the rate and p90, `middle` p99.9 too. In the others, names stand above the numbers: all of
 * these in `tall`, four in `narrow`, and five in `phone`: without p90 and the maximum, and with at most three attributes.
 */
type Layout = 'wide' | 'less' | 'middle' | 'tall' | 'narrow' | 'phone';

/** A layout, and the columns that have room in it. */
interface Choice {
  readonly layout: Layout;
  readonly columns: Columns;
}

/** The width in pixels that numbers take beside names. */
const NUMBERS_WIDTH: Readonly<Record<Layout, number>> = {
  ...{ wide: 660, less: 480, middle: 348 },
  ...{ tall: 24, narrow: 24, phone: 24 },
};
const PIXELS_PER_CHARACTER = 7.3;

/** How many pixels more the values take when they have two ends: 44 for each that the layout has. */
const BOUNDS_WIDTH: Readonly<Record<Layout, number>> = {
  ...{ wide: 220, less: 176, middle: 132 },
  ...{ tall: 0, narrow: 0, phone: 0 },
};

/** The layouts of a width, the best one first. The last one is taken when names do not fit in any of them. */
function layoutsOf(width: number): readonly Layout[] {
  if (width >= 860 || width === 0) return ['wide', 'less', 'tall'];
  return width >= 560 ? ['middle', 'narrow'] : ['phone'];
}

function roomOf(layout: Layout, width: number, hasBounds = false): Room {
  if (layout === 'phone') return { most: 3, characters: Number.POSITIVE_INFINITY };
  const numbers = NUMBERS_WIDTH[layout] + (hasBounds ? BOUNDS_WIDTH[layout] : 0);
  const characters = ((width || 1200) - numbers) / PIXELS_PER_CHARACTER;
  return { most: 8, characters: Math.max(12, characters) };
}

/** Where names stand above the numbers, a line is divided into so many parts. */
const LINE_PARTS = 420;

/** How many of these parts each name takes, in the order of the columns. On a phone, the family has a line of its own. */
function partsOfNames({ hasFamily }: Columns, widths: readonly number[], layout: Layout): number[] {
  const hasOwnLine = layout === 'phone' && hasFamily;
  const beside = hasOwnLine ? widths.slice(1) : widths;
  const total = beside.reduce((sum, width) => sum + width, 0);
  const least = LINE_PARTS / (2 * Math.max(1, beside.length));
  const parts = beside.map((width) => Math.max(least, (width / total) * LINE_PARTS));
  // The least parts of some leave less for the others.
  const tooMany = parts.reduce((sum, part) => sum + part, 0) / LINE_PARTS;
  const fitting = parts.map((part) => Math.floor(part / Math.max(1, tooMany)));
  return hasOwnLine ? [LINE_PARTS, ...fitting] : fitting;
}

/** Reacts to what people do with the table. */
export interface TableListeners {
  onSelect(row: TableRow): void;
  /** Compares the picked row with this one. */
  onCompare(row: TableRow): void;
  onFilter(attribute: string): void;
  onSort(sorting: Sorting): void;
  /** The reader goes on from the table to the detail of the picked row. */
  onOpen(): void;
  /** The table has other columns, because its width has changed. */
  onColumns(): void;
}

/** The rows of the table, and how they are shown. */
export interface TableContent {
  readonly rows: readonly TableRow[];
  readonly span: Span;
  readonly sorting: Sorting;
  /** The label of the picked row. */
  readonly picked: string | undefined;
  /** The label of the row that it is compared with. */
  readonly other: string | undefined;
  /** What has changed, by the labels of rows. */
  readonly changes: ReadonlyMap<string, RowChange>;
  readonly zone: Zone;
  /** The text of an empty table. */
  readonly empty: string;
}

/**
 * The table of series. Only visible rows are elements, so that scrolling is smooth for any number of series. `aria-rowindex`
 * has the place of a row in the whole table: https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
export class SeriesTable {
  readonly element: HTMLElement;
  readonly #listeners: TableListeners;
  readonly #grid: HTMLElement;
  readonly #head = h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 });
  readonly #body = h('div', { class: 'rows', role: 'rowgroup' });
  readonly #empty = h('p', { class: 'empty' });
  #pool: RowElement[] = [];
  #content: TableContent | undefined;
  /** The place of the picked row. Two rows may have the same label. */
  #at = -1;
  #rowHeight = 32;
  /** The columns that the heads and rows have. */
  #columns: Columns = columnsOf([], roomOf('wide', 0));
  #layout: Layout = 'wide';
  /** How much of a line each name takes, where names stand above the numbers. */
  #parts: readonly number[] = [];
  readonly #memos = new Map<Layout, ColumnsMemo>();

  constructor(listeners: TableListeners) {
    this.#listeners = listeners;
    this.#grid = h(
      'div',
      { class: 'grid', role: 'grid', tabindex: '0', 'aria-label': 'Series' },
      h('div', { role: 'rowgroup', class: 'heads' }, this.#head),
      this.#body,
    );
    this.element = h('div', { class: 'series' }, this.#grid, this.#empty);
    this.#grid.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.#grid.addEventListener('keydown', (event) => this.#onKey(event));
    new ResizeObserver(() => {
      if (this.#grid.clientWidth === 0 || this.#content === undefined) return;
      const before = this.#columns;
      this.#layOut(this.#content.rows);
      this.#draw();
      if (before !== this.#columns) listeners.onColumns();
    }).observe(this.#grid);
  }

  /** The columns that distinguish the rows. */
  get columns(): Columns {
    return this.#columns;
  }

  show(content: TableContent): void {
    this.#content = content;
    const { rows, picked, empty } = content;
    if (rows[this.#at]?.label !== picked) this.#at = rows.findIndex(({ label }) => label === picked);
    setText(this.#empty, rows.length === 0 ? empty : '');
    this.#empty.hidden = rows.length > 0;
    setAttribute(this.#grid, 'data-empty', rows.length === 0);
    this.#layOut(rows);
    this.#draw();
  }

  focus(): void {
    this.#grid.focus();
  }

  /** Scrolls to the picked row. */
  reveal(): void {
    this.#scrollTo(this.#at);
  }

  #layOut(rows: readonly TableRow[]): void {
    const hasBounds = rows.some((row) => wideCountOf(row, this.#content!.span) > 0);
    const { layout, columns } = this.#choose(rows, hasBounds);
    const { hasFamily, familyWidth, attributes, rest } = columns;
    const widths = [
      ...(hasFamily ? [familyWidth] : []),
      ...attributes.map(({ width }) => width),
      ...(rest.length > 0 && layout !== 'phone' ? [REST_WIDTH] : []),
    ];
    const isPhone = layout === 'phone';
    const isStacked = isPhone || layout === 'tall' || layout === 'narrow';
    const names = isPhone ? Number(hasFamily) + Number(attributes.length > 0) : 1;
    // Bounds may take two lines.
    const lines = names + (hasBounds ? 2 : 1);
    this.#rowHeight = (isStacked ? lines : 1) * LINE_HEIGHT + 10;
    setAttribute(this.#grid, 'data-layout', layout);
    setAttribute(this.#grid, 'data-stacked', isStacked);
    setAttribute(this.#grid, 'data-bounds', hasBounds);
    this.#grid.style.setProperty('--row-height', `${this.#rowHeight}px`);
    this.#grid.style.setProperty('--names', widths.map((width) => `minmax(0, ${width}fr)`).join(' '));
    if (columns === this.#columns && layout === this.#layout) return;
    this.#columns = columns;
    this.#layout = layout;
    this.#parts = isStacked ? partsOfNames(columns, widths, layout) : [];
    this.#makeHeads(columns);
  }

  /** The first layout that has room for all names, or else the first one that distinguishes rows. */
  #choose(rows: readonly TableRow[], hasBounds: boolean): Choice {
    const { clientWidth } = this.#grid;
    let distinct: Choice | undefined;
    let last: Choice | undefined;
    for (const layout of layoutsOf(clientWidth)) {
      const memo = this.#memos.get(layout) ?? new ColumnsMemo();
      this.#memos.set(layout, memo);
      const columns = memo.of(rows, roomOf(layout, clientWidth, hasBounds));
      last = { layout, columns };
      if (columns.isCramped) continue;
      if (columns.rest.length === 0) return last;
      if (columns.isDistinct) distinct ??= last;
    }
    return distinct ?? last!;
  }

  #makeHeads(columns: Columns): void {
    for (const row of this.#pool.splice(0)) row.element.remove();
    const heads: (readonly [key: SortKey | undefined, title: string, kind: string])[] = [
      ...(columns.hasFamily ? [['name', 'Series', 'name family'] as const] : []),
      ...columns.attributes.map(({ key, title }) => [`@${key}` as const, title, 'name attribute'] as const),
      ...(columns.rest.length > 0 ? [[undefined, 'other attributes', 'name rest'] as const] : []),
      ...NUMBERS.map(([key, title]) => [key, title, classOf(key)] as const),
    ];
    setChildren(
      this.#head,
      heads.map(([key, title, kind], i) => {
        const head = this.#headOf(key, title, kind);
        if (this.#parts[i] !== undefined) head.style.gridColumn = `span ${this.#parts[i]}`;
        return head;
      }),
    );
    setAttribute(this.#grid, 'aria-colcount', heads.length);
  }

  #headOf(key: SortKey | undefined, title: string, kind: string): HTMLElement {
    const head = h('div', { role: 'columnheader', class: kind });
    if (key === undefined) {
      head.append(title);
      return head;
    }
    const hint = typeof key === 'string' && key.startsWith('@') ? key.slice(1) : undefined;
    const isText = key === 'name' || hint !== undefined;
    const sort = (): void => {
      const { key: before, isDescending } = this.#content!.sorting;
      // Names start with A, numbers with the largest.
      this.#listeners.onSort({ key, isDescending: key === before ? !isDescending : !isText });
    };
    const sorter = button('', sort, { title: hint });
    setName(sorter, title);
    head.append(sorter);
    head.dataset.key = String(key);
    return head;
  }

  #draw(): void {
    if (this.#content === undefined) return;
    const { rows: all, sorting, span, other, changes, zone } = this.#content;
    for (const head of this.#head.children as Iterable<Element> & HTMLCollection) {
      const order = sorting.isDescending ? 'descending' : 'ascending';
      const isSorted = (head as HTMLElement).dataset.key === String(sorting.key);
      setAttribute(head, 'aria-sort', isSorted ? order : undefined);
    }
    setAttribute(this.#grid, 'aria-rowcount', all.length + 1);
    this.#body.style.height = `${all.length * this.#rowHeight}px`;
    const headHeight = this.#head.clientHeight;
    this.#grid.style.setProperty('--content', `${all.length * this.#rowHeight + headHeight + 2}px`);
    const first = Math.max(0, Math.floor(this.#grid.scrollTop / this.#rowHeight) - SPARE_ROWS);
    const count = Math.ceil(this.#grid.clientHeight / this.#rowHeight) + 2 * SPARE_ROWS;
    const rows = all.slice(first, first + count);
    while (this.#pool.length < rows.length) this.#pool.push(this.#newRow());
    for (const spare of this.#pool.splice(rows.length)) spare.element.remove();
    rows.forEach((row, i) => {
      const place = first + i;
      this.#pool[i]!.show(row, {
        ...{ place, span, top: place * this.#rowHeight },
        isPicked: place === this.#at,
        isOther: row.label === other,
        ...{ change: changes.get(row.label), zone },
      });
    });
    const isActiveThere = this.#at >= first && this.#at < first + rows.length;
    setAttribute(this.#grid, 'aria-activedescendant', isActiveThere ? `row-${this.#at}` : undefined);
  }

  #newRow(): RowElement {
    const row = new RowElement(this.#columns, this.#parts, (attribute) =>
      this.#listeners.onFilter(attribute),
    );
    row.element.addEventListener('click', (event) => {
      if (row.row === undefined) return;
      if (event.ctrlKey || event.metaKey) {
        this.#listeners.onCompare(row.row);
        return;
      }
      this.#at = row.place;
      this.#listeners.onSelect(row.row);
    });
    this.#body.append(row.element);
    return row;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.target !== this.#grid || isTyped(event) || this.#content === undefined) return;
    const { rows } = this.#content;
    const picked = rows[this.#at];
    if (event.key === 'c' && picked !== undefined) {
      event.preventDefault();
      this.#listeners.onCompare(picked);
      return;
    }
    if (event.key === 'Enter' && picked !== undefined) {
      event.preventDefault();
      this.#listeners.onOpen();
      return;
    }
    const page = Math.max(1, Math.floor(this.#grid.clientHeight / this.#rowHeight) - 2);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: this.#at + 1,
      ArrowUp: this.#at - 1,
      PageDown: this.#at + page,
      PageUp: this.#at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const at = Math.min(rows.length - 1, Math.max(0, target));
    if (rows[at] === undefined) return;
    this.#at = at;
    this.#scrollTo(at);
    this.#listeners.onSelect(rows[at]);
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

function classOf(key: SortKey): string {
  return typeof key === 'number' ? `number v${key}` : `number ${key}`;
}
