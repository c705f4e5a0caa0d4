import { type Bounds, DoubleHistogram, Histogram, HistogramSum, percentileInterval } from '@hdrscope/core';
import { type BoundedHistogram, countWithin, type Lack, percentileOfRun } from '@hdrscope/core/internal';
import type { LogHistogram } from '@hdrscope/interval-log';
import { percentileName } from '@hdrscope/kit';
import type { LoadSummary } from './load/load.ts';

/** What an input knows about its values, in the unit of the verdict. */
export interface Evidence {
  readonly count: number;
  /** The value of a percentile; a sentence with the cause and the cure when it is not known. There must be values. */
  percentile(percentile: number): Bounds | string;
  /** How many values are at most the threshold. */
  within(threshold: number): Bounds;
  /** What the values say about the percentile of their population. */
  sample(percentile: number, confidence: number): Sample;
}

/** What values say about a percentile of their population. */
export interface Sample {
  /**
   * Contains the percentile with the confidence. `upper` is `Infinity` when there are too few values above it. `undefined` when the
   * input does not have every value.
   */
  readonly interval: Bounds | undefined;
  /** How many independent values say as much: values of a program that stalls repeat each other. At most `Evidence.count`. */
  readonly asGoodAs: number;
  /** The number of independent values of which the interval is: below `asGoodAs`, because that is an estimate from few stretches. */
  readonly independentCount: number;
  /** How many independent stretches of time there are. `undefined` when times are not known: values are taken for independent. */
  readonly pieces: number | undefined;
  /** Why too little is known for the confidence. @default there is enough */
  readonly reason?: Lack;
}

/** The significant digits of the finest layout, whose slots are at most 0.001 % wide. */
export const FINEST_DIGITS = 5;

/** The exact number of values that are at most a threshold, for some thresholds. */
type ExactCounts = ReadonlyMap<number, number>;

/** What histograms know. */
export interface CountedValues {
  readonly values: LogHistogram | BoundedHistogram;
  /** Brings the values to the unit of the verdict. */
  readonly divisor: number;
  /** The counts that do not depend on slots, because every value was looked at. @default none */
  readonly exact?: ExactCounts | undefined;
  /** Whether each value has bounds of its own, so that the bounds of a rank are those of a value. @default those without bounds have */
  readonly hasRanks?: boolean;
  /** The values by stretches of time, in their order. @default their times are not known */
  readonly stretches?: readonly LogHistogram[] | undefined;
}

/** What histograms know. A value is known to the slot that counts it. */
export class CountedEvidence implements Evidence {
  readonly #values: BoundedHistogram;
  readonly #divisor: number;
  readonly #exact: ExactCounts;
  readonly #hasRanks: boolean;
  /** `undefined`, or at least two. */
  readonly #stretches: readonly LogHistogram[] | undefined;

