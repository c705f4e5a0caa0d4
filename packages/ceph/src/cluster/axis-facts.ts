import { HdrscopeError } from '@hdrscope/core';
import { meanBounds } from '@hdrscope/core/internal';
import type { AxisQuantile, ValueRange } from '@hdrscope/core/joint';
import type { Axis } from '../histogram/axis.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';

/** Certain bounds of a value: infinite when they are open, `NaN` when no value was counted. */
export type Bounds = Pick<AxisQuantile, 'lower' | 'upper'>;

/** The statistics of one axis. */
export interface AxisFacts {
  readonly axis: Axis;
  /** The number of values; `undefined` above 2^53 − 1. The other facts are unknown then. */
  readonly count: number | undefined;
  /** In the given order. */
  readonly percentiles: readonly Bounds[];
  readonly min: Bounds;
  readonly mean: Bounds;
  readonly max: Bounds;
  readonly sum: Bounds;
  /**
   * What the mean and the sum are known from: the daemon's own counters, the dump, or the slots of the histogram. Those of
   * counters are as close as two answers of the daemon, those of slots as far apart as their ends.
   */
  readonly sumSource: SumSource;
}

/** See `AxisFacts.sumSource`. */
export type SumSource = 'perf dump' | 'dump' | 'slots';

const UNKNOWN: Bounds = { lower: Number.NaN, upper: Number.NaN };

/** Measures the axis at an index, for all values or for those within ranges of axes. */
export function measureAxis(
  imported: Pick<ImportedHistogram, 'histogram' | 'sums' | 'measured'>,
  at: number,
  percentiles: readonly number[],
  where: readonly ValueRange[] = [],
): AxisFacts {
  const { histogram } = imported;
  const axis = histogram.axes[at]!;
  try {
    const marginal = histogram.marginal(at, where);
    const count = marginal.totalCount;
    const known = where.length === 0 ? knownSum(imported, at) : undefined;
    const bySlots = meanBounds(marginal);
    const mean = known === undefined ? bySlots : within(scaled(known.sum, 1 / count), bySlots);
    return {
      axis,
      count,
      percentiles: percentiles.map((percentile) => marginal.quantile(percentile / 100)),
      min: marginal.quantile(0),
      mean,
      max: marginal.quantile(1),
      sum: count === 0 ? { lower: 0, upper: 0 } : scaled(mean, count),
      sumSource: known?.source ?? 'slots',
    };
  } catch (error) {
    if (!(error instanceof HdrscopeError && error.code === 'ERR_COUNT_OVERFLOW')) throw error;
    const unknown = percentiles.map(() => UNKNOWN);
    const none = { min: UNKNOWN, mean: UNKNOWN, max: UNKNOWN, sum: UNKNOWN };
    return { axis, count: undefined, percentiles: unknown, ...none, sumSource: 'slots' };
  }
}

function knownSum(
  { sums, measured }: Pick<ImportedHistogram, 'sums' | 'measured'>,
  at: number,
): { readonly sum: Bounds; readonly source: SumSource } | undefined {
  if (sums !== undefined)
    return { sum: { lower: Number(sums[at]), upper: Number(sums[at]) }, source: 'dump' };
  return measured === undefined ? undefined : { sum: measured[at]!, source: 'perf dump' };
}

/** The closest bounds that both allow. Counters that are read long before and after the slots give wide ones. */
function within(bounds: Bounds, others: Bounds): Bounds {
  if (bounds.lower === bounds.upper) return bounds;
  const [lower, upper] = [Math.max(bounds.lower, others.lower), Math.min(bounds.upper, others.upper)];
  return lower <= upper ? { lower, upper } : bounds;
}

/** Bounds times a number: `NaN`, as the mean of no values, stays. */
function scaled({ lower, upper }: Bounds, factor: number): Bounds {
  return { lower: lower * factor, upper: upper * factor };
}

/** The exact number of values. */
export function countValues({ histogram }: Pick<ImportedHistogram, 'histogram'>): bigint {
  return histogram.cells.reduce((sum, count) => sum + count, 0n);
}
