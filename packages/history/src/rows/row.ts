import type { Bounds } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';

/** The version of the row format: https://github.com/hdrscope/hdrscope/blob/main/docs/formats/history.md */
export const FORMAT_VERSION = 2;

/**
 * How far the true sum and extremes of a row may lie from those that it has, in ticks: at least 0. `sumAbove` and `minAbove` are infinite
 * where values are in a bucket without an end.
 */
export interface Margins {
  /** The sum is at least `sum` less this. */
  readonly sumBelow: number;
  /** The sum is at most `sum` and this. */
  readonly sumAbove: number;
  /** The smallest value is at most `min` and this. */
  readonly minAbove: number;
  /** The largest value is at least `max` less this. */
  readonly maxBelow: number;
}

/** A large value of a row, with the trace in which it was recorded. */
export interface RowExemplar {
  /** The value, in ticks. */
  readonly value: number;
  /** When it was recorded: milliseconds since 1970. */
  readonly timeMs: number;
  /** The trace, as OpenTelemetry writes it: not empty, at most 64 characters. */
  readonly traceId: string;
  /** The span; empty when it is not known. */
  readonly spanId: string;
}

/** A distribution as rows have it: slots by the leading bits of a double, and their counts. All values are in ticks. */
export interface Distribution {
  /** UCUM code of the unit that `scale` refers to, such as `s`. */
  readonly unit: string;
  /** The value of one tick, in the unit: 1e-9 for seconds counted in nanoseconds. Above 0. */
  readonly scale: number;
  /** How many bits of the mantissa a slot number has. An integer in `[0, 20]`. */
  readonly bits: number;
  /** The slots with a count, ascending: `slotOfTick` says what the numbers mean. A slot comes again with another width. */
  readonly k: readonly number[];
  /** The counts of `k`: as many, each an integer from 1 to 2^53 − 1. */
  readonly c: readonly number[];
  /**
   * How many further slots the values of a count may lie in: as many as `k`, or empty when all values lie in their slots. The counts of
   * a bucket from 1 to 2.5 seconds are at the slot of 1 second, with a width that reaches to that of 2.5.
   */
  readonly w: readonly number[];
  /** The sum of `c`. */
  readonly count: number;
  /** The sum of the values, in ticks: an estimate where `margins` say so. */
  readonly sum: number;
  /** No value is smaller, in ticks: the smallest value, or the begin of the slots that it may lie in; 0 when there are no values. */
  readonly min: number;
  /**
   * No value is larger, in ticks: the largest value, or the end of the slots that it may lie in; 2^53 − 1 when nobody knows an end. 0 when
   * there are no values.
   */
  readonly max: number;
  /** How far the true sum and extremes may lie from these. @default they are exact */
  readonly margins?: Margins | undefined;
  /** The largest values that have a trace, at most 4, the largest one first. @default there are none */
  readonly exemplars?: readonly RowExemplar[] | undefined;
  /**
   * Bounds of the number of series that the values are of, each at least 1: in a rollup that dropped attributes such as the host, of how
   * many hosts. @default they are of one series
   */
  readonly series?: Bounds | undefined;
  /**
   * The most values that one of the counted ones stands for, where values came from a sample: an integer of at least 1. See `Counted` of
   * `@hdrscope/core`. @default 1
   */
  readonly weight?: number | undefined;
}

/** What one series counted in one interval. Its columns in files and tables have the names of docs/formats/history.md. */
export interface HistoryRow extends Distribution {
  /** The name of the family. */
  readonly metric: string;
  /** The attributes of the series as texts, ascending by their keys. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Begin of the interval: whole milliseconds since 1970. */
  readonly startMs: number;
  /** End of the interval: whole milliseconds since 1970, not before `startMs`. */
  readonly endMs: number;
  /** Who counted: another text for each start of a process. */
  readonly producer: string;
  /**
   * Ascends within a producer. Rows of equal producer and sequence are one row, of one series and one start: that of the largest revision
   * counts. An integer from 0 to 2^53 − 1.
   */
  readonly sequence: number;
  /**
   * How much was known when the row was made: it ascends when a row is made again with more values. An integer from 0 to 2^53 − 1.
   * @default 0
   */
  readonly revision?: number | undefined;
  /** Version of the row shape. */
  readonly version: typeof FORMAT_VERSION;
}

/**
 * Refuses what is no object, in a nanosecond: functions of rows are called for each row.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function assertRow(row: unknown): void {
  if (typeof row === 'object' && row !== null) return;
  throw mustBe('ERR_INVALID_OPTION', 'the row', 'a row of a history', row);
}
