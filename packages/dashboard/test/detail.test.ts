import {
  type BarPlot,
  chartOption,
  type HeatMapPlot,
  type PercentilePlot,
  type Plot,
  type TimePlot,
} from '@hdrscope/plot';
import { createRegistry } from '@hdrscope/registry';
import { bucketsOf, detailOf } from '../src/detail.ts';
import { History } from '../src/history.ts';
import { LiveTable } from '../src/live-table.ts';

const START_MS = 1_000_000;
let nowMs = START_MS;

/** The detail of a series after some seconds, in each of which it has counted a value. */
async function detailAfter(seconds: number, valueAt: (second: number) => number, boundaries?: number[]) {
  nowMs = START_MS;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const options = { name: 'a', unit: 's', significantDigits: 3, ...(boundaries && { boundaries }) };
  const series = registry.histogram(options).with({});
  const table = new LiveTable();
  const history = new History(300_000, 1000);
  for (let second = 0; second < seconds; second++, nowMs += 1000) {
    series.record(valueAt(second));
    table.update(await registry.gather());
    history.add(table);
  }
  return { detail: detailOf(table.series[0]!, history, table.snapshot.timeMs) };
}

function plotOf<Kind extends Plot['kind']>(
  plots: readonly Plot[],
  kind: Kind,
): Extract<Plot, { kind: Kind }> {
  return plots.find((plot) => plot.kind === kind) as Extract<Plot, { kind: Kind }>;
}

test('the curve of the last minute has the values of that minute, and is left out without earlier values', async () => {
  const { detail } = await detailAfter(200, (second) => (second < 120 ? 1 : 2));
  const { curves } = plotOf(detail.plots, 'percentiles') satisfies PercentilePlot;

  const [all, recent] = curves;
  expect(curves.map(({ name }) => name)).toEqual(['since the start', 'last minute']);
  expect(all!.totalCount).toBe(200);
  // Counts are kept every five seconds.
  expect(recent!.totalCount).toBeGreaterThanOrEqual(60);
  expect(recent!.totalCount).toBeLessThan(65);
  expect(recent!.points.every(({ value }) => Math.abs(value - 2) < 0.01)).toBe(true);

  const young = await detailAfter(30, () => 1);
  expect(plotOf(young.detail.plots, 'percentiles').curves).toHaveLength(1);
});

test('buckets of integers begin with the integer after a boundary, other buckets at the boundary', async () => {
  const registry = createRegistry();
  const boundaries = [1, 3, 7];
  for (const options of [
    { name: 'bytes', unit: 'By' },
    { name: 'seconds', unit: 's' },
  ]) {
    const series = registry.histogram({ ...options, boundaries }).with({});
    for (const value of [2, 3, 4, 100]) series.record(value);
  }
  const { families } = await registry.gather();
  const bars = families.map((family) => bucketsOf(family, family.series[0]!, 'T') as BarPlot);
  expect(bars.map(({ counts }) => counts)).toEqual([
    [2, 1, 1],
    [2, 1, 1],
  ]);
  expect(bars.map(({ slots }) => slots.map(({ lower, upper }) => [lower, upper]))).toEqual([
    [
      [2, 3],
      [4, 7],
      [8, Number.POSITIVE_INFINITY],
    ],
    [
      [1, 3],
      [3, 7],
      [7, Number.POSITIVE_INFINITY],
    ],
  ]);
});

test('a heat map has every value in its row and its column', async () => {
  const { detail } = await detailAfter(101, (second) => (second < 50 ? 0.001 : 0.1));
  const { x, y, counts } = plotOf(detail.plots, 'heat-map') satisfies HeatMapPlot;

  const total = counts.flat().reduce((sum, count) => sum + count, 0);
  // Counts from before the first checkpoint have no column.
  expect(total).toBe(100);
  counts.forEach((row, j) => {
    row.forEach((count, i) => {
      if (count === 0) return;
      const { lower, upper } = x.slots[i]!;
      // Both are in the column where it changes.
      if (lower < START_MS + 50_000 && upper >= START_MS + 50_000) return;
      const value = upper < START_MS + 50_000 ? 0.001 : 0.1;
      expect(y.slots[j]!.lower).toBeLessThanOrEqual(value * 1.001);
      expect(y.slots[j]!.upper).toBeGreaterThanOrEqual(value * 0.999);
    });
  });
});

test('percentiles over time have a value for each second, and the axis fits a long tail', async () => {
  const { detail } = await detailAfter(20, (second) => (second === 10 ? 5 : 0.01));
  const plot = plotOf(detail.plots, 'over-time') satisfies TimePlot;
  const { timesMs, lines } = plot;

  expect(timesMs).toEqual(Array.from({ length: 20 }, (_, second) => START_MS + second * 1000));
  expect(lines.map(({ name }) => name)).toEqual(['p50', 'p90', 'p99', 'p99.9', 'max']);
  const max = lines.at(-1)!.values.map((value) => value && Number(value.toPrecision(2)));
  expect(max).toEqual([null, ...Array(9).fill(0.01), 5, ...Array(9).fill(0.01)]);
  expect(chartOption(plot).yAxis).toMatchObject({ type: 'log' });
  const even = plotOf((await detailAfter(5, () => 1)).detail.plots, 'over-time');
  expect(chartOption(even).yAxis).toMatchObject({ type: 'value' });
});

test('a family with boundaries has a bar for each of its slots', async () => {
  const { detail } = await detailAfter(8, (second) => second + 0.5, [1, 2, 4, 8]);
  const { slots, counts } = plotOf(detail.plots, 'bars') satisfies BarPlot;

  expect(slots.map(({ upper }) => upper)).toEqual([1, 2, 4, 8]);
  expect(counts).toEqual([1, 1, 2, 4]);
});

test('facts have the exact extremes and the numbers of rejected values', async () => {
  const registry = createRegistry();
  const other = registry.histogram({ name: 'a', unit: 's' }).with({});
  for (const value of [0.0012345, 3, -1, Number.NaN, Number.NaN]) other.record(value);
  const table = new LiveTable();
  table.update(await registry.gather());

  const { facts } = detailOf(table.series[0]!, new History(10_000, 1000), 0);

  expect(Object.fromEntries(facts.map(({ name, text }) => [name, text]))).toMatchObject({
    'smallest recorded': '1.23 ms',
    'largest recorded': '3 s',
    mean: '1.5 s',
    precision: '2 digits',
    resolution: '1 ns',
    rejected: '2 not a number, 1 negative',
  });
});
