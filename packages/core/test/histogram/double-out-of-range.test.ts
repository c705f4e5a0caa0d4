import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { nextDown } from '../../src/double.ts';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import type { DoubleHistogramOptions } from '../../src/histogram/double-range.ts';
import type { Outliers, OutOfRangePolicy } from '../../src/histogram/out-of-range.ts';
import { toHex } from '../support/bytes.ts';
import { expectRefused } from '../support/refused.ts';

const NONE: Outliers = { thrown: 0, clamped: 0, discarded: 0 };
const LARGEST = 2 ** 1022;
/** The smallest value above 0 at 3 digits. */
const SMALLEST = 2 ** -1012;

/** A range of 1000 has 11 octaves: with 1 in it, it reaches from 2^-10, or up to below 2^11. */
function make(outOfRange?: OutOfRangePolicy, options: DoubleHistogramOptions = {}): DoubleHistogram {
  return new DoubleHistogram({
    highestToLowestValueRatio: 1000,
    ...options,
    ...(outOfRange !== undefined && { outOfRange }),
  });
}

function usedOf({ counts, layout }: DoubleHistogram): [lowest: number, count: number][] {
  const used: [number, number][] = [];
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    used.push([layout.lower(slot), counts.at(slot)]);
  }
  return used;
}

/** The lower bound of the slot that counts a value. */
function lowest(histogram: DoubleHistogram, value: number): number {
  return histogram.lowestEquivalentValue(value);
}

function expectUnchanged(histogram: DoubleHistogram, action: () => unknown): void {
  const before = toHex(histogram.encode());
  action();
  expect(toHex(histogram.encode())).toBe(before);
}

const ODD = [Number.NaN, undefined, null, '7', {}, 7n] as unknown as number[];

