import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { type ErrorCode, HdrscopeError } from '../../src/errors.ts';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { linearLayout } from '../../src/layout/linear.ts';
import { rebucket } from '../../src/rebucket.ts';
import { toHex } from '../support/bytes.ts';
import { mutated, mutations } from '../support/hostile.ts';
import { expectRefused } from '../support/refused.ts';

type Recording = readonly (readonly [value: number, count: number])[];

function recorded(recording: Recording, options = {}): DoubleHistogram {
  const histogram = new DoubleHistogram(options);
  for (const [value, count] of recording) histogram.record(value, count);
  return histogram;
}

function expectUnchanged(histogram: DoubleHistogram, action: () => unknown, code: ErrorCode): void {
  const before = toHex(histogram.encode());
  expectRefused(action, code);
  expect(toHex(histogram.encode())).toBe(before);
}

// The values span 24 octaves, so all of them fit into one range.
const value = fc.oneof(
  fc.constant(0),
  fc
    .tuple(fc.integer({ min: -12, max: 11 }), fc.double({ min: 1, max: 2, maxExcluded: true, noNaN: true }))
    .map(([octave, mantissa]) => mantissa * 2 ** octave),
);
const recording = fc.array(fc.tuple(value, fc.integer({ min: 1, max: 1000 })), { maxLength: 40 });
const options = fc.record({
  significantDigits: fc.integer({ min: 0, max: 4 }),
  storage: fc.constantFrom('dense' as const, 'sparse' as const),
});

test('every value is found in a slot that keeps its digits, wherever the range has moved', () => {
  fc.assert(
    fc.property(recording, options, (all, given) => {
      const histogram = recorded(all, given);
      const sum = all.reduce((total, [, count]) => total + count, 0);
      expect(histogram.totalCount).toBe(sum);
      for (const [one] of all) {
        const alike = all.filter(([other]) => histogram.valuesAreEquivalent(one, other));
        expect(histogram.countAt(one)).toBe(alike.reduce((total, [, count]) => total + count, 0));
        const lowest = histogram.lowestEquivalentValue(one);
        expect(lowest).toBeLessThanOrEqual(one);
        expect(histogram.highestEquivalentValue(one)).toBeGreaterThanOrEqual(one);
        if (one > 0) {
          expect(histogram.sizeOfEquivalentValueRange(one)).toBeLessThanOrEqual(
            lowest / 10 ** given.significantDigits,
          );
        }
      }
    }),
  );
});

test('an encoding is decoded to an equal histogram, which has the same encoding', () => {
  fc.assert(
    fc.property(recording, options, (all, given) => {
      const histogram = recorded(all, given);
      for (const encoded of [histogram.encode(), histogram.encodeCompressed(), histogram.toBase64()]) {
        const decoded = DoubleHistogram.decode(encoded, { storage: given.storage ?? 'dense' });
        expect(decoded.equals(histogram)).toBe(true);
        expect(toHex(decoded.encode())).toBe(toHex(histogram.encode()));
      }
    }),
  );
});

test('adding counts what recording both would, and subtracting undoes it', () => {
  fc.assert(
    fc.property(recording, recording, options, (first, second, given) => {
      const histogram = recorded(first, given);
      const other = recorded(second, given);
      histogram.add(other);
      expect(histogram.equals(recorded([...first, ...second], given))).toBe(true);
      histogram.subtract(other);
      expect(histogram.equals(recorded(first, given))).toBe(true);
    }),
  );
});

