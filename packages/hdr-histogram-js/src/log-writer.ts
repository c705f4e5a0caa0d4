import { formatDecimal } from '@hdrscope/core/internal';
import { FORMAT_VERSION_LINE, formatComment, LEGEND_LINE } from '@hdrscope/interval-log/internal';
import { encodeIntoCompressedBase64 } from './encoding.ts';
import { type Histogram, NO_TAG } from './histogram.ts';

/**
 * Writes the lines of a log.
 *
 * @example
 * ```ts
 * import { build, HistogramLogWriter } from '@hdrscope/hdr-histogram-js';
 *
 * let log = '';
 * const writer = new HistogramLogWriter((line) => {
 *   log += line;
 * });
 * const histogram = build();
 * histogram.recordValue(123000);
 * writer.outputIntervalHistogram(histogram, 1, 2);
 * log.startsWith('1.000,1.000,123.000,HISTF'); //=> true
 * ```
 */
export class HistogramLogWriter {
  /** What timestamps count from, in milliseconds since 1970. */
  baseTime = 0;
  readonly #log: (content: string) => void;

  /** @param log Takes each line, with its newline. */
  constructor(log: (content: string) => void) {
    this.#log = log;
  }

  /**
   * Writes the line of a histogram. Its tag comes first, unless it is `NO_TAG`.
   *
   * @param startTimeStampSec In seconds since `baseTime`. That of the histogram when left out.
   * @param endTimeStampSec In seconds since `baseTime`. That of the histogram when left out.
   * @param maxValueUnitRatio What the maximum is divided by in its column.
   */
  outputIntervalHistogram(
    histogram: Histogram,
    startTimeStampSec: number = (histogram.startTimeStampMsec - this.baseTime) / 1000,
    endTimeStampSec: number = (histogram.endTimeStampMsec - this.baseTime) / 1000,
    maxValueUnitRatio = 1000,
  ): void {
    const numbers = [
      startTimeStampSec,
      endTimeStampSec - startTimeStampSec,
      histogram.maxValue / maxValueUnitRatio,
    ];
    const tag = histogram.tag && histogram.tag !== NO_TAG ? `Tag=${histogram.tag},` : '';
    const columns = numbers.map((number) => formatDecimal(number, 3));
    this.#log(`${tag}${columns.join(',')},${encodeIntoCompressedBase64(histogram)}\n`);
  }

  /** Writes a comment: a line with `#` in front. */
  outputComment(comment: string): void {
    this.#log(formatComment(comment));
  }

  /**
   * Writes the comment that states when the log begins.
   *
   * @param startTimeMsec Milliseconds since 1970.
   */
  outputStartTime(startTimeMsec: number): void {
    const seconds = formatDecimal(startTimeMsec / 1000, 3);
    this.outputComment(`[StartTime: ${seconds} (seconds since epoch), ${new Date(startTimeMsec)}]`);
  }

  /** Writes the line that names the columns. */
  outputLegend(): void {
    this.#log(LEGEND_LINE);
  }

  /** Writes the comment that states version 1.3 of the format. */
  outputLogFormatVersion(): void {
    this.#log(FORMAT_VERSION_LINE);
  }
}
