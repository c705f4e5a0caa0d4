import { Slices } from '@hdrscope/kit';
import type { Plot } from '@hdrscope/plot';
import { intervalsWithin, timeOf } from '../history/coarsening.ts';
import type { History, HistorySeries } from '../history/history.ts';
import type { PackedInterval } from '../history/packed-interval.ts';
import { familyFacts, type LiveTable } from '../live-table.ts';
import type {
  AnswerRow,
  ChangesMessage,
  DetailMessage,
  RowsMessage,
  TabMessage,
  WhyMessage,
} from '../messages.ts';
import { isOwnSeries } from '../own-metrics.ts';
import { changesQuestion, hasOwnRows, keyOfQuestion, type Question } from '../question.ts';
import { type ComparedTimes, chooseTimes, endBefore, listTimes } from './baseline.ts';
import { findChanges, hasChanged } from './changes.ts';
import { detailOf, distributionIn, type GroupInTime } from './detail.ts';
import { distributionAsText, type ExportedFile, rowsAsCsv } from './export.ts';
import { GroupHistory } from './group-history.ts';
import { filterOf, findLabelled, type Group, listGroups } from './groups.ts';
import { makeSlices } from './ranking.ts';
import { type GroupRow, liveRows, rowsWithin } from './rows.ts';
import { plotsInTab } from './tab.ts';
import { type ExplainedFamily, explainTimes } from './why.ts';

// A page shows no more, and a message of so many rows has a megabyte.
const MOST_ROWS = 2000;

// The groups of some pages: a group has up to a megabyte.
const MOST_HISTORIES = 64;

// The questions of some pages.
const MOST_RANKINGS = 100;

/** The parts of an answer. */
export interface Answer {
  /** Left out when the rows of the table are the answer. */
  readonly rows?: RowsMessage;
  /** Left out when no row is picked, or the picked one does not exist. */
  readonly detail?: DetailMessage;
  /** Left out when no tab is asked for. */
  readonly tab?: TabMessage;
  /** Left out when no row is picked, or there are no two times. */
  readonly why?: WhyMessage;
  /** Left out when the page does not remember two times. */
  readonly changes?: ChangesMessage;
}

/** What a tab shows: plots that somebody else has made, and series. */
export interface TabContents {
  readonly plots: readonly Plot[];
  readonly series: readonly HistorySeries[];
}

/** What is remembered of a ranking. */
interface LastRanking {
  /** The age of the time that it compared with. An explanation compares with the same time. */
  readonly ageMs: number;
  /** When that time ended. */
  readonly quietUntilMs: number;
  /** How many rankings before it showed no change either; `undefined` when it showed one. */
  readonly quietTurns: number | undefined;
}

/** Answers questions about the table and its history. Long work lets other work run. */
export class Answers {
  readonly #table: LiveTable;
  readonly #history: History;
  /** Those that were used last come last. */
  readonly #histories = new Map<string, GroupHistory>();

