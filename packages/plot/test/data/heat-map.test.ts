import { Histogram, hdrLayout } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import type { TimedCounts } from '../../src/data/heat-map.ts';
import { createHeatMap, heatMapOverTime } from '../../src/index.ts';

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
