import fc from 'fast-check';
import type { Attributes } from '../../src/index.ts';

/** Values that are easily confused with each other. */
const attributeValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', '', '1', 'true', 'NaN', '[1]') },
  { weight: 3, arbitrary: fc.constantFrom(0, -0, 1, 2, Number.NaN, Number.POSITIVE_INFINITY) },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom(undefined, null) },
  { weight: 1, arbitrary: fc.constantFrom(1n, 2n) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(1, 2), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(['1'], ['a', 'b'], [true]) },
);

/** Few keys, so that sets share them; objects always put `7` first. */
const attributeKey = fc.constantFrom('method', 'route', 'status', '7', '');

/** Sets of attributes with keys in any order. */
export const attributes: fc.Arbitrary<Attributes> = fc
  .uniqueArray(fc.tuple(attributeKey, attributeValue), { selector: ([key]) => key, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

/** An equal set with its keys in another order. */
export function reordered(given: Attributes): Attributes {
  return Object.fromEntries(Object.entries(given).reverse());
}

/** Values of a family, in ticks: small ones, and some of every magnitude. */
export const ticks: fc.Arbitrary<number> = fc.oneof(
  fc.nat({ max: 300 }),
  fc
    .tuple(fc.integer({ min: 0, max: 52 }), fc.double({ min: 1, max: 2, maxExcluded: true, noNaN: true }))
    .map(([exponent, mantissa]) => Math.floor(mantissa * 2 ** exponent)),
);
