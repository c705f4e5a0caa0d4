import { JointHistogram } from '@hdrscope/core/joint';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { type Axis, PerfHistogram } from '../../src/index.ts';

const ITEMS: Axis = { name: 'Items', scale: 'linear', min: 0, quantSize: 1, buckets: 5 };
const small = (name: string, buckets = 4): Axis => ({ name, scale: 'log2', min: 0, quantSize: 10, buckets });

function filled(axes: readonly Axis[], values: readonly (readonly number[])[]): PerfHistogram {
  const histogram = new PerfHistogram(axes);
  for (const [first, ...others] of values) histogram.record(first!, ...others);
  return histogram;
}

describe('recording', () => {
  test('cells are in row order: the last axis runs fastest', () => {
    const histogram = filled(
      [small('a'), small('b', 3)],
      [
        [-1, 5],
        [5, 100],
        [15, -1],
        [15, -1],
      ],
    );
    expect([...histogram.cells].map(Number)).toEqual([0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0]);
    expect(histogram.countAt([2, 0])).toBe(2n);
    expect(histogram.totalCount).toBe(4);
  });

  test('one, two and three dimensions give the same counts', () => {
    const values = fc.array(fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100)));
    fc.assert(
      fc.property(values, (triples) => {
        const cube = filled([small('a'), small('b'), small('c')], triples);
        const plane = filled(
          [small('a'), small('b')],
          triples.map(([a, b]) => [a, b]),
        );
        const line = filled(
          [small('b')],
          triples.map(([, b]) => [b]),
        );
        expect(cube.slice({ axis: 'c' }).cells).toEqual(plane.cells);
        expect(plane.slice({ axis: 0 }).cells).toEqual(line.cells);
        expect(cube.marginal('b').totalCount).toBe(triples.length);
      }),
    );
  });

  test.each([
    [[ITEMS], [1, 2]],
    [[ITEMS, SIZE], [1]],
    [
      [ITEMS, SIZE],
      [1, 2, 3],
    ],
    [
      [ITEMS, SIZE, LATENCY],
      [1, 2],
    ],
    [[ITEMS], [Number.NaN]],
    [
      [ITEMS, SIZE],
      [1, Number.NaN],
    ],
    [
      [ITEMS, SIZE, LATENCY],
      [1, 2, Number.NaN],
    ],
    [[ITEMS], ['1' as unknown as number]],
  ])('%# refuses values that are not one number for each axis, and counts nothing', (axes, values) => {
    const histogram = new PerfHistogram(axes);
    expectRefused(() => histogram.record(...(values as [number])), 'ERR_INVALID_VALUE');
    expect(histogram.totalCount).toBe(0);
  });

  test('a count reaches 2^64 - 1, and one more is refused', () => {
    const histogram = new PerfHistogram([ITEMS]);
    histogram.addAt([1], 2n ** 32n - 1n);
    histogram.record(0);
    expect(histogram.countAt([1])).toBe(2n ** 32n);
    histogram.addAt([1], 2n ** 64n - 1n - 2n ** 32n);
    expect(histogram.countAt([1])).toBe(2n ** 64n - 1n);
    expect(refusalOf(() => histogram.addAt([1], 1), 'ERR_COUNT_OVERFLOW').message).toMatch(
      /got 18446744073709551616/,
    );
    const other = histogram.copy();
    expectRefused(() => histogram.add(other), 'ERR_COUNT_OVERFLOW');
    expect(refusalOf(() => histogram.marginal(0), 'ERR_COUNT_OVERFLOW').message).toMatch(/at most 2\^53 - 1/);
  });

  test.each([[[5]], [[-1]], [[0.5]], [[0, 0]], [[]]])('%# refuses %j, where no cell is', (slots) => {
    const histogram = new PerfHistogram([ITEMS]);
    expect(refusalOf(() => histogram.countAt(slots), 'ERR_VALUE_OUT_OF_RANGE').message).toMatch(
      /a slot of each axis, out of 5/,
    );
  });

  test.each([-1, 0.5, 2 ** 53, -1n])('refuses a count of %p', (count) => {
    expectRefused(() => new PerfHistogram([ITEMS]).addAt([0], count), 'ERR_INVALID_COUNT');
  });

  test('refuses a histogram without axes, and one with too many cells', () => {
    expectRefused(() => new PerfHistogram([]), 'ERR_INVALID_OPTION');
    const wide: Axis = { ...ITEMS, buckets: 60_000 };
    expect(refusalOf(() => new PerfHistogram([wide, wide]), 'ERR_TOO_LARGE').message).toMatch(/3600000000/);
  });

  test('reset sets all counts to 0', () => {
    const histogram = filled([ITEMS], [[1], [2]]);
    histogram.reset();
    expect(histogram.totalCount).toBe(0);
  });
});

