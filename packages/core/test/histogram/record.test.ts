import fc from 'fast-check';
import type { ErrorCode } from '../../src/errors.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { expectRefusedUnchanged, refusalOf, stateOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { aroundPowersOfTwo, DIGITS, digits, LARGEST, UNIT_MAGNITUDES, values } from '../support/values.ts';

const HOUR = 3_600_000_000;

/** Values that only callers without types pass. */
const untyped = (value: unknown): number => value as number;

describeEachStorage('record', (storage) => {
  const make = (highestTrackableValue = HOUR): Histogram => new Histogram({ highestTrackableValue, storage });

  test.each([42, 0, 2047, 2048, HOUR])('counts %d once', (value) => {
    const histogram = make();
    histogram.record(value);
    const slot = histogram.layout.slotOf(value);
    expect([histogram.totalCount, histogram.counts.at(slot)]).toEqual([1, 1]);
    expect([histogram.min, histogram.max]).toEqual([
      histogram.layout.lower(slot),
      histogram.layout.upper(slot),
    ]);
  });

  test('counts a value so many times', () => {
    const histogram = make();
    histogram.record(7, 3);
    histogram.record(9, 0);
    histogram.record(7);
    expect([histogram.totalCount, histogram.counts.at(7), histogram.counts.at(9)]).toEqual([4, 4, 0]);
    expect([histogram.min, histogram.max]).toEqual([7, 7]);
  });

  test('accepts a value above the highest trackable value that has a slot, as Java does', () => {
    const histogram = make(1000);
    histogram.record(2047);
    expect(histogram.max).toBe(2047);
    expectRefusedUnchanged(histogram, () => histogram.record(2048), 'ERR_VALUE_OUT_OF_RANGE');
  });

  test.each([
    [0.5, 0],
    [2.7, 2],
    [-0, 0],
    [2047.999, 2047],
    [2 ** 31 - 0.5, 2 ** 31 - 1],
    [2 ** 31 + 0.5, 2 ** 31],
  ])('counts %d as %d, its integer part', (value, integer) => {
    const [histogram, expected] = [make(), make()];
    histogram.record(value);
    histogram.record(value, 2);
    expected.record(integer, 3);
    expect(stateOf(histogram)).toEqual(stateOf(expected));
  });

  test.each<[string, unknown, ErrorCode]>([
    ['NaN', Number.NaN, 'ERR_INVALID_VALUE'],
    ['-1', -1, 'ERR_INVALID_VALUE'],
    ['a negative fraction', -0.001, 'ERR_INVALID_VALUE'],
    ['-Infinity', Number.NEGATIVE_INFINITY, 'ERR_INVALID_VALUE'],
    ['-2^31', -(2 ** 31), 'ERR_INVALID_VALUE'],
    ['text', '5', 'ERR_INVALID_VALUE'],
    ['empty text', '', 'ERR_INVALID_VALUE'],
    ['nothing', undefined, 'ERR_INVALID_VALUE'],
    ['null', null, 'ERR_INVALID_VALUE'],
    ['true', true, 'ERR_INVALID_VALUE'],
    ['an array', [5], 'ERR_INVALID_VALUE'],
    ['a date', new Date(5), 'ERR_INVALID_VALUE'],
    ['Infinity', Number.POSITIVE_INFINITY, 'ERR_VALUE_OUT_OF_RANGE'],
    ['2^53', 2 ** 53, 'ERR_VALUE_OUT_OF_RANGE'],
    ['2^60', 2 ** 60, 'ERR_VALUE_OUT_OF_RANGE'],
    ['a value above the range', 2 ** 40, 'ERR_VALUE_OUT_OF_RANGE'],
  ])('refuses %s, and changes nothing', (_what, value, code) => {
    const histogram = make();
    histogram.record(42);
    expectRefusedUnchanged(histogram, () => histogram.record(untyped(value)), code);
    expectRefusedUnchanged(histogram, () => histogram.record(untyped(value), 2), code);
  });

  test.each<[string, unknown]>([
    ['a negative count', -1],
    ['half a count', 1.5],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['2^53', 2 ** 53],
    ['text', '2'],
    ['a bigint', 2n],
    ['null', null],
  ])('refuses %s as a count, and changes nothing', (_what, count) => {
    const histogram = make();
    histogram.record(42);
    expectRefusedUnchanged(histogram, () => histogram.record(42, untyped(count)), 'ERR_INVALID_COUNT');
    expectRefusedUnchanged(
      histogram,
      () => histogram.record(2 ** 40 + 0.5, untyped(count)),
      'ERR_INVALID_COUNT',
    );
  });

  test('counts exactly up to 2^53 - 1, then refuses one more', () => {
    const histogram = make();
    histogram.record(5, LARGEST);
    expect([histogram.totalCount, histogram.counts.at(5)]).toEqual([LARGEST, LARGEST]);
    expectRefusedUnchanged(histogram, () => histogram.record(5), 'ERR_COUNT_OVERFLOW');
    expectRefusedUnchanged(histogram, () => histogram.record(2 ** 31), 'ERR_COUNT_OVERFLOW');
    expectRefusedUnchanged(histogram, () => histogram.record(5, 2), 'ERR_COUNT_OVERFLOW');
    histogram.record(5, 0);
    expect(histogram.totalCount).toBe(LARGEST);
  });

  test('counts one by one up to 2^53 - 1 in several slots', () => {
    const histogram = make();
    histogram.record(5, LARGEST - 2);
    histogram.record(6);
    histogram.record(HOUR);
    expectRefusedUnchanged(histogram, () => histogram.record(7), 'ERR_COUNT_OVERFLOW');
    expect([histogram.counts.at(6), histogram.totalCount]).toEqual([1, LARGEST]);
  });

  test('carries when a count passes 2^32', () => {
    const histogram = make();
    histogram.record(5, 2 ** 32 - 2);
    for (let i = 0; i < 5; i++) histogram.record(5);
    histogram.record(6, 2 ** 32 + 3);
    expect([histogram.counts.at(5), histogram.counts.at(6)]).toEqual([2 ** 32 + 3, 2 ** 32 + 3]);
    expect(histogram.totalCount).toBe(2 ** 33 + 6);
  });

  test('has a message with the value and the range', () => {
    const histogram = make(1000);
    const messageOf = (value: unknown, count?: number): string =>
      refusalOf(() => histogram.record(untyped(value), count)).message;
    expect(messageOf(-1)).toBe('value must be a number from 0 to 2047, got -1');
    expect(messageOf('5')).toBe('value must be a number from 0 to 2047, got "5"');
    expect(messageOf(5000)).toBe('value must be at most 2047 (highestTrackableValue 1000), got 5000');
    expect(messageOf(5, -1)).toBe('count must be an integer from 0 to 2^53 - 1, got -1');
    histogram.record(5, LARGEST);
    expect(messageOf(5)).toBe('the total count must stay at most 2^53 - 1, got 9007199254740991 + 1');
  });
});