describe.each(['dense', 'sparse'] as const)('a double that does not fit, %s', (storage) => {
  test.each([undefined, 'throw'] as const)('is refused with an error under the policy %s', (policy) => {
    const histogram = make(policy, { storage });
    histogram.record(1);
    for (const value of [2048, 2 ** -11, LARGEST * 1.5, Number.MIN_VALUE, Number.POSITIVE_INFINITY]) {
      expectUnchanged(histogram, () =>
        expectRefused(() => histogram.record(value), 'ERR_VALUE_OUT_OF_RANGE'),
      );
    }
    for (const value of [-1, Number.NEGATIVE_INFINITY, ...ODD]) {
      expectUnchanged(histogram, () => expectRefused(() => histogram.record(value, 2), 'ERR_INVALID_VALUE'));
    }
    expect(histogram.outliers).toEqual({ ...NONE, thrown: 5 + 8 * 2 });
  });

  test.each([
    ['negative', -1, 0],
    ['negative and tiny', -Number.MIN_VALUE, 0],
    ['minus infinity', Number.NEGATIVE_INFINITY, 0],
    ['the smallest of all doubles', Number.MIN_VALUE, 0],
    ['just below half of the smallest that fits', nextDown(2 ** -11), 0],
    ['half of the smallest that fits', 2 ** -11, 2 ** -10],
    ['just below the smallest that fits', nextDown(2 ** -10), 2 ** -10],
    ['just above the largest that fits', 2 ** 11, nextDown(2 ** 11)],
    ['far above', 1e300, nextDown(2 ** 11)],
    ['beyond all that is counted', LARGEST * 1.5, nextDown(2 ** 11)],
    ['infinity', Number.POSITIVE_INFINITY, nextDown(2 ** 11)],
  ])('is clamped to the nearest that does: %s', (_name, value, nearest) => {
    const histogram = make('clamp', { storage });
    histogram.record(1);
    histogram.record(value, 3);
    expect(histogram.outliers).toEqual({ ...NONE, clamped: 3 });
    const used = usedOf(histogram).filter(([bound]) => bound !== 1);
    expect(used).toEqual([[lowest(histogram, nearest), 3]]);
  });

  test.each([
    [SMALLEST / 4, 0],
    [SMALLEST / 2, SMALLEST],
    [-1, 0],
  ])('is clamped before there is any range: %p', (value, nearest) => {
    const histogram = make('clamp', { storage });
    histogram.record(value);
    expect([usedOf(histogram), histogram.outliers]).toEqual([[[nearest, 1]], { ...NONE, clamped: 1 }]);
  });

  test.each([LARGEST * 1.5, Number.POSITIVE_INFINITY])(
    'is near no range that is not there yet, and takes no room from others: %p',
    (value) => {
      const histogram = make('clamp', { storage });
      histogram.record(0);
      expectUnchanged(histogram, () => histogram.record(value));
      histogram.record(1);
      expect([histogram.countAt(1), histogram.outliers]).toEqual([1, { ...NONE, discarded: 1 }]);
    },
  );

  test.each(['clamp', 'discard'] as const)('is discarded when it is not a number, under %s', (policy) => {
    const histogram = make(policy, { storage });
    histogram.record(1);
    expectUnchanged(histogram, () => {
      for (const value of ODD) histogram.record(value);
    });
    expect(histogram.outliers).toEqual({ ...NONE, discarded: ODD.length });
  });

  test('is not counted when it is discarded', () => {
    const histogram = make('discard', { storage });
    histogram.record(1);
    expectUnchanged(histogram, () => {
      for (const value of [-1, 2 ** -11, 2048, LARGEST * 2, Number.POSITIVE_INFINITY])
        histogram.record(value, 2);
    });
    expect(histogram.outliers).toEqual({ ...NONE, discarded: 10 });
  });

  test('is not a value to which the range can move or grow', () => {
    const moving = make('clamp', { storage });
    for (const value of [1, 2047, 1.5, 0, -0]) moving.record(value);
    const growing = new DoubleHistogram({ outOfRange: 'clamp', storage });
    for (const value of [1, 2 ** 52, 2 ** 53 - 1]) growing.record(value);
    expect([moving.outliers, growing.outliers]).toEqual([NONE, NONE]);
    growing.record(2 ** 53);
    growing.record(0.75);
    expect([growing.outliers.clamped, growing.countAt(1), growing.countAt(2 ** 53 - 1)]).toEqual([2, 2, 2]);
  });

  test.each(['throw', 'clamp', 'discard'] as const)('is no excuse for a wrong count, under %s', (policy) => {
    const histogram = make(policy, { storage });
    histogram.record(1);
    for (const count of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expectUnchanged(histogram, () => {
        expectRefused(() => histogram.record(5000, count), 'ERR_INVALID_COUNT');
        expectRefused(() => histogram.recordCorrected(5000, 1, count), 'ERR_INVALID_COUNT');
      });
    }
    expect(histogram.outliers).toEqual(NONE);
  });

  test('takes no place when it is counted no times', () => {
    const histogram = make('clamp', { storage });
    histogram.record(1);
    expectUnchanged(histogram, () => {
      histogram.record(5000, 0);
      histogram.recordCorrected(5000, 1e-320, 0);
    });
    expect(histogram.outliers).toEqual(NONE);
  });

  describe('with correction', () => {
    test('is refused, counts as one outlier, and nothing is corrected', () => {
      const histogram = make('throw', { storage });
      histogram.record(1);
      expectUnchanged(histogram, () => {
        expectRefused(() => histogram.recordCorrected(3000, 1000, 2), 'ERR_VALUE_OUT_OF_RANGE');
        // 1 fits, and the smaller values of the correction do not.
        expectRefused(() => histogram.recordCorrected(1, 2 ** -12, 3), 'ERR_VALUE_OUT_OF_RANGE');
      });
      expect(histogram.outliers).toEqual({ ...NONE, thrown: 5 });
    });

    test('is corrected from where it is clamped to', () => {
      const histogram = make('clamp', { storage });
      histogram.record(1);
      histogram.recordCorrected(5000, 1000, 2);
      histogram.recordCorrected(-5, 1000);
      expect(histogram.countBetween(1040, 1050)).toBe(2);
      expect([histogram.countAt(2047.5), histogram.countAt(0), histogram.totalCount]).toEqual([2, 1, 6]);
      expect(histogram.outliers).toEqual({ ...NONE, clamped: 3 });
    });

    test('is counted though it is clamped to no more than the interval', () => {
      const histogram = make('clamp', { storage });
      histogram.record(1);
      histogram.recordCorrected(1e6, 5000, 3);
      expect([histogram.countAt(2047.5), histogram.totalCount]).toEqual([3, 4]);
      expect(histogram.outliers).toEqual({ ...NONE, clamped: 3 });
    });

    test('is discarded with all that it would have corrected', () => {
      const histogram = make('discard', { storage });
      histogram.record(1);
      histogram.recordCorrected(3000, 1000, 2);
      histogram.recordCorrected(Number.NaN, 1000);
      expect([histogram.totalCount, histogram.outliers]).toEqual([1, { ...NONE, discarded: 3 }]);
    });

    test('is clamped or discarded by itself where only the value of the correction is too small', () => {
      const [clamped, discarded] = [make('clamp', { storage }), make('discard', { storage })];
      // 1, 1 - 2^-12, …, 2^-12: the 3 below 2^-10 do not fit, and one of them is nearer to 0.
      for (const histogram of [clamped, discarded]) histogram.recordCorrected(1, 2 ** -12, 2);
      expect([clamped.totalCount, clamped.countAt(2 ** -10), clamped.countAt(0)]).toEqual([8192, 6, 2]);
      expect([discarded.totalCount, discarded.countAt(2 ** -10), discarded.countAt(0)]).toEqual([8186, 2, 0]);
      expect([clamped.outliers.clamped, discarded.outliers.discarded]).toEqual([6, 6]);
    });
  });

  describe('among many', () => {
    const VALUES = [1, 5000, 2, -1, Number.NaN, 3];

    test('refuses all of them with an error that names its place', () => {
      const histogram = make('throw', { storage });
      histogram.record(9);
      expectUnchanged(histogram, () => {
        expect(() => histogram.recordValues(VALUES)).toThrow(/^values\[1\] must be within 11 octaves/);
        expect(() => histogram.recordValues([1, -1])).toThrow(/^values\[1\] must be a number from 0/);
      });
      expect(histogram.outliers).toEqual({ ...NONE, thrown: 2 });
    });

    test('is clamped, and the others are counted', () => {
      const histogram = make('clamp', { storage });
      histogram.recordValues(VALUES);
      expect([0, 1, 2, 3, 2047.5].map((value) => histogram.countAt(value))).toEqual([1, 1, 1, 1, 1]);
      expect(histogram.outliers).toEqual({ thrown: 0, clamped: 2, discarded: 1 });
    });

    test('is discarded, and the others are counted', () => {
      const histogram = make('discard', { storage });
      histogram.recordValues(Float64Array.from(VALUES));
      expect([histogram.totalCount, histogram.outliers]).toEqual([3, { ...NONE, discarded: 3 }]);
    });
  });

  test('is refused by additions, whatever the policy', () => {
    const histogram = make('clamp', { storage });
    histogram.record(1);
    const other = make('throw', { storage });
    other.record(1e9);
    expectUnchanged(histogram, () => {
      expectRefused(() => histogram.add(other), 'ERR_VALUE_OUT_OF_RANGE');
      expectRefused(() => histogram.addCorrected(other, 1), 'ERR_VALUE_OUT_OF_RANGE');
    });
    expect(histogram.outliers).toEqual(NONE);
  });

  test('is tallied by the instance: copies begin anew, and so does a reset', () => {
    const histogram = make('discard', { storage });
    histogram.record(Number.NaN);
    const copies = [histogram.copy(), histogram.copyCorrected(1)];
    expect(copies.map((copy) => [copy.outOfRange, copy.outliers])).toEqual(
      copies.map(() => ['discard', NONE]),
    );
    histogram.reset();
    expect(histogram.outliers).toEqual(NONE);
  });
});

