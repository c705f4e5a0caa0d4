import { Histogram } from '@hdrscope/core';
import { captioned, curveOf, type Plot } from '../src/index.ts';
import { bars, comparison, curve, heatMap, overTime } from './support/plots.ts';

const NOON = Date.UTC(2026, 0, 31, 12);

function captionOf(plot: Plot): (string | undefined)[] {
  const { title, subtitle } = captioned(plot);
  return [title, subtitle];
}

test('a single curve has its name as title, its count and its period', () => {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  for (let value = 1; value <= 1000; value++) histogram.record(value, 2);
  const period = { startMs: NOON, endMs: NOON + 90_000 };
  const curves = [curveOf('GET /', histogram, { period })];
  expect(captionOf({ kind: 'percentiles', unit: 'ms', curves })).toEqual([
    'GET /',
    '2,000 values · 2026-01-31 12:00:00 – 12:01:30 UTC',
  ]);
});

test('one value is one value', () => {
  expect(captionOf({ kind: 'percentiles', unit: 'ms', curves: [{ ...curve, totalCount: 1 }] })[1]).toBe(
    '1 value',
  );
});

test('several curves have their number and all of their values, and no period where one is unknown', () => {
  const known = { ...curve, period: { startMs: NOON, endMs: NOON + 1000 } };
  expect(captionOf({ kind: 'percentiles', unit: 'ms', curves: [known, curve] })).toEqual([
    'Values by percentile',
    '2 curves, 20,000 values',
  ]);
});

test('a title and a subtitle stay', () => {
  expect(captionOf({ ...bars, title: 'Mine', subtitle: 'Monday' })).toEqual([
    'Mine',
    'Monday · 12,421 values',
  ]);
});

test.each([
  [
    'percentiles',
    { kind: 'percentiles', unit: 'ms', curves: [{ ...curve, period: { startMs: NOON, endMs: NOON } }] },
  ],
  ['comparison', comparison],
  ['over-time', overTime],
  ['heat-map', { ...heatMap, countName: 'reads · writes' }],
  ['bars', { ...bars, subtitle: 'Monday' }],
] satisfies [string, Plot][])('a second caption changes nothing: %s', (_, plot) => {
  const once = captioned<Plot>(plot);
  expect(captioned(once)).toEqual(once);
});

test('a log without a start time has its length', () => {
  const { title: _, ...untitled } = { ...overTime, timesMs: [0, 1000], totalCount: 7, endMs: 90_000 };
  expect(captionOf(untitled)).toEqual(['Percentiles over time', '7 values · 90 s long']);
});

test('other kinds state what they show', () => {
  const untitled = ({ title: _, ...plot }: Plot): Plot => plot as Plot;
  expect(captionOf(untitled(comparison))).toEqual([
    'v2 compared with v1',
    '10,000 values before, 10,000 after',
  ]);
  expect(captionOf(untitled(heatMap))).toEqual(['Latency by size', '1,016 operations']);
  expect(captionOf(untitled(bars))).toEqual(['Counts by tasks', '12,421 values']);
});
