import {
  type Counted,
  explicitLayout,
  type HdrLayout,
  Histogram,
  hdrLayout,
  LayoutHistogram,
} from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import type { TimedCounts } from '../../src/data/heat-map.ts';
import {
  createHeatMap,
  describePlot,
  heatMapOverTime,
  plotFromJson,
  plotTable,
  plotText,
  plotToJson,
} from '../../src/index.ts';

const LAYOUT = hdrLayout({ highestTrackableValue: 2 ** 50 });

function counted(values: readonly number[]): Histogram {
  const histogram = new Histogram({ layout: LAYOUT, storage: 'sparse' });
  for (const value of values) histogram.record(value);
  return histogram;
}

function* log(count: number, valuesAt: (second: number) => readonly number[]): Generator<TimedCounts> {
  for (let second = 0; second < count; second++) {
    yield { startMs: second * 1000, endMs: (second + 1) * 1000, histogram: counted(valuesAt(second)) };
  }
}

const sumOf = (counts: readonly (readonly number[])[]): number => counts.flat().reduce((a, b) => a + b, 0);

test('each value is in its row and its column', () => {
  const plot = heatMapOverTime(
    log(4, (second) => [10 ** (second + 1) + 1]),
    { unit: 'us', name: 'latency', rows: 20, title: 'T' },
  );
  expect(plot).toMatchObject({ kind: 'heat-map', title: 'T', y: { name: 'latency', unit: 'us' } });
  expect(plot.x).toMatchObject({ unit: 'time' });
  for (const [column, { lower, upper }] of plot.x.slots.entries()) {
    expect([lower, upper]).toEqual([column * 1000, (column + 1) * 1000]);
    const row = plot.counts.findIndex((counts) => counts[column] === 1);
    const slot = plot.y.slots[row]!;
    expect(slot.lower).toBeLessThan(10 ** (column + 1) + 1);
    expect(slot.upper).toBeGreaterThanOrEqual(10 ** (column + 1) + 1);
  }
  expect(sumOf(plot.counts)).toBe(4);
});

test('rows and columns are bounded for any length of the log and any range of its values, and no count is lost', () => {
  const heatMap = createHeatMap({ rows: 12, columns: 10 });
  let count = 0;
  for (const interval of log(700, (second) => [0, second + 1, (second + 1) ** 4])) {
    heatMap.add(interval);
    count += 3;
  }
  const { x, y, counts } = heatMap.plot();
  expect(x.slots.length).toBeLessThanOrEqual(10);
  // Zeros have one more row.
  expect(y.slots.length).toBeLessThanOrEqual(13);
  expect(y.slots[0]).toEqual({ lower: 0, upper: y.slots[1]!.lower });
  expect(counts.length).toBe(y.slots.length);
  for (const row of counts) expect(row.length).toBe(x.slots.length);
  expect(sumOf(counts)).toBe(count);
  expect(counts[0]!.reduce((a, b) => a + b)).toBe(700);
});

test('rows have no gaps between them, and each is larger than the row below by the same factor', () => {
  const { y } = heatMapOverTime(
    log(2, () => [3, 5000]),
    { rows: 40 },
  );
  const factors = y.slots.map(({ lower, upper }) => upper / lower);
  for (const [at, { lower }] of y.slots.entries()) {
    if (at > 0) expect(lower).toBe(y.slots[at - 1]!.upper);
    expect(factors[at]).toBeCloseTo(factors[0]!, 9);
  }
});

test('the order of intervals does not matter', () => {
  const intervals = [...log(9, (second) => [100 * (second + 1), 7])];
  expect(heatMapOverTime(intervals.toReversed(), { columns: 20 })).toEqual(
    heatMapOverTime(intervals, { columns: 20 }),
  );
});

test('a gap is a column of its own without counts', () => {
  const { x, counts } = heatMapOverTime([
    { startMs: 0, endMs: 1000, histogram: counted([5]) },
    { startMs: 60_000, endMs: 61_000, histogram: counted([5]) },
  ]);
  expect(x.slots.length).toBe(3);
  expect(counts).toEqual([[1, 0, 1]]);
});

