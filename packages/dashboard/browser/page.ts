import { receivedPlot, type Style } from '@hdrscope/page/charts';
import { h, isTyped, setAttribute, setText } from '@hdrscope/page/dom';
import { remember, remembered } from '@hdrscope/page/preference';
import { currentTheme, themeSwitch } from '@hdrscope/page/theme';
import type { TimePlot } from '@hdrscope/plot';
import type { Zone } from '@hdrscope/plot/internal';
import type { TableMessage } from '../src/messages.ts';
import type { Question } from '../src/question.ts';
import {
  addressOf,
  askedOf,
  exportAddress,
  FIRST_VIEW,
  type PageView,
  questionText,
  viewOfAddress,
} from './address.ts';
import { withFilter } from './attributes.ts';
import { ChangesList } from './changes-list.ts';
import { LOCAL, timeText, UTC } from './clock.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { DetailPanel } from './detail-panel.ts';
import { Files } from './files.ts';
import { Header } from './header.ts';
import { layOutPage } from './layout.ts';
import { livenessOf } from './liveness.ts';
import { Notice } from './notice.ts';
import { Picking } from './picking.ts';
import { Received } from './received.ts';
import { SeriesTable } from './series-table.ts';
import { foundRows, sortedRows, type TableFacts, type TableRow } from './state.ts';
import { SteppedWork } from './stepped-work.ts';
import { TabPanel } from './tab-panel.ts';
import { Tabs } from './tabs.ts';
import {
  historyText,
  pastProblemText,
  pastText,
  recordFactsText,
  refusalsText,
  restartText,
} from './texts.ts';
import { Timeline } from './timeline.ts';
import { Toolbar } from './toolbar.ts';
import { WhyPanel } from './why-panel.ts';

const UTC_KEY = 'hdrscope-utc';
const ADDRESS_MS = 200;
const TICK_MS = 500;

/** The whole page. It asks what people want, and draws what the server has sent. */
export class Page {
  readonly element: HTMLElement;
  readonly #received = new Received();
  readonly #connection: Connection;
  readonly #header: Header;
  readonly #tabs: Tabs;
  readonly #toolbar: Toolbar;
  readonly #table: SeriesTable;
  readonly #timeline: Timeline;
  readonly #changes: ChangesList;
  readonly #why: WhyPanel;
  readonly #detail: DetailPanel;
  readonly #files = new Files(() => this.#style);
  readonly #tabPanel = new TabPanel();
  readonly #live: HTMLElement;
  readonly #errors = h('ul', { class: 'errors', hidden: true });
  readonly #restarted = new Notice('warning');
  readonly #notFound = new Notice();
  readonly #comparing = new Notice();
  readonly #asOf = h('p', { class: 'as-of', hidden: true });
  readonly #refusals = h('p', { class: 'refusals', hidden: true });
  readonly #history = h('p');
  readonly #past = h('p', { class: 'past' });
  #view: PageView = viewOfAddress(location.hash);
  /** Percentiles of the picked row over time. */
  #overTime: TimePlot | undefined;
  readonly #picking = new Picking(this.#view.question.pick === undefined);
  #connected: ConnectionState = 'connecting';
  #lastUpdateMs: number | undefined;
  #addressTimer: number | undefined;
  readonly #drawing = new SteppedWork(() => this.#drawSteps());
  /** The rows that were drawn last; `undefined` while they are not known. */
  #foundRows: readonly TableRow[] | undefined;

