import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { type HdrLayout, type HdrLayoutOptions, hdrLayout } from '../../src/layout/hdr.ts';
import { lowerOf, shapeOf, slotOf } from '../support/reference-slots.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import {
  aroundPowersOfTwo,
  DIGITS,
  digits,
  LARGEST,
  LARGEST_BIGINT,
  UNIT_MAGNITUDES,
  values,
} from '../support/values.ts';

const HOUR = 3_600_000_000;

/** The widest layout of a number of digits and a unit. */
function layoutFor(significantDigits: number, unitMagnitude: number): HdrLayout {
  return hdrLayout({
    lowestDiscernibleValue: 2n ** BigInt(unitMagnitude),
    highestTrackableValue: LARGEST_BIGINT,
    significantDigits,
  });
}

const EVERY_UNIT = DIGITS.flatMap((d) => UNIT_MAGNITUDES.map((u) => [d, u] as const));

describe('the shape', () => {
  // [lowest, highest, digits, bucketCount, slotCount]: Java HdrHistogram.
  test.each([
    [1, HOUR, 3, 22, 23_552],
    [1, LARGEST, 3, 43, 45_056],
    [1, 2n ** 62n - 1n, 3, 52, 54_272],
    [1, LARGEST_BIGINT, 3, 53, 55_296],
    [1, LARGEST_BIGINT, 2, 56, 7296],
    [1, 2, 3, 1, 2048],
    [1, 2, 0, 2, 3],
    [1, 2047, 3, 1, 2048],
    [1, 2048, 3, 2, 3072],
    [1000, 3_600_000_000_000, 3, 23, 24_576],
  ])(
    'of %d to %d with %d digits has as many buckets (%d) and slots (%d) as in Java',
    (lowest, highest, d, buckets, slots) => {
      const layout = hdrLayout({
        lowestDiscernibleValue: lowest,
        highestTrackableValue: highest,
        significantDigits: d,
      });
      expect([layout.bucketCount, layout.slotCount]).toEqual([buckets, slots]);
    },
  );

  test('has at least twice as many sub-buckets as the digits have values', () => {
    expect(DIGITS.map((d) => layoutFor(d, 0).subBucketBits)).toEqual([1, 5, 8, 11, 15, 18]);
    for (const d of DIGITS) expect(layoutFor(d, 0).subBucketCount).toBeGreaterThanOrEqual(2 * 10 ** d);
  });

  test('rounds the unit down to a power of two, and keeps the configured value', () => {
    const layout = hdrLayout({ lowestDiscernibleValue: 1000, highestTrackableValue: 10_000 });
    expect([layout.unitMagnitude, layout.lowestDiscernibleValue]).toEqual([9, 1000]);
    expect([layout.highestTrackableValue, layout.largestValue]).toEqual([10_000, 1_048_575]);
  });

  test('keeps bounds above 2^53 - 1 exact as bigint', () => {
    const layout = hdrLayout({
      lowestDiscernibleValue: 2n ** 51n + 1n,
      highestTrackableValue: LARGEST_BIGINT,
    });
    expect(layout.lowestDiscernibleBigInt).toBe(2n ** 51n + 1n);
    expect(layout.highestTrackableBigInt).toBe(LARGEST_BIGINT);
    expect(layout.upperBigInt(layout.slotCount - 1)).toBe(LARGEST_BIGINT);
  });

  test('always has a slot for the highest trackable value', () => {
    const units = fc.nat(44).map((u) => 2n ** BigInt(u));
    fc.assert(
      fc.property(digits, units, fc.bigInt(1n, LARGEST_BIGINT), (significantDigits, lowest, wanted) => {
        const highest = wanted > 2n * lowest ? wanted : 2n * lowest;
        const layout = hdrLayout({
          lowestDiscernibleValue: lowest,
          highestTrackableValue: highest,
          significantDigits,
        });
        expect(layout.slotOfBigInt(highest)).toBeLessThan(layout.slotCount);
        expect(layout.upperBigInt(layout.slotCount - 1)).toBeGreaterThanOrEqual(highest);
        expect(layout.slotCount).toBe((layout.bucketCount + 1) * (layout.subBucketCount / 2));
      }),
    );
  });
});

