import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded, recordedOnce, slotsOf } from '../support/recorded.ts';
import { expectRefusedUnchanged, refusalOf, stateOf } from '../support/refused.ts';
import { describeEachStorage } from '../support/storages.ts';
import { LARGEST, type Recording } from '../support/values.ts';

const FEW: Recording = [
  [1, 1],
  [5, 1],
  [300, 2],
  [301, 1],
  [5000, 1],
];

describeEachStorage('add', (storage) => {
  const options = { highestTrackableValue: 10_000, significantDigits: 2, storage };

  test('adds all counts of the other', () => {
    const histogram = recorded(FEW, options);
    const other = recorded(
      [
        [0, 1],
        [5, 4],
        [9999, 1],
      ],
      options,
    );
    const before = stateOf(other);
    histogram.add(other);
    const both = recorded([...FEW, [0, 1], [5, 4], [9999, 1]], options);
    expect(stateOf(histogram)).toEqual(stateOf(both));
    expect(stateOf(other)).toEqual(before);
  });

  test('takes counts from any storage', () => {
    for (const others of ['dense', 'sparse'] as const) {
      const histogram = recorded(FEW, options);
      histogram.add(recorded([[7, 2 ** 33]], { ...options, storage: others }));
      expect([histogram.counts.at(7), histogram.storage]).toEqual([2 ** 33, storage]);
    }
  });

  test('of nothing changes nothing, however wide its range', () => {
    const histogram = recorded(FEW, { storage });
    const before = stateOf(histogram);
    histogram.add(new Histogram({ highestTrackableValue: 2 ** 40 }));
    expect(stateOf(histogram)).toEqual(before);
  });

  test('of itself doubles every count', () => {
    const histogram = recorded([...FEW, [7, 2 ** 31]], options);
    const counts = slotsOf(histogram);
    histogram.add(histogram);
    expect(slotsOf(histogram)).toEqual(counts.map(([slot, count]) => [slot, 2 * count]));
    expect(histogram.totalCount).toBe(2 * (6 + 2 ** 31));
  });

  test('of itself doubles counts beyond 2^32, their carry too', () => {
    const count = 2 ** 32 + 2 ** 31 + 5;
    const histogram = recorded([[7, count]], options);
    histogram.add(histogram);
    expect(slotsOf(histogram)).toEqual([[7, 2 * count]]);
    expect(histogram.totalCount).toBe(2 * count);
  });

  test('takes a wider range whose values fit', () => {
    const histogram = recorded(FEW, options);
    histogram.add(recorded([[10_000, 1]], { ...options, highestTrackableValue: 2 ** 40 }));
    expect([histogram.max, histogram.layout.highestTrackableValue]).toEqual([10_047, 10_000]);
  });

  test.each<[string, object, number[]]>([
    ['more digits arrive in wider slots', { significantDigits: 4 }, [9984]],
    ['fewer digits arrive at the lowest value of their slot', { significantDigits: 1 }, [9728]],
    ['another unit arrive at the lowest value of their slot', { lowestDiscernibleValue: 16 }, [9984]],
  ])('from a layout with %s', (_what, other, lowest) => {
    const histogram = new Histogram(options);
    histogram.add(recorded([[10_000, 3]], { ...options, ...other }));
    expect(slotsOf(histogram).map(([slot]) => histogram.layout.lower(slot))).toEqual(lowest);
    expect(histogram.totalCount).toBe(3);
  });

  test('grows a histogram that resizes itself', () => {
    const histogram = recorded([[1, 1]], { storage });
    histogram.add(recorded([[1e6, 1]]));
    expect(stateOf(histogram)).toEqual(
      stateOf(
        recorded(
          [
            [1, 1],
            [1e6, 1],
          ],
          { storage },
        ),
      ),
    );
  });

  test('refuses values that do not fit, and changes nothing', () => {
    const histogram = recorded(FEW, options);
    const tooLarge = recorded(
      [
        [1, 1],
        [20_000, 1],
      ],
      { ...options, highestTrackableValue: 1e6 },
    );
    expectRefusedUnchanged(histogram, () => histogram.add(tooLarge), 'ERR_VALUE_OUT_OF_RANGE');
    const otherLayout = recorded(
      [
        [1, 1],
        [1e9, 1],
      ],
      { significantDigits: 1 },
    );
    expectRefusedUnchanged(histogram, () => histogram.add(otherLayout), 'ERR_VALUE_OUT_OF_RANGE');
  });

  test('refuses counts that would pass 2^53 - 1 together, and does not grow', () => {
    const histogram = recorded([[1, LARGEST - 2]], { storage });
    const others = recorded([
      [2, 1],
      [3, 1],
      [1e6, 1],
    ]);
    expectRefusedUnchanged(histogram, () => histogram.add(others), 'ERR_COUNT_OVERFLOW');
    histogram.add(
      recorded([
        [2, 1],
        [1e6, 1],
      ]),
    );
    expect(histogram.totalCount).toBe(LARGEST);
  });
});

