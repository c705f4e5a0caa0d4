import type { HdrscopeError } from '@hdrscope/core';
import { lineError } from '../errors.ts';
import type { IntervalTime } from './entry.ts';

/**
 * How the times of a log are interpreted. Lines of `StartTime` and `BaseTime` state them, and many logs leave them out.
 *
 * - `'java'`: as HdrHistogram's `HistogramLogReader` does. Timestamps count from the base time. If no base time stands
 *   before the first interval, that interval decides for the whole log: timestamps count from the start time if the
 *   first one lies more than a year before it, otherwise from 1970. Without a start time, the first timestamp as written
 *   is the start time. Every jHiccup log needs this mode: its timestamps are relative and it states no base time.
 * - `'plain'`: as the format says. Timestamps count from the latest base time, or from 1970 in a log without one. The
 *   log starts at the latest start time, or with its first interval.
 * - `'strict'`: as `'plain'`, but ambiguous lines are malformed: a second start or base time, a start or base time
 *   after an interval, a negative timestamp or length, and a timestamp more than a year before the start time in a log
 *   without a base time.
 */
export type TimeMode = 'java' | 'plain' | 'strict';

// Source: HdrHistogram (Java), `HistogramLogReader`: a timestamp further back than this cannot be absolute.
export const YEAR_SEC: number = 365 * 24 * 3600;

/** What is known of the times of a log after an interval of it. */
export interface KnownTimes {
  readonly startSec: number | undefined;
  readonly baseSec: number | undefined;
}

/** Places intervals in time by the start and base times above them. */
export class LogTime {
  readonly #mode: TimeMode;
  #startSec: number | undefined;
  #baseSec: number | undefined;
  #hasInterval: boolean;

  /** @param known The times above the first line, of which one is an interval. @default the first line begins the log */
  constructor(mode: TimeMode, known?: KnownTimes) {
    this.#mode = mode;
    this.#startSec = known?.startSec;
    this.#baseSec = known?.baseSec;
    this.#hasInterval = known !== undefined;
  }

  get known(): KnownTimes {
    return { startSec: this.#startSec, baseSec: this.#baseSec };
  }

  /** @throws HdrscopeError `ERR_LOG_TIME` in strict mode. */
  setStart(seconds: number, lineNumber: number): void {
    this.#assertFirst('start time', this.#startSec, lineNumber);
    this.#startSec = seconds;
  }

  /** @throws HdrscopeError `ERR_LOG_TIME` in strict mode. */
  setBase(seconds: number, lineNumber: number): void {
    this.#assertFirst('base time', this.#baseSec, lineNumber);
    this.#baseSec = seconds;
  }

  /** @throws HdrscopeError `ERR_LOG_TIME` in strict mode. */
  place(timestampSec: number, lengthSec: number, lineNumber: number): IntervalTime {
    if (this.#mode === 'strict') this.#assertUnambiguous(timestampSec, lengthSec, lineNumber);
    this.#hasInterval = true;
    if (this.#mode === 'java') {
      this.#startSec ??= timestampSec;
      this.#baseSec ??= timestampSec < this.#startSec - YEAR_SEC ? this.#startSec : 0;
    }
    const startSec = timestampSec + (this.#baseSec ?? 0);
    this.#startSec ??= startSec;
    return { startSec, offsetSec: startSec - this.#startSec };
  }

  #assertFirst(what: string, known: number | undefined, lineNumber: number): void {
    if (this.#mode !== 'strict') return;
    if (this.#hasInterval) {
      throw timeError(lineNumber, what, `the ${what} must stand before the first interval`);
    }
    if (known !== undefined) {
      throw timeError(
        lineNumber,
        what,
        `the ${what} must be stated once, and an earlier line states ${known}`,
      );
    }
  }

  #assertUnambiguous(timestampSec: number, lengthSec: number, lineNumber: number): void {
    if (timestampSec < 0 || lengthSec < 0) {
      const field = timestampSec < 0 ? 'timestamp' : 'interval length';
      const got = `${timestampSec} and ${lengthSec}`;
      throw timeError(lineNumber, field, `timestamp and length must be at least 0, got ${got}`);
    }
    if (this.#baseSec === undefined && timestampSec < (this.#startSec ?? 0) - YEAR_SEC) {
      throw timeError(
        lineNumber,
        'timestamp',
        `a log whose timestamps count from its start must state a base time: ${timestampSec} lies more than a year before the start time ${this.#startSec}`,
      );
    }
  }
}

function timeError(lineNumber: number, field: string, message: string): HdrscopeError {
  return lineError('ERR_LOG_TIME', lineNumber, message, { details: { field } });
}

/** Rounds to microseconds. It removes the error of sums of doubles: `1441812279.474 + 0.526` becomes a whole second. */
export function toMicros(seconds: number): number {
  // Adding 0 makes 0 of -0, which a log would have as -0.000.
  const rounded = Math.round(seconds * 1e6) / 1e6 + 0;
  return Number.isFinite(rounded) ? rounded : seconds;
}
