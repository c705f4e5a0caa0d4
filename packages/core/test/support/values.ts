import fc from 'fast-check';

export const LARGEST = Number.MAX_SAFE_INTEGER;
export const LARGEST_BIGINT: bigint = 2n ** 63n - 1n;

/** Units with no, some and about 31 zero bits at their end. */
export const UNIT_MAGNITUDES: readonly number[] = [0, 9, 14, 20, 30, 31, 40];
export const DIGITS: readonly number[] = [0, 1, 2, 3, 4, 5];

/** 0, 1, and the integers around every power of two up to 2^53, ascending and without repetition. */
export function aroundPowersOfTwo(reach = 3): number[] {
  const values = new Set<number>();
  for (let exponent = 0; exponent <= 53; exponent++) {
    for (let beside = -reach; beside <= reach; beside++) values.add(2 ** exponent + beside);
  }
  return [...values].filter((value) => value >= 0 && value <= LARGEST).sort((a, b) => a - b);
}

export const digits: fc.Arbitrary<number> = fc.constantFrom(...DIGITS);

/** Values to 2^53 - 1. All sizes are equally frequent, and edges of slots more so. */
export function values(max: number = LARGEST): fc.Arbitrary<number> {
  const bits = Math.floor(Math.log2(max)) + 1;
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.tuple(fc.nat(bits), fc.maxSafeNat()).map(([b, v]) => v % 2 ** b) },
      { weight: 2, arbitrary: fc.constantFrom(...aroundPowersOfTwo(1)) },
      { weight: 1, arbitrary: fc.nat(300) },
    )
    .map((value) => Math.min(value, max));
}

/** Counts from 1, mostly small, sometimes above 2^32. */
export const counts: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(1) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 1000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 ** 45 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 40 + 5) },
);

export type Recording = readonly (readonly [value: number, count: number])[];

export function recordings(max: number = LARGEST, maxLength = 40): fc.Arbitrary<Recording> {
  return fc.array(fc.tuple(values(max), counts), { maxLength });
}
