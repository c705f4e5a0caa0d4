import type { HdrscopeError } from '@hdrscope/core';
import type { RemovedHistory, Retention } from '../retention/remove-days.ts';
import type { HistoryRow } from '../rows/row.ts';

/** Rows that are written at once: one file, or one insert. A retry has the same rows under the same number. */
export interface RowBatch {
  /** Who counted all these rows. */
  readonly producer: string;
  /** Number of the batch within the producer, from 0. */
  readonly number: number;
  /** At least one row, and all intervals start on one day, in UTC. */
  readonly rows: readonly HistoryRow[];
}

/** Takes the rows of a history: the files of a folder, or a table of an engine. */
export interface HistoryTarget {
  /** Names the target for people, without passwords: a folder, or a table and its server. */
  readonly name: string;
  /** A batch takes at most about so many bytes of memory, unless a single row is larger. */
  readonly maxBatchBytes: number;
  /**
   * Makes whatever rows need, and tries whether the target takes rows. It is called until it succeeds, before the first batch. A target
   * without it takes rows at once.
   */
  prepare?(): Promise<void>;
  /**
   * Writes a batch, or rejects. A batch that is written again counts once.
   *
   * @returns How many bytes it has sent or written.
   */
  write(batch: RowBatch): Promise<number>;
  /**
   * Keeps rows that wait for a larger batch where they outlive the process. They are written again with their batch, and count once. A
   * target without it keeps none.
   *
   * @param batch Its number is within the batches that are kept.
   * @returns Removes them again. It never rejects.
   */
  keep?(batch: RowBatch): Promise<() => Promise<void>>;
  /** Removes days that are too old. A target without it keeps all. */
  removeOld?(retention: Retention, nowMs: number): Promise<RemovedHistory>;
  /** Makes the error of a failed operation, with the cure where the target knows it. */
  errorOf(cause: unknown): HdrscopeError;
  /** Frees everything, and cuts off a write that is still running. It waits for no server, and never rejects. */
  close(): Promise<void>;
}