describeEachStorage('the slot of a record', (storage) => {
  const combinations = DIGITS.flatMap((d) => UNIT_MAGNITUDES.map((u) => [d, u] as const));

  test.each(combinations)(
    'with %d digits and a unit of 2^%d is the layout’s around every power of two',
    (d, u) => {
      const highestTrackableValue = Math.max(LARGEST, 2 ** (u + 1));
      const histogram = new Histogram({
        lowestDiscernibleValue: 2 ** u,
        highestTrackableValue,
        significantDigits: d,
        storage,
      });
      const { layout } = histogram;
      const expected = new Map<number, number>();
      for (const value of aroundPowersOfTwo(1)) {
        histogram.record(value); // fast where it is a 31-bit integer
        histogram.record(value, 2); // never fast
        const slot = layout.slotOf(value);
        if (slot !== layout.slotOfBigInt(BigInt(value))) expect([value, slot]).toBe('the slot of the bigint');
        expected.set(slot, (expected.get(slot) ?? 0) + 3);
      }
      const { counts } = histogram;
      const recorded: [number, number][] = [];
      for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1)) {
        recorded.push([slot, counts.at(slot)]);
      }
      expect(recorded).toEqual([...expected].sort(([a], [b]) => a - b));
    },
  );

  test('is the layout’s for any value', () => {
    fc.assert(
      fc.property(digits, fc.nat(40), fc.array(values(), { maxLength: 20 }), (d, u, recorded) => {
        const histogram = new Histogram({
          lowestDiscernibleValue: 2 ** u,
          highestTrackableValue: LARGEST,
          significantDigits: d,
          storage: 'sparse',
        });
        for (const value of recorded) {
          const slot = histogram.layout.slotOfBigInt(BigInt(value));
          const before = histogram.counts.at(slot);
          histogram.record(value);
          expect(histogram.counts.at(slot)).toBe(before + 1);
        }
        expect(histogram.totalCount).toBe(recorded.length);
      }),
    );
  });
});