test('series are in the unit of their family', async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'duration', unit: 's' }).with({}).record(0.25);
  const [family] = (await registry.gather()).families;
  const { histogram } = family!.series[0]!;
  const { y } = heatMapOverTime([{ startMs: 0, endMs: 1, histogram, unitLayout: family!.unitLayout }], {
    unit: 's',
  });
  expect(y.slots[0]!.lower).toBeLessThan(0.2501);
  expect(y.slots[0]!.upper).toBeGreaterThanOrEqual(0.2499);
});

test('a map of no intervals has no slots', () => {
  expect(heatMapOverTime([])).toMatchObject({ x: { slots: [] }, y: { slots: [] }, counts: [] });
  expect(heatMapOverTime([{ startMs: 0, endMs: 1, histogram: counted([]) }]).counts).toEqual([]);
});

test.each([
  ['rows', 1],
  ['rows', 1001],
  ['columns', 1.5],
  ['columns', 10_001],
])('%s: %d is refused', (what, size) => {
  expect(() => createHeatMap({ [what]: size })).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
  );
});

/** Values, and the layout that counts them: of digits, or of buckets. */
const parts = fc.array(
  fc.record({
    at: fc.nat(5),
    layout: fc.oneof(
      fc
        .integer({ min: 0, max: 4 })
        .map((significantDigits) => hdrLayout({ highestTrackableValue: 100_000, significantDigits })),
      fc
        .uniqueArray(fc.integer({ min: -10, max: 99_999 }), { minLength: 1, maxLength: 4 })
        .map((edges) => explicitLayout(edges.sort((a, b) => a - b))),
    ),
    isMoved: fc.boolean(),
    values: fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 }),
  }),
  { minLength: 1, maxLength: 8 },
);

test('each value lies in a cell that is drawn, the bounds of cells contain their counts, and no count is lost', () => {
  fc.assert(
    fc.property(parts, fc.integer({ min: 2, max: 60 }), (all, rows) => {
      const intervals = all.map(({ at, layout, values, isMoved }) => {
        const own = new LayoutHistogram(layout);
        own.recordValues(values);
        const moved = new Histogram({ highestTrackableValue: 1_000_000, significantDigits: MOVED_DIGITS });
        const isInteger = 'significantDigits' in layout;
        if (isInteger && isMoved) moved.add({ layout, counts: own.counts } as Counted<HdrLayout>);
        const histogram = isInteger && isMoved ? moved : own;
        return { startMs: at * 1000, endMs: (at + 1) * 1000, histogram };
      });
      const { x, y, counts, lower = counts, upper = counts } = heatMapOverTime(intervals, { rows });
      expect(y.slots.length).toBeLessThanOrEqual(rows + 2);
      expect(sumOf(counts)).toBe(all.reduce((sum, { values }) => sum + values.length, 0));
      for (const [column, { lower: fromMs, upper: toMs }] of x.slots.entries()) {
        const here = all.filter(({ at }) => at * 1000 >= fromMs && at * 1000 < toMs);
        for (const [row, slot] of y.slots.entries()) {
          const [least, most] = [lower[row]![column]!, upper[row]![column]!];
          // A value at an edge is in either row. A narrow slot is at its middle, and as wide as its digits say.
          const isIn = (value: number, digits: number): boolean =>
            value >= slot.lower * (1 - digits) && value <= slot.upper * (1 + digits);
          const possible = here.flatMap((part) => part.values.filter((value) => isIn(value, slackOf(part))));
          const count = counts[row]![column]!;
          const isTrue =
            least <= possible.length && count > 0 === most > 0 && least <= count && count <= most;
          // Far fewer calls of `expect` than there are cells.
          if (!isTrue) expect({ slot, least, count, most }).toBe('within its bounds');
        }
        for (const part of here) {
          const slack = slackOf(part);
          for (const value of part.values) {
            const isDrawn = y.slots.some(
              (slot, row) =>
                upper[row]![column]! > 0 &&
                value >= slot.lower * (1 - slack) &&
                value <= slot.upper * (1 + slack),
            );
            expect(isDrawn).toBe(true);
          }
        }
      }
    }),
  );
});

/** How far a value may lie from the middle of its slot, relative to it. */
function slackOf({ layout, isMoved }: { readonly layout: object; readonly isMoved: boolean }): number {
  if (!('significantDigits' in layout)) return 0;
  const digits = layout.significantDigits as number;
  return digits === 0 ? 0 : 10 ** -(isMoved ? Math.min(digits, MOVED_DIGITS) : digits);
}