describe('the slot of a value', () => {
  test.each(EVERY_UNIT)(
    'with %d digits and a unit of 2^%d is the reference’s around every power of two',
    (d, u) => {
      const [layout, shape] = [layoutFor(d, u), shapeOf(d, u)];
      for (const value of aroundPowersOfTwo()) {
        const expected = slotOf(shape, BigInt(value));
        if (layout.slotOf(value) !== expected || layout.slotOfBigInt(BigInt(value)) !== expected) {
          expect([value, layout.slotOf(value), layout.slotOfBigInt(BigInt(value))]).toEqual([
            value,
            expected,
            expected,
          ]);
        }
      }
    },
  );

  test('is the same for a number and a bigint, and the reference’s', () => {
    fc.assert(
      fc.property(digits, fc.constantFrom(...UNIT_MAGNITUDES), values(), (d, u, value) => {
        const layout = layoutFor(d, u);
        const expected = slotOf(shapeOf(d, u), BigInt(value));
        expect([layout.slotOf(value), layout.slotOfBigInt(BigInt(value))]).toEqual([expected, expected]);
      }),
      { numRuns: caseCount(100, 500) },
    );
  });

  test('is found for bigints up to 2^63 - 1', () => {
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom(...UNIT_MAGNITUDES),
        fc.bigInt(0n, LARGEST_BIGINT),
        (d, u, value) => {
          const layout = layoutFor(d, u);
          const slot = layout.slotOfBigInt(value);
          expect(slot).toBe(slotOf(shapeOf(d, u), value));
          expect(BigInt(layout.lower(slot))).toBeLessThanOrEqual(value);
          expect(layout.upperBigInt(slot)).toBeGreaterThanOrEqual(value);
        },
      ),
    );
  });

  test('of a fraction is that of its integer part', () => {
    fc.assert(
      fc.property(
        digits,
        fc.nat(2 ** 31 - 1),
        fc.double({ min: 0, max: 1, maxExcluded: true }),
        (d, whole, part) => {
          const value = whole + part;
          expect(layoutFor(d, 0).slotOf(value)).toBe(layoutFor(d, 0).slotOf(Math.floor(value)));
        },
      ),
    );
    const layout = layoutFor(3, 0);
    for (const value of [2047.999, 2 ** 31 - 0.5, 2 ** 32 - 0.5, 2 ** 40 + 0.5]) {
      expect([value, layout.slotOf(value)]).toEqual([value, layout.slotOf(Math.floor(value))]);
    }
  });

  test('is at least the slot count for a value without a slot', () => {
    const layout = hdrLayout({ highestTrackableValue: HOUR });
    expect(layout.slotOf(layout.largestValue)).toBe(layout.slotCount - 1);
    for (const value of [layout.largestValue + 1, 2 ** 40, LARGEST, 2 ** 63, 2 ** 64, 1.5 * 2 ** 64, 1e300]) {
      expect([value, layout.slotOf(value) >= layout.slotCount]).toEqual([value, true]);
    }
    expect(layout.slotOf(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  test('is below 0 for a value below 0, as `Layout` promises', () => {
    const layout = hdrLayout({ highestTrackableValue: HOUR });
    for (const value of [-1, -100, -(2 ** 31), -(2 ** 40), -1e300]) {
      expect([value, layout.slotOf(value) < 0]).toEqual([value, true]);
    }
  });

  test('of -0 is 0', () => {
    expect(layoutFor(3, 0).slotOf(-0)).toBe(0);
  });
});

describe('the bounds of a slot', () => {
  test('are those that Java gives around 2500 and 10,007', () => {
    const layout = hdrLayout({ highestTrackableValue: HOUR });
    const [slot2500, slot10000] = [layout.slotOf(2500), layout.slotOf(10_007)];
    expect([layout.size(slot2500), layout.size(slot10000)]).toEqual([2, 8]);
    expect(layout.lower(slot10000)).toBe(10_000);
    expect(layout.upper(slot10000)).toBe(10_007);
    expect(layout.midpoint(slot10000)).toBe(10_004);
    expect(layout.lower(slot10000 + 1)).toBe(10_008);
  });

  test.each(EVERY_UNIT.filter(([d]) => d <= 2))('with %d digits and a unit of 2^%d leave no gap', (d, u) => {
    const [layout, shape] = [layoutFor(d, u), shapeOf(d, u)];
    let next = 0n;
    for (let slot = 0; slot < layout.slotCount; slot++) {
      const [lower, upper] = [BigInt(layout.lower(slot)), layout.upperBigInt(slot)];
      if (
        lower !== next ||
        lower !== lowerOf(shape, slot) ||
        upper < lower ||
        BigInt(layout.size(slot)) !== upper - lower + 1n
      ) {
        expect([slot, lower, upper]).toEqual([slot, next, lower + BigInt(layout.size(slot)) - 1n]);
      }
      next = upper + 1n;
    }
    expect(next).toBe(LARGEST_BIGINT + 1n);
  });

  test('hold the value, and belong to the slot themselves', () => {
    fc.assert(
      fc.property(digits, fc.constantFrom(...UNIT_MAGNITUDES), values(), (d, u, value) => {
        const layout = layoutFor(d, u);
        const slot = layout.slotOf(value);
        expect(layout.lower(slot)).toBeLessThanOrEqual(value);
        expect(layout.upperBigInt(slot)).toBeGreaterThanOrEqual(BigInt(value));
        expect(layout.slotOf(layout.lower(slot))).toBe(slot);
        expect(layout.slotOf(layout.midpoint(slot))).toBe(slot);
        expect(layout.slotOfBigInt(layout.upperBigInt(slot))).toBe(slot);
        expect(layout.upperBigInt(slot) + 1n).toBe(BigInt(layout.lower(slot + 1)));
      }),
      { numRuns: caseCount(100, 500) },
    );
  });

  test('keep every value to its significant digits, up to 2^53 - 1', () => {
    fc.assert(
      fc.property(digits, values(), (d, value) => {
        const layout = layoutFor(d, 0);
        const slot = layout.slotOf(value);
        const within = BigInt(value) / 10n ** BigInt(d);
        expect(BigInt(value) - BigInt(layout.lower(slot))).toBeLessThanOrEqual(within);
        expect(layout.upperBigInt(slot) - BigInt(value)).toBeLessThanOrEqual(within);
      }),
      { numRuns: caseCount(200, 1000) },
    );
  });

  test('keep a value to the unit where that is coarser than its digits', () => {
    fc.assert(
      fc.property(digits, fc.constantFrom(...UNIT_MAGNITUDES), values(), (d, u, value) => {
        const layout = layoutFor(d, u);
        const slot = layout.slotOf(value);
        const digitsKept = BigInt(value) / 10n ** BigInt(d);
        const unit = 2n ** BigInt(u) - 1n;
        const within = digitsKept > unit ? digitsKept : unit;
        expect(BigInt(value) - BigInt(layout.lower(slot))).toBeLessThanOrEqual(within);
        expect(layout.upperBigInt(slot) - BigInt(value)).toBeLessThanOrEqual(within);
      }),
    );
  });

  test('have in the middle the upper of two integers, or the only one', () => {
    const layout = layoutFor(0, 0); // slots 0, 1, 2 to 3, 4 to 7
    expect([0, 1, 2, 3].map((slot) => layout.midpoint(slot))).toEqual([0, 1, 3, 6]);
  });
});

describe('layouts compared', () => {
  test('share their slots when unit and sub-buckets are equal, whatever the range', () => {
    const layout = hdrLayout({ lowestDiscernibleValue: 1000, highestTrackableValue: HOUR });
    const sharing = (options: Partial<HdrLayoutOptions>): boolean =>
      layout.sharesSlotsWith(
        hdrLayout({ lowestDiscernibleValue: 1000, highestTrackableValue: HOUR, ...options }),
      );
    expect(sharing({ highestTrackableValue: 10_000 })).toBe(true);
    expect(sharing({ lowestDiscernibleValue: 512 })).toBe(true);
    expect(sharing({ lowestDiscernibleValue: 1024 })).toBe(false);
    expect(sharing({ significantDigits: 2 })).toBe(false);
  });

  test('reach further with the slots they have', () => {
    const layout = hdrLayout({
      lowestDiscernibleValue: 1000,
      highestTrackableValue: 10_000,
      significantDigits: 2,
    });
    const wider = layout.reaching(2n ** 60n);
    expect(wider.highestTrackableBigInt).toBe(2n ** 60n);
    expect(wider.lowestDiscernibleValue).toBe(1000);
    expect(wider.sharesSlotsWith(layout)).toBe(true);
    for (let slot = 0; slot < layout.slotCount; slot++) expect(wider.lower(slot)).toBe(layout.lower(slot));
  });
});

describe('options', () => {
  const highestTrackableValue = HOUR;

  test.each<[string, object]>([
    ['a lowest of 0', { lowestDiscernibleValue: 0, highestTrackableValue }],
    ['a negative lowest', { lowestDiscernibleValue: -1, highestTrackableValue }],
    ['a fraction as lowest', { lowestDiscernibleValue: 1.5, highestTrackableValue }],
    ['NaN as lowest', { lowestDiscernibleValue: Number.NaN, highestTrackableValue }],
    ['text as lowest', { lowestDiscernibleValue: '1', highestTrackableValue }],
    ['null as lowest', { lowestDiscernibleValue: null, highestTrackableValue }],
    ['a lowest of 2^62', { lowestDiscernibleValue: 2n ** 62n, highestTrackableValue: LARGEST_BIGINT }],
    ['no highest', {}],
    ['a highest below twice the lowest', { lowestDiscernibleValue: 100, highestTrackableValue: 199 }],
    ['a highest of 1', { highestTrackableValue: 1 }],
    ['a fraction as highest', { highestTrackableValue: 1000.5 }],
    ['Infinity as highest', { highestTrackableValue: Number.POSITIVE_INFINITY }],
    ['2^53 as a number', { highestTrackableValue: 2 ** 53 }],
    ['2^63', { highestTrackableValue: 2n ** 63n }],
    ['6 digits', { highestTrackableValue, significantDigits: 6 }],
    ['-1 digits', { highestTrackableValue, significantDigits: -1 }],
    ['half a digit', { highestTrackableValue, significantDigits: 2.5 }],
    ['text as digits', { highestTrackableValue, significantDigits: '3' }],
    [
      'digits that reach beyond 2^63',
      { lowestDiscernibleValue: 2n ** 52n, highestTrackableValue: 2n ** 62n },
    ],
  ])('refuse %s', (_what, options) => {
    expectRefused(() => hdrLayout(options as HdrLayoutOptions), 'ERR_INVALID_OPTION');
  });

  test.each<[string, HdrLayoutOptions]>([
    ['twice the lowest', { lowestDiscernibleValue: 100, highestTrackableValue: 200 }],
    ['2^53 - 1', { highestTrackableValue: LARGEST }],
    ['2^63 - 1 as bigint', { highestTrackableValue: LARGEST_BIGINT }],
    [
      'the largest unit for 3 digits',
      { lowestDiscernibleValue: 2n ** 51n, highestTrackableValue: 2n ** 62n },
    ],
    [
      'the largest unit of all',
      { lowestDiscernibleValue: 2n ** 62n - 1n, highestTrackableValue: LARGEST_BIGINT, significantDigits: 0 },
    ],
  ])('allow %s', (_what, options) => {
    expect(hdrLayout(options).slotCount).toBeGreaterThan(0);
  });

  test('have the range and the value', () => {
    const messageOf = (options: HdrLayoutOptions): string => refusalOf(() => hdrLayout(options)).message;
    expect(messageOf({ highestTrackableValue: HOUR, significantDigits: 9 })).toBe(
      'significantDigits must be an integer from 0 to 5, got 9',
    );
    expect(messageOf({ lowestDiscernibleValue: 100, highestTrackableValue: 199 })).toBe(
      'highestTrackableValue must be an integer from 200 to 9223372036854775807, got 199',
    );
    expect(messageOf({ highestTrackableValue: 2 ** 53 })).toBe(
      'highestTrackableValue must be an integer from 2 to 9223372036854775807, as a bigint when above 2^53 - 1, got 9007199254740992',
    );
    expect(messageOf({ lowestDiscernibleValue: 2n ** 52n, highestTrackableValue: 2n ** 62n })).toBe(
      'lowestDiscernibleValue must be below 2^52 with 3 significant digits, got 4503599627370496',
    );
  });
});
