import type { Bounds, Resolution } from '@hdrscope/core';
import { fromTicks, mustBe, resolutionOf } from '@hdrscope/core/internal';
import type { Distribution } from './row.ts';
import { slotBounds } from './slots.ts';

/** The value at a percentile, and the bounds of its slot, in the unit. */
export interface PercentileValue extends Bounds {
  /** From 0 to 100, as it was asked for. */
  readonly percentile: number;
  /** The upper bound, at percentile 0 the lower one: what `valuesAtPercentiles` of `@hdrscope/registry` gives. */
  readonly value: number;
}

/**
 * The values at percentiles of a distribution.
 *
 * @param percentiles From 0 to 100, in any order.
 * @returns One for each percentile, in their order; an empty list when the distribution has no values.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when a percentile is not a number from 0 to 100.
 */
export function percentilesOf(
  { bits, scale, k, c, count }: Pick<Distribution, 'bits' | 'scale' | 'k' | 'c' | 'count'>,
  percentiles: readonly number[],
): PercentileValue[] {
  for (const percentile of percentiles) assertPercentile(percentile);
  if (count === 0) return [];
  const resolution = resolutionOf(scale);
  return percentiles.map((percentile) => {
    const rank = rankOf(percentile, count);
    let slot = 0;
    for (let seen = c[0]!; seen < rank && slot < k.length - 1; ) seen += c[++slot]!;
    return valueAt(percentile, k[slot]!, bits, resolution);
  });
}

/** The value at a percentile that lies in a slot. */
export function valueAt(
  percentile: number,
  k: number,
  bits: number,
  resolution: Resolution,
): PercentileValue {
  const bounds = slotBounds(k, bits);
  const [lower, upper] = [fromTicks(resolution, bounds.lower), fromTicks(resolution, bounds.upper)];
  return { percentile, value: percentile === 0 ? lower : upper, lower, upper };
}

/** @throws HdrscopeError `ERR_INVALID_VALUE` */
export function assertPercentile(percentile: unknown): void {
  if (typeof percentile === 'number' && percentile >= 0 && percentile <= 100) return;
  throw mustBe('ERR_INVALID_VALUE', 'percentile', 'a number from 0 to 100', percentile);
}

/**
 * The rank of a percentile among `count` values, from 1, as in `@hdrscope/core`: the percentile is first lowered to the next double, so
 * that rounding alone does not exceed an integer. Statements in SQL compute the same, operation by operation.
 */
function rankOf(percentile: number, count: number): number {
  return Math.min(Math.max(1, Math.ceil((loweredPercentile(percentile) * count) / 100)), count);
}

const scratch = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

/** The double before a percentile; 0 for 0. */
export function loweredPercentile(percentile: number): number {
  if (percentile <= 0) return 0;
  scratch.setFloat64(0, percentile);
  scratch.setBigUint64(0, scratch.getBigUint64(0) - 1n);
  return scratch.getFloat64(0);
}
