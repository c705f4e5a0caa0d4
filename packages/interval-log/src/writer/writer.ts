import type { DoubleHistogram, ReadonlyHistogram } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  custom,
  mustBe,
  type OptionRules,
  optional,
  readOptions,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import {
  FORMAT_RULES,
  FORMAT_VERSION_LINE,
  formatBaseTime,
  formatComment,
  formatInterval,
  formatStartTime,
  type IntervalFormat,
  knownZone,
  LEGEND_LINE,
} from './format.ts';

/** Options of `IntervalLogWriter`. */
export interface WriterOptions extends Pick<IntervalFormat, 'valueScale' | 'level'> {
  /** The moment from which timestamps of intervals count, in milliseconds since 1970. @default 0 */
  readonly baseTimeMs?: number;
  /** IANA name of the zone of printed dates, such as `Europe/Berlin`. @default the zone of the process */
  readonly timeZone?: string;
}

const WRITER = {
  name: 'IntervalLogWriter',
  rules: {
    baseTimeMs: withDefault(custom<number>('a number of milliseconds since 1970', Number.isFinite), 0),
    timeZone: optional(knownZone),
    level: FORMAT_RULES.level,
    valueScale: FORMAT_RULES.valueScale,
  } satisfies OptionRules<WriterOptions>,
  call: 'new IntervalLogWriter(write, { valueScale: 1000 })',
};

/**
 * Writes a log line by line. Lines are byte for byte those of HdrHistogram's Java writer, except that zlib may deflate a
 * histogram differently.
 *
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { IntervalLogWriter } from '@hdrscope/interval-log';
 *
 * let log = '';
 * const writer = new IntervalLogWriter((line) => (log += line), { baseTimeMs: 1_500_000_000_000 });
 * writer.formatVersion();
 * writer.baseTime();
 * writer.legend();
 *
 * const histogram = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * histogram.record(42_000);
 * [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [1_500_000_001_000, 1_500_000_002_000, 'get'];
 * writer.interval(histogram);
 *
 * log.split('\n')[1]; //=> '#[BaseTime: 1500000000.000 (seconds since epoch)]'
 * log.split('\n')[3]!.startsWith('Tag=get,1.000,1.000,0.042,HISTFAAAA'); //=> true
 * ```
 */
export class IntervalLogWriter {
  readonly #write: (line: string) => void;
  readonly #options: Settings<WriterOptions, 'timeZone'>;

  /**
   * @param write Receives each line in one piece, with its newline.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when `write` is no function, or an option does not exist or is out of range.
   */
  constructor(write: (line: string) => void, options: WriterOptions = {}) {
    assertFollows('write', callback<typeof write>(), write);
    this.#options = readOptions(options, WRITER);
    this.#write = write;
  }

  /** Writes a comment; each line of a longer text becomes a comment. */
  comment(text: string): void {
    this.#write(formatComment(text));
  }

  /** Writes the version of HdrHistogram's log format, the first line of a log. */
  formatVersion(): void {
    this.#write(FORMAT_VERSION_LINE);
  }

  /**
   * Writes the start time of the log.
   *
   * @param timeMs Milliseconds since 1970.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the time has no date.
   */
  startTime(timeMs: number): void {
    this.#write(formatStartTime(timeMs, this.#options.timeZone));
  }

  /**
   * Writes the base time, which is `baseTimeMs`.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when it has no date.
   */
  baseTime(): void {
    this.#write(formatBaseTime(this.#options.baseTimeMs));
  }

  /** Writes the line that names the columns. */
  legend(): void {
    this.#write(LEGEND_LINE);
  }

  /**
   * Writes an interval: the counts of a histogram with its times and its tag.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the histogram has no start or end time, or its tag would break the line.
   */
  interval(histogram: ReadonlyHistogram | DoubleHistogram): void {
    const { startTimeMs, endTimeMs, tag } = histogram;
    if (startTimeMs === undefined || endTimeMs === undefined) {
      const got = startTimeMs === undefined ? startTimeMs : endTimeMs;
      throw mustBe('ERR_INVALID_VALUE', 'startTimeMs and endTimeMs of a written histogram', 'numbers', got);
    }
    const { baseTimeMs, valueScale, level } = this.#options;
    const startSec = (startTimeMs - baseTimeMs) / 1000;
    const endSec = (endTimeMs - baseTimeMs) / 1000;
    this.#write(formatInterval(histogram, { tag, startSec, endSec, valueScale, level }));
  }
}
