import type { Bounds } from '@hdrscope/core';
import type { ObjectiveVerdict } from '@hdrscope/core/internal';
import type { CauseVerdict, ExplanationVerdict } from '@hdrscope/explain';
import type { Plot } from '@hdrscope/plot';
import type { WaterfallPlot } from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import type { Against, Objective, TimeRange } from './question.ts';

/** The percentiles of a row, in order. The last is the maximum. */
export const ROW_PERCENTILES: readonly number[] = [50, 90, 99, 99.9, 100];

/** The bounds of the values at `ROW_PERCENTILES`, in the unit of the family; `null` when nothing was counted. */
export type RowValues = {
  /** No value is smaller. */
  readonly lower: readonly number[];
  /** No value is larger; `Infinity`, which is `null` in JSON, where nobody knows an end. */
  readonly upper: readonly number[];
  /** How many of the values come from buckets that are wider than the slots of the family. */
  readonly wide: number;
} | null;

/** The facts of a family, which a client gets with its first series and with later ones. */
export interface FamilyFacts {
  /** From 0, for as long as the server runs. */
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** The unit in which its values are shown. */
  readonly counted: CountedUnit;
  /** The decimal digits that its slots keep. */
  readonly digits: number;
  /** The unit of the instrument. */
  readonly unit: string;
}

/** The facts of a series, which a client gets once. */
export interface SeriesFacts {
  /** From 0, for as long as the server runs. */
  readonly id: number;
  /** The id of its family. */
  readonly family: number;
  /** In the order of their keys: `method=GET`, `route=/search`. */
  readonly attributes: readonly string[];
}

/** The changing part of a series: its id, count, rate per second, and the values of the last interval and since the start. */
export type Row = readonly [
  id: number,
  count: number,
  perSecond: number,
  last: RowValues,
  cumulative: RowValues,
];

/**
 * The event `table`: all changes since the last event that the client has seen, or the whole table for a client that has seen
 * no event of this server.
 */
export interface TableMessage {
  /** Whether this is the whole table, which replaces the one that the client has. */
  readonly isWhole: boolean;
  readonly title: string;
  /** Whether files may be opened. */
  readonly opensFiles: boolean;
  /** The time between two updates, in milliseconds: very many busy series make it longer. */
  readonly everyMs: number;
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly timeMs: number;
  /** Differs between two servers, and between a server and itself after a restart. */
  readonly epoch: string;
  /** Whether the page shows a record of times gone by, such as a log, and no source that goes on. */
  readonly isRecord: boolean;
  /** Whether this is a record that is being read: later times may follow. */
  readonly isReading: boolean;
  readonly history: HistoryFacts;
  /** What a restart leaves of the history; `null` for a record. */
  readonly past: PastFacts | null;
  /** Families that the client does not have yet, or may have forgotten. */
  readonly families: readonly FamilyFacts[];
  /** Series that the client does not have yet. */
  readonly series: readonly SeriesFacts[];
  /** Rows that have changed. */
  readonly rows: readonly Row[];
  /** How many series the table leaves out: those with the fewest values. A filter or a merge is about them, too. */
  readonly leftOut: number;
  /** The ids of series that the client no longer shows. Families without series go with them. */
  readonly removed: readonly number[];
  /** Where the process exports telemetry, as `collector:4318`. Its requests to there come last, and are not ranked. */
  readonly exporters: readonly string[];
  /** The names of all tabs beside that of the series. */
  readonly tabs: readonly string[];
  /** Sources that failed, each with its reason. */
  readonly errors: readonly string[];
  /** What the server has refused: counts above 0. */
  readonly refusals: readonly (readonly [reason: string, count: number])[];
}

/** What the server remembers, besides the counts since the start. */
export interface HistoryFacts {
  /** The time that is remembered; empty, with both ends equal, before the second update. */
  readonly range: TimeRange;
  /** How many intervals there are. */
  readonly intervals: number;
  /** The length of the shortest interval, in milliseconds. */
  readonly finestMs: number;
  /** The length of the longest one. */
  readonly coarsestMs: number;
  /** The memory that it takes, and the memory that it may take. */
  readonly bytes: number;
  readonly mostBytes: number;
  /** The times between intervals of which nothing is known, ascending: the last 20. */
  readonly gaps: readonly TimeRange[];
  /** How many of them there are. */
  readonly gapCount: number;
  /** How long they are together, in milliseconds. */
  readonly gapMs: number;
}

