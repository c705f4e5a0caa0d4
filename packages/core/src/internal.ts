// Entry `@hdrscope/core/internal`: for the other packages of hdrscope only. Names here may change in any release.

export type { ConfidenceOptions } from './analysis/checks.ts';
export type { ChangeVerdict, CompareRunsOptions, PercentileChange } from './analysis/compare-runs.ts';
export { effectiveCount, measureDependence, type StretchCount } from './analysis/dependence.ts';
export {
  type Build,
  type BuildChange,
  LEAST_STATE,
  type LoneBuild,
} from './analysis/find-changes.ts';
export type { Run } from './analysis/known-runs.ts';
export { createRandom } from './analysis/random.ts';
export {
  type BoundedHistogram,
  type Lack,
  LEAST_BEYOND,
  LEAST_PIECES,
  lackIn,
  percentileOfRun,
} from './analysis/run-percentile.ts';
export { Stretches } from './analysis/stretches.ts';
export { exactly } from './bounds.ts';
export { explicitCounts } from './conversion/explicit.ts';
export {
  type BucketRun,
  type ExponentialBuckets,
  type ExponentialOptions,
  exponentialBuckets,
  justifiedScale,
  mergedBuckets,
  type RecountedBuckets,
  recountBuckets,
  type UnitLayouts,
} from './conversion/exponential.ts';
export { bucketsAtScale, sumBuckets } from './conversion/exponential-sum.ts';
export { hdrFit, unitBoundaries } from './conversion/hdr-fit.ts';
export { type LossyHdr, lossyHdr, type SlotValueStrategy } from './conversion/lossy-hdr.ts';
export {
  type KnownRange,
  NOTHING_PLACED,
  type Placement,
  type PlacementTarget,
  placeCounts,
  placeSlot,
  type SlotPlacement,
} from './conversion/placement.ts';
export { divideSlot, type ThresholdCounts, thresholdSlots } from './conversion/thresholds.ts';
export { countIndependent } from './counted.ts';
export { RunBuffer, type SlotRuns } from './counts/slot-runs.ts';
export { type SlotRange, SparseCounts } from './counts/sparse.ts';
export { usedSlots } from './counts/used-slots.ts';
export { fromBase64, toBase64 } from './encoding/base64.ts';
export { packCounts, packedRuns } from './encoding/packed.ts';
export { PackedSum, type UsedSlots } from './encoding/packed-sum.ts';
export { type HdrscopeErrorOptions, malformed, mustBe } from './errors.ts';
export type { AdviseOptions } from './histogram/advise.ts';
export { histogramOver } from './histogram/histogram-over.ts';
export { histogramSince } from './histogram/histogram-since.ts';
export { Inspectable } from './histogram/inspection.ts';
export { assertCounted, assertHdrCounted } from './histogram/operands.ts';
export { findRank } from './histogram/percentiles.ts';
export type { QuantileOptions } from './histogram/quantile.ts';
export { computeMean, countWithin, meanBounds } from './histogram/statistics.ts';
export { type CounterOptions, counterIncrease, haveSameSlots } from './increase.ts';
export { assertLayout } from './layout/checks.ts';
export { edgesBelow } from './layout/edges.ts';
export {
  exponentialBound,
  exponentialIndex,
  type IndexRange,
  isExponentialLayout,
} from './layout/exponential.ts';
export { isHdrLayout } from './layout/hdr.ts';
export {
  integerAfter,
  integerBefore,
  integerLayout,
  integersOf,
} from './layout/integer.ts';
export {
  fromTicks,
  isScaledLayout,
  resolutionOf,
  type ScaledLayout,
  scaledLayout,
} from './layout/scaled.ts';
export { computeStrides } from './layout/strides.ts';
export { nearestName } from './nearest-name.ts';
export {
  errorBudget,
  judgeLimit,
  judgeObjective,
  type ObjectiveVerdict,
} from './objective.ts';
export * from './options.ts';
export { containingLayout } from './sum/containing.ts';
export { intervalOfSlot } from './sum/intervals.ts';
export { formatDecimal } from './text/decimal.ts';
export type { PercentileLoss } from './text/parse-percentiles.ts';
export { type PercentileSource, percentileTextParts } from './text/percentile-text.ts';
export { type VisibleOptions, visible } from './visible.ts';
