import type {
  BarPlot,
  ComparisonPlot,
  Curve,
  HeatMapPlot,
  PercentilePlot,
  Plot,
  TimePlot,
} from '../../src/plot.ts';

/** A curve in µs, with bounds up to its 99th percentile. */
export const curve: Curve = {
  name: 'GET /',
  totalCount: 10_000,
  confidence: 0.95,
  points: [
    { percentile: 0, value: 100, lower: 90, upper: 120 },
    { percentile: 50, value: 1000, lower: 950, upper: 1050 },
    { percentile: 90, value: 4000, lower: 3900, upper: 4200 },
    { percentile: 99, value: 20_000, lower: 18_000, upper: 25_000 },
    { percentile: 99.9, value: 90_000 },
    { percentile: 100, value: 250_000 },
  ],
};

export const percentiles: PercentilePlot = {
  kind: 'percentiles',
  title: 'Latency of the shop',
  subtitle: 'Monday',
  unit: 'us',
  curves: [curve, { ...curve, name: '<b>POST</b> & "more"', totalCount: 100 }],
  slos: [{ value: 30_000, percentile: 99 }],
};

export const comparison: ComparisonPlot = {
  kind: 'comparison',
  title: 'v1 and v2',
  unit: 'us',
  before: { ...curve, name: 'v1' },
  after: { ...curve, name: 'v2' },
  confidence: 0.99,
  changes: [
    { percentile: 50, before: 1000, after: 1200, lower: 150, upper: 250 },
    { percentile: 99, before: 20_000, after: 19_000, lower: -4000, upper: 2000 },
    { percentile: 100, before: 250_000, after: 260_000 },
  ],
};

const NOON = Date.UTC(2026, 0, 31, 12);

export const overTime: TimePlot = {
  kind: 'over-time',
  title: 'Hour by hour',
  unit: 'ms',
  timesMs: [0, 1, 2, 3, 4, 5].map((i) => NOON + i * 1000),
  lines: [{ name: 'p99', values: [10, 12, null, 14, null, 20] }],
  slos: [{ name: 'promised', value: 25 }],
};

export const heatMap: HeatMapPlot = {
  kind: 'heat-map',
  title: 'Writes',
  x: {
    name: 'size',
    unit: 'bytes',
    slots: [
      { lower: 0, upper: 512 },
      { lower: 512, upper: 1024 },
      { lower: 1024, upper: 2048 },
      { lower: 2048, upper: Number.POSITIVE_INFINITY },
    ],
  },
  y: {
    name: 'latency',
    unit: 'ns',
    slots: [
      { lower: Number.NEGATIVE_INFINITY, upper: 0 },
      { lower: 0, upper: 100_000 },
      { lower: 100_000, upper: 200_000 },
    ],
  },
  counts: [
    [0, 0, 0, 0],
    [1, 10, 0, 0],
    [0, 1000, 3, 2],
  ],
  countName: 'operations',
};

export const bars: BarPlot = {
  kind: 'bars',
  title: 'Run queue',
  name: 'tasks',
  unit: 'none',
  isInteger: true,
  slots: [
    { lower: 0, upper: 0 },
    { lower: 1, upper: 1 },
    { lower: 2, upper: 4 },
    { lower: 65, upper: Number.POSITIVE_INFINITY },
  ],
  counts: [5, 12_345, 70, 1],
  slos: [{ value: 3 }],
};

export const allPlots: readonly Plot[] = [percentiles, comparison, overTime, heatMap, bars];