/** What a restart of the server leaves of its history. */
export interface PastFacts {
  /** Whether a folder keeps the history over restarts. If not, a restart forgets it. */
  readonly isKept: boolean;
  /** The time between two writes, in milliseconds: a process that is killed loses what it counted in it. */
  readonly everyMs: number;
  /** The folder has everything up to this time, in milliseconds since 1970; `null` before the first write of this process. */
  readonly writtenMs: number | null;
  /** The bytes of the folder. */
  readonly bytes: number;
  /** Why the folder is not used or not written at present; `null` when all is well. */
  readonly problem: string | null;
  /** Since when it cannot be written, in milliseconds since 1970; `null` while it can. */
  readonly failingSinceMs: number | null;
  /** What an earlier process left; `null` when nothing was there. */
  readonly earlier: EarlierFacts | null;
}

/** What a server found in the folder of its history at its start. */
export interface EarlierFacts {
  /** The end of its last interval, in milliseconds since 1970. */
  readonly endMs: number;
  /** Whether the process before wrote its last counts when it ended. If not, what it counted after `endMs` is lost. */
  readonly isWhole: boolean;
  /** Bytes that could not be read: they were damaged or cut. */
  readonly damagedBytes: number;
  /** Intervals that were left out, because they lie after the present time of the clock, or overlap with others. */
  readonly misplacedIntervals: number;
  /** Counts of one series in one interval that were left out, because the name of the series could not be read. */
  readonly namelessCounts: number;
}

/** A row of an answer: a series, or several of one family that were merged. */
export interface AnswerRow {
  /** The id of its family. */
  readonly family: number;
  /** The attributes that keep it apart from other rows of its family: `route=/search`. */
  readonly attributes: readonly string[];
  /** How many series were merged. */
  readonly seriesCount: number;
  readonly count: number;
  /** In the time that is asked for; since the last update when that goes on. */
  readonly perSecond: number;
  /** The values of the time that is asked for. */
  readonly values: RowValues;
  /** The values of the last interval; `null` when the time does not go on. */
  readonly last: RowValues;
}

/** The event `rows`: the rows of a question that has a time, merges or filters. It replaces the rows of the table. */
export interface RowsMessage {
  /** The question that it answers, as `questionParams` writes it. */
  readonly question: string;
  /** The time that the rows are of: the range of the question, widened to whole intervals. Left out: since the start. */
  readonly range?: TimeRange;
  /** The families of rows that have no series in the table. */
  readonly families: readonly FamilyFacts[];
  readonly rows: readonly AnswerRow[];
  /** How many rows were left out, those with the fewest values. */
  readonly leftOut: number;
}

/** The event `detail`: the row that a client has picked. */
export interface DetailMessage {
  /** The question that it answers, as `questionParams` writes it. */
  readonly question: string;
  /** The label of the row: see `Question.pick`. */
  readonly label: string;
  /** The time that is shown, widened to whole intervals. Left out: since the start. */
  readonly range?: TimeRange;
  /** The time that it is compared with, widened to whole intervals. Left out: no other time was asked for. */
  readonly baseline?: TimeRange;
  readonly facts: readonly Fact[];
  readonly plots: readonly Plot[];
  readonly objectives: readonly ObjectiveResult[];
  readonly comparison?: Comparison;
  /** Why there is no comparison, although one was asked for. */
  readonly note?: string;
}

/**
 * The event `why`: why a percentile moved, of all series of the picked row's metric that have the wanted attributes. It is the answer of
 * `hdrscope explain`.
 */
export interface WhyMessage {
  /** The question that it answers, as `questionParams` writes it. */
  readonly question: string;
  /** The name of the metric. */
  readonly metric: string;
  /** The time that was usual, in whole intervals; empty, with both ends equal, when the page remembers nothing of it. */
  readonly before: TimeRange;
  /** The time that is explained. */
  readonly after: TimeRange;
  /** Whether earlier intervals of these times were left out, because they have too many counts. */
  readonly isShortened: boolean;
  /** The percentile that has moved; `null` when none is shown to have. */
  readonly percentile: number | null;
  readonly verdict: ExplanationVerdict;
  /** What moved, and its first cause, in one line. */
  readonly summary: string;
  /** The whole answer in sentences. */
  readonly text: string;
  /** Attribute values: the causes first, by what they explain, then others by evidence. At most 10. */
  readonly causes: readonly WhyCause[];
  /** The parts of the difference. Left out when they do not add up. */
  readonly waterfall?: WaterfallPlot;
  /** How many series were taken together, as one without attributes: there are too many to look at each. */
  readonly together: number;
}

/** An attribute value, or several together, and what it has to do with a change. All values are as people read them. */
export interface WhyCause {
  /** `host=web-3`, `route=/pay & host=h2`; `a=1 or b=2` when both select the same series. */
  readonly names: string;
  /** Whether it is named as a cause. */
  readonly isNamed: boolean;
  /** The percentile of its series. */
  readonly before: string;
  readonly after: string;
  /** The part of the difference that it explains. */
  readonly part: string;
  /** How it has changed: `its values changed`. */
  readonly kind: string;
  readonly verdict: CauseVerdict;
}

