import type { HdrscopeError } from '@hdrscope/core';

/** The work of a history so far, for a health page or an alert. */
export interface HistoryHealth {
  readonly folder: string;
  /** The producer of all rows: the readable name and a random id. */
  readonly producer: string;
  readonly isClosed: boolean;
  /** Whether the latest attempt to collect or to write rows failed. */
  readonly isFailing: boolean;
  /** How often an attempt failed. */
  readonly failures: number;
  /** The latest failure, kept after a recovery; `undefined` before the first one. */
  readonly lastError: HdrscopeError | undefined;
  /** Rows have every count from before this moment, in milliseconds since 1970; 0 before the first interval. */
  readonly collectedUntilMs: number;
  /** Rows in memory, for the next file. */
  readonly waitingRows: number;
  /** About as many bytes as these rows take. */
  readonly waitingBytes: number;
  readonly writtenFiles: number;
  readonly writtenRows: number;
  readonly writtenBytes: number;
  /** Rows that were given up, because files could not be written for too long. */
  readonly lostRows: number;
  /** The values of these rows. */
  readonly lostValues: number;
  /** Intervals that became part of the next one, because the work of the one before took too long. */
  readonly skippedTicks: number;
  /** Number of sources that failed in the latest gather. Their counts come in a later interval. */
  readonly failingSources: number;
}
