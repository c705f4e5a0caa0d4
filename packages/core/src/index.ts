// Entry `@hdrscope/core`: the public API. `internal.ts` has what only other packages of hdrscope need.
export {
  type BoundedHistogram,
  type ChangeVerdict,
  type CompareRunsOptions,
  compareRuns,
  type Ground,
  type PercentileChange,
  type Run,
  type RunsComparison,
} from './analysis/compare-runs.ts';
export type { Dependence } from './analysis/dependence.ts';
export { type KolmogorovSmirnovResult, kolmogorovSmirnovTest } from './analysis/kolmogorov-smirnov-test.ts';
export { type MannWhitneyResult, mannWhitneyTest } from './analysis/mann-whitney-test.ts';
export { computeExcessKurtosis, computeSkewness } from './analysis/moments.ts';
export { type PercentileDifference, percentileDifference } from './analysis/percentile-difference.ts';
export { type PercentileInterval, percentileInterval } from './analysis/percentile-interval.ts';
export { type WelchResult, welchTest } from './analysis/welch-test.ts';
export type { Bounds } from './bounds.ts';
export { type Counted, countedIn } from './counted.ts';
export type { ReadonlyCounts, Storage } from './counts/readonly-counts.ts';
export type { DoubleHistogramJson } from './encoding/double-json.ts';
export type { HistogramJson } from './encoding/json.ts';
export type { LayoutHistogramJson } from './encoding/layout-json.ts';
export { type ErrorCode, type ErrorDetails, HdrscopeError } from './errors.ts';
export { type Advice, advise } from './histogram/advise.ts';
export { BasicHistogram } from './histogram/basic-histogram.ts';
export { DoubleHistogram } from './histogram/double-histogram.ts';
export type { DoubleHistogramOptions } from './histogram/double-range.ts';
export { DoubleRecorder, type ReadonlyDoubleHistogram } from './histogram/double-recorder.ts';
export { Histogram, type ReadonlyHistogram } from './histogram/histogram.ts';
export type { IterationStep, Steps } from './histogram/iteration.ts';
export { LayoutHistogram } from './histogram/layout-histogram.ts';
export type { Outliers } from './histogram/out-of-range.ts';
export { findQuantile, findQuantiles, type Quantile } from './histogram/quantile.ts';
export type { HdrReading } from './histogram/reading.ts';
export { Recorder } from './histogram/recorder.ts';
export type { HistogramOptions } from './histogram/setup.ts';
export { startTimer, type Timer, time } from './histogram/timer.ts';
export { type Increase, increase } from './increase.ts';
export { decimalLayout } from './layout/decimal.ts';
export { type EdgeLayout, explicitLayout } from './layout/edges.ts';
export { type ExponentialLayout, exponentialLayout } from './layout/exponential.ts';
export { type HdrLayout, hdrLayout } from './layout/hdr.ts';
export type { IntegerLayout } from './layout/integer.ts';
export type { Layout } from './layout/layout.ts';
export { linearLayout } from './layout/linear.ts';
export { logLinearLayout } from './layout/log-linear.ts';
export { log2Layout } from './layout/log2.ts';
export type { Resolution } from './layout/scaled.ts';
export { type RebucketedCounts, rebucket } from './rebucket.ts';
export { HistogramSum } from './sum/histogram-sum.ts';
export type { CountedInterval } from './sum/intervals.ts';
export { type ParsedPercentiles, parsePercentiles } from './text/parse-percentiles.ts';
export { formatPercentiles } from './text/percentile-text.ts';
