import fc from 'fast-check';
import { RANGE_BITS } from './integer-series.ts';

/** Integers of at least 1, evenly over all magnitudes below 2^`bits`, many of them beside powers of two, where buckets meet. */
export function positiveIntegers(bits: number): fc.Arbitrary<number> {
  const exponent = fc.nat({ max: bits - 1 });
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(exponent, mantissa).map(([e, m]) => Math.floor(m * 2 ** e)) },
    { weight: 1, arbitrary: fc.tuple(exponent, fc.constantFrom(0, 1)).map(([e, beside]) => 2 ** e + beside) },
    { weight: 1, arbitrary: exponent.map((e) => Math.max(1, 2 ** e - 1)) },
  );
}

const mantissa = fc.double({ min: 1, max: 2, maxExcluded: true, noNaN: true });

/** Integers of narrow or wide range, sometimes with zeros, that fit a series of so many digits. */
export function dataSet(significantDigits: number): fc.Arbitrary<number[]> {
  const range = RANGE_BITS[significantDigits]!;
  return fc.tuple(fc.constantFrom(4, 10, 20, range), fc.boolean()).chain(([bits, hasZeros]) =>
    fc.array(hasZeros ? fc.oneof(positiveIntegers(bits), fc.constant(0)) : positiveIntegers(bits), {
      maxLength: 60,
    }),
  );
}

/** Significant digits with data that fits them. */
export function digitsAndData(most = 4): fc.Arbitrary<[significantDigits: number, values: number[]]> {
  return fc
    .integer({ min: 1, max: most })
    .chain((significantDigits) => fc.tuple(fc.constant(significantDigits), dataSet(significantDigits)));
}
