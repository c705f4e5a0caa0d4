import fc from 'fast-check';
import {
  explicitLayout,
  exponentialLayout,
  hdrLayout,
  type Layout,
  linearLayout,
  log2Layout,
} from '../../src/index.ts';
import { JointHistogram, type ValueRange } from '../../src/joint.ts';
import { refusalOf } from '../support/refused.ts';

const LAYOUTS: readonly Layout[] = [
  hdrLayout({ highestTrackableValue: 1000, significantDigits: 1 }),
  explicitLayout([10, 50, 100]),
  log2Layout({ quantum: 8, slots: 5 }),
  linearLayout({ width: 25, slots: 3 }),
];
const names = ['a', 'b', 'c', 'd'];

type Event = readonly number[];

/** The used cells and their counts. Jest compares arrays of thousands of empty cells slowly. */
function usedCells({ cells }: JointHistogram): (readonly [cell: number, count: bigint])[] {
  return [...cells].flatMap((count, cell) => (count === 0n ? [] : [[cell, count] as const]));
}

function filled(axes: number, events: readonly Event[]): JointHistogram {
  const histogram = new JointHistogram(
    LAYOUTS.slice(0, axes).map((layout, i) => ({ name: names[i]!, layout })),
  );
  for (const [first, ...others] of events) histogram.record(first!, ...others);
  return histogram;
}

const dimensions = fc.integer({ min: 1, max: 4 });
const eventsOf = (axes: number, maxLength = 40): fc.Arbitrary<Event[]> =>
  fc.array(fc.array(fc.nat(200), { minLength: axes, maxLength: axes }), { maxLength });
const histograms = dimensions.chain((axes) => fc.tuple(fc.constant(axes), eventsOf(axes)));

/** A condition on an axis: some of its slots. */
function ranges(axes: number): fc.Arbitrary<ValueRange[]> {
  const one = fc.tuple(fc.nat(axes - 1), fc.nat(100), fc.nat(100)).map(([axis, a, b]): ValueRange => {
    const layout = LAYOUTS[axis]!;
    const [from, to] = [a % layout.slotCount, b % layout.slotCount].sort((x, y) => x - y) as [number, number];
    return {
      axis: names[axis]!,
      ...(from > 0 && { from: layout.lower(from) }),
      ...(to + 1 < layout.slotCount && { to: layout.lower(to + 1) }),
    };
  });
  return fc.array(one, { maxLength: 3 });
}

/** Whether an event meets all conditions, by the slots of its values. */
function meets(event: Event, where: readonly ValueRange[]): boolean {
  return where.every(({ axis, from, to }) => {
    const at = names.indexOf(axis as string);
    const layout = LAYOUTS[at]!;
    const lower = layout.lower(layout.slotOf(event[at]!));
    return lower >= (from ?? Number.NEGATIVE_INFINITY) && lower < (to ?? Number.POSITIVE_INFINITY);
  });
}

