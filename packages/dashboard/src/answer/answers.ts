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
import { isOwnMetric } from '../own-metrics.ts';
import { hasOwnRows, keyOfQuestion, type Question } from '../question.ts';
import { detailOf, distributionIn, type GroupInTime } from './detail.ts';
import { distributionAsText, type ExportedFile, rowsAsCsv } from './export.ts';
import { GroupHistory } from './group-history.ts';
import { filterOf, findLabelled, type Group, groupsOf } from './groups.ts';
import { rankChanges } from './ranking.ts';
import { type GroupRow, liveRows, rowsWithin } from './rows.ts';
import { plotsInTab } from './tab.ts';
import { type ExplainedFamily, explainTimes } from './why.ts';

// A page shows no more, and a message of so many rows has a megabyte.
const MOST_ROWS = 2000;

// The groups of some pages: a group has up to a megabyte.
const MOST_HISTORIES = 64;

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

/** Answers questions about the table and its history. Long work lets other work run. */
export class Answers {
  readonly #table: LiveTable;
  readonly #history: History;
  /** Those that were used last come last. */
  readonly #histories = new Map<string, GroupHistory>();

  readonly #isRecord: boolean;

  /** @param options.isRecord Whether there is no last interval that goes on. */
  constructor(table: LiveTable, history: History, options: { readonly isRecord: boolean }) {
    this.#table = table;
    this.#history = history;
    this.#isRecord = options.isRecord;
  }

  /** @param tabOf What a tab shows. */
  async of(question: Question, tabOf: (name: string) => TabContents): Promise<Answer> {
    const slices = new Slices();
    // All awaits come after this and the groups: a later interval may have series that the groups lack.
    const intervals = [...this.#history.intervals];
    if (question.tab !== undefined) {
      const { plots, series } = tabOf(question.tab);
      const groups = groupsOf(series, { where: [] });
      const own: Plot[] = [];
      for (const group of groups) {
        const inTime = await this.#inTime(group, intervals, slices);
        for (const plot of plotsInTab(inTime, this.#table)) own.push(plot);
      }
      return { tab: { name: question.tab, plots: [...plots, ...own] } };
    }
    const asksForRows = this.#isRecord || hasOwnRows(question);
    if (!asksForRows && question.pick === undefined) return {};
    const groups = this.#groupsOf(question);
    const rows = asksForRows ? await this.#rowsOf(question, groups, intervals) : undefined;
    const picked = groupOf(groups, question.pick);
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
    const picked = findLabelled(this.#allSeries(), question.by, question.pick);
    if (picked === undefined) return {};
    const isAsked = filterOf(question.where);
    const series = [...this.#allSeries()].filter(
      ({ facts }) => facts.family === picked.facts.family && isAsked(facts.attributes),
    );
    const endMs = this.#isRecord ? undefined : this.#table.snapshot.timeMs;
    const explained = { family: picked.family, series };
    const why = await explainTimes(question, explained, [...this.#history.intervals], endMs);
    return why === undefined ? {} : { why: { question: keyOfQuestion(question), ...why } };
  }

  /** Which rows have changed. Metrics of hdrscope itself are left out. */
  async changes(question: Question): Promise<Pick<Answer, 'changes'>> {
    if (question.tab !== undefined) return {};
    const isAsked = filterOf(question.where);
    const families = new Map<number, ExplainedFamily & { readonly series: HistorySeries[] }>();
    for (const one of this.#allSeries()) {
      const { facts, family } = one;
      if (isOwnMetric(family.name) || !isAsked(facts.attributes)) continue;
      const known = families.get(facts.family) ?? { family, series: [] };
      families.set(facts.family, known);
      known.series.push(one);
    }
    const endMs = this.#isRecord ? undefined : this.#table.snapshot.timeMs;
    const intervals = [...this.#history.intervals];
    const changes = await rankChanges(question, [...families.values()], intervals, endMs);
    return changes === undefined ? {} : { changes: { question: keyOfQuestion(question), ...changes } };
  }

  /** All rows of a question as a table in CSV. */
  async csv(question: Question): Promise<ExportedFile> {
    const rows = await this.#groupRows(question, this.#groupsOf(question), [...this.#history.intervals]);
    return rowsAsCsv(rows);
  }

  /** The picked row of a question as percentile text; `undefined` when it does not exist. */
  async percentileText(question: Question): Promise<ExportedFile | undefined> {
    const picked = groupOf(this.#groupsOf(question), question.pick);
    if (picked === undefined) return undefined;
    const inTime = await this.#inTime(picked, [...this.#history.intervals], new Slices());
    return distributionAsText(picked, distributionIn(inTime, question.range, this.#table));
  }

  #groupsOf(question: Question): readonly Group[] {
    return groupsOf(this.#allSeries(), question);
  }

  async #rowsOf(
    question: Question,
    groups: readonly Group[],
    all: readonly PackedInterval[],
  ): Promise<Omit<RowsMessage, 'question'>> {
    const { range } = question;
    const found = await this.#groupRows(question, groups, all);
    const rows = bounded(found.map(([, row]) => row));
    const shown = new Set(this.#table.series.map(({ facts }) => facts.family));
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

  /** The series that only the history knows, then those of the table. */
  *#allSeries(): Generator<HistorySeries, void> {
    for (const one of this.#history.series) if (this.#table.find(one.facts.id) === undefined) yield one;
    yield* this.#table.series;
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

function bounded(rows: readonly AnswerRow[]): Pick<RowsMessage, 'rows' | 'leftOut'> {
  if (rows.length <= MOST_ROWS) return { rows, leftOut: 0 };
  const largest = [...rows].sort((a, b) => b.count - a.count).slice(0, MOST_ROWS);
  return { rows: largest, leftOut: rows.length - MOST_ROWS };
}
