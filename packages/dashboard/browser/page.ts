import { formatCount } from '@hdrscope/plot';
import type { TableMessage } from '../src/messages.ts';
import { ChartGrid } from './chart-card.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { DetailPanel } from './detail-panel.ts';
import { choice, h, setAttribute, setText } from './dom.ts';
import { Files } from './files.ts';
import { SeriesTable } from './series-table.ts';
import { applyChanges, emptyTable, type SeriesState, type Sorting, type Span, shownSeries } from './state.ts';
import { Tabs } from './tabs.ts';
import { clockText, refusalsText } from './texts.ts';
import { themeSwitch } from './theme.ts';

const STATES: Readonly<Record<ConnectionState, string>> = {
  live: 'Live',
  connecting: 'Connecting…',
  lost: 'No connection',
};

/** The whole page. */
export class Page {
  readonly element: HTMLElement;
  readonly #state = emptyTable();
  readonly #table: SeriesTable;
  readonly #detail = new DetailPanel();
  readonly #view = new ChartGrid();
  readonly #nothing = h('p', { class: 'empty' });
  readonly #viewPanel = h(
    'section',
    { class: 'detail view', hidden: true },
    this.#view.element,
    this.#nothing,
  );
  readonly #files = new Files();
  readonly #tabs: Tabs;
  readonly #connection: Connection;
  readonly #title = h('h1', {}, 'hdrscope');
  readonly #status = h(
    'p',
    { class: 'status', role: 'status', 'data-state': 'connecting' },
    STATES.connecting,
  );
  readonly #clock = h('p', { class: 'clock' });
  readonly #errors = h('ul', { class: 'errors', hidden: true });
  readonly #refusals = h('p', { class: 'refusals', hidden: true });
  readonly #search = h('input', {
    type: 'search',
    placeholder: 'Search series',
    'aria-label': 'Search series',
  });
  readonly #found = h('p', { class: 'found', role: 'status' });
  readonly #live: HTMLElement;
  #sorting: Sorting = { key: 'name', isDescending: false };
  #span: Span = 'all';
  #selected: string | undefined = decodeURIComponent(location.hash.slice(1)) || undefined;
  #tab: string | undefined;
  #hasCome = false;

  constructor() {
    this.#connection = new Connection({
      onTable: (message) => this.#take(message),
      onDetail: (message) => {
        if (this.#tab === undefined) this.#detail.show(message);
      },
      onView: ({ name, plots }) => {
        if (name !== this.#tab) return;
        this.#view.show(plots);
        setText(this.#nothing, plots.length === 0 ? `${name} has nothing to show.` : '');
      },
      onState: (state) => this.#showState(state),
    });
    this.#table = new SeriesTable({
      onSelect: (series) => this.#select(series),
      onSort: (sorting) => {
        this.#sorting = sorting;
        this.#draw();
      },
    });
    this.#tabs = new Tabs((tab) => this.#open(tab));
    const spans = choice('Values', { all: 'Since the start', last: 'Last interval' }, this.#span, (span) => {
      this.#span = span;
      this.#draw();
    });
    const keyHint = h('kbd', { 'aria-hidden': 'true' }, '/');
    const tools = h(
      'div',
      { class: 'tools' },
      h('div', { class: 'search' }, this.#search, keyHint),
      spans,
      this.#found,
    );
    this.#live = h('section', { class: 'live', 'aria-label': 'Live series' }, tools, this.#table.element);
    const header = h(
      'header',
      { class: 'page' },
      this.#title,
      this.#tabs.element,
      h('div', { class: 'right' }, this.#clock, this.#status, this.#files.button, this.#themes()),
    );
    const main = h(
      'main',
      {},
      this.#errors,
      this.#refusals,
      this.#live,
      this.#detail.element,
      this.#viewPanel,
      this.#files.element,
    );
    this.element = h('div', { class: 'app' }, header, main);
    this.#listen();
  }

  start(): void {
    this.#connection.start();
  }

  #themes(): HTMLElement {
    return themeSwitch(() => {
      for (const grid of [this.#detail.charts, this.#view, this.#files]) grid.draw();
    });
  }

  #listen(): void {
    this.#search.addEventListener('input', () => this.#draw());
    this.#search.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        this.#search.value = '';
        this.#draw();
      } else if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
      event.preventDefault();
      this.#table.focus();
    });
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#search.focus();
      this.#search.select();
    });
  }

  #take(message: TableMessage): void {
    applyChanges(this.#state, message);
    setText(this.#title, message.title);
    if (document.title !== message.title) document.title = message.title;
    setText(this.#clock, message.timeMs === 0 ? '' : clockText(message.timeMs));
    this.#files.isOn = message.opensFiles;
    this.#errors.hidden = message.errors.length === 0;
    if (this.#errors.textContent !== message.errors.join('')) {
      this.#errors.replaceChildren();
      for (const error of message.errors) this.#errors.append(h('li', {}, error));
    }
    this.#refusals.hidden = message.refusals.length === 0;
    setText(this.#refusals, refusalsText(message.refusals));
    this.#tabs.show(message.views);
    // A page without series shows files, so it opens with the first of them.
    if (!this.#hasCome && this.#state.series.size === 0 && message.views[0] !== undefined) {
      this.#tabs.open(message.views[0]);
    }
    this.#hasCome = true;
    this.#draw();
  }

  #draw(): void {
    const { size } = this.#state.series;
    const shown = shownSeries(this.#state, this.#search.value, this.#sorting, this.#span);
    const empty = size === 0 ? 'Nothing has been counted yet.' : 'No series has all these words.';
    this.#table.show(shown, this.#span, this.#sorting, this.#hasCome ? empty : '');
    const isAll = shown.length === size;
    setText(
      this.#found,
      isAll ? `${formatCount(size)} series` : `${formatCount(shown.length)} of ${formatCount(size)} series`,
    );
    this.#restore(shown);
  }

  /** Picks the series that was picked before, also after a restart of the server; otherwise the first one. */
  #restore(shown: readonly SeriesState[]): void {
    const all = [...this.#state.series.values()];
    const known = all.find(({ label }) => label === this.#selected);
    const series = known ?? (this.#selected === undefined ? shown[0] : undefined);
    if (series !== undefined) this.#pick(series);
    else if (all.length > 0 && shown[0] !== undefined) this.#select(shown[0]);
    else this.#detail.clear();
  }

  #select(series: SeriesState): void {
    this.#selected = series.label;
    history.replaceState(null, '', `#${encodeURIComponent(this.#selected)}`);
    this.#pick(series);
  }

  #pick(series: SeriesState): void {
    this.#selected = series.label;
    this.#table.select(series.facts.id);
    this.#detail.pick(series);
    this.#detail.element.hidden = this.#tab !== undefined || !this.#detail.isShown;
    this.#watch(series.facts.id);
  }

  #watch(series: number | undefined): void {
    this.#connection.watch(this.#tab === undefined ? { series } : { view: this.#tab });
  }

  #open(tab: string | undefined): void {
    this.#tab = tab;
    this.#live.hidden = tab !== undefined;
    this.#viewPanel.hidden = tab === undefined;
    setAttribute(this.#viewPanel, 'aria-label', tab);
    this.#view.show([]);
    setText(this.#nothing, '');
    if (tab === undefined) this.#draw();
    else {
      this.#detail.element.hidden = true;
      this.#watch(undefined);
    }
  }

  #showState(state: ConnectionState): void {
    setText(this.#status, STATES[state]);
    setAttribute(this.#status, 'data-state', state);
  }
}