test('the policy is one of three', () => {
  for (const policy of ['ignore', null, 1]) {
    expectRefused(() => make(policy as OutOfRangePolicy), 'ERR_INVALID_OPTION');
  }
});

const anything = fc.oneof(
  { weight: 4, arbitrary: fc.double() },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.integer({ min: -60, max: 60 }), fc.double({ min: 1, max: 2, noNaN: true }))
      .map(([octave, mantissa]) => mantissa * 2 ** octave),
  },
  { weight: 1, arbitrary: fc.constantFrom(0, LARGEST, SMALLEST, LARGEST * 1.1, SMALLEST / 2) },
);
const records = fc.array(fc.tuple(anything, fc.nat(9)), { maxLength: 30 });
const options: fc.Arbitrary<DoubleHistogramOptions> = fc.record(
  {
    significantDigits: fc.integer({ min: 0, max: 3 }),
    highestToLowestValueRatio: fc.constantFrom(2, 1000, 1e6, 2 ** 40),
    autoResize: fc.boolean(),
    storage: fc.constant('sparse' as const),
  },
  { requiredKeys: ['storage'] },
);

test('every value is counted or tallied as discarded, without an error', () => {
  const policies = fc.constantFrom('clamp' as const, 'discard' as const);
  fc.assert(
    fc.property(
      records,
      options,
      policies,
      fc.double({ min: 0, noNaN: true }),
      (all, given, policy, interval) => {
        const histogram = new DoubleHistogram({ ...given, outOfRange: policy });
        let sum = 0;
        for (const [value, count] of all) {
          histogram.record(value, count);
          sum += count;
          if (histogram.totalCount + histogram.outliers.discarded !== sum)
            expect(histogram).toBe('all of them');
        }
        expect(histogram.outliers.thrown).toBe(0);
        if (policy === 'discard') expect(histogram.outliers.clamped).toBe(0);
        expect(DoubleHistogram.decode(histogram.encode()).equals(histogram)).toBe(true);
        for (const [value] of all) {
          try {
            histogram.recordCorrected(value, interval);
          } catch (error) {
            expect(error).toHaveProperty(
              'code',
              Number.isFinite(interval) ? 'ERR_COUNT_OVERFLOW' : 'ERR_INVALID_VALUE',
            );
          }
        }
      },
    ),
    { numRuns: caseCount(100, 300) },
  );
});

