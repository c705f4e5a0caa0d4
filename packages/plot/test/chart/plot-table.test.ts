import { plotTable } from '../../src/index.ts';
import { bars, comparison, curve, heatMap, overTime, percentiles } from '../support/plots.ts';

test('curves have a row for each usual percentile, with bounds where they are known, and their counts at the end', () => {
  const { columns, rows } = plotTable({
    ...percentiles,
    curves: [curve, { ...curve, name: 'empty', points: [] }],
  });
  expect(columns).toEqual(['percentile', 'GET /', 'empty']);
  expect(rows.filter(([title]) => ['99 %', '99.9 %', '99.99 %', 'max', 'values'].includes(title!))).toEqual([
    ['99 %', '20 ms (18 ms to 25 ms)', '-'],
    ['99.9 %', '90 ms', '-'],
    ['99.99 %', '250 ms', '-'],
    ['max', '250 ms', '-'],
    ['values', '10,000', '10,000'],
  ]);
});

test('a comparison has a row for each change', () => {
  const { columns, rows } = plotTable(comparison);
  expect(columns).toEqual(['percentile', 'v1', 'v2', 'difference']);
  expect(rows).toEqual([
    ['50 %', '1 ms', '1.2 ms', '+200 µs (150 µs to 250 µs)'],
    ['99 %', '20 ms', '19 ms', '-1 ms (-4 ms to 2 ms)'],
    ['max', '250 ms', '260 ms', '+10 ms'],
  ]);
});

test('moments come newest first, in UTC, and a moment without values has a dash', () => {
  const { columns, rows } = plotTable(overTime);
  expect(columns).toEqual(['time (UTC)', 'p99']);
  expect(rows.slice(0, 2)).toEqual([
    ['2026-01-31 12:00:05', '20 ms'],
    ['2026-01-31 12:00:04', '-'],
  ]);
  expect(rows).toHaveLength(6);
});

test('of more moments than rows, the newest are shown', () => {
  const timesMs = Array.from({ length: 1200 }, (_, i) => i * 1000);
  const { rows, leftOut } = plotTable({ ...overTime, timesMs, lines: [{ name: 'p99', values: timesMs }] });
  expect([rows.length, leftOut]).toEqual([1000, 200]);
  expect(rows[0]![0]).toBe('1970-01-01 00:19:59');
});

test('a heat map has the cells that were hit, the largest count first', () => {
  const { columns, rows, leftOut } = plotTable(heatMap);
  expect(columns).toEqual(['size', 'latency', 'operations']);
  expect(rows).toEqual([
    ['512 B – 1 KiB', '100 µs – 200 µs', '1,000'],
    ['512 B – 1 KiB', '0 ns – 100 µs', '10'],
    ['1 KiB – 2 KiB', '100 µs – 200 µs', '3'],
    ['from 2 KiB', '100 µs – 200 µs', '2'],
    ['0 B – 512 B', '0 ns – 100 µs', '1'],
  ]);
  expect(leftOut).toBe(0);
});

test('a time axis names its time zone', () => {
  const slots = heatMap.x.slots.map((_, i) => ({ lower: i * 1000, upper: (i + 1) * 1000 }));
  const { columns, rows } = plotTable({ ...heatMap, x: { name: 'time', unit: 'time', slots } });
  expect(columns[0]).toBe('time (UTC)');
  expect(rows[0]![0]).toBe('00:00:01 – 00:00:02');
});

test('bars have a row for each slot, also where it is empty', () => {
  const { columns, rows } = plotTable({ ...bars, counts: [0, 12_345, 70, 1] });
  expect(columns).toEqual(['tasks', 'count']);
  expect(rows).toEqual([
    ['0', '0'],
    ['1', '12,345'],
    ['2–4', '70'],
    ['65+', '1'],
  ]);
});
