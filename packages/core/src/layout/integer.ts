import { mustBe } from '../errors.ts';
import { type EdgeLayout, edgesBelow } from './edges.ts';
import type { Layout } from './layout.ts';

/**
 * Slots of integers, as kernels and daemons count them. A slot holds the integers from `lower(slot)` to `upper(slot)`, both
 * included, and the next slot starts with the integer after that. The last slot is open upwards.
 */
export interface IntegerLayout extends Layout {
  /** The largest integer of each slot but the last, ascending. */
  readonly bounds: readonly number[];
}

/**
 * Slots of integers, from the largest integer of each. Above 2^53 the integer after a bound is the next double. A bound that
 * is not a double must be given as the double below it (`integerBefore`); then every double has the slot that it was counted in.
 *
 * @param bounds The largest integer of each slot but the last, ascending.
 * @param lowest The smallest integer that is counted; `-Infinity` when the first slot is open downwards.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the bounds are not ascending integers, or `lowest` is above the first bound.
 * @example
 * ```ts
 * import { integerLayout } from '@hdrscope/core/internal';
 *
 * const depths = integerLayout([0, 1, 4, 8], 0);
 * [0, 1, 2, 4, 5, 9].map((depth) => depths.slotOf(depth)); //=> [0, 1, 2, 2, 3, 4]
 * [depths.lower(2), depths.upper(2), depths.midpoint(2)]; //=> [2, 4, 3]
 * ```
 */
export function integerLayout(bounds: readonly number[], lowest: number): IntegerLayout {
  assertBounds(bounds, lowest);
  const own = [...bounds];
  const last = own.length;
  const lowers = [lowest, ...own.map(integerAfter)];
  const lower = (slot: number): number => lowers[slot]!;
  const upper = (slot: number): number => (slot === last ? Number.POSITIVE_INFINITY : own[slot]!);
  return {
    kind: 'explicit',
    bounds: own,
    slotCount: own.length + 1,
    lowerInclusive: true,
    upperInclusive: true,
    slotOf: (value) => (value < lowest ? -1 : edgesBelow(own, value)),
    lower,
    upper,
    midpoint(slot) {
      if (last === 0) return Math.max(lowest, 0);
      if (slot === last) return lower(slot);
      if (lower(slot) === Number.NEGATIVE_INFINITY) return upper(slot);
      return lower(slot) + Math.floor((upper(slot) - lower(slot)) / 2);
    },
  };
}

const integers = /* @__PURE__ */ new WeakMap<EdgeLayout, IntegerLayout>();

/**
 * Slots that include their lower bound, with the largest integer of each slot as its upper bound: classic buckets include their
 * bound. Every integer keeps its slot.
 */
export function integersOf(slots: EdgeLayout): IntegerLayout {
  const known =
    integers.get(slots) ?? integerLayout(slots.edges.map(integerBefore), Number.NEGATIVE_INFINITY);
  integers.set(slots, known);
  return known;
}

/** The next integer, or, above 2^53, the next double. */
export function integerAfter(integer: number): number {
  let step = 1;
  while (integer + step === integer) step *= 2;
  return integer + step;
}

/** The integer before a multiple of a power of two, or, above 2^53, the double before it. */
export function integerBefore(integer: number): number {
  let step = 1;
  while (integer - step === integer) step *= 2;
  return integer - step;
}

function assertBounds(bounds: readonly number[], lowest: number): void {
  for (const [i, bound] of bounds.entries()) {
    const before = i === 0 ? undefined : bounds[i - 1]!;
    if (Number.isInteger(bound) && (before === undefined || bound > before)) continue;
    const allowed = before === undefined ? 'an integer' : `an integer above ${before}`;
    throw mustBe('ERR_INVALID_OPTION', `bounds[${i}]`, allowed, bound);
  }
  const isLowest = Number.isInteger(lowest) || lowest === Number.NEGATIVE_INFINITY;
  if (isLowest && lowest <= (bounds[0] ?? Number.POSITIVE_INFINITY)) return;
  const allowed =
    bounds.length === 0 ? 'an integer, or -Infinity' : `an integer up to ${bounds[0]}, or -Infinity`;
  throw mustBe('ERR_INVALID_OPTION', 'lowest', allowed, lowest);
}
