import { button, type Choice, choice, h, setAttribute, setText } from '@hdrscope/page/dom';
import { formatCount } from '@hdrscope/plot';
import type { Question } from '../src/question.ts';
import { exportAddress } from './address.ts';
import { type AttributeKey, withFilter, withoutFilter } from './attributes.ts';
import { Chips } from './chips.ts';
import type { Columns } from './columns.ts';
import { MergeMenu } from './merge-menu.ts';
import type { Span } from './state.ts';
import { leftOutText } from './texts.ts';

/** Reacts to what people do above the table. */
export interface ToolbarListeners {
  onSearch(text: string): void;
  onSpan(span: Span): void;
  /** Rows that have changed come first. */
  onByChange(): void;
  onQuestion(question: Partial<Question>): void;
  /** The reader goes on from the search to the table. */
  onLeave(): void;
}

/** The contents of the tools above the table. */
export interface ToolbarContent {
  readonly question: Question;
  readonly search: string;
  readonly span: Span;
  /** Whether rows that have changed come first. */
  readonly isByChange: boolean;
  /** Whether the rows go on, so that there is a last interval. */
  readonly goesOn: boolean;
  readonly keys: readonly AttributeKey[];
  readonly columns: Columns;
  readonly found: number;
  readonly total: number;
  /** How many rows the server has left out. */
  readonly leftOut: number;
}

/** The search, the merges and the filters of the table. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #listeners: ToolbarListeners;
  readonly #search = h('input', {
    type: 'search',
    placeholder: 'Search series',
    'aria-label': 'Search series',
  });
  readonly #spans: Choice<Span>;
  readonly #byChange: HTMLButtonElement;
  readonly #merge: MergeMenu;
  readonly #filters: Chips;
  readonly #found = h('p', { class: 'found', role: 'status' });
  readonly #csv = h('a', { class: 'button', download: true, title: 'Download all rows' }, 'CSV');
  readonly #common = h('p', { class: 'common subtitle' });
  readonly #leftOut = h('p', { class: 'left-out subtitle', role: 'status', hidden: true });
  #hasLeftOut = false;
  #where: readonly string[] = [];

  constructor(listeners: ToolbarListeners) {
    this.#listeners = listeners;
    this.#spans = choice<Span>('Values', { all: 'Since the start', last: 'Last interval' }, 'all', (span) =>
      listeners.onSpan(span),
    );
    this.#byChange = button('Changes first', () => listeners.onByChange(), {
      title: 'Sort rows by how much they contribute to the change',
    });
    this.#merge = new MergeMenu((by) => listeners.onQuestion({ by }));
    this.#filters = new Chips('Filters', (attribute) =>
      listeners.onQuestion({ where: withoutFilter(this.#where, attribute) }),
    );
    const keyHint = h('kbd', { 'aria-hidden': 'true' }, '/');
    const tools = h('div', { class: 'tools' }, h('div', { class: 'search' }, this.#search, keyHint));
    tools.append(
      this.#merge.element,
      this.#byChange,
      this.#filters.element,
      this.#spans.element,
      this.#found,
      this.#csv,
    );
    this.element = h('div', {}, tools, this.#common, this.#leftOut);
    this.#search.addEventListener('input', () => listeners.onSearch(this.#search.value));
    this.#search.addEventListener('keydown', (event) => this.#onKey(event));
  }

  show(content: ToolbarContent): void {
    const { question, search, span, isByChange, goesOn, keys, columns, found, total, leftOut } = content;
    this.#where = question.where;
    if (this.#search.value !== search) this.#search.value = search;
    this.#spans.press(span);
    setAttribute(this.#byChange, 'aria-pressed', String(isByChange));
    this.#spans.element.hidden = !goesOn;
    this.#merge.show(keys, question.by);
    this.#filters.show(question.where);
    const noun = question.by === undefined ? 'series' : found === 1 && total === 1 ? 'row' : 'rows';
    const some = found === total + leftOut ? '' : `${formatCount(found)} of `;
    setText(this.#found, `${some}${formatCount(total + leftOut)} ${noun}`);
    this.#hasLeftOut = leftOut > 0;
    setText(this.#leftOut, leftOutText(leftOut, question.by !== undefined, question.where.length > 0));
    this.#leftOut.hidden = leftOut === 0;
    setText(this.#common, commonText(columns, found));
    this.#common.hidden = this.#common.textContent === '';
    setAttribute(this.#csv, 'href', exportAddress(question, 'csv'));
  }

  focus(): void {
    this.#search.focus();
    this.#search.select();
  }

  #onKey(event: KeyboardEvent): void {
    const text = this.#search.value.trim();
    if (event.key === 'Escape') this.#listeners.onSearch('');
    else if (event.key === 'Enter' && this.#hasLeftOut && /^[^\s=]+=./.test(text)) {
      this.#listeners.onSearch('');
      this.#listeners.onQuestion({ where: withFilter(this.#where, text) });
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') this.#listeners.onLeave();
    else return;
    event.preventDefault();
  }
}

/** The names that all rows share, which the rows do not repeat. */
function commonText({ family, hasFamily, common }: Columns, count: number): string {
  if (count === 0) return '';
  const parts = [...(family === undefined || hasFamily ? [] : [family]), ...common];
  if (parts.length === 0) return '';
  return count === 1 ? parts.join(', ') : `All rows: ${parts.join(', ')}`;
}
