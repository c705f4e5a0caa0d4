import { HdrscopeError } from '@hdrscope/core';
import { type LogSource, textOf } from '@hdrscope/interval-log';
import { type NumberFormat, NumberReader } from '@hdrscope/kit/number-reader';
import type { ExactCounts } from './counted-evidence.ts';

/** Counts values that are at most a threshold, for some thresholds. A slot of a histogram may contain a threshold; this may not. */
export class ExactTally {
  readonly #thresholds: readonly number[];
  /** The thresholds in the unit of the values. */
  readonly #limits: readonly number[];
  readonly #counts: Float64Array;
  #total = 0;

  /** @param divisor Brings a value to the unit of the thresholds. */
  constructor(thresholds: readonly number[], divisor = 1) {
    this.#thresholds = thresholds;
    // 5.1 ms are 0.0051 s, and 0.0051 / 0.001 is more than 5.1.
    this.#limits = thresholds.map((threshold) => Number((threshold * divisor).toPrecision(15)));
    this.#counts = new Float64Array(thresholds.length);
  }

  get counts(): ExactCounts {
    return new Map(this.#thresholds.map((threshold, at) => [threshold, this.#counts[at]!]));
  }

  /** How many values were counted. */
  get total(): number {
    return this.#total;
  }

  add(value: number): void {
    this.#total++;
    for (let at = 0; at < this.#counts.length; at++) {
      if (value <= this.#limits[at]!) this.#counts[at]!++;
    }
  }

  /**
   * Counts the numbers of a text, and passes it on, decompressed.
   *
   * @param format Where the numbers are.
   * @param onBytes Gets the number of bytes of each chunk of the source.
   */
  async *through(
    source: LogSource,
    format: NumberFormat,
    onBytes: (bytes: number) => void,
  ): AsyncGenerator<Uint8Array, void> {
    const sink = {
      onNumbers: (values: Float64Array, length: number): void => {
        for (let at = 0; at < length; at++) this.add(values[at]!);
      },
      // The reader behind this one reports them.
      onBadLine: (): void => {},
    };
    const reader = new NumberReader(sink, format);
    let isCut = false;
    try {
      for await (const chunk of textOf(source, onBytes)) {
        reader.push(chunk);
        yield chunk;
      }
    } catch (error) {
      isCut = error instanceof HdrscopeError && error.code === 'ERR_LOG_FORMAT';
      throw error;
    } finally {
      reader.end(isCut);
    }
  }
}