describe('adding and subtracting', () => {
  const pairs = fc.array(fc.tuple(fc.nat(100), fc.nat(100)));
  const axes = [small('a'), small('b')];

  test('add gives the counts of both histograms, and subtract undoes it', () => {
    fc.assert(
      fc.property(pairs, pairs, (left, right) => {
        const sum = filled(axes, left);
        sum.add(filled(axes, right));
        expect(sum.cells).toEqual(filled(axes, [...left, ...right]).cells);
        const { increase, isReset } = sum.subtract(filled(axes, left));
        expect(isReset).toBe(false);
        expect(increase.cells).toEqual(filled(axes, right).cells);
      }),
    );
  });

  test('a cell that fell shows a reset, and all counts are new', () => {
    const earlier = filled(axes, [
      [5, 5],
      [5, 5],
    ]);
    const later = filled(axes, [
      [5, 5],
      [50, 50],
    ]);
    const { increase, isReset } = later.subtract(earlier);
    expect(isReset).toBe(true);
    expect(increase.cells).toEqual(later.cells);
    expect(later.totalCount).toBe(2);
  });

  test.each([
    [[small('a')], /the number of axes must be 2, got 1/],
    [[small('a'), small('c')], /"b" and "c" differ in name/],
    [[small('a'), small('b', 5)], /"b" and "b" differ in buckets/],
    [[small('a'), { ...small('b'), quantSize: 11 }], /differ in ranges/],
    [[small('a'), { ...small('b'), unit: 'ns' as const }], /differ in unit/],
  ])('%# refuses a histogram of other axes', (others, message) => {
    const histogram = filled(axes, [[1, 1]]);
    const other = new PerfHistogram(others);
    expect(refusalOf(() => histogram.add(other), 'ERR_INCOMPATIBLE').message).toMatch(message);
    expect(refusalOf(() => histogram.subtract(other), 'ERR_INCOMPATIBLE').message).toMatch(message);
  });

  test('refuses a joint histogram, also with the same names and slots, and takes its cells', () => {
    const histogram = filled(axes, [[1, 1]]);
    const joint = new JointHistogram(axes.map(({ name }, i) => ({ name, layout: histogram.layouts[i]! })));
    joint.record(15, 5);
    const { message } = refusalOf(() => histogram.add(joint as never), 'ERR_INCOMPATIBLE');
    expect(message).toBe('add: the axes must be equal, "a" and "a" differ in scale');
    expect(histogram.sum('a')).toBe(1);
    histogram.addCells(joint.cells);
    expect([histogram.totalCount, histogram.sum('a')]).toEqual([2, undefined]);
  });
});

describe('reading', () => {
  const writes = filled(
    [LATENCY, SIZE],
    [...Array.from({ length: 99 }, () => [500_000, 4096]), [5_000_000, 65_536], [1e15, 4096]],
  );

  test('a quantile of an axis has the bounds of its slot', () => {
    expect(writes.quantile(0, 0.5)).toEqual({ value: 600_000, lower: 400_000, upper: 800_000, open: false });
    expect(writes.quantile('Request size (bytes)', 1)).toMatchObject({ lower: 65_536, upper: 131_072 });
  });

  test('a quantile in the overflow has no value', () => {
    expect(writes.quantile(0, 1)).toEqual({
      lower: 53_687_091_200_000,
      upper: Number.POSITIVE_INFINITY,
      open: true,
    });
  });

  test('a quantile of an empty histogram is NaN', () => {
    expect(new PerfHistogram([SIZE]).quantile(0, 0.5)).toEqual({
      lower: Number.NaN,
      upper: Number.NaN,
      open: false,
    });
  });

  test('a quantile can be limited to a range of another axis', () => {
    const large = { axis: SIZE.name, from: 65_536, to: 131_072 };
    expect(writes.quantile(0, 0.99, { where: [large], interpolation: 'lower' }).value).toBe(3_200_000);
    expect(writes.marginal(0, [large]).totalCount).toBe(1);
    expect(writes.marginal(0, [{ axis: 1, to: 65_536 }]).totalCount).toBe(100);
    expect(writes.marginal(0, [{ axis: 1, from: 4096, to: Number.POSITIVE_INFINITY }]).totalCount).toBe(101);
  });

  test.each([
    [
      { axis: 1, from: 5000 },
      /the range of "Request size \(bytes\)": from must be the lower bound of a slot, such as 4096 or 8192, got 5000/,
    ],
    [
      { axis: 1, from: 4096, to: 4096 },
      /the range of "Request size \(bytes\)": to must be above 4096, got 4096/,
    ],
    [{ axis: 1, to: Number.NaN }, /must be the lower bound of a slot/],
    [
      { axis: 'Size' },
      /axis must be a number from 0 to 1 or one of "Latency \(usec\)", "Request size \(bytes\)", got "Size"/,
    ],
    [{ axis: 2 }, /axis must be/],
  ])('%# refuses a range that ends within a slot, or on an axis that does not exist', (range, message) => {
    expect(refusalOf(() => writes.marginal(0, [range]), 'ERR_INVALID_OPTION').message).toMatch(message);
  });

  test('refuses a slice by the only axis', () => {
    expectRefused(() => new PerfHistogram([SIZE]).slice({ axis: 0 }), 'ERR_INVALID_OPTION');
  });
});
