import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import {
  type ExponentialLayoutOptions,
  exponentialBound,
  exponentialIndex,
  exponentialLayout,
} from '../../src/layout/exponential.ts';
import { rebucket } from '../../src/rebucket.ts';
import { expectSlotsInOrder, isIn } from '../support/layout-laws.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';
import { within } from '../support/within.ts';

const SMALLEST_NORMAL = 2 ** -1022;

const scales = fc.integer({ min: -10, max: 20 });
const positive = fc.oneof(
  fc.double({ min: SMALLEST_NORMAL, max: Number.MAX_VALUE, noNaN: true }),
  fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
  fc.integer({ min: -1022, max: 1023 }).map((exponent) => 2 ** exponent),
);

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The double `ulps` steps beside a positive one. */
function beside(x: number, ulps: bigint): number {
  double[0] = x;
  bits[0] = bits[0]! + ulps;
  return double[0]!;
}

describe('the index of a value', () => {
  test('names the bucket that holds it, upper bound included', () => {
    fc.assert(
      fc.property(scales, positive, (scale, value) => {
        const index = exponentialIndex(scale, value);
        expect(exponentialBound(scale, index)).toBeLessThan(value);
        expect(value).toBeLessThanOrEqual(exponentialBound(scale, index + 1));
      }),
      { numRuns: caseCount(200, 2000) },
    );
  });

  test('of 2^k is the last of its octave, at every scale', () => {
    for (let scale = -10; scale <= 20; scale++) {
      for (let k = -1022; k <= 1023; k++) {
        const expected = Math.ceil(k * 2 ** scale) - 1;
        if (exponentialIndex(scale, 2 ** k) !== expected) {
          expect([scale, k, exponentialIndex(scale, 2 ** k)]).toEqual([scale, k, expected]);
        }
      }
    }
  });

  test('of a value one step of a double beside 2^k is on its side of the bound', () => {
    for (let scale = -2; scale <= 20; scale += 2) {
      for (let k = -1000; k <= 1000; k += 10) {
        const last = Math.ceil(k * 2 ** scale) - 1;
        const indices = [-1n, 1n].map((ulp) => exponentialIndex(scale, beside(2 ** k, ulp)));
        // Below scale 0 a power of two may lie inside its bucket.
        const next = Number.isInteger(k * 2 ** scale) ? last + 1 : last;
        if (indices[0] !== last || indices[1] !== next)
          expect([scale, k, ...indices]).toEqual([scale, k, last, next]);
      }
    }
  });

  test('of a bound is that of the bucket that it closes, and of the next double that of the next bucket', () => {
    fc.assert(
      fc.property(scales, fc.double({ min: -1000, max: 1000, noNaN: true }), (scale, octave) => {
        const index = Math.floor(octave * 2 ** scale) + 0; // not -0
        const bound = exponentialBound(scale, index);
        if (bound < SMALLEST_NORMAL || bound === Number.POSITIVE_INFINITY) return;
        const around = [-1n, 0n, 1n].map((ulps) => exponentialIndex(scale, beside(bound, ulps)));
        expect(around).toEqual([index - 1, index - 1, index]);
      }),
      { numRuns: caseCount(200, 2000) },
    );
  });

  test('shifts right when the scale goes down', () => {
    fc.assert(
      fc.property(scales, fc.integer({ min: 0, max: 30 }), positive, (scale, by, value) => {
        const coarser = Math.max(-10, scale - by);
        const halvings = scale - coarser;
        expect(exponentialIndex(coarser, value)).toBe(
          Math.floor(exponentialIndex(scale, value) / 2 ** halvings),
        );
      }),
      { numRuns: caseCount(200, 1000) },
    );
  });

  test('never falls when the value rises', () => {
    fc.assert(
      fc.property(scales, positive, positive, (scale, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(exponentialIndex(scale, less)).toBeLessThanOrEqual(exponentialIndex(scale, more));
      }),
    );
  });
});

describe('the index', () => {
  test.each([0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '1' as never])(
    'of %p is refused, as no bucket holds it',
    (value) => {
      for (const scale of [-10, 0, 20]) {
        expectRefused(() => within(10_000, () => exponentialIndex(scale, value)), 'ERR_INVALID_VALUE');
      }
    },
  );

  test('of a subnormal number is found at once, whole octaves below that of a normal one', () => {
    for (const scale of [1, 8, 20]) {
      for (const units of [1, 2, 3, 5, 1023, 2 ** 40 + 1, 2 ** 52 - 1]) {
        const index = within(10_000, () => exponentialIndex(scale, units * Number.MIN_VALUE));
        expect(index + 1074 * 2 ** scale).toBe(exponentialIndex(scale, units));
      }
    }
    expect(exponentialIndex(20, Number.MIN_VALUE)).toBe(-1074 * 2 ** 20 - 1);
  });
});

