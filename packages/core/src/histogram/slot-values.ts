import type { HdrLayout } from '../layout/hdr.ts';

/** Values of slots as numbers, which are rounded above 2^53, or as bigints, which are exact. Reading code works with both. */
export interface SlotValues<V extends number | bigint> {
  /** The value of an integer; one that is a number must be exact. */
  of(integer: number | bigint): V;
  slotOf(layout: HdrLayout, value: V): number;
  lower(layout: HdrLayout, slot: number): V;
  upper(layout: HdrLayout, slot: number): V;
  midpoint(layout: HdrLayout, slot: number): V;
  size(layout: HdrLayout, slot: number): V;
}

export const asNumbers: SlotValues<number> = {
  of: Number,
  slotOf: (layout, value) => layout.slotOf(value),
  lower: (layout, slot) => layout.lower(slot),
  upper: (layout, slot) => layout.upper(slot),
  midpoint: (layout, slot) => layout.midpoint(slot),
  size: (layout, slot) => layout.size(slot),
};

// Lower bound, size and half of the size are exact doubles, as they are multiples of large powers of two. Their sums may
// not be, and are computed as bigints.
export const asBigInts: SlotValues<bigint> = {
  of: BigInt,
  slotOf: (layout, value) => layout.slotOfBigInt(value),
  lower: (layout, slot) => BigInt(layout.lower(slot)),
  upper: (layout, slot) => layout.upperBigInt(slot),
  midpoint: (layout, slot) => BigInt(layout.lower(slot)) + BigInt(Math.floor(layout.size(slot) / 2)),
  size: (layout, slot) => BigInt(layout.size(slot)),
};

// JavaScript's operators take two numbers or two bigints. TypeScript asks which.
export function plus<V extends number | bigint>(a: V, b: V): V {
  return ((a as number) + (b as number)) as V;
}

export function times<V extends number | bigint>(a: V, b: V): V {
  return ((a as number) * (b as number)) as V;
}

export function least<V extends number | bigint>(a: V, b: V): V {
  return b < a ? b : a;
}