test('subtracting takes all counts or no count, wherever the ranges are', () => {
  /** The counts by the lowest value of their slot, which does not depend on the range. */
  const countsOf = (histogram: DoubleHistogram): Map<number, number> => {
    const { counts, layout } = histogram;
    const all = new Map<number, number>();
    for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
      all.set(layout.lower(slot), counts.at(slot));
    }
    return all;
  };
  const moved = fc
    .tuple(
      fc.array(fc.tuple(value, fc.integer({ min: 1, max: 3 })), { maxLength: 4 }),
      fc.constantFrom(0, 0, 40, -60),
    )
    .map(([all, octaves]) => all.map(([one, count]) => [one * 2 ** octaves, count] as const));
  fc.assert(
    fc.property(moved, moved, fc.boolean(), options, (first, second, isPart, given) => {
      const other = recorded(isPart ? second.filter((_, i) => i < 2) : second, given);
      const histogram = isPart ? recorded(second, given) : recorded(first, given);
      const [have, taken] = [countsOf(histogram), countsOf(other)];
      const total = histogram.totalCount;
      if ([...taken].every(([lowest, count]) => count <= (have.get(lowest) ?? 0))) {
        histogram.subtract(other);
        expect(histogram.totalCount).toBe(total - other.totalCount);
      } else expectUnchanged(histogram, () => histogram.subtract(other), 'ERR_INCOMPATIBLE');
    }),
    { numRuns: caseCount(100, 300) },
  );
});

test('zeros are not taken for values that are too small for the range', () => {
  const histogram = recorded([
    [0, 5],
    [1, 1],
  ]);
  const tiny = recorded([[1e-9, 2]]);
  expectUnchanged(histogram, () => histogram.subtract(tiny), 'ERR_INCOMPATIBLE');
  const zeros = recorded([[0, 5]]);
  expectUnchanged(zeros, () => zeros.subtract(tiny), 'ERR_INCOMPATIBLE');
  histogram.subtract(recorded([[0, 2]]));
  expect([histogram.countAt(0), histogram.countAt(1)]).toEqual([3, 1]);
});

test('many values at once count as one by one', () => {
  fc.assert(
    fc.property(fc.array(value), options, (values, given) => {
      const histogram = new DoubleHistogram(given);
      histogram.recordValues(values);
      expect(toHex(histogram.encode())).toBe(
        toHex(
          recorded(
            values.map((one) => [one, 1]),
            given,
          ).encode(),
        ),
      );
    }),
  );
});

test('the range grows as far as the integers reach, and further is refused', () => {
  const histogram = recorded([[1, 1]]);
  histogram.record(2 ** 52);
  expectUnchanged(histogram, () => histogram.record(2 ** 53), 'ERR_VALUE_OUT_OF_RANGE');
  expectUnchanged(histogram, () => histogram.record(0.5), 'ERR_VALUE_OUT_OF_RANGE');
  expect([histogram.countAt(1), histogram.countAt(2 ** 52)]).toEqual([1, 1]);
});

test('a range that moves up leaves the counts at their values', () => {
  const histogram = recorded([[1000, 1]], { highestToLowestValueRatio: 1000 });
  for (const one of [1, 1000]) histogram.record(one);
  histogram.subtract(recorded([[1, 1]]));
  histogram.record(100_000);
  expect([histogram.countAt(1000), histogram.countAt(100_000)]).toEqual([2, 1]);
});

test.each([
  [Number.NaN, 'ERR_INVALID_VALUE'],
  [-1e-300, 'ERR_INVALID_VALUE'],
  ['2' as unknown as number, 'ERR_INVALID_VALUE'],
  [2n as unknown as number, 'ERR_INVALID_VALUE'],
  [undefined as unknown as number, 'ERR_INVALID_VALUE'],
  [Number.POSITIVE_INFINITY, 'ERR_VALUE_OUT_OF_RANGE'],
  [2 ** 1022 * 1.5, 'ERR_VALUE_OUT_OF_RANGE'],
  [Number.MIN_VALUE, 'ERR_VALUE_OUT_OF_RANGE'],
] as const)('%p is refused, and nothing has changed', (bad, code) => {
  const histogram = recorded([[1.5, 2]]);
  expectUnchanged(histogram, () => histogram.record(bad), code);
  expectUnchanged(histogram, () => histogram.record(bad, 3), code);
  expectUnchanged(histogram, () => histogram.recordValues([1, 1e6, bad]), code);
  expectUnchanged(histogram, () => histogram.recordCorrected(bad, 1), code);
});