const MOVED_DIGITS = 3;

test('the values of a wide bucket are spread over it, and the bounds of a cell say how many there may be', () => {
  const buckets = new LayoutHistogram(explicitLayout([1, 4]));
  buckets.recordValues([2, 3, 3, 8]);
  const plot = heatMapOverTime([{ startMs: 0, endMs: 1, histogram: buckets }], { rows: 2, subtitle: 'rpc' });
  expect(plot).toMatchObject({
    subtitle: 'rpc, values of wide buckets are spread over them',
    y: {
      slots: [
        { lower: 1, upper: 2 },
        { lower: 2, upper: 4 },
        { lower: 4, upper: Number.POSITIVE_INFINITY },
      ],
    },
    counts: [[1.5], [1.5], [1]],
    lower: [[0], [0], [1]],
    upper: [[3], [3], [1]],
  });
});

test('tables, words and terminals show the bounds of spread counts, and JSON keeps them', () => {
  const buckets = new LayoutHistogram(explicitLayout([1, 4, 16]));
  buckets.recordValues([2, 3, 3, 8, ...Array(7).fill(17)]);
  const plot = heatMapOverTime([{ startMs: 0, endMs: 1, histogram: buckets }], { rows: 4 });
  expect(plotTable(plot).rows.map(([, value, count]) => [value, count])).toEqual([
    ['16+', '7'],
    ['1–2', '0 to 3'],
    ['2–4', '0 to 3'],
    ['4–8', '0 to 1'],
    ['8–16', '0 to 1'],
  ]);
  expect(describePlot(plot)).toContain('11 values in all');
  expect(describePlot(plot)).toContain('Most have a value of 16+.');
  const lines = plotText(plot, { columns: 60 }).split('\n');
  expect(lines.filter((line) => /│.*│/.test(line)).map((line) => line.split('│')[2]!.trim())).toEqual([
    '7',
    '0 to 1',
    '0 to 1',
    '0 to 3',
    '0 to 3',
  ]);
  // Rows that share a line have the sums of their bounds, which are wider than those of one row would be.
  expect(plotText(plot, { columns: 60, rows: 4 })).toMatch(/│ +0 to 6\n/);
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});

test('words do not say where most values are when they may be elsewhere', () => {
  const buckets = new LayoutHistogram(explicitLayout([1, 4]));
  buckets.recordValues([2, 3, 3]);
  const plot = heatMapOverTime([{ startMs: 0, endMs: 1, histogram: buckets }], { rows: 2 });
  expect(describePlot(plot)).not.toContain('Most');
});

test('a bucket from 0 reaches into the row of zeros, and one without an end into a row without an end', () => {
  const buckets = new LayoutHistogram(explicitLayout([0, 8, 64]));
  buckets.recordValues([5, 100]);
  const { y, counts } = heatMapOverTime([{ startMs: 0, endMs: 1, histogram: buckets }], { rows: 3 });
  expect(y.slots).toEqual([
    { lower: 0, upper: 8 },
    { lower: 8, upper: 16 },
    { lower: 16, upper: 32 },
    { lower: 32, upper: 64 },
    { lower: 64, upper: Number.POSITIVE_INFINITY },
  ]);
  expect(counts).toEqual([[1], [0], [0], [0], [1]]);
});

test.each([2 ** 43 - 1, 2 ** 43 + 1, 2 ** 45 - 3, 2 ** 53 - 1])(
  'the shares of %i values add up to them',
  (count) => {
    const histogram = { layout: LAYOUT, counts: new Histogram({ highestTrackableValue: 2 ** 50 }).counts };
    const wide = [{ lower: 3, upper: 1000, count }];
    const { counts } = heatMapOverTime([{ startMs: 0, endMs: 1, histogram, wide }]);
    expect(sumOf(counts)).toBe(count);
  },
);

test('a bucket from the smallest double is spread like others', () => {
  const buckets = new LayoutHistogram(explicitLayout([Number.MIN_VALUE, 1, 4]));
  buckets.recordValues([0.5, 0.5, 2]);
  const { counts } = heatMapOverTime([{ startMs: 0, endMs: 1, histogram: buckets }], { rows: 3 });
  expect(sumOf(counts)).toBe(3);
});
