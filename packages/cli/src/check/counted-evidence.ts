import { type Bounds, DoubleHistogram, Histogram, percentileInterval } from '@hdrscope/core';
import { countWithin } from '@hdrscope/core/internal';
import type { BoundedHistogram, LogHistogram } from '@hdrscope/interval-log';
import type { Evidence } from './evidence.ts';
import { hasUpperEnd } from './proportion.ts';

/** The significant digits of the finest layout, whose slots are at most 0.001 % wide. */
export const FINEST_DIGITS = 5;

/** The exact number of values that are at most a threshold, for some thresholds. */
export type ExactCounts = ReadonlyMap<number, number>;

/** What histograms know. A value is known to the slot that counts it. */
export class CountedEvidence implements Evidence {
  readonly #values: BoundedHistogram;
  readonly #divisor: number;
  readonly #exact: ExactCounts;

  /**
   * @param divisor Brings the values of the histogram to the unit of the verdict.
   * @param exact The counts that do not depend on slots, because every value was looked at.
   */
  constructor(values: LogHistogram | BoundedHistogram, divisor: number, exact: ExactCounts = new Map()) {
    this.#values = 'lowest' in values ? values : { histogram: values, lowest: values, highest: values };
    this.#divisor = divisor;
    this.#exact = exact;
  }

  get count(): number {
    return this.#values.histogram.totalCount;
  }

  percentile(percentile: number): Bounds {
    const { lowest, highest } = this.#values;
    return {
      lower: this.#shown(lowest.lowestEquivalentValue(lowest.valueAtPercentile(percentile))),
      upper: this.#shown(highest.valueAtPercentile(percentile)),
    };
  }

  within(threshold: number): Bounds {
    const exact = this.#exact.get(threshold);
    if (exact !== undefined) return { lower: exact, upper: exact };
    const { lowest, highest } = this.#values;
    return {
      lower: countUpTo(highest, this.#raw(threshold)).lower,
      upper: countUpTo(lowest, this.#raw(threshold)).upper,
    };
  }

  interval(percentile: number, confidence: number): Bounds | undefined {
    const { histogram, lowest, highest } = this.#values;
    // Doubles have no integers in which to find the ranks, and percentile text has no value for each rank.
    if (lowest !== highest || !(histogram instanceof Histogram)) return undefined;
    const found = percentileInterval(histogram, percentile, { confidence });
    const isEndless = !hasUpperEnd(found, this.count, percentile, confidence);
    return {
      lower: this.#shown(found.lower),
      upper: isEndless ? Number.POSITIVE_INFINITY : this.#shown(found.upper),
    };
  }

  /** The evidence of all values together; `undefined` when some are doubles, or in another unit. */
  static sum(all: readonly CountedEvidence[]): CountedEvidence | undefined {
    const [first] = all;
    if (first === undefined || all.some((one) => one.#divisor !== first.#divisor)) return undefined;
    const sumOf = (key: keyof BoundedHistogram): Histogram | undefined =>
      sumOfIntegers(all.map((one) => one.#values[key]));
    const [histogram, lowest, highest] = [sumOf('histogram'), sumOf('lowest'), sumOf('highest')];
    if (histogram === undefined || lowest === undefined || highest === undefined) return undefined;
    const isExact = all.every((one) => one.#values.lowest === one.#values.highest);
    const exact = new Map<number, number>();
    for (const threshold of first.#exact.keys()) {
      const counts = all.map((one) => one.#exact.get(threshold) ?? Number.NaN);
      const sum = counts.reduce((total, count) => total + count, 0);
      if (!Number.isNaN(sum)) exact.set(threshold, sum);
    }
    return new CountedEvidence(isExact ? histogram : { histogram, lowest, highest }, first.#divisor, exact);
  }

  #shown(value: number): number {
    return Number((value / this.#divisor).toPrecision(15));
  }

  #raw(value: number): number {
    // 0.3 ms are 300,000 ns, not 299,999.99999999994.
    return Number((value * this.#divisor).toPrecision(15));
  }
}

function sumOfIntegers(all: readonly LogHistogram[]): Histogram | undefined {
  const total = new Histogram({ significantDigits: FINEST_DIGITS, storage: 'sparse' });
  for (const one of all) {
    if (one instanceof DoubleHistogram) return undefined;
    total.add(one);
  }
  return total;
}

/** How many values are at most another one: surely, and possibly. */
function countUpTo(histogram: LogHistogram, value: number): Bounds {
  if (histogram instanceof Histogram) return countWithin(histogram, value);
  // A slot of doubles ends below its upper bound, and the lowest one counts 0 alone.
  const { totalCount, min, max } = histogram;
  if (value >= max) return { lower: totalCount, upper: totalCount };
  // The lowest slot may begin below its lowest value.
  if (value < min) return { lower: 0, upper: 0 };
  const upper = histogram.countBetween(0, value);
  const isWholeSlot = histogram.highestEquivalentValue(value) <= value;
  return { lower: isWholeSlot ? upper : upper - histogram.countAt(value), upper };
}
