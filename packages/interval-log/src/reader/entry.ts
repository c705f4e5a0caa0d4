import { DoubleHistogram, HdrscopeError, Histogram, HistogramSum } from '@hdrscope/core';
import { oneOf, type RulesFor, readOptions, withDefault } from '@hdrscope/core/internal';
import { lineError } from '../errors.ts';

/** The content of one line of an interval log. A blank line has no entry. */
export type LogEntry = LogComment | LogStartTime | LogBaseTime | LogLegend | LogInterval | MalformedLine;

interface Entry {
  /** Lines count from 1. */
  readonly lineNumber: number;
}

/** A line that begins with `#` and states no time, such as `#[Histogram log format version 1.3]`. */
export interface LogComment extends Entry {
  /** Marks a comment. */
  readonly kind: 'comment';
  /** The text after the `#`. */
  readonly text: string;
}

/** The start of what the log describes: `#[StartTime: 1441812279.474 (seconds since epoch), …]`. */
export interface LogStartTime extends Entry {
  /** Marks a start time. */
  readonly kind: 'start-time';
  /** Seconds since 1970. */
  readonly seconds: number;
}

/** The moment from which timestamps of later lines count: `#[BaseTime: 1441812279.000 (seconds since epoch)]`. */
export interface LogBaseTime extends Entry {
  /** Marks a base time. */
  readonly kind: 'base-time';
  /** Seconds since 1970. */
  readonly seconds: number;
}

/** The line that names the columns. */
export interface LogLegend extends Entry {
  /** Marks the legend. */
  readonly kind: 'legend';
  /** Column names without their quotes. */
  readonly columns: readonly string[];
}

/** A line that fits no other kind of entry, or the broken end of a gzip stream. Lines before and after it are read as usual. */
export interface MalformedLine extends Entry {
  /** Marks a malformed line. */
  readonly kind: 'malformed';
  /**
   * An error with the code `ERR_LOG_FORMAT` or `ERR_LOG_TIME`. Its message names the line, the rule and what came instead.
   * Its details have the number of the `line`; for the syntax of a line also the `field`, if one is wrong, and the beginning
   * of its `text`. Operations also report the error of adding an interval that does not fit the sum of others.
   */
  readonly error: HdrscopeError;
}

/** The fields of an interval's line. The histogram is not decoded. */
export interface IntervalLine {
  readonly lineNumber: number;
  readonly tag: string | undefined;
  readonly timestampSec: number;
  readonly lengthSec: number;
  readonly writtenMax: number;
  readonly encoded: string;
}

/** The start of an interval under the log's time mode: seconds since 1970, and seconds since the start of the log. */
export interface IntervalTime {
  readonly startSec: number;
  readonly offsetSec: number;
}

/** How the histogram of an interval is decoded. */
interface DecodingOptions {
  /** `'sparse'` takes less time and memory if the histogram is only read. @default 'dense' */
  readonly storage?: 'dense' | 'sparse';
}

/** The rule of the option `storage`. */
export const storage: RulesFor<DecodingOptions>['storage'] = withDefault(oneOf(['dense', 'sparse']), 'dense');

const HISTOGRAM = {
  name: 'LogInterval.histogram',
  rules: { storage },
  call: "interval.histogram({ storage: 'sparse' })",
};

/** Seconds in milliseconds, truncated as in HdrHistogram's reader. */
export function truncateToMs(seconds: number): number {
  return Math.trunc(seconds * 1000);
}

/** One interval of a log. Its histogram stays encoded until `histogram()` or `addTo()` needs it. */
export class LogInterval implements Entry {
  /** Marks an interval. */
  readonly kind = 'interval';
  /** Number of its line in the log, from 1. */
  readonly lineNumber: number;
  /** `undefined` if the line has no tag; `''` if its tag is empty. */
  readonly tag: string | undefined;
  /** The first field as written, in seconds. */
  readonly timestampSec: number;
  /** The second field, in seconds. */
  readonly lengthSec: number;
  /** The third field: the largest value in the writer's unit, usually milliseconds. It may be infinite or `NaN`. */
  readonly writtenMax: number;
  /** The compressed histogram as base64 text. */
  readonly encoded: string;
  /** Seconds since 1970. In a log without absolute times, seconds since its unknown zero. */
  readonly startSec: number;
  /** Seconds since the start of the log. */
  readonly offsetSec: number;

