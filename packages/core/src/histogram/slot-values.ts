import type { HdrLayout } from '../layout/hdr.ts';

/**
 * How the values of slots are told: as numbers, which are rounded above 2^53, or as bigints, which never are. All
 * reading is written once, over this.
 */
export interface SlotValues<V extends number | bigint> {
  /** An integer that a double holds. */
  of(integer: number): V;
  slotOf(layout: HdrLayout, value: V): number;
  lower(layout: HdrLayout, slot: number): V;
  upper(layout: HdrLayout, slot: number): V;
  midpoint(layout: HdrLayout, slot: number): V;
  size(layout: HdrLayout, slot: number): V;
}

export const asNumbers: SlotValues<number> = {
  of: (integer) => integer,
  slotOf: (layout, value) => layout.slotOf(value),
  lower: (layout, slot) => layout.lower(slot),
  upper: (layout, slot) => layout.upper(slot),
  midpoint: (layout, slot) => layout.midpoint(slot),
  size: (layout, slot) => layout.size(slot),
};

// Lower bound, size and half of it are multiples of powers of two: exact doubles, of which only the sums may not be.
export const asBigInts: SlotValues<bigint> = {
  of: (integer) => BigInt(integer),
  slotOf: (layout, value) => layout.slotOfBigInt(value),
  lower: (layout, slot) => BigInt(layout.lower(slot)),
  upper: (layout, slot) => layout.upperBigInt(slot),
  midpoint: (layout, slot) => BigInt(layout.lower(slot)) + BigInt(Math.floor(layout.size(slot) / 2)),
  size: (layout, slot) => BigInt(layout.size(slot)),
};

// JavaScript's operators take two numbers or two bigints; TypeScript wants to know which.
export function plus<V extends number | bigint>(a: V, b: V): V {
  return ((a as number) + (b as number)) as V;
}

export function times<V extends number | bigint>(a: V, b: V): V {
  return ((a as number) * (b as number)) as V;
}

export function least<V extends number | bigint>(a: V, b: V): V {
  return b < a ? b : a;
}