describeEachStorage('a histogram that resizes itself', (storage) => {
  const make = (): Histogram => new Histogram({ storage });

  test('grows to the end of the slots that the value needs, as Java does', () => {
    const histogram = make();
    histogram.record(1);
    histogram.record(100_001);
    expect([histogram.layout.highestTrackableValue, histogram.max]).toEqual([131_071, 100_031]);
    expect([histogram.totalCount, histogram.min]).toEqual([2, 1]);
  });

  test('keeps all counts while it grows through every power of two', () => {
    const histogram = make();
    const all = aroundPowersOfTwo(1);
    for (const value of all) histogram.record(value);
    const wide = new Histogram({ highestTrackableValue: LARGEST, storage, autoResize: true });
    for (const value of all) wide.record(value);
    expect(stateOf(histogram)).toEqual(stateOf(wide));
    expect([...histogram.recordedValues()]).toEqual([...wide.recordedValues()]);
  });

  test('grows for a count and for a fraction too', () => {
    const histogram = make();
    histogram.record(1e6, 3);
    histogram.record(1e9 + 0.5);
    expect([histogram.totalCount, histogram.max >= 1e9]).toEqual([4, true]);
  });

  test('keeps unit and digits', () => {
    const histogram = new Histogram({ lowestDiscernibleValue: 1000, significantDigits: 2, storage });
    histogram.record(1e12);
    const { lowestDiscernibleValue, significantDigits, unitMagnitude } = histogram.layout;
    expect([lowestDiscernibleValue, significantDigits, unitMagnitude]).toEqual([1000, 2, 9]);
  });

  test.each<[string, number, ErrorCode]>([
    ['a value above 2^63 - 1', 2 ** 63, 'ERR_VALUE_OUT_OF_RANGE'],
    ['Infinity', Number.POSITIVE_INFINITY, 'ERR_VALUE_OUT_OF_RANGE'],
    ['a negative value', -1e9, 'ERR_INVALID_VALUE'],
  ])('does not grow for %s', (_what, value, code) => {
    const histogram = make();
    histogram.record(1);
    expectRefusedUnchanged(histogram, () => histogram.record(value), code);
  });

  test.each([1, 2])('does not grow for a value that cannot be counted %d times more', (count) => {
    const histogram = make();
    histogram.record(1, LARGEST);
    expectRefusedUnchanged(histogram, () => histogram.record(1e6, count), 'ERR_COUNT_OVERFLOW');
    expectRefusedUnchanged(histogram, () => histogram.record(1e12, count), 'ERR_COUNT_OVERFLOW');
  });
});

test('a reset forgets the values and keeps the range', () => {
  const histogram = new Histogram();
  histogram.record(1e6, 2 ** 40);
  const { layout } = histogram;
  histogram.reset();
  expect([histogram.totalCount, histogram.max, histogram.layout === layout]).toEqual([0, 0, true]);
  histogram.record(5);
  expect([histogram.totalCount, histogram.min, histogram.max]).toEqual([1, 5, 5]);
});
