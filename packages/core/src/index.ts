// Entry `@hdrscope/core`: the public API. `internal.ts` has what only other packages of hdrscope need.
export type { ConfidenceOptions } from './analysis/checks.ts';
export { type KolmogorovSmirnovResult, kolmogorovSmirnovTest } from './analysis/kolmogorov-smirnov-test.ts';
export { type MannWhitneyResult, mannWhitneyTest } from './analysis/mann-whitney-test.ts';
export { excessKurtosisOf, skewnessOf } from './analysis/moments.ts';
export { type PercentileDifference, percentileDifference } from './analysis/percentile-difference.ts';
export { type PercentileInterval, percentileInterval } from './analysis/percentile-interval.ts';
export { type WelchResult, welchTest } from './analysis/welch-test.ts';
export type { Bounds } from './bounds.ts';
export type { BucketRun } from './conversion/exponential.ts';
export type { SlotValueStrategy } from './conversion/lossy-hdr.ts';
export type { KnownRange } from './conversion/placement.ts';
export type { ThresholdCounts } from './conversion/thresholds.ts';
export { type Counted, type CountedInOptions, countedIn } from './counted.ts';
export type { ReadonlyCounts, Storage } from './counts/readonly-counts.ts';
export type { DoubleHistogramJson } from './encoding/double-json.ts';
export type { HdrLayoutJson, HistogramJson } from './encoding/json.ts';
export type { CountsJson, NotesJson } from './encoding/json-fields.ts';
export type { LayoutHistogramJson, LayoutJson } from './encoding/layout-json.ts';
export type { CompressionOptions } from './encoding/zlib-stream.ts';
export {
  type ErrorCode,
  type ErrorDetails,
  HdrscopeError,
  type HdrscopeErrorOptions,
} from './errors.ts';
export { type Advice, type AdviseOptions, advise } from './histogram/advise.ts';
export { BasicHistogram } from './histogram/basic-histogram.ts';
export { DoubleHistogram } from './histogram/double-histogram.ts';
export type { DoubleLayout } from './histogram/double-layout.ts';
export type { DoubleHistogramOptions } from './histogram/double-range.ts';
export {
  DoubleRecorder,
  type DoubleRecorderOptions,
  type ReadonlyDoubleHistogram,
} from './histogram/double-recorder.ts';
export {
  type DecodeOptions,
  Histogram,
  type IntegerCounts,
  type ReadonlyHistogram,
} from './histogram/histogram.ts';
export type { IterationStep, Steps } from './histogram/iteration.ts';
export { LayoutHistogram, type LayoutHistogramOptions } from './histogram/layout-histogram.ts';
export type { Outliers, OutOfRangePolicy } from './histogram/out-of-range.ts';
export { type Quantile, type QuantileOptions, quantileOf, quantilesOf } from './histogram/quantile.ts';
export type { HdrReading } from './histogram/reading.ts';
export { Recorder, type RecorderOptions } from './histogram/recorder.ts';
export type { HistogramOptions } from './histogram/setup.ts';
export type { StorageOptions } from './histogram/storage-options.ts';
export type { TimeSpan } from './histogram/time-span.ts';
export {
  startTimer,
  type Timer,
  type TimerOptions,
  type TimerTarget,
  type TimeUnit,
  time,
} from './histogram/timer.ts';
export { type CounterOptions, type Increase, increase } from './increase.ts';
export { type DecimalLayoutOptions, decimalLayout } from './layout/decimal.ts';
export { type EdgeLayout, explicitLayout, type InclusiveBound } from './layout/edges.ts';
export {
  type ExponentialLayout,
  type ExponentialLayoutOptions,
  exponentialLayout,
  type IndexRange,
} from './layout/exponential.ts';
export { type HdrLayout, type HdrLayoutOptions, hdrLayout } from './layout/hdr.ts';
export type { IntegerLayout } from './layout/integer.ts';
export type { Layout, LayoutKind } from './layout/layout.ts';
export { type LinearLayoutOptions, linearLayout } from './layout/linear.ts';
export { type LogLinearLayoutOptions, logLinearLayout } from './layout/log-linear.ts';
export { type Log2LayoutOptions, log2Layout } from './layout/log2.ts';
export type { Resolution } from './layout/scaled.ts';
export { type Rebucketed, type Rebucketing, rebucket } from './rebucket.ts';
export { type AddOptions, HistogramSum, type HistogramSumOptions } from './sum/histogram-sum.ts';
export type { CountedInterval } from './sum/intervals.ts';
export type { CountWithin, KnownFacts } from './sum/part.ts';
export {
  type ParsedPercentiles,
  type ParsePercentilesOptions,
  type PercentileLoss,
  type PrintedPercentile,
  parsePercentiles,
} from './text/parse-percentiles.ts';
export {
  formatPercentiles,
  type PercentileSource,
  type PercentileTextOptions,
} from './text/percentile-text.ts';