  constructor() {
    this.#connection = new Connection(askedOf(this.#view.question), {
      onTable: (message) => this.#takeTable(message),
      onRows: (message) => {
        if (this.#received.takeRows(message, this.#view.question)) this.#draw();
      },
      onDetail: (message) => {
        if (this.#received.takeDetail(message, this.#view.question)) this.#drawDetail();
      },
      onWhy: (message) => {
        if (this.#received.takeWhy(message, this.#view.question)) this.#drawWhy();
      },
      onChanges: (message) => {
        const { question } = this.#view;
        const before = [...this.#received.changedRows(question).keys()].join('\n');
        if (!this.#received.takeChanges(message, question)) return;
        // The order of thousands of rows is made anew only when it is another one.
        const isSame = before === message.rows.map(({ label }) => label).join('\n');
        if (!isSame) this.#draw();
        else {
          this.#drawWhy();
          this.#drawTimeline();
        }
      },
      onTab: (message) => {
        if (this.#received.takeTab(message, this.#view.question)) this.#tabPanel.show(message, this.#style);
      },
      onState: (state) => {
        this.#connected = state;
        this.#tick();
      },
    });
    this.#tabs = new Tabs((tab) => this.#ask({ tab }));
    this.#header = new Header(this.#tabs.element, [themeSwitch(() => this.#redraw()), this.#files.button], {
      onPause: () => this.#togglePause(),
      onLink: () => {
        this.#picking.isOwn = false;
        this.#writeAddress();
      },
      onUtc: (isUtc) => {
        remember(UTC_KEY, isUtc ? '1' : '0');
        this.#change({ isUtc });
        this.#redraw();
      },
    });
    this.#toolbar = new Toolbar({
      onSearch: (search) => this.#change({ search }),
      onSpan: (span) => this.#change({ span }),
      onByChange: () => this.#change({ sorting: FIRST_VIEW.sorting }),
      onQuestion: (question) => this.#ask(question),
      onLeave: () => this.#table.focus(),
    });
    this.#table = new SeriesTable({
      onSelect: (row) => this.#pick(row),
      onCompare: (row) => this.#compareWith(row.label),
      onFilter: (attribute) => this.#filter(attribute),
      onSort: (sorting) => this.#change({ sorting }),
      onColumns: () => this.#draw(),
      onOpen: () => this.#detail.focus(),
    });
    this.#timeline = new Timeline({
      onRange: (range, baseline) => {
        const other = baseline === undefined ? this.#view.question.other : undefined;
        this.#ask({ range, baseline, other });
      },
      onOtherRow: () => this.#detail.chooseOther(),
      onNothing: () => this.#ask({ baseline: undefined, other: undefined }),
    });
    this.#changes = new ChangesList({
      onPick: (label) => {
        const row = this.#received.rowsOf(this.#view.question).find((one) => one.label === label);
        if (row !== undefined) this.#pick(row);
      },
      onAgainst: (against) => this.#ask({ against }),
    });
    this.#why = new WhyPanel(this.#changes.element, {
      onOpen: (isWhyOpen) => this.#change({ isWhyOpen }),
      onPercentile: (why) => this.#ask({ why }),
    });
    this.#detail = new DetailPanel({
      onFilter: (attribute) => this.#filter(attribute),
      onOther: (label) => this.#compareWith(label),
      onObjectives: (objectives) => this.#ask({ objectives }),
      listRows: () => this.#found(),
    });
    this.#live = h(
      'section',
      { class: 'live', 'aria-label': 'Live series' },
      h('h2', { class: 'hidden-text' }, 'Series'),
      this.#toolbar.element,
      this.#table.element,
    );
    this.element = layOutPage({
      header: this.#header.element,
      notices: [this.#restarted.element, this.#errors, this.#refusals],
      timeline: this.#timeline.element,
      why: this.#why.element,
      live: this.#live,
      rowNotices: [this.#comparing.element, this.#notFound.element, this.#asOf],
      details: [this.#detail.element, this.#tabPanel.element, this.#files.element],
      endNotes: [this.#history, this.#past],
    });
    this.#listen();
  }

  start(): void {
    this.#connection.start();
    window.setInterval(() => this.#tick(), TICK_MS);
  }

  #listen(): void {
    document.addEventListener('keydown', (event) => {
      if (isTyped(event)) return;
      const isButton =
        event.target instanceof HTMLElement && event.target.closest('button, a, [role=slider]');
      if (event.key === '/') this.#toolbar.focus();
      else if (event.key === 'w') this.#change({ isWhyOpen: !this.#view.isWhyOpen });
      else if (event.key === 'p' || (event.key === ' ' && !isButton)) this.#togglePause();
      else return;
      event.preventDefault();
    });
    window.addEventListener('hashchange', () => {
      window.clearTimeout(this.#addressTimer);
      this.#view = viewOfAddress(location.hash);
      this.#picking.isOwn = this.#view.question.pick === undefined;
      this.#connection.ask(askedOf(this.#view.question));
      this.#redraw();
    });
  }

  // The choices of the reader

  #change(change: Partial<PageView>): void {
    this.#take(change);
    this.#draw();
  }

  #take(change: Partial<PageView>): void {
    this.#view = { ...this.#view, ...change };
    this.#connection.ask(askedOf(this.#view.question));
    // Browsers refuse to change the address many times a second.
    window.clearTimeout(this.#addressTimer);
    this.#addressTimer = window.setTimeout(() => this.#writeAddress(), ADDRESS_MS);
  }

  #ask(change: Partial<Question>): void {
    this.#change({ question: { ...this.#view.question, ...change } });
  }

  #writeAddress(): void {
    window.clearTimeout(this.#addressTimer);
    const { question } = this.#view;
    // The page of somebody else, or of a later time, picks the worst row of that time.
    const written = this.#picking.isOwn ? { ...question, pick: undefined } : question;
    const address = addressOf({ ...this.#view, question: written });
    history.replaceState(null, '', address === '' ? location.pathname + location.search : `#${address}`);
  }

  #pick(row: TableRow): void {
    this.#picking.pick(row, false);
    this.#ask({ pick: row.label });
  }

  /** Compares the picked row with another one. When it is the picked row itself, the next row that is picked is compared with it. */
  #compareWith(label: string | undefined): void {
    this.#picking.isOwn = false;
    const { other } = this.#view.question;
    this.#ask({ other: other === label ? undefined : label, baseline: undefined });
  }

  #filter(attribute: string): void {
    this.#ask({ where: withFilter(this.#view.question.where, attribute) });
  }

  #togglePause(): void {
    this.#received.togglePause();
    this.#redraw();
  }

  // Messages of the server

  #takeTable(message: TableMessage): void {
    const { isFirst, isRestarted } = this.#received.takeTable(message);
    this.#lastUpdateMs = performance.now();
    if (isRestarted) {
      this.#restarted.show(restartText(message, this.#zone), { Dismiss: () => this.#restarted.show('') });
    }
    const { tab } = this.#view.question;
    const [firstTab] = message.tabs;
    // A page without series shows files, so it opens with the first of them.
    const isOfFiles = isFirst && this.#received.table.series.size === 0 && firstTab !== undefined;
    if (isOfFiles && tab === undefined) this.#ask({ tab: firstTab });
    else if (!isFirst && tab !== undefined && !message.tabs.includes(tab)) this.#ask({ tab: undefined });
    this.#tick();
    // Thousands of rows take a while, so they are not drawn in the task of the message.
    if (this.#received.pausedMs === undefined) this.#drawing.doSoon();
  }

  // Drawing

  get #zone(): Zone {
    return (this.#view.isUtc ?? remembered(UTC_KEY) === '1') ? UTC : LOCAL;
  }

  get #style(): Style {
    return { theme: currentTheme(), zone: this.#zone };
  }

  /** The rows that the table shows: they stay the same until the page is drawn again. */
  #found(): readonly TableRow[] {
    const { question, search, sorting, span } = this.#view;
    this.#foundRows ??= sortedRows(
      foundRows(this.#received.rowsOf(question), search),
      sorting,
      this.#goesOn ? span : 'all',
      new Map([...this.#received.changedRows(question).keys()].map((label, rank) => [label, rank])),
      this.#received.facts?.exporters,
    );
    return this.#foundRows;
  }

  /** Whether the values of the rows change with time, so that there is a last interval. */
  get #goesOn(): boolean {
    return this.#view.question.range === undefined && this.#received.facts?.isRecord !== true;
  }

  #draw(): void {
    this.#drawing.doNow();
  }

  *#drawSteps(): Generator<void, void> {
    this.#foundRows = undefined;
    const { facts } = this.#received;
    if (facts === undefined) return;
    if (this.#view.question.tab === undefined) {
      this.#found();
      yield;
    }
    this.#follow();
    const { question } = this.#view;
    this.#header.show(facts.title, facts.timeMs, facts.isRecord, this.#zone);
    this.#drawFacts(facts);
    this.#tabs.show(facts.tabs, question.tab);
    this.#live.hidden = question.tab !== undefined;
    this.#timeline.element.hidden = question.tab !== undefined;
    this.#tabPanel.open(question.tab, this.#style);
    this.#drawWhy();
    if (question.tab === undefined) {
      yield* this.#drawSeries();
      return;
    }
    this.#detail.element.hidden = true;
    this.#notFound.show('');
    this.#comparing.show('');
  }

  #drawFacts({ refusals, opensFiles, history, past, isRecord, ...facts }: TableFacts): void {
    this.#files.isOn = opensFiles;
    const problem = past === null ? '' : pastProblemText(past, this.#zone);
    const errors = problem === '' ? facts.errors : [...facts.errors, problem];
    this.#errors.hidden = errors.length === 0;
    if (this.#errors.textContent !== errors.join('')) {
      this.#errors.replaceChildren();
      for (const error of errors) this.#errors.append(h('li', {}, error));
    }
    this.#refusals.hidden = refusals.length === 0;
    setText(this.#refusals, refusalsText(refusals));
    setText(this.#history, isRecord ? recordFactsText(history) : historyText(history));
    setText(this.#past, past === null ? '' : pastText(history, past, this.#zone));
    setAttribute(this.element, 'data-record', isRecord);
    setAttribute(this.#live, 'aria-label', isRecord ? 'Recorded series' : 'Live series');
  }

  *#drawSeries(): Generator<void, void> {
    const { question, search, sorting, span } = this.#view;
    const rows = this.#received.rowsOf(question);
    const hasRows = this.#received.hasRowsOf(question);
    const found = this.#found();
    const isBare = rows.length === 0 && search === '' && question.where.length === 0;
    this.#table.show({
      ...{ rows: found, sorting, span: this.#goesOn ? span : 'all' },
      picked: this.#view.question.pick,
      other: question.other,
      ...{ changes: this.#received.changedRows(question), zone: this.#zone },
      empty: isBare ? 'Nothing has been counted yet.' : 'No series has all these words and attributes.',
    });
    setAttribute(this.#table.element, 'aria-busy', hasRows ? undefined : 'true');
    yield;
    this.#toolbar.show({
      ...{ question, search, span, goesOn: this.#goesOn, keys: this.#received.attributeKeys },
      isByChange: sorting.key === 'change',
      columns: this.#table.columns,
      ...{ found: found.length, total: rows.length },
      leftOut: this.#received.leftOutOf(question),
    });
    yield;
    this.#drawTimeline();
    this.#askDetail(found);
  }

  /** A record has no last minute that a page could compare without being asked to. */
  #drawWhy(): void {
    const { question, isWhyOpen } = this.#view;
    this.#why.element.hidden = question.tab !== undefined || !(this.#goesOn || question.range !== undefined);
    const { why } = this.#received;
    const isOld = why?.question !== questionText(askedOf(question));
    const changes = this.#received.changesOf(question) ?? (isOld ? this.#received.changes : undefined);
    this.#changes.show(changes, { picked: question.pick, against: question.against, zone: this.#zone });
    setAttribute(this.#why.element, 'aria-busy', isOld ? 'true' : undefined);
    this.#why.show(why, { isOpen: isWhyOpen, percentile: question.why, zone: this.#zone });
  }

  /** Picks a row when no row is picked, and another one when the picked one is gone. */
  #follow(): void {
    const { question } = this.#view;
    if (question.tab !== undefined || !this.#received.hasRowsOf(question)) return;
    const next = this.#picking.follow(this.#received, question, () => this.#found());
    if (next === null) this.#detail.clear();
    else if (next !== undefined) this.#take({ question: { ...question, pick: next.label } });
  }

  #drawTimeline(): void {
    const { facts, detail } = this.#received;
    if (facts === undefined) return;
    const { range, baseline, other, pick } = this.#view.question;
    this.#timeline.show({
      ...{ plot: this.#overTime, label: detail?.label ?? pick ?? '' },
      ...{ bounds: facts.history.range, range, baseline, isOtherRow: other !== undefined },
      ...{ changed: this.#received.changedTimeOf(this.#view.question), gaps: facts.history.gaps },
      ...{ isRecord: facts.isRecord, zone: this.#zone },
    });
  }

  #askDetail(found: readonly TableRow[]): void {
    const { question } = this.#view;
    const { pick } = question;
    this.#detail.element.hidden = !this.#detail.isShown;
    if (pick === undefined) return;
    const hgrm = exportAddress(askedOf(question), 'hgrm');
    this.#detail.ask(this.#picking.row, pick, question.other, question.objectives, hgrm);
    this.#comparing.show(question.other === pick ? `Pick the row to compare with ${pick}.` : '', {
      'Compare with nothing': () => this.#ask({ other: undefined }),
    });
    const isThere = found.some(({ label }) => label === pick);
    if (isThere || !this.#received.hasRowsOf(question)) {
      this.#notFound.show('');
      return;
    }
    const isInRows = this.#received.rowsOf(question).some(({ label }) => label === pick);
    const text = 'The picked row is not among the rows found.';
    const show = { 'Show it': () => this.#showPicked() };
    const follow = {
      'Pick the first found': () => {
        const [first] = this.#found();
        if (first !== undefined) this.#pick(first);
      },
    };
    this.#notFound.show(
      isInRows ? text : `${text} Its charts are older than the filters.`,
      found.length === 0 ? show : { ...show, ...follow },
    );
  }

  /** Takes away the search and the filters that hide the picked row. */
  #showPicked(): void {
    this.#change({ search: '', question: { ...this.#view.question, where: [] } });
    this.#table.reveal();
  }

  #drawDetail(): void {
    const { detail } = this.#received;
    if (detail === undefined || this.#view.question.tab !== undefined) return;
    const row = this.#picking.row?.label === detail.label ? this.#picking.row : undefined;
    const overTime = detail.plots.find((plot) => plot.kind === 'over-time');
    this.#overTime = overTime && (receivedPlot(overTime) as TimePlot);
    this.#detail.show(detail, row, this.#style);
    this.#detail.element.hidden = false;
    this.#drawTimeline();
  }

  /** Draws everything again, after a change of the theme, the time zone or the address. */
  #redraw(): void {
    this.#draw();
    this.#drawDetail();
    const { tab } = this.#received;
    if (tab !== undefined) this.#tabPanel.show(tab, this.#style);
    this.#files.draw();
    this.#tick();
  }

  /** Says how new the data are. */
  #tick(): void {
    const { facts, pausedMs } = this.#received;
    const liveness = livenessOf(
      {
        ...{ connection: this.#connected, lastUpdateMs: this.#lastUpdateMs, nowMs: performance.now() },
        everyMs: facts?.everyMs ?? 1000,
        pausedMs,
        recorded: facts?.isRecord ? facts.history.range : undefined,
        isReading: facts?.isReading ?? false,
      },
      this.#zone,
    );
    this.#header.showStatus(liveness, pausedMs !== undefined);
    setAttribute(this.element, 'data-stale', liveness.isStale);
    const isOld = liveness.isStale || pausedMs !== undefined;
    this.#asOf.hidden = !isOld || facts === undefined;
    const asOfMs = pausedMs ?? facts?.timeMs ?? 0;
    setText(this.#asOf, `As of ${timeText(asOfMs, this.#zone)}`);
  }
}