  constructor({
    values,
    divisor,
    exact = new Map(),
    hasRanks = !('lowest' in values),
    stretches = [],
  }: CountedValues) {
    this.#values = 'lowest' in values ? values : { histogram: values, lowest: values, highest: values };
    this.#divisor = divisor;
    this.#exact = exact;
    this.#hasRanks = hasRanks;
    this.#stretches = stretches.length > 1 ? stretches : undefined;
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

  sample(percentile: number, confidence: number): Sample {
    const run = percentileOfRun(this.#values, this.#stretches, percentile, confidence);
    const { independentCount, dependence, reason } = run;
    const { lower, upper } = run.figure.interval;
    const hasEnd = hasUpperEnd(run.confidence, independentCount, percentile, confidence);
    return {
      // Percentile text has no value for each rank.
      interval: this.#hasRanks
        ? { lower: this.#shown(lower), upper: hasEnd ? this.#shown(upper) : Number.POSITIVE_INFINITY }
        : undefined,
      asGoodAs: dependence.asGoodAs,
      independentCount,
      pieces: this.#stretches && dependence.pieces,
      ...(reason && { reason }),
    };
  }

  /**
   * The evidence of all values together; `undefined` when some are doubles, or in another unit. The stretches of one follow those of
   * another, as those of runs do.
   */
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
    return new CountedEvidence({
      values: isExact ? histogram : { histogram, lowest, highest },
      divisor: first.#divisor,
      exact,
      hasRanks: all.every((one) => one.#hasRanks),
      stretches: all.some((one) => one.#stretches === undefined)
        ? undefined
        : all.flatMap((one) => one.#stretches!),
    });
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
  const total = new HistogramSum({ storage: 'sparse' });
  for (const one of all) {
    if (one instanceof DoubleHistogram) return undefined;
    total.add(one);
  }
  return total.toHistogram({ storage: 'sparse' });
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

/** Counts values that are at most a threshold, for some thresholds. Unlike a slot of a histogram, a count never straddles a threshold. */
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
}

/** What a summary knows: the percentiles that it prints, and no value between them. */
export class PrintedEvidence implements Evidence {
  readonly count: number;
  readonly #summary: LoadSummary;

  constructor(summary: LoadSummary, count: number) {
    this.count = count;
    this.#summary = summary;
  }

  percentile(percentile: number): Bounds | string {
    const { tool, percentiles, cure } = this.#summary;
    const found = percentiles.find((one) => one.percentile === percentile);
    if (found !== undefined) return found;
    const printed = percentiles
      .map((one) => one.percentile)
      .sort((a, b) => a - b)
      .map((one) => percentileName(one))
      .join(', ');
    return `the summary of ${tool} has no ${percentileName(percentile)}, only ${printed}: ${cure}`;
  }

  within(threshold: number): Bounds {
    let [lower, upper] = [0, this.count];
    for (const one of this.#summary.percentiles) {
      if (one.upper <= threshold) lower = Math.max(lower, one.atOrBelow);
      // The bounds of a rounded value are its own, and those of the next one.
      if (one.lower > threshold) upper = Math.min(upper, one.below);
    }
    return { lower, upper: Math.max(lower, upper) };
  }

  sample(): Sample {
    const { count } = this;
    return { interval: undefined, asGoodAs: count, independentCount: count, pieces: undefined };
  }
}

/** What a number of values within a threshold says about a percentile. */
interface Proportion {
  /** Whether the percentile of the population is within it, with the confidence: the interval of the percentile ends within the threshold. */
  readonly isSurelyWithin: boolean;
  /** Whether it is beyond, with the confidence: the interval begins beyond the threshold. */
  readonly isSurelyBeyond: boolean;
}

/**
 * Judges a percentile by the number of values within a threshold. The intervals are those of `percentileInterval`, so the verdicts agree
 * with `hdrscope diff`.
 *
 * @param within How many of `count` values are within, surely and possibly. There must be values.
 * @param percentile Above 0 and below 100.
 * @param independentCount How many independent values say as much as all.
 */
export function proportionOf(
  within: Bounds,
  count: number,
  percentile: number,
  confidence: number,
  independentCount: number = count,
): Proportion {
  const intervalWith = (inside: number): ReturnType<typeof percentileInterval> => {
    // Values within count as 0, those beyond as 1.
    const values = new Histogram({ highestTrackableValue: 2, significantDigits: 1 });
    if (inside > 0) values.record(0, inside);
    if (independentCount > inside) values.record(1, independentCount - inside);
    return percentileInterval(values, percentile, { confidence });
  };
  const least = intervalWith(Math.floor((within.lower * independentCount) / count));
  const most = intervalWith(Math.ceil((within.upper * independentCount) / count));
  return {
    isSurelyWithin:
      least.upper === 0 && hasUpperEnd(least.confidence, independentCount, percentile, confidence),
    isSurelyBeyond:
      most.lower === 1 && hasLowerEnd(most.confidence, independentCount, percentile, confidence),
  };
}

/**
 * Whether the upper end of an interval is sure enough: the whole interval is, or the end alone. The highest value is below the percentile
 * when all values are, with the probability `q ** n`.
 */
function hasUpperEnd(attained: number, count: number, percentile: number, confidence: number): boolean {
  return attained >= confidence || (percentile / 100) ** count <= (1 - confidence) / 2;
}

/** As `hasUpperEnd`: the lowest value is above the percentile with the probability `(1 - q) ** n`. */
function hasLowerEnd(attained: number, count: number, percentile: number, confidence: number): boolean {
  return attained >= confidence || (1 - percentile / 100) ** count <= (1 - confidence) / 2;
}