test('the smallest and the largest value of all are counted', () => {
  for (const one of [2 ** 1022, 2 ** -1012, 2 ** -1012 * 1.999]) {
    const histogram = recorded([[one, 1]]);
    expect(histogram.countAt(one)).toBe(1);
    expect(DoubleHistogram.decode(histogram.encode()).min).toBe(histogram.min);
  }
});

test('a value is counted where the layout has its slot, wherever the range is', () => {
  const wherever = fc
    .tuple(
      fc.integer({ min: -1005, max: 1020 }),
      fc.double({ min: 1, max: 2, maxExcluded: true, noNaN: true }),
    )
    .map(([octave, mantissa]) => mantissa * 2 ** octave);
  const near = fc.double({ min: 2 ** -8, max: 2 ** 8, noNaN: true });
  fc.assert(
    fc.property(
      wherever,
      fc.array(near),
      fc.integer({ min: 0, max: 5 }),
      (first, factors, significantDigits) => {
        const histogram = new DoubleHistogram({
          significantDigits,
          storage: 'sparse',
          outOfRange: 'discard',
        });
        for (const one of [first, ...factors.map((factor) => first * factor)]) {
          histogram.record(one);
          const { counts, layout, outliers } = histogram;
          if (outliers.discarded > 0) return;
          const before = counts.at(layout.slotOf(one));
          histogram.record(one);
          expect(counts.at(layout.slotOf(one))).toBe(before + 1);
        }
      },
    ),
  );
});

