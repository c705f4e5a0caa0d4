import { DoubleHistogram, type Histogram, type PercentileSource } from '@hdrscope/core';

// Source: HdrHistogram (Java), `HistogramLogProcessor`, and what its histograms say of their maximum.

const INTERVAL_PERCENTILES = [50, 90];
const TOTAL_PERCENTILES = [50, 90, 99, 99.9, 99.99];

/** The maximum as Java tells it: of no integers, one less than the unit of the layout. */
export function javaMax(histogram: Histogram | DoubleHistogram): number {
  if (histogram instanceof DoubleHistogram || histogram.totalCount > 0) return histogram.max;
  return 2 ** histogram.layout.unitMagnitude - 1;
}

/** 50 %, 90 % and the maximum. */
export function intervalFigures(histogram: Histogram | DoubleHistogram, max: number): number[] {
  return [...histogram.valuesAtPercentiles(INTERVAL_PERCENTILES), max];
}

/** 50 %, 90 %, 99 %, 99.9 %, 99.99 % and the maximum. */
export function totalFigures(histogram: Histogram | DoubleHistogram): number[] {
  return [...histogram.valuesAtPercentiles(TOTAL_PERCENTILES), javaMax(histogram)];
}

/** A histogram to be printed, with the maximum that Java prints. */
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