  /** @internal */
  constructor(line: IntervalLine, time: IntervalTime) {
    this.lineNumber = line.lineNumber;
    this.tag = line.tag;
    this.timestampSec = line.timestampSec;
    this.lengthSec = line.lengthSec;
    this.writtenMax = line.writtenMax;
    this.encoded = line.encoded;
    this.startSec = time.startSec;
    this.offsetSec = time.offsetSec;
  }

  /** End in seconds: `startSec + lengthSec`, on the scale of `startSec`. */
  get endSec(): number {
    return this.startSec + this.lengthSec;
  }

  /** `startSec` in milliseconds, truncated as in HdrHistogram's reader. */
  get startTimeMs(): number {
    return truncateToMs(this.startSec);
  }

  /** `endSec` in milliseconds, truncated as in HdrHistogram's reader. */
  get endTimeMs(): number {
    return truncateToMs(this.endSec);
  }

  /** Whether the values are doubles, so that `histogram()` returns a `DoubleHistogram`. */
  get isDouble(): boolean {
    return this.encoded.startsWith('DHIST');
  }

  /**
   * Decodes the histogram and sets its times and tag. Every call returns a new histogram.
   *
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the field cannot be decoded; `ERR_INVALID_OPTION` when an option does not
   *   exist.
   */
  histogram(options: DecodingOptions = {}): Histogram | DoubleHistogram {
    const settings = readOptions(options, HISTOGRAM);
    const kind = this.isDouble ? DoubleHistogram : Histogram;
    const histogram = this.#decode(() => kind.decode(this.encoded, settings));
    histogram.startTimeMs = this.startTimeMs;
    histogram.endTimeMs = this.endTimeMs;
    histogram.tag = this.tag;
    return histogram;
  }

  /**
   * Adds the counts of the interval to `target`, and widens the times of a histogram. This is several times faster than
   * `target.add(interval.histogram())`. An error leaves the target unchanged. A histogram takes the counts into its own slots, and a
   * `HistogramSum` as they are.
   *
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the field cannot be decoded, or holds doubles and the target is a histogram of integers,
   *   or the other way round; the errors of `Histogram.add` and `HistogramSum.add`.
   */
  addTo(target: Histogram | DoubleHistogram | HistogramSum): void {
    if (target instanceof HistogramSum) {
      this.#decode(() => {
        if (this.isDouble) target.add(DoubleHistogram.decode(this.encoded, { storage: 'sparse' }));
        else target.addEncoded(this.encoded);
      });
      return;
    }
    this.assertKind(target instanceof DoubleHistogram);
    this.#decode(() => target.addEncoded(this.encoded));
    target.startTimeMs = Math.min(target.startTimeMs ?? Number.POSITIVE_INFINITY, this.startTimeMs);
    target.endTimeMs = Math.max(target.endTimeMs ?? Number.NEGATIVE_INFINITY, this.endTimeMs);
  }

  /**
   * Refuses to be added to values of another kind.
   *
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the values are doubles and the others are not, or the other way round.
   */
  assertKind(areDoubles: boolean): void {
    if (this.isDouble === areDoubles) return;
    const [is, isNot] = this.isDouble ? ['doubles', 'integers'] : ['integers', 'doubles'];
    const message = `a histogram of ${is} cannot be added to one of ${isNot}`;
    throw lineError('ERR_LOG_FORMAT', this.lineNumber, message, { details: { field: 'histogram' } });
  }

  #decode<T>(decode: () => T): T {
    try {
      return decode();
    } catch (cause) {
      if (!(cause instanceof HdrscopeError) || cause.code !== 'ERR_DECODE') throw cause;
      const details = { field: 'histogram', ...cause.details };
      throw lineError('ERR_LOG_FORMAT', this.lineNumber, cause.message, { cause, details });
    }
  }
}