describe('a joint histogram answers as a list of all events does', () => {
  const cases = histograms.chain(([axes, events]) =>
    fc.tuple(fc.constant(axes), fc.constant(events), fc.nat(axes - 1), ranges(axes)),
  );

  test('the counts of each axis, under any conditions', () => {
    fc.assert(
      fc.property(cases, ([axes, events, at, where]) => {
        const { counts } = filled(axes, events).marginal(at, where);
        const expected = new Array<number>(LAYOUTS[at]!.slotCount).fill(0);
        for (const event of events) if (meets(event, where)) expected[LAYOUTS[at]!.slotOf(event[at]!)]!++;
        expect(expected.map((_, slot) => counts.at(slot))).toEqual(expected);
      }),
    );
  });

  test('the sum of each axis, under conditions on the other axes', () => {
    fc.assert(
      fc.property(cases, ([axes, events, at, where]) => {
        const others = where.filter(({ axis }) => axis !== names[at]);
        const expected = events
          .filter((event) => meets(event, others))
          .reduce((sum, event) => sum + event[at]!, 0);
        expect(filled(axes, events).sum(at, others)).toBe(expected);
      }),
    );
  });

  test('a slice has the counts and sums of the other axes', () => {
    fc.assert(
      fc.property(cases, ([axes, events, at, [range]]) => {
        fc.pre(axes > 1);
        const dropped = names.indexOf((range?.axis as string | undefined) ?? names[at]!);
        const within = range ?? { axis: dropped };
        const slice = filled(axes, events).slice(within);
        const kept = events.filter((event) => meets(event, range === undefined ? [] : [range]));
        const rest = LAYOUTS.slice(0, axes).filter((_, i) => i !== dropped);
        const expected = new JointHistogram(
          rest.map((layout) => ({ name: names[LAYOUTS.indexOf(layout)]!, layout })),
        );
        for (const event of kept) {
          const [first, ...others] = event.filter((_, i) => i !== dropped);
          expected.record(first!, ...others);
        }
        expect(slice.cells).toHaveLength(expected.cells.length);
        expect(usedCells(slice)).toEqual(usedCells(expected));
        expect(slice.axes.map(({ name }) => slice.sum(name))).toEqual(
          expected.axes.map(({ name }) => expected.sum(name)),
        );
      }),
    );
  });

  test('added histograms have the counts and sums of both, and subtraction undoes it', () => {
    const pairs = dimensions.chain((axes) => fc.tuple(fc.constant(axes), eventsOf(axes), eventsOf(axes)));
    fc.assert(
      fc.property(pairs, ([axes, left, right]) => {
        const sum = filled(axes, left);
        sum.add(filled(axes, right));
        const both = filled(axes, [...left, ...right]);
        const { increase, isReset } = sum.subtract(filled(axes, left));
        const sums = (histogram: JointHistogram): unknown =>
          names.slice(0, axes).map((name) => histogram.sum(name));

        expect([usedCells(sum), sums(sum)]).toEqual([usedCells(both), sums(both)]);
        expect(isReset).toBe(false);
        const added = filled(axes, right);
        expect([usedCells(increase), sums(increase)]).toEqual([usedCells(added), sums(added)]);
      }),
    );
  });
});

test('a quantile of one value under a condition on another', () => {
  const requests = filled(2, [...Array.from({ length: 99 }, () => [20, 5]), [900, 80]]);
  expect(requests.quantile('a', 0.5)).toEqual({ value: 20, lower: 20, upper: 20, open: false });
  const large = [{ axis: 'b', from: 50 }];
  expect(requests.quantile('a', 0.5, { where: large })).toMatchObject({ lower: 896, upper: 927 });
  expect(requests.quantile('b', 1)).toEqual({ value: 75, lower: 50, upper: 100, open: false });
});

test('ranges belong to classes as their bounds belong to the slots', () => {
  const seconds = exponentialLayout({ scale: 0, minIndex: -4, maxIndex: 3 });
  const histogram = new JointHistogram([
    { name: 'seconds', layout: seconds },
    { name: 'size', layout: explicitLayout([4096]) },
  ]);
  histogram.record(1, 4096);
  histogram.record(1.5, 4097);
  const at = (where: ValueRange): number => histogram.marginal('size', [where]).totalCount;
  expect([at({ axis: 'seconds', to: 1 }), at({ axis: 'seconds', from: 1 })]).toEqual([1, 1]);
  expect(histogram.marginal('seconds', [{ axis: 'size', to: 4096 }]).totalCount).toBe(1);
  expect(histogram.sum('seconds', [{ axis: 'size', from: 4096 }])).toBe(1.5);
});

test('a range that ends where the first slot begins is refused with that bound', () => {
  const { message } = refusalOf(
    () => filled(1, []).marginal('a', [{ axis: 'a', to: 0 }]),
    'ERR_INVALID_OPTION',
  );
  expect(message).toBe('the range of "a": to must be above 0, got 0');
});

describe('sums', () => {
  test('are not known for counts without values, nor for a part of their own axis', () => {
    const histogram = filled(2, [[20, 5]]);
    expect(histogram.sum('a', [{ axis: 'a', from: 0, to: 64 }])).toBeUndefined();
    expect([histogram.sum('a'), histogram.sum('b')]).toEqual([20, 5]);

    const added = histogram.copy();
    added.addAt([0, 0], 0);
    expect(added.sum('a')).toBe(20);
    added.addAt([0, 0], 1);
    expect(added.sum('a')).toBeUndefined();
    histogram.add(added);
    expect(histogram.sum('b')).toBeUndefined();
    histogram.reset();
    expect([histogram.totalCount, histogram.sum('a')]).toEqual([0, 0]);

    const cells = filled(1, []);
    cells.addCells(new BigUint64Array(cells.cells.length));
    expect(cells.sum(0)).toBe(0);
    cells.addCells(new BigUint64Array(cells.cells.length).fill(1n));
    expect(cells.sum(0)).toBeUndefined();
  });

  test('of a later reading are the increase, and those after a reset are all new', () => {
    const earlier = filled(2, [[20, 5]]);
    const later = earlier.copy();
    later.record(30, 7);
    expect(later.subtract(earlier).increase.sum('a')).toBe(30);
    const anew = filled(2, [[40, 60]]);
    const { increase, isReset } = anew.subtract(later);
    expect([isReset, increase.sum('a')]).toEqual([true, 40]);
  });
});

