import type { Bounds, Counted, Layout } from '@hdrscope/core';
import {
  bucketsAtScale,
  type ExponentialBuckets,
  exponentialBound,
  exponentialBuckets,
  exponentialIndex,
  fromTicks,
  isHdrLayout,
  isScaledLayout,
  sumBuckets,
} from '@hdrscope/core/internal';
import type { AxisSlot } from '../plot.ts';
import { sparseSum } from './shown-bounds.ts';

/*
 * Counts in rows of exponential buckets. The values of an HDR slot count at the middle of their slot, which is narrower than a row. All
 * other values may lie in several rows, and are spread over all of them.
 */

/** Counts whose values lie anywhere between two bounds, in the unit of the plot. */
export interface WideCount extends Bounds {
  /** How many values: above 0. */
  readonly count: number;
}

/** Counts that will be placed in rows. */
export interface RowCounts {
  /** Those of slots that are narrower than rows. */
  readonly buckets: ExponentialBuckets;
  /** All others, by their bounds. */
  readonly wide: ReadonlyMap<string, WideCount>;
}

/** Counts over a layout, and counts of wide buckets that it does not have. */
export interface UnplacedCounts extends Counted {
  /** The layout in the unit of the plot. */
  readonly unitLayout: Layout;
  readonly wide: readonly WideCount[];
}

/** @param rows The largest number of rows. */
export function rowCounts(
  { layout, counts, placedFrom = [], unitLayout, wide }: UnplacedCounts,
  rows: number,
): RowCounts {
  // A slot without digits is as wide as a row at the finest scale of its layout.
  if (isHdrLayout(layout) && layout.significantDigits > 0 && placedFrom.length === 0) {
    return {
      buckets: exponentialBuckets(counts, { layout, unitLayout }, { maxSize: rows }),
      wide: byBounds(wide),
    };
  }
  const sum = sparseSum({ layout, counts, placedFrom });
  const inUnit = (value: number): number =>
    isScaledLayout(unitLayout) && layout !== unitLayout && Number.isFinite(value)
      ? fromTicks(unitLayout.resolution, value)
      : value;
  const own = [...sum.intervals()].map(({ lower, upper, count }) => ({
    lower: inUnit(lower),
    upper: inUnit(upper),
    count,
  }));
  return { buckets: EMPTY, wide: byBounds([...own, ...wide]) };
}

export function sumRowCounts(a: RowCounts, b: RowCounts, rows: number): RowCounts {
  const wide = b.wide.size === 0 ? a.wide : byBounds([...a.wide.values(), ...b.wide.values()]);
  return { buckets: sumBuckets(a.buckets, b.buckets, rows), wide };
}

function byBounds(counts: readonly WideCount[]): Map<string, WideCount> {
  const all = new Map<string, WideCount>();
  for (const { lower, upper, count } of counts) {
    const key = `${lower} ${upper}`;
    all.set(key, { lower, upper, count: (all.get(key)?.count ?? 0) + count });
  }
  return all;
}

const EMPTY: ExponentialBuckets = { scale: 20, zeroCount: 0, offset: 0, counts: [] };

/** Counts in rows, `counts[row][column]`. */
export interface SpreadCounts {
  /** The rows, ascending. */
  readonly slots: AxisSlot[];
  readonly counts: number[][];
  /** How many of the counts certainly lie in a row, and how many may; left out when all are known to lie in their rows. */
  readonly bounds?: { readonly lower: number[][]; readonly upper: number[][] };
}

/** The subtitle of a plot whose counts are spread. */
export function spreadSubtitle(subtitle: string | undefined): string {
  const note = 'values of wide buckets are spread over them';
  return subtitle ? `${subtitle}, ${note}` : note;
}

/**
 * Places counts in common rows.
 *
 * @param columns `undefined` for a column without counts.
 * @param rows The largest number of rows, besides one of zeros and one without an end.
 */
export function spreadCounts(columns: readonly (RowCounts | undefined)[], rows: number): SpreadCounts {
  const wide = columns.flatMap((column) => [...(column?.wide.values() ?? [])]);
  const whole = columns.reduce(
    (all, column) => (column === undefined ? all : sumBuckets(all, column.buckets, rows)),
    sumBuckets(EMPTY, emptyBuckets(wide, rows), rows),
  );
  const { slots, first } = makeSlots(whole, wide);
  const counts = slots.map(() => columns.map(() => 0));
  for (const [i, column] of columns.entries()) {
    if (column === undefined) continue;
    const {
      offset,
      counts: placed,
      zeroCount,
    } = bucketsAtScale(column.buckets, Math.min(column.buckets.scale, whole.scale));
    if (zeroCount > 0) counts[0]![i]! += zeroCount;
    for (const [at, count] of placed.entries()) counts[first + offset + at - whole.offset]![i]! += count;
  }
  if (wide.length === 0) return { slots, counts };
  const bounds = { lower: counts.map((row) => [...row]), upper: counts.map((row) => [...row]) };
  let isSpread = false;
  for (const [i, column] of columns.entries()) {
    for (const one of column?.wide.values() ?? []) {
      const { from, shares } = shareOut(one, slots);
      isSpread ||= shares.length > 1;
      for (const [at, share] of shares.entries()) {
        counts[from + at]![i]! += share;
        bounds.upper[from + at]![i]! += one.count;
        if (shares.length === 1) bounds.lower[from + at]![i]! += one.count;
      }
    }
  }
  return { slots, counts, ...(isSpread && { bounds }) };
}

