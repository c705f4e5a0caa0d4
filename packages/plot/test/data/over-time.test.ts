import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { createOverTime, overTimePlot } from '../../src/index.ts';

function counted(values: readonly number[]): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  for (const value of values) histogram.record(value);
  return histogram;
}

const second = (at: number, histogram: Histogram) => ({
  startMs: at * 1000,
  endMs: (at + 1) * 1000,
  histogram,
});

test('percentiles over time have a line for each percentile, with a value for each interval', () => {
  const plot = overTimePlot([second(0, counted([10, 20, 30])), second(1, counted([40]))], {
    unit: 'ms',
    percentiles: [50, 99.9, 100],
    valueScale: 10,
    slos: [{ value: 5 }],
  });
  expect(plot).toEqual({
    kind: 'over-time',
    unit: 'ms',
    timesMs: [0, 1000],
    lines: [
      { name: 'p50', values: [2, 4] },
      { name: 'p99.9', values: [3, 4] },
      { name: 'max', values: [3, 4] },
    ],
    slos: [{ value: 5 }],
  });
});

test('a value is null when nothing was counted', () => {
  const plot = overTimePlot([second(0, counted([10])), second(1, counted([])), second(9, counted([20]))], {
    percentiles: [50],
  });
  expect(plot.timesMs).toEqual([0, 1000, 2000, 9000]);
  expect(plot.lines[0]!.values).toEqual([10, null, null, 20]);
});

test('neighbours are added up when there are more intervals than moments, and percentiles are of all their values', () => {
  const overTime = createOverTime<Histogram>({ percentiles: [50, 100], columns: 4 });
  for (let at = 0; at < 8; at++) overTime.add(second(at, counted(at % 2 === 0 ? [1, 1, 1] : [100])));
  const [median, max] = overTime.plot().lines;
  expect(median!.values).toEqual([1, 1, 1, 1]);
  expect(max!.values).toEqual([100, 100, 100, 100]);
});

test('a histogram that changes after it was added changes nothing', () => {
  const overTime = createOverTime<Histogram>({ percentiles: [100] });
  const histogram = counted([5]);
  overTime.add(second(0, histogram));
  histogram.record(999);
  expect(overTime.plot().lines[0]!.values).toEqual([5]);
});

test('histograms of doubles have percentiles over time too', () => {
  const histogram = new DoubleHistogram();
  histogram.record(0.5);
  const [line] = overTimePlot([{ startMs: 0, endMs: 1, histogram }], { percentiles: [100] }).lines;
  expect(line!.values[0]).toBeCloseTo(0.5, 2);
});