describe('a bound', () => {
  test('among subnormal numbers is rounded once', () => {
    expect(exponentialBound(1, -2149)).toBe(Number.MIN_VALUE); // 0.71 of it
    expect(exponentialBound(1, -2147)).toBe(Number.MIN_VALUE); // 1.41 of it
    expect(exponentialBound(1, -2145)).toBe(3 * Number.MIN_VALUE); // 2.83 of it
  });

  test('is a power of two exactly where it is one', () => {
    for (let scale = 0; scale <= 20; scale += 4) {
      for (let k = -1022; k <= 1023; k++) {
        const bound = exponentialBound(scale, k * 2 ** scale);
        if (bound !== 2 ** k) expect([scale, k, bound]).toEqual([scale, k, 2 ** k]);
      }
    }
    expect([-2, -1, 0, 1].map((index) => exponentialBound(-1, index))).toEqual([2 ** -4, 2 ** -2, 1, 4]);
  });

  test('is the square root of 2 between powers of two at scale 1', () => {
    expect([1, 3, 5].map((index) => exponentialBound(1, index))).toEqual([
      Math.SQRT2,
      2 * Math.SQRT2,
      4 * Math.SQRT2,
    ]);
    expect(exponentialBound(1, -1)).toBe(Math.SQRT1_2);
  });

  test('is above the one before it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.double({ min: -1022, max: 1022, noNaN: true }),
        (scale, octave) => {
          const index = Math.floor(octave * 2 ** scale);
          expect(exponentialBound(scale, index + 1)).toBeGreaterThan(exponentialBound(scale, index));
        },
      ),
      { numRuns: caseCount(200, 1000) },
    );
  });
});