/** Rows for wide buckets alone are no narrower than 1 %. */
const FINEST_SCALE = 6;

/** Empty buckets from the lowest to the highest bound of wide counts. */
function emptyBuckets(wide: readonly WideCount[], rows: number): ExponentialBuckets {
  let [least, greatest] = [Number.POSITIVE_INFINITY, 0];
  for (const bound of wide.flatMap(({ lower, upper }) => [lower, upper])) {
    if (!(bound > 0 && bound < Number.POSITIVE_INFINITY)) continue;
    least = Math.min(least, bound);
    greatest = Math.max(greatest, bound);
  }
  if (greatest === 0) return EMPTY;
  for (let scale = FINEST_SCALE; ; scale--) {
    const [below, last] = [exponentialIndex(scale, least), exponentialIndex(scale, greatest)];
    // The bucket that ends at the lowest bound has no value but this one.
    const offset = below < last && exponentialBound(scale, below + 1) === least ? below + 1 : below;
    const span = last - offset + 1;
    if (span <= rows) return { scale, zeroCount: 0, offset, counts: new Array<number>(span).fill(0) };
  }
}

/**
 * The buckets, the first of them at `first`. Below them is a slot for zeros and wide counts that reach there, above them one without an
 * end.
 */
function makeSlots(
  { scale, offset, counts, zeroCount }: ExponentialBuckets,
  wide: readonly WideCount[],
): { readonly slots: AxisSlot[]; readonly first: number } {
  const slots = counts.map((_, at) => ({
    lower: exponentialBound(scale, offset + at),
    upper: exponentialBound(scale, offset + at + 1),
  }));
  const least = wide.reduce((lowest, { lower }) => Math.min(lowest, lower), Number.POSITIVE_INFINITY);
  const hasZero = zeroCount > 0 || least <= 0;
  if (hasZero) slots.unshift({ lower: Math.min(0, least), upper: slots[0]?.lower ?? 1 });
  if (wide.some(({ upper }) => upper === Number.POSITIVE_INFINITY)) {
    slots.push({ lower: slots.at(-1)?.upper ?? 0, upper: Number.POSITIVE_INFINITY });
  }
  return { slots, first: hasZero ? 1 : 0 };
}

/** Shares are multiples of it, so that they add up to their count exactly. There are fewer rows than parts. */
const SHARE = 1 / 1024;
/** Doubles from here on lack some of these multiples, and shares are integers. */
const WHOLE_SHARES_FROM = 2 ** 43;

/** The shares of neighbouring rows in a wide count, each above 0: as much of it as lies in the row on a logarithmic axis. */
function shareOut(
  { lower, upper, count }: WideCount,
  slots: readonly AxisSlot[],
): { readonly from: number; readonly shares: readonly number[] } {
  const isAbove = (slot: AxisSlot): boolean => (lower === upper ? slot.upper >= upper : slot.upper > lower);
  const from = slots.findIndex(isAbove);
  const to = Math.max(
    from,
    slots.findLastIndex((slot) => slot.lower < upper),
  );
  if (from === to) return { from, shares: [count] };
  const parts = slots.slice(from, to + 1).map((slot) => partIn(slot, lower, upper));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const unit = count < WHOLE_SHARES_FROM ? SHARE : 1;
  // Each row has one share, and its part of the rest.
  const rest = count / unit - parts.length;
  let [sum, given] = [0, 0];
  const shares = parts.map((part) => {
    sum += part;
    const before = given;
    given = Math.floor((sum / whole) * rest);
    return (1 + given - before) * unit;
  });
  // The last sum may differ from the whole by a rounding.
  shares[shares.length - 1]! += (rest - given) * unit;
  return { from, shares };
}

/** The part of a row that lies between two bounds, from 0 to 1; all of a row that has no place on a logarithmic axis. */
function partIn(slot: AxisSlot, lower: number, upper: number): number {
  if (!(slot.lower > 0) || slot.upper === Number.POSITIVE_INFINITY) return 1;
  const [from, to] = [Math.max(slot.lower, lower), Math.min(slot.upper, upper)];
  // A difference of logarithms, because `slot.upper / slot.lower` may be larger than the largest double. The smallest doubles have rows
  // whose bounds are equal.
  const width = Math.log(slot.upper) - Math.log(slot.lower);
  return width === 0 ? 0 : (Math.log(to) - Math.log(from)) / width;
}
