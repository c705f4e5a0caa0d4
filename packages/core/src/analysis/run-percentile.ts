import type { Bounds } from '../bounds.ts';
import { type Counted, countIndependent } from '../counted.ts';
import type { DoubleHistogram } from '../histogram/double-histogram.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { findRank } from '../histogram/percentiles.ts';
import { countWithin } from '../histogram/statistics.ts';
import { intervalOfSlot } from '../sum/intervals.ts';
import { type Dependence, effectiveCount, measureDependence } from './dependence.ts';
import { percentileRanks } from './order-statistics.ts';
import type { BoundedFigure, SampleFigure } from './runs-difference.ts';

/** Values that are known within bounds: the true percentiles lie between those of `lowest` and those of `highest`. */
export interface BoundedHistogram {
  /** The best estimate of the values. */
  readonly histogram: Histogram | DoubleHistogram;
  /** Each value at the lowest that it may have been. */
  readonly lowest: Histogram | DoubleHistogram;
  /** Each value at the highest that it may have been. */
  readonly highest: Histogram | DoubleHistogram;
}

/** A run must have as many independent stretches of time. */
export const LEAST_PIECES = 20;

/** A side must have as many values beyond a percentile, and a run of several a quarter of them. Of one run, as many independent ones. */
export const LEAST_BEYOND = 20;

/** Why too little is known of a share for an interval. */
export type Lack = 'few values' | 'few pieces';

/**
 * Why too little is known of a share of dependent values: they are as good as fewer than {@link LEAST_PIECES} independent stretches, or as
 * fewer than {@link LEAST_BEYOND} independent values on the smaller side of the share. From fewer, the dependence is not known either.
 *
 * @param share Above 0 and below 1.
 */
export function lackIn({ asGoodAs, pieces }: Dependence, share: number): Lack | undefined {
  if (pieces < LEAST_PIECES) return 'few pieces';
  return asGoodAs * Math.min(share, 1 - share) * (1 + 1e-9) < LEAST_BEYOND ? 'few values' : undefined;
}

/** A percentile of a run, and what is known of it. */
export interface RunPercentile {
  /** The percentile with the interval of that of the population, which contains the slots. */
  readonly figure: SampleFigure;
  /** How many independent values know the percentile as well: all of them, unless they are a sample or their times show that they depend on each other. */
  readonly independentCount: number;
  readonly dependence: Dependence;
  /** The confidence of the interval: less than the one asked for when an end is the lowest or the highest value. */
  readonly confidence: number;
  /** Why too little is known for an interval with the confidence. */
  readonly reason?: Lack;
}

/** A percentile of values, in the slot that has it. */
export function findFigure(
  { histogram, lowest, highest }: BoundedHistogram,
  percentile: number,
): BoundedFigure {
  return {
    value: histogram.valueAtPercentile(percentile),
    lower: atRank(lowest, findRank(percentile, lowest.totalCount)).lower,
    upper: atRank(highest, findRank(percentile, highest.totalCount)).upper,
  };
}

function atRank({ layout, counts, placedFrom }: Counted, rank: number): Bounds {
  return intervalOfSlot(layout, counts.slotOfRank(rank), 1, placedFrom);
}

/**
 * A percentile of a run. Its interval is that of as many independent values as the run is as good as.
 *
 * @param run Must have values.
 * @param stretches The values by stretches of time, which show how dependent they are; `undefined` when values are taken for independent.
 * @param percentile From 0 to 100. An extreme is the fact of a run, and its values are taken for independent.
 */
export function percentileOfRun(
  run: BoundedHistogram,
  stretches: readonly Counted[] | undefined,
  percentile: number,
  confidence: number,
): RunPercentile {
  const { histogram, lowest, highest } = run;
  const figure = findFigure(run, percentile);
  const { totalCount } = histogram;
  const share = percentile / 100;
  const isTimed = stretches !== undefined && share > 0 && share < 1;
  let count = countIndependent(histogram);
  let dependence: Dependence = { asGoodAs: count, pieces: Number.POSITIVE_INFINITY };
  if (isTimed) {
    const { asGoodAs, pieces } = measureDependence(
      stretches.map((stretch) => ({
        count: stretch.counts.total,
        within: countWithin(stretch, figure.value).upper,
      })),
      share,
    );
    dependence = { asGoodAs: Math.min(asGoodAs, count), pieces };
    count = effectiveCount(dependence, confidence);
  }
  const ranks = percentileRanks(totalCount, count, percentile, confidence);
  const interval = { lower: atRank(lowest, ranks.lower).lower, upper: atRank(highest, ranks.upper).upper };
  const lack = isTimed ? lackIn(dependence, share) : undefined;
  const reason = lack ?? (ranks.confidence < confidence ? 'few values' : undefined);
  return {
    figure: { ...figure, interval },
    independentCount: count,
    dependence,
    confidence: ranks.confidence,
    ...(reason && { reason }),
  };
}
