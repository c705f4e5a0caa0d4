import type { Bounds, Resolution } from '@hdrscope/core';
import { mustBe, resolutionOf } from '@hdrscope/core/internal';
import { assertRow, type Distribution } from './row.ts';
import { boundsOfSlots } from './slots.ts';

/** The value at a percentile, and bounds that contain it, in the unit: those of its slot, or of the slots that it may lie in. */
export interface PercentileValue extends Bounds {
  /** From 0 to 100, as it was asked for. */
  readonly percentile: number;
  /**
   * The upper bound, at percentile 0 the lower one: what `valuesAtPercentiles` of `@hdrscope/registry` gives. `Infinity` when it lies in a
   * bucket without an end, and no maximum is known.
   */
  readonly value: number;
}

/**
 * The values at percentiles of a distribution.
 *
 * @param percentiles From 0 to 100, in any order.
 * @returns One for each percentile, in their order; an empty list when the distribution has no values.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the distribution is not an object, `ERR_INVALID_VALUE` when a percentile is not a number
 *   from 0 to 100.
 */
export function percentilesOf(
  row: Pick<Distribution, 'bits' | 'scale' | 'k' | 'c' | 'w' | 'count'>,
  percentiles: readonly number[],
): PercentileValue[] {
  assertRow(row);
  const { bits, scale, k, c, w, count } = row;
  for (const percentile of percentiles) assertPercentile(percentile);
  if (count === 0) return [];
  const resolution = resolutionOf(scale);
  const first = ranked(k, c);
  // The value of a rank is at most as large as so many last slots.
  const last =
    w.length === 0
      ? first
      : ranked(
          k.map((slot, i) => slot + w[i]!),
          c,
        );
  return percentiles.map((percentile) => {
    const rank = rankOf(percentile, count);
    return valueAt(percentile, first(rank), last(rank), bits, resolution);
  });
}

/** The slot of a rank. */
function ranked(slots: readonly number[], counts: readonly number[]): (rank: number) => number {
  const order = slots.map((_, i) => i).sort((a, b) => slots[a]! - slots[b]!);
  return (rank) => {
    let at = 0;
    for (let seen = counts[order[0]!]!; seen < rank && at < order.length - 1; ) seen += counts[order[++at]!]!;
    return slots[order[at]!]!;
  };
}

/** The value at a percentile that lies in one of the slots from `first` to `last`. */
export function valueAt(
  percentile: number,
  first: number,
  last: number,
  bits: number,
  resolution: Resolution,
): PercentileValue {
  const { lower, upper } = boundsOfSlots(first, last, bits, resolution);
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
