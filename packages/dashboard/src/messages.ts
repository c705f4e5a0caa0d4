import type { Plot } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';

/** The percentiles of a row, in this order; the last is the maximum. */
export const ROW_PERCENTILES: readonly number[] = [50, 90, 99, 99.9, 100];

/** The values at `ROW_PERCENTILES`, in the unit of the family; `null` where nothing was counted. */
export type RowValues = readonly number[] | null;

/** What is known of a family, told once. */
export interface FamilyFacts {
  /** From 0, for as long as the server runs. */
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** What its values are shown in, and for units that are not shown otherwise, as it was given. */
  readonly counted: CountedUnit;
  readonly unit: string;
}

/** What is known of a series, told once. */
export interface SeriesFacts {
  /** From 0, for as long as the server runs. */
  readonly id: number;
  /** The id of its family. */
  readonly family: number;
  /** `method=GET`, `route=/search`: by key. */
  readonly attributes: readonly string[];
}

/** What changes in a series: its id, its count, how many a second, and the values of the last interval and of all. */
export type Row = readonly [
  id: number,
  count: number,
  perSecond: number,
  last: RowValues,
  cumulative: RowValues,
];

/**
 * The event `table`: all that has changed since the event whose id the client has seen last, or everything where it has
 * seen none of this server.
 */
export interface TableMessage {
  /** Whether it stands for all that was told before. */
  readonly isWhole: boolean;
  readonly title: string;
  /** Whether files may be opened. */
  readonly opensFiles: boolean;
  readonly everyMs: number;
  /** Of the snapshot: milliseconds since 1970. */
  readonly timeMs: number;
  /** Those that the client does not know yet. */
  readonly families: readonly FamilyFacts[];
  readonly series: readonly SeriesFacts[];
  readonly rows: readonly Row[];
  /** Names of the views that there are. */
  readonly views: readonly string[];
  /** Sources that failed, each with its reason. */
  readonly errors: readonly string[];
}

/** The event `detail`: the series that a client has picked. */
export interface DetailMessage {
  readonly series: number;
  readonly facts: readonly Fact[];
  readonly plots: readonly Plot[];
}

/** Something about a series, as people read it. */
export interface Fact {
  readonly name: string;
  readonly text: string;
}

/** The event `view`: plots under one name. */
export interface ViewMessage {
  readonly name: string;
  readonly plots: readonly Plot[];
}

/** The answer to a file that was opened. */
export interface OpenedMessage {
  readonly plots: readonly Plot[];
}