test('a clamped value counts as the nearest value that fits', () => {
  fc.assert(
    fc.property(records, anything, options, (all, value, given) => {
      const clamping = new DoubleHistogram({ ...given, outOfRange: 'clamp' });
      for (const [one, count] of all) clamping.record(one, count);
      const before = clamping.copy();
      const tallied = clamping.outliers;
      clamping.record(value);
      const accepts = (one: number): boolean => {
        const strict = new DoubleHistogram({ ...given, outOfRange: 'throw' });
        strict.add(before);
        try {
          strict.record(one);
          return true;
        } catch {
          return false;
        }
      };
      if (clamping.outliers.clamped === tallied.clamped) {
        expect(accepts(value)).toBe(clamping.outliers === tallied);
        return;
      }
      expect(accepts(value)).toBe(false);
      const already = new Map(usedOf(before));
      const added = usedOf(clamping).filter(([bound, count]) => (already.get(bound) ?? 0) < count);
      expect(added.length).toBe(1);
      const bound = added[0]![0];
      expect(accepts(bound)).toBe(true);
      if (value < 0) expect(bound).toBe(0);
      else if (bound > value) expect([value >= bound / 2, accepts(bound / 2)]).toEqual([true, false]);
      else if (bound > 0) expect(accepts(clamping.layout.upper(clamping.layout.slotOf(bound)))).toBe(false);
      else expect(accepts(value * 2)).toBe(false);
    }),
    { numRuns: caseCount(100, 300) },
  );
});

test('correction clamps and discards as if each of its values had been recorded from the highest down', () => {
  const dyadic = fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: -8, max: 8 }));
  fc.assert(
    fc.property(
      dyadic,
      fc.integer({ min: 0, max: 11 }),
      options,
      fc.boolean(),
      ([n, octave], finer, given, clamps) => {
        const outOfRange = clamps ? 'clamp' : 'discard';
        const [value, interval] = [n * 2 ** octave, 2 ** (octave - finer)];
        fc.pre(value / interval < 2000);
        const corrected = new DoubleHistogram({ ...given, outOfRange });
        corrected.recordCorrected(value, interval);
        const each = new DoubleHistogram({ ...given, outOfRange });
        each.record(value);
        for (let rest = value - interval; rest >= interval; rest -= interval) each.record(rest);
        expect(corrected.equals(each)).toBe(true);
        expect(corrected.outliers).toEqual(each.outliers);
      },
    ),
    { numRuns: caseCount(50, 150) },
  );
});