test('no other double is taken for one at the upper end', () => {
  const histogram = recorded([
    [2 ** 1022, 1],
    [2 ** 1021, 1],
  ]);
  for (const one of [-(2 ** -1022), -1e-300, -1, -(2 ** 1021), Number.NEGATIVE_INFINITY, Number.NaN]) {
    expectUnchanged(histogram, () => histogram.record(one), 'ERR_INVALID_VALUE');
  }
  for (const one of [2 ** 1022 * (1 + Number.EPSILON), Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
    expectUnchanged(histogram, () => histogram.record(one), 'ERR_VALUE_OUT_OF_RANGE');
  }
  histogram.record(2 ** 1022);
  expect([histogram.countAt(2 ** 1022), histogram.totalCount]).toEqual([2, 3]);
});

test('minus zero counts as zero', () => {
  expect(recorded([[-0, 1]]).countAt(0)).toBe(1);
});

test('correction counts the values in between, whatever the interval, or nothing at all', () => {
  const histogram = new DoubleHistogram({ highestToLowestValueRatio: 1000 });
  histogram.recordCorrected(1, 0.25);
  expect([1, 0.75, 0.5, 0.25].map((one) => histogram.countAt(one))).toEqual([1, 1, 1, 1]);
  expectUnchanged(histogram, () => histogram.recordCorrected(1, 1e-9), 'ERR_VALUE_OUT_OF_RANGE');
  expectUnchanged(histogram, () => histogram.recordCorrected(1, 1e-300), 'ERR_COUNT_OVERFLOW');
  expectUnchanged(histogram, () => histogram.recordCorrected(1, Number.NaN), 'ERR_INVALID_VALUE');
});

test('a billion corrected values take no longer than their slots', () => {
  const histogram = new DoubleHistogram();
  histogram.recordCorrected(1, 1e-9);
  expect(Math.abs(histogram.totalCount - 1e9)).toBeLessThanOrEqual(1);
  expect(histogram.mean).toBeCloseTo(0.5, 3);
});

test('adding with correction takes the values of the other, whatever its range', () => {
  const histogram = recorded([[0.001, 1]]);
  histogram.addCorrected(
    recorded([
      [3, 1],
      [100, 1],
    ]),
    50,
  );
  expect(histogram.totalCount).toBe(4);
  expect(histogram.max).toBeCloseTo(100, 0);
  expect(histogram.countAt(3)).toBe(1);
});

test('an addition that does not fit adds nothing', () => {
  const histogram = recorded([[1, 1]], { highestToLowestValueRatio: 100 });
  const other = recorded([
    [2, 1],
    [1e9, 1],
  ]);
  expectUnchanged(histogram, () => histogram.add(other), 'ERR_VALUE_OUT_OF_RANGE');
  expectUnchanged(histogram, () => histogram.addCorrected(other, 1), 'ERR_VALUE_OUT_OF_RANGE');
  expectUnchanged(histogram, () => histogram.subtract(other), 'ERR_INCOMPATIBLE');
});

test('adding and copying keep times and tag', () => {
  const histogram = recorded([[1, 1]]);
  [histogram.startTimeMs, histogram.endTimeMs, histogram.tag] = [10, 20, 'a'];
  const other = recorded([[2, 1]]);
  [other.startTimeMs, other.endTimeMs] = [5, 15];
  histogram.add(other);
  const copy = histogram.copy({ storage: 'sparse' });
  expect([copy.startTimeMs, copy.endTimeMs, copy.tag, copy.storage]).toEqual([5, 20, 'a', 'sparse']);
  copy.record(1);
  expect([histogram.totalCount, copy.totalCount]).toEqual([2, 3]);
  copy.reset();
  expect([copy.totalCount, copy.startTimeMs, copy.tag]).toEqual([0, undefined, undefined]);
  copy.record(1e-100);
  expect(copy.countAt(1e-100)).toBe(1);
});

test('counts over its layout go into any other', () => {
  const { layout, counts } = recorded([
    [0, 1],
    [0.5, 2],
    [2.5, 4],
  ]);
  const moved = rebucket(layout, linearLayout({ width: 1, slots: 3 })).apply(counts);
  expect([...moved.counts]).toEqual([0, 3, 0, 4, 0]);
  for (let slot = 0; slot + 1 < layout.slotCount; slot += 97) {
    expect(layout.upper(slot)).toBe(layout.lower(slot + 1));
    expect(layout.slotOf(layout.lower(slot))).toBe(slot);
  }
  expect([layout.slotOf(-1), layout.slotOf(1e300)]).toEqual([-1, layout.slotCount]);
});

test('linear and logarithmic steps have widths that are doubles', () => {
  const histogram = recorded([
    [0.5, 1],
    [1.5, 1],
  ]);
  expect([...histogram.linearValues(1)].map((step) => step.countAddedInThisIterationStep)).toEqual([1, 1]);
  expect([...histogram.logarithmicValues(1, 2)].map((step) => step.totalCountToThisValue)).toEqual([1, 2]);
  expectRefused(() => histogram.linearValues(0), 'ERR_INVALID_OPTION');
  expectRefused(() => histogram.linearValues(Number.NaN), 'ERR_INVALID_OPTION');
});

test.each([
  { highestToLowestValueRatio: 1 },
  { highestToLowestValueRatio: 2.5 },
  { highestToLowestValueRatio: 2 ** 52 },
  { significantDigits: 6 },
  { significantDigits: Number.NaN },
  { storage: 'packed' as unknown as 'dense' },
])('options %p are refused', (bad) => {
  expectRefused(() => new DoubleHistogram(bad), 'ERR_INVALID_OPTION');
});

test('broken encodings are refused, or read as some histogram', () => {
  const histogram = recorded(
    [
      [0, 3],
      [0.25, 1],
      [1000, 2],
    ],
    { significantDigits: 1 },
  );
  fc.assert(
    fc.property(
      fc.constantFrom(histogram.encode(), histogram.encodeCompressed()),
      mutations,
      (bytes, changes) => {
        try {
          const decoded = DoubleHistogram.decode(mutated(bytes, changes), { storage: 'sparse' });
          expect(decoded.copy().equals(decoded)).toBe(true);
          expect(decoded.max).toBeGreaterThanOrEqual(decoded.min);
        } catch (error) {
          expect(error).toBeInstanceOf(HdrscopeError);
          expect((error as HdrscopeError).code).toBe('ERR_DECODE');
        }
      },
    ),
    { numRuns: caseCount(100, 500) },
  );
});