describeEachStorage('subtract', (storage) => {
  const options = { highestTrackableValue: 10_000, significantDigits: 2, storage };

  test('undoes an addition, and settles minimum and maximum', () => {
    const histogram = recorded([...FEW, [0, 1], [9999, 4]], options);
    histogram.subtract(
      recorded(
        [
          [0, 1],
          [9999, 4],
        ],
        options,
      ),
    );
    expect(stateOf(histogram)).toEqual(stateOf(recorded(FEW, options)));
  });

  test('of everything leaves it empty', () => {
    const histogram = recorded(FEW, options);
    histogram.subtract(recorded(FEW, options));
    expect(stateOf(histogram)).toEqual(stateOf(new Histogram(options)));
  });

  test('of itself leaves it empty', () => {
    const histogram = recorded([...FEW, [7, 2 ** 33]], options);
    histogram.subtract(histogram);
    expect(stateOf(histogram)).toEqual(stateOf(new Histogram(options)));
  });

  test('of nothing changes nothing', () => {
    const histogram = recorded(FEW, options);
    histogram.subtract(new Histogram());
    expect(stateOf(histogram)).toEqual(stateOf(recorded(FEW, options)));
  });

  test('borrows when a count falls below 2^32', () => {
    const histogram = recorded(
      [
        [7, 2 ** 33 + 5],
        [8, 1],
      ],
      options,
    );
    histogram.subtract(recorded([[7, 2 ** 33 - 1]], options));
    expect(slotsOf(histogram)).toEqual([
      [7, 6],
      [8, 1],
    ]);
    histogram.record(7, LARGEST - 7);
    expect(histogram.totalCount).toBe(LARGEST);
  });

  test('makes room for counts again', () => {
    const histogram = recorded([[7, LARGEST]], options);
    histogram.subtract(recorded([[7, 1]], options));
    histogram.record(8);
    expect([histogram.totalCount, histogram.counts.at(8)]).toEqual([LARGEST, 1]);
  });

  test('takes the counts of a wider range that fit', () => {
    const histogram = recorded(FEW, options);
    histogram.subtract(recorded([[5000, 1]], { ...options, highestTrackableValue: 2 ** 40 }));
    expect(histogram.max).toBe(301);
  });

  test('undoes an addition from another layout', () => {
    const histogram = recorded(FEW, options);
    const other = recorded(
      [
        [0, 1],
        [777, 3],
        [8000, 2],
      ],
      { significantDigits: 4, lowestDiscernibleValue: 3 },
    );
    histogram.add(other);
    histogram.subtract(other);
    expect(stateOf(histogram)).toEqual(stateOf(recorded(FEW, options)));
  });

  test.each<[string, Recording]>([
    ['more than there is', [[300, 4]]],
    ['what is not there', [[4, 1]]],
    [
      'something that is there with something that is not',
      [
        [1, 1],
        [300, 1],
        [302, 1],
      ],
    ],
    [
      'what is there in all slots but the last',
      [
        [1, 1],
        [5, 1],
        [300, 3],
        [5000, 2],
      ],
    ],
  ])('refuses %s, and takes nothing', (_what, taken) => {
    const histogram = recorded(FEW, options);
    expectRefusedUnchanged(histogram, () => histogram.subtract(recorded(taken, options)), 'ERR_INCOMPATIBLE');
    const otherDigits = recorded(taken, { significantDigits: 3 });
    expectRefusedUnchanged(histogram, () => histogram.subtract(otherDigits), 'ERR_INCOMPATIBLE');
  });

  test.each([2, 3])('refuses values beyond its range, from a layout of %d digits', (significantDigits) => {
    const histogram = recorded(FEW, options);
    const beyond = recorded(
      [
        [1, 1],
        [1e6, 1],
      ],
      { significantDigits },
    );
    expectRefusedUnchanged(histogram, () => histogram.subtract(beyond), 'ERR_INCOMPATIBLE');
  });

  test('names the counts that are missing', () => {
    const histogram = recorded(FEW, options);
    expect(refusalOf(() => histogram.subtract(recorded([[300, 4]], options))).message).toBe(
      'subtract: the counts must be contained in this histogram, got 4 and have 3 values from 300 to 301',
    );
  });
});

describeEachStorage('copy', (storage) => {
  test('has the same counts, and a life of its own', () => {
    const histogram = recordedOnce([1, 5, 1e6], { storage });
    const copy = histogram.copy();
    expect([stateOf(copy), copy.storage]).toEqual([stateOf(histogram), storage]);
    copy.record(1e9);
    histogram.record(7);
    expect([histogram.totalCount, histogram.max < 1e7, histogram.counts.at(7)]).toEqual([4, true, 1]);
    expect([copy.totalCount, copy.max > 1e8, copy.counts.at(7)]).toEqual([4, true, 0]);
  });

  test('resizes itself only if the original does', () => {
    const fixed = recordedOnce([1], { highestTrackableValue: 1000, storage }).copy();
    expectRefusedUnchanged(fixed, () => fixed.record(1e6), 'ERR_VALUE_OUT_OF_RANGE');
    expect(recordedOnce([1], { storage }).copy().autoResize).toBe(true);
  });

  test('is not forgotten when the original is reset', () => {
    const histogram = recorded([[5, 2 ** 40]], { storage });
    const copy = histogram.copy();
    histogram.reset();
    expect([histogram.totalCount, copy.totalCount, copy.counts.at(5)]).toEqual([0, 2 ** 40, 2 ** 40]);
  });
});
