import type { Plot } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';

/** The percentiles of a row, in order. The last is the maximum. */
export const ROW_PERCENTILES: readonly number[] = [50, 90, 99, 99.9, 100];

/** The values at `ROW_PERCENTILES`, in the unit of the family; `null` when nothing was counted. */
export type RowValues = readonly number[] | null;

/** The facts of a family, which a client gets with its first series and with later ones. */
export interface FamilyFacts {
  /** From 0, for as long as the server runs. */
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** The unit in which its values are shown. */
  readonly counted: CountedUnit;
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
  readonly everyMs: number;
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly timeMs: number;
  /** Families that the client does not have yet, or may have forgotten. */
  readonly families: readonly FamilyFacts[];
  /** Series that the client does not have yet. */
  readonly series: readonly SeriesFacts[];
  /** Rows that have changed. */
  readonly rows: readonly Row[];
  /** The ids of series that the client no longer shows. Families without series go with them. */
  readonly removed: readonly number[];
  /** The names of all views. */
  readonly views: readonly string[];
  /** Sources that failed, each with its reason. */
  readonly errors: readonly string[];
  /** What the server has refused: counts above 0. */
  readonly refusals: readonly (readonly [reason: string, count: number])[];
}

/** The event `detail`: the series that a client has picked. */
export interface DetailMessage {
  readonly series: number;
  readonly facts: readonly Fact[];
  readonly plots: readonly Plot[];
}

/** A fact of a series, as people read it. */
export interface Fact {
  readonly name: string;
  readonly text: string;
}

/** The event `view`: the plots of a view. */
export interface ViewMessage {
  readonly name: string;
  readonly plots: readonly Plot[];
}

/** The answer to a file: its plots. */
export interface OpenedMessage {
  readonly plots: readonly Plot[];
}
