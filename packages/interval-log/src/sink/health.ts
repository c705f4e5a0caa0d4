import type { HdrscopeError } from '@hdrscope/core';
import type { Duties } from '@hdrscope/kit';

/** The work of a sink so far, for a health page or an alert. */
export interface IntervalLogHealth {
  /** Path of the log, with symbolic links resolved. */
  readonly path: string;
  /** Whether `close` has written the last interval, or has given it up: nothing more is written. */
  readonly isClosed: boolean;
  /** Whether the latest attempt to write, to rotate or to maintain rotated logs failed. */
  readonly isFailing: boolean;
  /** How often any of these attempts failed. */
  readonly failures: number;
  /** The latest failure, kept after a recovery; `undefined` before the first one. */
  readonly lastError: HdrscopeError | undefined;
  /** The log has every count from before this moment, in milliseconds since 1970. */
  readonly writtenUntilMs: number;
  /** Size of the current file. */
  readonly fileBytes: number;
  /** Bytes written to all files. */
  readonly bytes: number;
  /** Number of sink intervals that had something to write. */
  readonly intervals: number;
  /** Number of lines with a histogram. */
  readonly lines: number;
  /** How often the log was rotated. */
  readonly rotations: number;
  /** Number of ticks left out because the cycle before took too long. */
  readonly skippedTicks: number;
  /** Number of sources that failed in the latest gather. Their counts come in a later interval. */
  readonly failingSources: number;
}

/** The duties of a sink. Each fails and recovers on its own. */
export type Duty = 'write' | 'rotate' | 'archive';

/** Which duties of a sink fail. */
export type SinkDuties = Duties<Duty, HdrscopeError>;
