import type { HdrscopeError } from '@hdrscope/core';

/** The work of a history so far, for a health page or an alert. */
export interface HistoryHealth {
  /** Names the place of the rows, without passwords: the folder, or the table and its server. */
  readonly target: string;
  /** The producer of all rows: the readable name and a random id. */
  readonly producer: string;
  /** Whether `close` has written the last rows, or has given them up: nothing more is written. */
  readonly isClosed: boolean;
  /** Whether the latest attempt to collect or to write rows, or to remove old days, failed. */
  readonly isFailing: boolean;
  /** How often an attempt failed. */
  readonly failures: number;
  /** The latest failure, kept after a recovery; `undefined` before the first one. */
  readonly lastError: HdrscopeError | undefined;
  /** Rows have every count from before this moment, in milliseconds since 1970; 0 before the first interval. */
  readonly collectedUntilMs: number;
  /** Rows that wait in memory for the next file or insert. Those for a folder are on the disk too, unless it fails. */
  readonly waitingRows: number;
  /** About as many bytes as these rows take. */
  readonly waitingBytes: number;
  /** How many files or inserts were written. */
  readonly writtenBatches: number;
  /** Rows that are on the disk, or that the server of the table has confirmed. */
  readonly writtenRows: number;
  /** The bytes of the files, or of the rows as they were sent. */
  readonly writtenBytes: number;
  /** Rows that were given up, because they could not be written for too long. */
  readonly lostRows: number;
  /** The values of these rows. */
  readonly lostValues: number;
  /** Those of the lost rows that a table may have: an insert was tried, and a failure may have hidden its success. */
  readonly uncertainRows: number;
  /** How many intervals became part of the next one, because the work of the one before took too long. */
  readonly skippedTicks: number;
  /** Number of sources that failed in the latest gather. Their counts come in a later interval. */
  readonly failingSources: number;
}