describe('refusals', () => {
  test.each<[values: number[]]>([[[1]], [[1, 2, 3]], [[1, Number.NaN]], [['1' as never, 2]]])(
    '%# values that are not a number for each axis count nothing',
    (values) => {
      const histogram = filled(2, []);
      refusalOf(() => histogram.record(...(values as [number])), 'ERR_INVALID_VALUE');
      expect([histogram.totalCount, histogram.sum('a')]).toEqual([0, 0]);
    },
  );

  test.each([1, 2, 3])('a value without a slot counts nothing with %d axes', (axes) => {
    const histogram = filled(axes, []);
    const { message } = refusalOf(
      () => histogram.record(-1, ...new Array<number>(axes - 1).fill(1)),
      'ERR_VALUE_OUT_OF_RANGE',
    );
    expect(message).toMatch(/the value of "a" must be from 0 to \d+, got -1/);
    expect(histogram.totalCount).toBe(0);
  });

  test.each<[axes: unknown, message: RegExp]>([
    [[], /axes must be at least one axis/],
    [undefined, /axes must be at least one axis/],
    [[{ name: 'a', layout: {} }], /the layout of axis "a" must be a layout/],
    [[{ name: 7, layout: LAYOUTS[0] }], /axes\[0\].name must be a string, got 7/],
    [[{ name: 'a', layout: LAYOUTS[0], units: 's' }], /an axis has no option "units": did you mean unit/],
    [
      [{ name: 'a', layout: LAYOUTS[0], unit: 'h' }],
      /the unit of axis "a" must be one of ns, us, .*, got "h"/,
    ],
    [
      [
        { name: 'a', layout: LAYOUTS[0] },
        { name: 'a', layout: LAYOUTS[1] },
      ],
      /axes\[1\].name must be different from the names before it, got "a"/,
    ],
  ])('%# axes that are not some', (axes, message) => {
    expect(refusalOf(() => new JointHistogram(axes as never), 'ERR_INVALID_OPTION').message).toMatch(message);
  });

  test('too many combinations of slots', () => {
    const layout = linearLayout({ width: 1, slots: 4000 });
    const axes = ['a', 'b'].map((name) => ({ name, layout }));
    expect(refusalOf(() => new JointHistogram(axes), 'ERR_TOO_LARGE').message).toMatch(
      /8388608, got 16016004/,
    );
  });

  test('histograms of other axes', () => {
    const other = new JointHistogram([{ name: 'a', layout: explicitLayout([1]) }]);
    expect(refusalOf(() => filled(1, []).add(other), 'ERR_INCOMPATIBLE').message).toMatch(/differ in slots/);
    expect(refusalOf(() => filled(2, []).subtract(other), 'ERR_INCOMPATIBLE').message).toMatch(
      /must be 2, got 1/,
    );
  });
});

test('memory is that of the cells, and of the sums from the first record on', () => {
  const histogram = filled(2, []);
  const [a, b] = [LAYOUTS[0]!.slotCount, LAYOUTS[1]!.slotCount];
  expect(histogram.byteLength).toBe(8 * a * b);
  histogram.record(1, 1);
  expect(histogram.byteLength).toBe(8 * (a * b + a + b));
});

test('console.log shows a line', () => {
  const shown = (filled(1, [[1]]) as unknown as { inspection(): string }).inspection();
  expect(shown).toBe(`JointHistogram { totalCount: 1, "a": ${LAYOUTS[0]!.slotCount} slots }`);
});

test('axes in different units are not added up', () => {
  const [ns, ms] = (['ns', 'ms'] as const).map(
    (unit) => new JointHistogram([{ name: 'duration', unit, layout: explicitLayout([1, 10]) }]),
  );
  expect(() => ns!.add(ms!)).toThrow(expect.objectContaining({ code: 'ERR_INCOMPATIBLE' }));
});
