import type { Axis, AxisQuantile, ValueRange } from '@hdrscope/ceph';
import { HdrscopeError } from '@hdrscope/core';
import { meanBounds } from '@hdrscope/core/internal';
import { formatValue } from '@hdrscope/plot';
import type { Sourced } from './histograms.ts';

/** Certain bounds of a value: infinite when they are open, `NaN` when no value was counted. */
type Bounds = Pick<AxisQuantile, 'lower' | 'upper'>;

/** The statistics of one axis. */
export interface AxisFacts {
  readonly axis: Axis;
  /** The number of values; `undefined` above 2^53 − 1. The other facts are unknown then. */
  readonly count: number | undefined;
  /** In the given order. */
  readonly percentiles: readonly Bounds[];
  readonly mean: Bounds;
}

const UNKNOWN: Bounds = { lower: Number.NaN, upper: Number.NaN };

/** The facts of the axis at an index, for all values or for those within ranges of axes. */
export function axisFacts(
  { histogram, sums }: Sourced,
  at: number,
  percentiles: readonly number[],
  where: readonly ValueRange[] = [],
): AxisFacts {
  const axis = histogram.axes[at]!;
  try {
    const marginal = histogram.marginal(at, where);
    const sum = where.length === 0 ? sums?.[at] : undefined;
    return {
      axis,
      count: marginal.totalCount,
      percentiles: percentiles.map((percentile) => marginal.quantile(percentile / 100)),
      mean: sum === undefined ? meanBounds(marginal) : exactly(Number(sum) / marginal.totalCount),
    };
  } catch (error) {
    if (!(error instanceof HdrscopeError && error.code === 'ERR_COUNT_OVERFLOW')) throw error;
    return { axis, count: undefined, percentiles: percentiles.map(() => UNKNOWN), mean: UNKNOWN };
  }
}

function exactly(value: number): Bounds {
  return { lower: value, upper: value };
}

/** `400 to 800 µs`, `1.64 s or more`, or `-` when no value was counted. */
export function formatBounds({ lower, upper }: Bounds, { unit = 'none' }: Pick<Axis, 'unit'>): string {
  if (Number.isNaN(lower)) return '-';
  const [from, to] = [lower, upper].map((bound) => (bound === 0 ? '0' : formatValue(bound, unit)));
  if (lower === Number.NEGATIVE_INFINITY) return upper === Number.POSITIVE_INFINITY ? 'any' : `below ${to}`;
  if (upper === Number.POSITIVE_INFINITY) return `${from} or more`;
  // Ceph counts integers, and such a slot has only one.
  if (from === to || (unit === 'none' && upper - lower === 1 && Number.isInteger(lower))) return from!;
  const [, amount, name] = /^(\S+)( \S+)$/.exec(from!) ?? [];
  return name !== undefined && to!.endsWith(name) ? `${amount} to ${to}` : `${from} to ${to}`;
}

/** Bounds for programs: `null` when they are open, or no value was counted. */
export function boundsJson({ lower, upper }: Bounds): object {
  const bound = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return { lower: bound(lower), upper: bound(upper) };
}