  /** The last ranking of each question, by its key. */
  readonly #rankings = new Map<string, LastRanking>();
  readonly #isRecord: boolean;
  /** All series as they were after an update of the table. */
  #listed: { updates: number; ofTable: readonly HistorySeries[]; all: readonly HistorySeries[] } = {
    ...{ updates: -1, ofTable: [], all: [] },
  };

  readonly #listExporters: () => readonly string[];

  /**
   * @param options.isRecord Whether there is no last interval that goes on.
   * @param options.listExporters Where the process exports telemetry: more addresses may become known. @default nothing is known of that
   */
  constructor(
    table: LiveTable,
    history: History,
    options: { readonly isRecord: boolean; readonly listExporters?: () => readonly string[] },
  ) {
    this.#table = table;
    this.#history = history;
    this.#isRecord = options.isRecord;
    this.#listExporters = options.listExporters ?? (() => []);
  }

  /** @param tabOf What a tab shows. */
  async of(question: Question, tabOf: (name: string) => TabContents): Promise<Answer> {
    const slices = new Slices();
    // All awaits come after these: a later interval may have series that the groups lack.
    const intervals = [...this.#history.intervals];
    const all = this.#listSeries();
    if (question.tab !== undefined) {
      const { plots, series } = tabOf(question.tab);
      const groups = await listGroups(series, { where: [] }, slices);
      const own: Plot[] = [];
      for (const group of groups) {
        const inTime = await this.#inTime(group, intervals, slices);
        for (const plot of plotsInTab(inTime, this.#table)) own.push(plot);
      }
      return { tab: { name: question.tab, plots: [...plots, ...own] } };
    }
    const asksForRows = this.#isRecord || hasOwnRows(question);
    const { pick } = question;
    if (!asksForRows && pick === undefined) return {};
    const asked = asksForRows
      ? all
      : await findLabelled(all, question.by, labelSet([pick, question.other]), slices);
    const groups = await listGroups(asked, question, slices);
    const rows = asksForRows ? await this.#rowsOf(question, groups, intervals) : undefined;
    const picked = groupOf(groups, pick);
    const other = groupOf(groups, question.other);
    const detail =
      picked &&
      detailOf(
        question,
        await this.#inTime(picked, intervals, slices),
        other && (await this.#inTime(other, intervals, slices)),
        { table: this.#table, isRecord: this.#isRecord },
      );
    const key = keyOfQuestion(question);
    return {
      ...(rows && { rows: { question: key, ...rows } }),
      ...(detail && { detail: { question: key, ...detail } }),
    };
  }

  /** Why the metric of the picked row changed. */
  async why(question: Question): Promise<Pick<Answer, 'why'>> {
    if (question.tab !== undefined) return {};
    // A filter may leave out the picked row, and still ask about its metric.
    const listed = this.#listSeries();
    const all = chooseTimes(this.#listTimes(question), question);
    const labelled = await findLabelled(listed, question.by, labelSet([question.pick]), new Slices());
    const picked = labelled.at(-1);
    if (picked === undefined) return {};
    const isAsked = filterOf(question.where);
    const series = listed.filter(
      ({ facts }) => facts.family === picked.facts.family && isAsked(facts.attributes),
    );
    const last = this.#rankings.get(keyOfQuestion(changesQuestion(question)));
    const times = all.find(({ ageMs }) => ageMs === last?.ageMs) ?? all[0];
    if (times === undefined) return {};
    const quiet = endBefore(times, last?.quietUntilMs);
    const why = await explainTimes(question, { family: picked.family, series }, quiet);
    return { why: { question: keyOfQuestion(question), ...why } };
  }

  /** Where the process exports telemetry: see `isOwnSeries`. */
  get exporters(): readonly string[] {
    return this.#listExporters();
  }

  /** Which rows have changed. Those of hdrscope itself and of exporters are left out. */
  async changes(question: Question): Promise<Pick<Answer, 'changes'>> {
    if (question.tab !== undefined) return {};
    const times = this.#listTimes(question);
    const isAsked = filterOf(question.where);
    const families = new Map<number, ExplainedFamily & { readonly series: HistorySeries[] }>();
    const { exporters } = this;
    const slices = makeSlices();
    const listed = this.#listSeries();
    for (const one of listed) {
      const { facts, family } = one;
      if (slices.isOver()) await slices.next();
      if (isOwnSeries(family.name, facts.attributes, exporters) || !isAsked(facts.attributes)) continue;
      const known = families.get(facts.family) ?? { family, series: [] };
      families.set(facts.family, known);
      known.series.push(one);
    }
    const key = keyOfQuestion(question);
    const last = this.#rankings.get(key);
    const changes = await findChanges(question, [...families.values()], times, last?.quietTurns);
    if (changes === undefined) return {};
    if (this.#table.leftOut > 0) {
      // They may have few values. Of merged rows, clients get nothing.
      const changed = labelSet(changes.message.rows.map(({ label }) => label));
      const labelled = await findLabelled(listed, undefined, changed, slices);
      this.#table.show(labelled.map(({ facts }) => facts.id));
    }
    const quietTurns = hasChanged(changes.message) ? undefined : (last?.quietTurns ?? -1) + 1;
    this.#rankings.delete(key);
    const quietUntilMs = changes.message.before.toMs;
    this.#rankings.set(key, { ageMs: changes.times.ageMs, quietUntilMs, quietTurns });
    const [oldest] = this.#rankings.keys();
    if (this.#rankings.size > MOST_RANKINGS && oldest !== undefined) this.#rankings.delete(oldest);
    return { changes: { question: key, ...changes.message } };
  }

  #listTimes(question: Question): readonly ComparedTimes[] {
    const endMs = this.#isRecord ? undefined : this.#table.snapshot.timeMs;
    return listTimes(question, [...this.#history.intervals], endMs);
  }

  /** All rows of a question as a table in CSV. */
  async csv(question: Question): Promise<ExportedFile> {
    const intervals = [...this.#history.intervals];
    return rowsAsCsv(await this.#groupRows(question, await this.#listGroups(question), intervals));
  }

  /** The picked row of a question as percentile text; `undefined` when it does not exist. */
  async percentileText(question: Question): Promise<ExportedFile | undefined> {
    const intervals = [...this.#history.intervals];
    const picked = groupOf(await this.#listGroups(question), question.pick);
    if (picked === undefined) return undefined;
    const inTime = await this.#inTime(picked, intervals, new Slices());
    return distributionAsText(picked, distributionIn(inTime, question.range, this.#table));
  }

  #listGroups(question: Question): Promise<readonly Group[]> {
    return listGroups(this.#listSeries(), question, new Slices());
  }

  async #rowsOf(
    question: Question,
    groups: readonly Group[],
    all: readonly PackedInterval[],
  ): Promise<Omit<RowsMessage, 'question'>> {
    const { range } = question;
    const found = await this.#groupRows(question, groups, all);
    const rows = bounded(found.map(([, row]) => row));
    // Where the table leaves out series, a client may lack any family.
    const { series, leftOut } = this.#table;
    const shown = new Set(leftOut > 0 ? [] : series.map(({ facts }) => facts.family));
    const others = new Map(
      found.flatMap(([{ familyId, family }]) => (shown.has(familyId) ? [] : [[familyId, family] as const])),
    );
    const families = [...others].map(([id, family]) => familyFacts(id, family));
    return { ...(range && { range: timeOf(intervalsWithin(all, range)) }), families, ...rows };
  }

  /** The rows of groups, each with its group. */
  async #groupRows(
    { range }: Question,
    groups: readonly Group[],
    all: readonly PackedInterval[],
  ): Promise<readonly GroupRow[]> {
    const slices = new Slices();
    if (range === undefined && !this.#isRecord) {
      const present = groups.filter(({ ids }) => ids.some((id) => this.#table.find(id) !== undefined));
      return liveRows(present, this.#table, slices);
    }
    return rowsWithin(groups, range === undefined ? all : intervalsWithin(all, range), slices);
  }

  /** The series that only the history knows, then those of the table. An update of the table asks for them several times. */
  #listSeries(): readonly HistorySeries[] {
    const { updates, series } = this.#table;
    if (this.#listed.updates !== updates || this.#listed.ofTable !== series) {
      const gone: HistorySeries[] = [];
      for (const one of this.#history.series)
        if (this.#table.find(one.facts.id) === undefined) gone.push(one);
      this.#listed = { updates, ofTable: series, all: gone.length === 0 ? series : [...gone, ...series] };
    }
    return this.#listed.all;
  }

  /** @param all All intervals of the history at the time when the group was made. */
  async #inTime(group: Group, all: readonly PackedInterval[], slices: Slices): Promise<GroupInTime> {
    const history = this.#histories.get(group.key) ?? new GroupHistory(group.family);
    this.#histories.delete(group.key);
    this.#histories.set(group.key, history);
    const [oldest] = this.#histories.keys();
    if (this.#histories.size > MOST_HISTORIES && oldest !== undefined) this.#histories.delete(oldest);
    const intervals = await history.intervals(all, group, slices);
    return { group, history, intervals };
  }
}

/** The group of a label. When a series has ended and another has its attributes, the later one has the label. */
function groupOf(groups: readonly Group[], wanted: string | undefined): Group | undefined {
  return wanted === undefined ? undefined : groups.findLast(({ label }) => label === wanted);
}

function labelSet(labels: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(labels.filter((label) => label !== undefined));
}

function bounded(rows: readonly AnswerRow[]): Pick<RowsMessage, 'rows' | 'leftOut'> {
  if (rows.length <= MOST_ROWS) return { rows, leftOut: 0 };
  const largest = [...rows].sort((a, b) => b.count - a.count).slice(0, MOST_ROWS);
  return { rows: largest, leftOut: rows.length - MOST_ROWS };
}
