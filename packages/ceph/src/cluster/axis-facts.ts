import { HdrscopeError } from '@hdrscope/core';
import type { AxisQuantile, ValueRange } from '@hdrscope/core/joint';
import type { Axis } from '../histogram/axis.ts';
import { commonRange, numberIfSafe, type SumRange, sumOfSlots } from '../histogram/sum-of-slots.ts';
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
  /** Exact. */
  readonly sum: SumRange;
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
    const slots = sumOfSlots(axis, (slot) => marginal.counts.at(slot));
    const known = where.length === 0 ? knownSum(imported, at) : undefined;
    // A dump is not read at one moment, so its sum may be that of other values than its slots have.
    const common = known && commonRange(known.sum, slots);
    const sum = common ?? slots;
    return {
      axis,
      count,
      percentiles: percentiles.map((percentile) => marginal.quantile(percentile / 100)),
      min: marginal.quantile(0),
      mean: { lower: Number(sum.lower) / count, upper: Number(sum.upper) / count },
      max: marginal.quantile(1),
      sum,
      sumSource: common === undefined ? 'slots' : known!.source,
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
): { readonly sum: SumRange; readonly source: SumSource } | undefined {
  if (sums !== undefined) {
    const sum = numberIfSafe(sums[at]!);
    return { sum: { lower: sum, upper: sum }, source: 'dump' };
  }
  return measured === undefined ? undefined : { sum: measured[at]!, source: 'perf dump' };
}

/** The exact number of values. */
export function countValues({ histogram }: Pick<ImportedHistogram, 'histogram'>): bigint {
  return histogram.cells.reduce((sum, count) => sum + count, 0n);
}
