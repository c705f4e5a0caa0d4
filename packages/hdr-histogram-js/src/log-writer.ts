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

  outputComment(comment: string): void {
    this.#log(formatComment(comment));
  }

  /** @param startTimeMsec Milliseconds since 1970. */
  outputStartTime(startTimeMsec: number): void {
    const seconds = formatDecimal(startTimeMsec / 1000, 3);
    this.outputComment(`[StartTime: ${seconds} (seconds since epoch), ${new Date(startTimeMsec)}]`);
  }

  outputLegend(): void {
    this.#log(LEGEND_LINE);
  }

  outputLogFormatVersion(): void {
    this.#log(FORMAT_VERSION_LINE);
  }
}
