import { DoubleHistogram, HdrscopeError, Histogram } from '@hdrscope/core';

/** What one line of an interval log says. Blank lines say nothing. */
export type LogEntry = Comment | StartTime | BaseTime | Legend | LogInterval | MalformedLine;

interface Entry {
  /** From 1. */
  readonly lineNumber: number;
}

/** A line that begins with `#` and tells no time: `#[Histogram log format version 1.3]`, or anything else. */
export interface Comment extends Entry {
  readonly kind: 'comment';
  /** What follows the `#`. */
  readonly text: string;
}

/** When what the log tells of began: `#[StartTime: 1441812279.474 (seconds since epoch), …]`. */
export interface StartTime extends Entry {
  readonly kind: 'start-time';
  /** Since 1970. */
  readonly seconds: number;
}

/** What the timestamps of the lines below count from: `#[BaseTime: 1441812279.000 (seconds since epoch)]`. */
export interface BaseTime extends Entry {
  readonly kind: 'base-time';
  /** Since 1970. */
  readonly seconds: number;
}

/** The line that names the columns. */
export interface Legend extends Entry {
  readonly kind: 'legend';
  /** Without their quotes. */
  readonly columns: readonly string[];
}

/** A line, or the end of a stream, that is nothing of the kind. Healthy lines before and after it are not touched. */
export interface MalformedLine extends Entry {
  readonly kind: 'malformed';
  /** `ERR_LOG_FORMAT` or `ERR_LOG_TIME`. Its message names the line, what was wrong and what came. */
  readonly error: HdrscopeError;
}

/** What a line says of an interval, before its histogram is looked at. */
export interface IntervalLine {
  readonly lineNumber: number;
  readonly tag: string | undefined;
  readonly timestampSec: number;
  readonly lengthSec: number;
  readonly writtenMax: number;
  readonly encoded: string;
}

/** When an interval was, as the log's times are interpreted. */
export interface IntervalTime {
  readonly startSec: number;
  readonly offsetSec: number;
}

/** One interval of a log. Its histogram stays encoded until it is asked for. */
export class LogInterval implements Entry {
  readonly kind = 'interval';
  readonly lineNumber: number;
  /** `undefined` where the line has no tag, which is not the same as an empty one. */
  readonly tag: string | undefined;
  /** The first field as it was written, in seconds. */
  readonly timestampSec: number;
  /** The second field. */
  readonly lengthSec: number;
  /** The third field: the largest value in the unit that the writer chose, usually milliseconds. May be infinite. */
  readonly writtenMax: number;
  /** The compressed encoding as base64 text. */
  readonly encoded: string;
  /** Seconds since 1970, if the log tells the time at all. */
  readonly startSec: number;
  /** Seconds since the start of the log. */
  readonly offsetSec: number;

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

  get endSec(): number {
    return this.startSec + this.lengthSec;
  }

  /** As HdrHistogram tells it: cut off to whole milliseconds. */
  get startTimeMs(): number {
    return Math.trunc(this.startSec * 1000);
  }

  /** As HdrHistogram tells it: cut off to whole milliseconds. */
  get endTimeMs(): number {
    return Math.trunc(this.endSec * 1000);
  }

  /** Whether the values are doubles: `histogram()` is a `DoubleHistogram` then. */
  get isDouble(): boolean {
    return this.encoded.startsWith('DHIST');
  }

  /**
   * The histogram, decoded anew at every call, with its times and its tag.
   *
   * @param storage `'sparse'` takes less time and memory where the histogram is only read. @default 'dense'
   * @throws HdrscopeError `ERR_LOG_FORMAT` when it is none.
   */
  histogram({
    storage = 'dense',
  }: {
    readonly storage?: 'dense' | 'sparse';
  } = {}): Histogram | DoubleHistogram {
    const histogram = this.#decoded(() =>
      this.isDouble
        ? DoubleHistogram.decode(this.encoded, { storage })
        : Histogram.decode(this.encoded, { storage }),
    );
    histogram.startTimeMs = this.startTimeMs;
    histogram.endTimeMs = this.endTimeMs;
    histogram.tag = this.tag;
    return histogram;
  }

  /**
   * Counts the values of the interval in a histogram that exists, and widens its times: several times faster than
   * adding a histogram made for that.
   *
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the line holds no histogram of the target's kind; what `add` throws.
   *   The target is unchanged then.
   */
  addTo(target: Histogram | DoubleHistogram): void {
    if (this.isDouble !== target instanceof DoubleHistogram) {
      const [is, isNot] = this.isDouble ? ['doubles', 'integers'] : ['integers', 'doubles'];
      throw lineError(
        'ERR_LOG_FORMAT',
        this.lineNumber,
        `a histogram of ${is} cannot be added to one of ${isNot}`,
      );
    }
    this.#decoded(() => target.addEncoded(this.encoded));
    target.startTimeMs = Math.min(target.startTimeMs ?? Number.POSITIVE_INFINITY, this.startTimeMs);
    target.endTimeMs = Math.max(target.endTimeMs ?? Number.NEGATIVE_INFINITY, this.endTimeMs);
  }

  #decoded<T>(decode: () => T): T {
    try {
      return decode();
    } catch (cause) {
      if (!(cause instanceof HdrscopeError) || cause.code !== 'ERR_DECODE') throw cause;
      throw lineError('ERR_LOG_FORMAT', this.lineNumber, cause.message, { cause });
    }
  }
}

/** An error that names the line. */
export function lineError(
  code: 'ERR_LOG_FORMAT' | 'ERR_LOG_TIME',
  lineNumber: number,
  message: string,
  options?: ErrorOptions,
): HdrscopeError {
  return new HdrscopeError(code, `line ${lineNumber}: ${message}`, options);
}

/** What stands for the end of a gzip stream that is cut short or broken: the line after the last one that could be had. */
export function brokenEnd(cause: HdrscopeError, lineNumber: number): MalformedLine {
  const error = lineError('ERR_LOG_FORMAT', lineNumber, cause.message, { cause });
  return { kind: 'malformed', lineNumber, error };
}
