import { LogTime, parseLine } from '@hdrscope/interval-log/internal';
import { decodeFromCompressedBase64 } from './encoding.ts';
import { type BitBucketSize, type Histogram, NO_TAG } from './histogram.ts';

/**
 * Reads the intervals of a log, one after the other.
 *
 * @example
 * ```ts
 * import { HistogramLogReader } from '@hdrscope/hdr-histogram-js';
 *
 * const reader = new HistogramLogReader('#[StartTime: 1441812279.474]\n0.1,1.0,2.7,HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM=');
 * reader.nextIntervalHistogram()?.maxValue; //=> 42
 * reader.startTimeSec; //=> 1441812279.474
 * reader.nextIntervalHistogram(); //=> null
 * ```
 */
export class HistogramLogReader {
  /** The start of the log in seconds since 1970; `undefined` where the log does not state it. */
  startTimeSec: number | undefined;
  /** What timestamps count from, in seconds since 1970; `undefined` before the first interval or a line that states it. */
  baseTimeSec: number | undefined;
  readonly #time = new LogTime('java');
  readonly #lines: readonly string[];
  readonly #bitBucketSize: BitBucketSize;
  readonly #useWebAssembly: boolean;
  #next = 0;

  constructor(logContent: string, bitBucketSize: BitBucketSize = 32, useWebAssembly = false) {
    this.#lines = linesOf(logContent);
    this.#bitBucketSize = bitBucketSize;
    this.#useWebAssembly = useWebAssembly;
  }

  /**
   * The next interval whose timestamp is in the range; `null` at the end of the log, or after the range.
   *
   * @param rangeStartTimeSec In the seconds of the timestamps in the log. 0 when left out.
   * @param rangeEndTimeSec In the same seconds. No end when left out.
   * @throws HdrscopeError `ERR_LOG_FORMAT` or `ERR_DECODE` when a line is damaged. The next call goes on after it.
   */
  nextIntervalHistogram(rangeStartTimeSec = 0, rangeEndTimeSec: number = Number.MAX_VALUE): Histogram | null {
    while (this.#next < this.#lines.length) {
      const lineNumber = ++this.#next;
      const parsed = parseLine(this.#lines[lineNumber - 1]!, lineNumber);
      if (parsed === undefined) continue;
      if (parsed.kind === 'start-time') {
        this.startTimeSec = parsed.seconds;
        this.#time.setStart(parsed.seconds, lineNumber);
      } else if (parsed.kind === 'base-time') {
        this.baseTimeSec = parsed.seconds;
        this.#time.setBase(parsed.seconds, lineNumber);
      } else if (parsed.kind === undefined) {
        const { timestampSec, lengthSec, encoded, tag = NO_TAG } = parsed;
        const { startSec } = this.#time.place(timestampSec, lengthSec, lineNumber);
        this.baseTimeSec ??= startSec - timestampSec;
        if (timestampSec > rangeEndTimeSec) return null;
        if (timestampSec < rangeStartTimeSec) continue;
        const histogram = decodeFromCompressedBase64(encoded, this.#bitBucketSize, this.#useWebAssembly);
        histogram.startTimeStampMsec = startSec * 1000;
        histogram.endTimeStampMsec = (startSec + lengthSec) * 1000;
        histogram.tag = tag;
        return histogram;
      }
    }
    return null;
  }
}

/**
 * The tags of a log, in the order of their first lines. `NO_TAG` comes first where an interval has none.
 *
 * @throws HdrscopeError `ERR_LOG_FORMAT` when a line is damaged.
 */
export function listTags(content: string): string[] {
  const tags = new Set<string>();
  let hasUntagged = false;
  for (const [index, line] of linesOf(content).entries()) {
    const parsed = parseLine(line, index + 1);
    if (parsed === undefined || parsed.kind !== undefined) continue;
    if (parsed.tag === undefined) hasUntagged = true;
    else tags.add(parsed.tag);
  }
  return hasUntagged ? [NO_TAG, ...tags] : [...tags];
}

function linesOf(content: string): string[] {
  return content.split(/\r\n|\r|\n/);
}
