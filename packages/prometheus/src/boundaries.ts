import { explicitLayout } from '@hdrscope/core';
import { custom, exponentialBound, mustBe, type OptionRule } from '@hdrscope/core/internal';
import type { ClassicBuckets, NativeBuckets } from './families.ts';

/**
 * Ascending boundaries of classic buckets, in the family's unit: one list for all families, or a function of the family.
 * A function that returns `undefined` leaves the choice to the defaults.
 */
export type ClassicBoundaries =
  | readonly number[]
  | ((family: { readonly name: string; readonly unit: string }) => readonly number[] | undefined);

/**
 * The boundaries from the option, else the family's own, else those that suit the unit.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the option's boundaries are not finite numbers in ascending order.
 */
export function boundariesFor(
  option: ClassicBoundaries | undefined,
  family: {
    readonly name: string;
    readonly unit: string;
    readonly boundaries?: readonly number[] | undefined;
  },
): readonly number[] {
  const chosen = typeof option === 'function' ? option(family) : option;
  if (chosen === undefined) return family.boundaries ?? defaultBoundaries(family.unit);
  if (!areBoundaries(chosen)) throw mustBe('ERR_INVALID_OPTION', 'classicBoundaries', ASCENDING, chosen);
  return chosen;
}

const ASCENDING = 'finite numbers in ascending order';

/** Checks the option as far as possible without a family. */
export const classicBoundaries: OptionRule<ClassicBoundaries> = custom(
  ASCENDING,
  (option) => typeof option === 'function' || areBoundaries(option),
);

function areBoundaries(values: unknown): boolean {
  return Array.isArray(values) && values.every((one, i) => Number.isFinite(one) && !(one <= values[i - 1]));
}

/**
 * The boundaries that suit a unit: for times OpenTelemetry's advice for requests, from 5 ms to 10 s; for bytes powers of 4
 * from 64 B to 1 GiB; for other units the SDK's defaults, from 0 to 10,000.
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-metrics/
 */
function defaultBoundaries(unit: string): readonly number[] {
  return BY_UNIT.get(unit) ?? DEFAULT;
}

const MILLISECONDS = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];
const DEFAULT: readonly number[] = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];
const BY_UNIT: ReadonlyMap<string, readonly number[]> = new Map([
  ['s', MILLISECONDS.map((ms) => ms / 1e3)],
  ['ms', MILLISECONDS],
  ['us', MILLISECONDS.map((ms) => ms * 1e3)],
  ['ns', MILLISECONDS.map((ms) => ms * 1e6)],
  ['By', Array.from({ length: 13 }, (_, i) => 4 ** (i + 3))],
]);

/** Converts native buckets to classic ones. Each native bucket goes, whole, to the classic bucket of its middle. */
export function classicOfNative(
  { positive, negative }: NativeBuckets,
  boundaries: readonly number[],
): ClassicBuckets {
  const layout = explicitLayout(boundaries);
  const counts = new Array<number>(boundaries.length + 1).fill(0);
  const add = (value: number, count: number): void => {
    counts[layout.slotOf(value)]! += count;
  };
  const middle = (index: number): number => {
    const [lower, upper] = [
      exponentialBound(positive.scale, index),
      exponentialBound(positive.scale, index + 1),
    ];
    return Number.isFinite(upper) ? lower + (upper - lower) / 2 : lower;
  };
  add(0, positive.zeroCount);
  for (const [i, count] of positive.counts.entries()) {
    if (count > 0) add(middle(positive.offset + i), count);
  }
  for (const [i, count] of (negative?.counts ?? []).entries()) {
    if (count > 0) add(-middle((negative?.offset ?? 0) + i), count);
  }
  return { boundaries, counts };
}
