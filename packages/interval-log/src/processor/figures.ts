import { DoubleHistogram, type Histogram } from '@hdrscope/core';
import type { PercentileSource } from '@hdrscope/core/internal';

// Source: HdrHistogram (Java), `HistogramLogProcessor`, and `getMaxValue` of its histograms.

const INTERVAL_PERCENTILES = [50, 90];
const TOTAL_PERCENTILES = [50, 90, 99, 99.9, 99.99];

/** Returns Java's maximum, which for an empty histogram of integers is one less than the unit of its layout. */
export function javaMax(histogram: Histogram | DoubleHistogram): number {
  if (histogram instanceof DoubleHistogram || histogram.totalCount > 0) return histogram.max;
  return 2 ** histogram.layout.unitMagnitude - 1;
}

/** Returns the values at 50 % and 90 %, and the maximum. */
export function intervalFigures(histogram: Histogram | DoubleHistogram, max: number): number[] {
  return [...histogram.valuesAtPercentiles(INTERVAL_PERCENTILES), max];
}

/** Returns the values at 50 %, 90 %, 99 %, 99.9 % and 99.99 %, and the maximum. */
export function totalFigures(histogram: Histogram | DoubleHistogram): number[] {
  return [...histogram.valuesAtPercentiles(TOTAL_PERCENTILES), javaMax(histogram)];
}

/** Gives a histogram the maximum that Java prints. */
export function printable(histogram: Histogram | DoubleHistogram): PercentileSource {
  const { layout, totalCount, mean, standardDeviation } = histogram;
  return {
    layout,
    totalCount,
    mean,
    standardDeviation,
    max: javaMax(histogram),
    percentiles: (ticksPerHalfDistance) => histogram.percentiles(ticksPerHalfDistance),
  };
}