describe('an exponential layout', () => {
  test('puts zero and the too small into its first slot, the too large into its last', () => {
    const layout = exponentialLayout({ scale: 0, minIndex: 0, maxIndex: 3 });
    const values = [-1, -0, 0, 0.5, 1, 1.1, 2, 2.1, 16, 17, 1e300];
    expect(values.map((value) => layout.slotOf(value))).toEqual([0, 0, 0, 0, 0, 1, 1, 2, 4, 5, 5]);
    expect(layout.slotCount).toBe(6);
    expect([layout.lowerInclusive, layout.upperInclusive]).toEqual([false, true]);
  });

  test('has slots in order, and each value in the one that holds it', () => {
    const layouts = fc
      .tuple(fc.integer({ min: -3, max: 8 }), fc.integer({ min: -20, max: 20 }), fc.nat(100))
      .filter(
        ([scale, first, more]) => (first + more + 1) * 2 ** -scale < 1000 && first * 2 ** -scale > -1000,
      )
      .map(([scale, minIndex, more]) => exponentialLayout({ scale, minIndex, maxIndex: minIndex + more }));
    fc.assert(
      fc.property(layouts, fc.double({ min: 0, max: 1e12, noNaN: true }), (layout, value) => {
        expectSlotsInOrder(layout);
        const slot = layout.slotOf(value);
        expect(isIn(layout, slot, value) || (slot === 0 && value === 0)).toBe(true);
      }),
    );
  });

  test('stands for its highest bucket by a finite value, as high as a double goes', () => {
    const layout = exponentialLayout({ scale: 0, minIndex: 1000, maxIndex: 1023 });
    const bucket = layout.slotOf(Number.MAX_VALUE);
    expect(bucket).toBe(layout.slotCount - 2);
    expect(layout.midpoint(bucket)).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  test.each([-10, -1, 0, 1, 20])('at scale %d has a slot for Infinity', (scale) => {
    const layout = exponentialLayout({ scale, minIndex: -1, maxIndex: 0 });
    expect(within(10_000, () => layout.slotOf(Number.POSITIVE_INFINITY))).toBe(layout.slotCount - 1);
  });

  test.each<[string, ExponentialLayoutOptions]>([
    ['a scale above 20', { scale: 21, minIndex: 0, maxIndex: 1 }],
    ['a scale below -10', { scale: -11, minIndex: 0, maxIndex: 1 }],
    ['half a scale', { scale: 0.5, minIndex: 0, maxIndex: 1 }],
    ['NaN as scale', { scale: Number.NaN, minIndex: 0, maxIndex: 1 }],
    ['indices in descending order', { scale: 0, minIndex: 2, maxIndex: 1 }],
    ['half an index', { scale: 0, minIndex: 0.5, maxIndex: 1 }],
    ['an index that begins above the largest double', { scale: 0, minIndex: 0, maxIndex: 1024 }],
    ['an index below the smallest double', { scale: 0, minIndex: -1076, maxIndex: 0 }],
    [
      'more slots than 32 bits can number',
      { scale: 20, minIndex: -1074 * 2 ** 20, maxIndex: 1024 * 2 ** 20 - 1 },
    ],
  ])('refuses %s', (_what, options) => {
    expectRefused(() => exponentialLayout(options), 'ERR_INVALID_OPTION');
  });

  test.each([-10, -1, 0, 1, 8, 20])('at scale %d has a bucket for the smallest double above 0', (scale) => {
    const index = exponentialIndex(scale, Number.MIN_VALUE);
    const layout = exponentialLayout({ scale, minIndex: index, maxIndex: index });
    expect(layout.slotOf(Number.MIN_VALUE)).toBe(1);
    expectRefused(
      () => exponentialLayout({ scale, minIndex: index - 1, maxIndex: index }),
      'ERR_INVALID_OPTION',
    );
  });

  test('does not change when the caller changes the options', () => {
    const negative = { minIndex: 0, maxIndex: 1 };
    const layout = exponentialLayout({ scale: 0, minIndex: 0, maxIndex: 1, negative });
    negative.maxIndex = 7;
    expect(layout.negative).toEqual({ minIndex: 0, maxIndex: 1 });
  });

  test('has a message with the range of indexes at its scale', () => {
    const message = refusalOf(() => exponentialLayout({ scale: 1, minIndex: 0, maxIndex: 5000 })).message;
    expect(message).toBe('maxIndex must be an integer from 0 to 2047 at scale 1, got 5000');
  });
});

describe('an exponential layout with negative buckets', () => {
  const index = fc.integer({ min: -40, max: 40 });
  const range = fc
    .tuple(index, fc.nat(20))
    .map(([minIndex, more]) => ({ minIndex, maxIndex: minIndex + more }));

  test('has slots without a gap, each of which holds its own midpoint', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2, max: 4 }), range, range, (scale, positive, negative) => {
        const layout = exponentialLayout({ scale, ...positive, negative });
        const { slotCount, zeroSlot } = layout;
        expect(slotCount).toBe(
          positive.maxIndex - positive.minIndex + negative.maxIndex - negative.minIndex + 5,
        );
        expect([layout.lower(0), layout.upper(slotCount - 1)]).toEqual([
          Number.NEGATIVE_INFINITY,
          Number.POSITIVE_INFINITY,
        ]);
        for (let slot = 1; slot < slotCount; slot++) expect(layout.lower(slot)).toBe(layout.upper(slot - 1));
        for (let slot = 1; slot < slotCount - 1; slot++)
          expect(layout.slotOf(layout.midpoint(slot))).toBe(slot);
        expect(layout.slotOf(0)).toBe(zeroSlot);
      }),
    );
  });

  test('mirrors the buckets of positive values', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -2, max: 4 }),
        range,
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        (scale, both, value) => {
          const layout = exponentialLayout({ scale, ...both, negative: both });
          const { zeroSlot } = layout;
          expect(zeroSlot - layout.slotOf(-value)).toBe(layout.slotOf(value) - zeroSlot);
        },
      ),
    );
  });

  test('counts values up to the zero threshold as 0', () => {
    const range = { minIndex: -10, maxIndex: 3 };
    const layout = exponentialLayout({ scale: 0, ...range, negative: range, zeroThreshold: 0.5 });
    expect([0.5, -0.5, 1e-3].map((value) => layout.slotOf(value) - layout.zeroSlot)).toEqual([0, 0, 0]);
    expect([0.6, -0.6].map((value) => Math.sign(layout.slotOf(value) - layout.zeroSlot))).toEqual([1, -1]);
    expect(() => exponentialLayout({ scale: 0, ...range, zeroThreshold: -1 })).toThrow(
      /zeroThreshold must be/,
    );
  });

  test('widens the zero slot to the threshold, where the bucket that holds it begins', () => {
    const both = { minIndex: 0, maxIndex: 3 };
    const layout = exponentialLayout({ scale: 0, ...both, negative: both, zeroThreshold: 3 });
    const { zeroSlot } = layout;
    const boundsOf = (slot: number): number[] => [layout.lower(slot), layout.upper(slot)];
    expect([-2, 0, 2].map((beside) => boundsOf(zeroSlot + beside))).toEqual([
      [-4, -3],
      [-3, 3],
      [3, 4],
    ]);
    // Buckets nearer to 0 than the threshold count nothing.
    expect([-1, 1].map((beside) => boundsOf(zeroSlot + beside))).toEqual([
      [-2, -1],
      [1, 2],
    ]);
    expect([-3.5, 3.5].map((value) => layout.midpoint(layout.slotOf(value)))).toEqual([-3.5, 3.5]);
    const beyondAll = exponentialLayout({ scale: 0, ...both, zeroThreshold: 20 });
    expect([beyondAll.upper(0), beyondAll.lower(beyondAll.slotOf(21))]).toEqual([20, 20]);
  });

  test('keeps each value in its slot when counts move to an equal layout, whatever the threshold is', () => {
    const value = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: -1, max: 3 }),
        fc.double({ min: 0, max: 50, noNaN: true }),
        value,
        (...all) => {
          const [scale, zeroThreshold, one] = all;
          const both = { minIndex: -2, maxIndex: 20 };
          const [from, to] = [0, 1].map(() =>
            exponentialLayout({ scale, ...both, negative: both, zeroThreshold }),
          );
          const slot = from!.slotOf(one);
          expect(rebucket(from!, to!).slotFor(slot)).toBe(slot);
          expect(from!.lower(slot) <= one && one <= from!.upper(slot)).toBe(true);
        },
      ),
      { numRuns: caseCount(100, 500) },
    );
  });
});
