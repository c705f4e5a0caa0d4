import { explicitLayout, Histogram } from '@hdrscope/core';
import { integerLayout } from '@hdrscope/core/internal';
import {
  barsBetween,
  barsOf,
  barsOfHistogram,
  plotFromJson,
  plotTable,
  plotText,
  plotToJson,
} from '../../src/index.ts';

test('bars leave out empty slots at both ends, and keep empty slots between others', () => {
  const plot = barsOf(integerLayout([0, 1, 4, 8], 0), [0, 7, 0, 2, 0], {
    unit: 'ns',
    name: 'latency',
    title: 'T',
  });
  expect(plot).toEqual({
    kind: 'bars',
    title: 'T',
    name: 'latency',
    unit: 'ns',
    isInteger: true,
    slots: [
      { lower: 1, upper: 1 },
      { lower: 2, upper: 4 },
      { lower: 5, upper: 8 },
    ],
    counts: [7, 0, 2],
  });
});

test('the first and the last slot of explicit bounds are open', () => {
  const { slots, isInteger } = barsOf(explicitLayout([0.1, 0.5]), new Float64Array([1, 0, 3]));
  expect(isInteger).toBe(false);
  expect(slots).toEqual([
    { lower: Number.NEGATIVE_INFINITY, upper: 0.1 },
    { lower: 0.1, upper: 0.5 },
    { lower: 0.5, upper: Number.POSITIVE_INFINITY },
  ]);
});

test('counts of zero have no bars', () => {
  expect(barsOf(explicitLayout([1]), [0, 0])).toMatchObject({ slots: [], counts: [] });
});

test.each([
  [[1, 2], 'counts must be one for each of the 2 slots'],
  [[1, Number.NaN], 'counts[1] must be a finite number of at least 0, got NaN'],
  [[-1, 1], 'counts[0] must be a finite number of at least 0, got -1'],
])('%j is refused', (counts, message) => {
  const layout = explicitLayout(message.startsWith('counts must') ? [1, 2] : [1]);
  expect(() => barsOf(layout, counts)).toThrow(
    message.replace('the 2 slots', `the ${layout.slotCount} slots`),
  );
});

test('an edge belongs to the bar above it, and values outside of all edges have open bars', () => {
  const values = [
    [9.999, 1],
    [10, 2],
    [30, 8],
    [-5, 4],
  ] as const;
  expect(barsBetween([0, 10, 30], values, { unit: 'ms', title: 'T' })).toEqual({
    kind: 'bars',
    title: 'T',
    unit: 'ms',
    isInteger: false,
    slots: [
      { lower: Number.NEGATIVE_INFINITY, upper: 0 },
      { lower: 0, upper: 10 },
      { lower: 10, upper: 30 },
      { lower: 30, upper: Number.POSITIVE_INFINITY },
    ],
    counts: [4, 1, 2, 8],
  });
});

test('edges that do not ascend are refused', () => {
  expect(() => barsBetween([1, 1], [])).toThrow(/finite and above the bound before it, got 1/);
});

test('a histogram has at most as many bars as asked for, besides the bar of zeros, and no count is lost', () => {
  const histogram = new Histogram({ highestTrackableValue: 10_000_000 });
  for (let value = 0; value < 5000; value++) histogram.record(value * 7);
  expect(() => barsOfHistogram(histogram, { bars: 1 })).toThrow(
    'bars must be an integer from 2 to 1000, got 1',
  );
  const { slots, counts } = barsOfHistogram(histogram, { bars: 16 });
  expect(slots.length).toBeLessThanOrEqual(17);
  expect(slots.length).toBeGreaterThan(8);
  expect(counts.reduce((a, b) => a + b)).toBe(5000);
  expect(counts[0]).toBe(1);
});

test('counts that came from wider slots are spread over bars, whose bounds are shown', () => {
  const [wide, fine] = [0, 3].map(
    (significantDigits) => new Histogram({ highestTrackableValue: 1000, significantDigits }),
  ) as [Histogram, Histogram];
  wide.record(3, 6);
  fine.add(wide);
  fine.record(900, 2);
  const plot = barsOfHistogram(fine, { bars: 40, title: 'T' });
  expect(plot).toMatchObject({ subtitle: 'values of wide buckets are spread over them' });
  expect(plot.counts.reduce((a, b) => a + b)).toBe(8);
  expect(
    plot.upper!.every((count, i) => plot.counts[i]! <= count && plot.lower![i]! <= plot.counts[i]!),
  ).toBe(true);
  const table = plotTable(plot).rows.map(([, count]) => count);
  expect(table.at(0)).toBe('0 to 6');
  expect(plotText(plot, { columns: 60 })).toContain(' 0 to 6 │');
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});
