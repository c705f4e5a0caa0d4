import { type Axis, axisEdges } from './axis.ts';

/** A number of 64 bits or more: a bigint above 2^53 − 1, and a number otherwise. */
export type Integer = number | bigint;

/** Certain bounds of a sum. A side is infinite where values have no bound, and `NaN` where the sum is unknown. */
export interface SumRange {
  readonly lower: Integer;
  readonly upper: Integer;
}

/** The number of an integer, where it is exact. */
export function numberIfSafe(integer: bigint): Integer {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

/** The exact sum of two integers. A fraction makes it a double. */
export function plus(a: Integer, b: Integer): Integer {
  if (!isInteger(a) || !isInteger(b)) return Number(a) + Number(b);
  return numberIfSafe(BigInt(a) + BigInt(b));
}

/** The exact difference of two integers, as `plus`. */
export function minus(a: Integer, b: Integer): Integer {
  return plus(a, -b);
}

function isInteger(value: Integer): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** The bounds of the sum of the values that are counted on an axis, by the bounds of their slots: exact, the upper one exclusive. */
export function sumOfSlots(axis: Axis, countAt: (slot: number) => Integer): SumRange {
  const edges = axisEdges(axis);
  let [lower, upper] = [0n, 0n];
  for (let slot = 1; slot < edges.length; slot++) {
    const count = BigInt(countAt(slot));
    lower += count * edges[slot - 1]!;
    upper += count * edges[slot]!;
  }
  const [under, over] = [countAt(0), edges.length === 0 ? countAt(0) : countAt(edges.length)];
  if (edges.length > 0) {
    lower += BigInt(over) * edges.at(-1)!;
    upper += BigInt(under) * edges[0]!;
  }
  return {
    lower: under > 0 ? Number.NEGATIVE_INFINITY : numberIfSafe(lower),
    upper: over > 0 ? Number.POSITIVE_INFINITY : numberIfSafe(upper),
  };
}

/** What two ranges of one sum have in common; `undefined` when one of them must be wrong. */
export function commonRange(a: SumRange, b: SumRange): SumRange | undefined {
  const [higher, lower] = [a.lower < b.lower ? b : a, a.upper > b.upper ? b : a];
  return higher.lower <= lower.upper ? { lower: higher.lower, upper: lower.upper } : undefined;
}