/**
 * The event `changes`: which rows have changed, from the time that was usual to the time that is explained. Metrics of hdrscope itself are
 * not among them.
 */
export interface ChangesMessage {
  /** The question that it answers, as `questionParams` writes it. */
  readonly question: string;
  /** The time that was usual, in whole intervals. */
  readonly before: TimeRange;
  readonly after: TimeRange;
  /** What the time before is to the later one; `null` where the question has a time. */
  readonly against: Against | null;
  /** What the page remembers of the times that it compares with by itself. */
  readonly known: readonly Against[];
  /** Rows that have changed, the worst one first: those whose values became larger, then those whose values became smaller. At most 100. */
  readonly rows: readonly RowChange[];
  /** How many further rows may have changed, each with fewer values than these. */
  readonly leftOut: number;
  /** How many rows counted something in the time that is explained. */
  readonly rowCount: number;
  /** Metrics whose share of errors has changed, also where no values moved: errors may be fast. */
  readonly errors: readonly MetricErrors[];
}

/** How the share of errors of a metric has changed. */
export interface MetricErrors {
  readonly metric: string;
  /** The part of values that count errors, from 0 to 1. */
  readonly before: number;
  readonly after: number;
  /** When the change began, in milliseconds since 1970: the start of an interval. */
  readonly sinceMs: number;
}

/** What has changed of a row. All values are as people read them. */
export interface RowChange {
  /** The label of the row: see `Question.pick`. */
  readonly label: string;
  /** Whether its values became larger. */
  readonly isUp: boolean;
  /** Whether the row counted too little in the time before to be compared with itself. It is compared with its metric. */
  readonly isNew: boolean;
  /** The percentile that shows the change: `p99.9`. */
  readonly percentile: string;
  readonly before: string;
  readonly after: string;
  /** When the change began, in milliseconds since 1970: the start of an interval. */
  readonly sinceMs: number;
  /** Values above it are counted: 5 % more than a percentile of the time in which values were smaller. */
  readonly limit: string;
  /** The parts of its values that are above the limit, from 0 to 1; of a new row, the part of its metric is that before. */
  readonly above: { readonly before: number; readonly after: number };
  /** Whether values in wide buckets leave open how many are above the limit. Then the smaller part is the most and the larger one the least. */
  readonly isWide: boolean;
  /** How many values of the later time are above the limit, less those that would be without a change: negative when fewer are. */
  readonly moved: number;
  /** The part of the row's values in that time that these are, from 0 to 1. */
  readonly share: number;
  /** The part of all values of its metric in that time that these are, from 0 to 1. */
  readonly shareOfMetric: number;
  /** The parts of values that count errors, among the rows that differ from this one in no other attribute. Left out: no such attribute. */
  readonly errors?: { readonly before: number | null; readonly after: number | null };
}

/** A fact of a series, as people read it. A number has its bounds in the unit of the family too. */
export interface Fact extends Partial<Bounds> {
  readonly name: string;
  readonly text: string;
}

/** How many values keep an objective. */
export interface ObjectiveResult extends Objective {
  /** The objective as people read it: `p99.9 ≤ 250 ms`. */
  readonly name: string;
  /** The share of values that are at most as large, from 0 to 1; `null` when nothing was counted. */
  readonly share: Bounds | null;
  readonly verdict: ObjectiveVerdict;
}

/** One side of a comparison. */
interface ComparedSide {
  readonly name: string;
  readonly count: number;
  /** How many independent values say as much, where values of a sample stand for several. @default all of them */
  readonly asGoodAs?: number;
}

/** Two times of one row, or two rows, compared as `hdrscope diff` compares. */
export interface Comparison {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  /** The confidence of all intervals, such as 0.99. */
  readonly confidence: number;
  /** The decimal digits that both sides keep. */
  readonly digits: number;
  readonly changes: readonly Change[];
}

/** A percentile before and after, in the unit of the family. An upper end is `Infinity`, `null` in JSON, where nobody knows one. */
export interface Change {
  readonly percentile: number;
  readonly before: Bounds;
  readonly after: Bounds;
  /** The interval that holds the true difference; `null` when one side has too few values, or nobody knows an end. */
  readonly lower: number | null;
  readonly upper: number | null;
  readonly verdict: 'worse' | 'better' | 'no difference shown' | 'too few values';
}

/** The event `tab`: the plots of a tab. */
export interface TabMessage {
  readonly name: string;
  readonly plots: readonly Plot[];
}

/** The answer to a file: its plots. */
export interface OpenedMessage {
  readonly plots: readonly Plot[];
}
