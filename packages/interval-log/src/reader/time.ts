import { type IntervalTime, lineError } from './entry.ts';

/**
 * How the times of a log are understood, which lines of `StartTime` and `BaseTime` tell and many logs leave out.
 *
 * - `'java'`: as HdrHistogram's `HistogramLogReader` does. Timestamps count from the base time. Where none is told
 *   before the first interval, they count from the start time if they lie more than a year before it, and from 1970
 *   otherwise: that is decided once. Without a start time, the first timestamp is it, as written. This is what every
 *   jHiccup log needs, whose timestamps are relative although it tells no base time.
 * - `'plain'`: as the format says. Timestamps count from the base time told last, or from 1970 where none is. The log
 *   starts at the start time told last, or with its first interval.
 * - `'strict'`: plain, and what can be understood in two ways is malformed: a second start or base time, one that
 *   follows an interval, a negative timestamp or length, and a timestamp more than a year before the start time in a
 *   log without a base time.
 */
export type TimeMode = 'java' | 'plain' | 'strict';

export const TIME_MODES: readonly TimeMode[] = ['java', 'plain', 'strict'];

// Source: HdrHistogram (Java), `HistogramLogReader`: what lies further back than this cannot be absolute.
const YEAR_SEC = 365 * 24 * 3600;

/** Places intervals in time, by what the lines above them told. */
export class LogTime {
  readonly #mode: TimeMode;
  #startSec: number | undefined;
  #baseSec: number | undefined;
  #hasInterval = false;

  constructor(mode: TimeMode) {
    this.#mode = mode;
  }

  /** Seconds since 1970; `undefined` before the first start time or interval. */
  get startSec(): number | undefined {
    return this.#startSec;
  }

  /** @throws HdrscopeError `ERR_LOG_TIME` in strict mode. */
  tellStart(seconds: number, lineNumber: number): void {
    this.#assertFirst('start time', this.#startSec, lineNumber);
    this.#startSec = seconds;
  }

  /** @throws HdrscopeError `ERR_LOG_TIME` in strict mode. */
  tellBase(seconds: number, lineNumber: number): void {
    this.#assertFirst('base time', this.#baseSec, lineNumber);
    this.#baseSec = seconds;
  }

  /** @throws HdrscopeError `ERR_LOG_TIME` in strict mode. */
  place(timestampSec: number, lengthSec: number, lineNumber: number): IntervalTime {
    if (this.#mode === 'strict') this.#assertClear(timestampSec, lengthSec, lineNumber);
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
      throw lineError('ERR_LOG_TIME', lineNumber, `the ${what} must stand before the first interval`);
    }
    if (known !== undefined) {
      throw lineError('ERR_LOG_TIME', lineNumber, `the ${what} must be told once, and was told as ${known}`);
    }
  }

  #assertClear(timestampSec: number, lengthSec: number, lineNumber: number): void {
    if (timestampSec < 0 || lengthSec < 0) {
      const got = `${timestampSec} and ${lengthSec}`;
      throw lineError('ERR_LOG_TIME', lineNumber, `timestamp and length must be at least 0, got ${got}`);
    }
    if (this.#baseSec === undefined && timestampSec < (this.#startSec ?? 0) - YEAR_SEC) {
      throw lineError(
        'ERR_LOG_TIME',
        lineNumber,
        `a log whose timestamps count from its start must tell a base time: ${timestampSec} lies more than a year before the start time ${this.#startSec}`,
      );
    }
  }
}
