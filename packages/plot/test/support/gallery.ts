import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { createRandom } from '@hdrscope/testing/random';
import {
  barsOfHistogram,
  comparisonPlot,
  createHeatMap,
  createOverTime,
  curveOf,
  curveOfSlots,
  type Plot,
  percentileCurve,
} from '../../src/index.ts';

/*
 * Every kind of plot of data that is awkward to draw. `npm run gallery` shows them, and a test measures their texts.
 */

/** A plot of the gallery. */
export interface GalleryEntry {
  /** The data, such as `zeros`. */
  readonly data: string;
  readonly plot: Plot;
}

function histogramOf(values: Iterable<number>): Histogram {
  const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
  for (const value of values) histogram.record(value);
  return histogram;
}

/** Latencies in ns: a bulk, and now and then a stall. */
function latencies(seed: number, count: number, factor = 1): Histogram {
  const random = createRandom(seed);
  return histogramOf(
    Array.from({ length: count }, () => {
      const bulk = Math.exp(13 + 0.5 * (random() + random() + random() - 1.5) * 2);
      return Math.round(factor * (random() < 0.004 ? bulk * (20 + 60 * random()) : bulk));
    }),
  );
}

const NAMES = Array.from({ length: 20 }, (_, i) =>
  i % 3 === 0
    ? `http.server.request.duration{method=GET, route=/api/v2/customers/{id}/orders/${i}, status=200}`
    : i % 3 === 1
      ? `kubernetes-production-eu-west-1/checkout-service-${i}`
      : `route ${i}`,
);

const NOON = Date.UTC(2026, 0, 31, 12);
const uniform = histogramOf(Array.from({ length: 100_000 }, (_, i) => i + 1));
const oneValue = histogramOf([42_000_000]);
const zeros = histogramOf(new Array<number>(1000).fill(0));
const withZeros = histogramOf(Array.from({ length: 2000 }, (_, i) => (i % 3 === 0 ? 0 : 1000 * i)));
const nsToHour = histogramOf(Array.from({ length: 5000 }, (_, i) => Math.round(10 ** ((i / 5000) * 12.556))));

type Of = (data: string, histogram: Histogram, factor?: number) => Plot;

const SETS: readonly (readonly [data: string, histogram: Histogram])[] = [
  ['one value', oneValue],
  ['zeros', zeros],
  ['a third zeros', withZeros],
  ['1 ns to 1 h', nsToHour],
  ['100,000 uniform values', uniform],
  ['latencies', latencies(1, 50_000)],
];

const KINDS: readonly Of[] = [
  (data, histogram) => ({ kind: 'percentiles', unit: 'ns', curves: [curveOf(data, histogram)] }),
  (data, histogram) => ({
    kind: 'percentiles',
    title: `Intervals and objectives: ${data}`,
    unit: 'ns',
    curves: [percentileCurve(data, histogram, { confidence: 0.95 })],
    slos: [
      { value: histogram.valueAtPercentile(90), percentile: 90 },
      { value: histogram.valueAtPercentile(99), percentile: 99 },
      {
        value: histogram.max,
        name: 'what the contract with the customer says about the slowest of all requests',
      },
    ],
  }),
  (data, histogram) => barsOfHistogram(histogram, { unit: 'ns', name: 'latency', title: `Bars: ${data}` }),
  (data, histogram) => {
    const map = createHeatMap({ unit: 'ns', name: 'latency', title: `Heat map: ${data}` });
    for (let i = 0; i < 40; i++) {
      map.add({
        startMs: NOON + i * 1000,
        endMs: NOON + i * 1000 + 1000,
        histogram: i % 2 === 0 ? histogram : oneValue,
      });
    }
    return map.plot();
  },
  (data, histogram) => {
    const over = createOverTime({ unit: 'ns', title: `Over time: ${data}` });
    for (let i = 0; i < 40; i++) {
      over.add({ startMs: NOON + i * 1000, endMs: NOON + i * 1000 + 1000, histogram });
    }
    return over.plot();
  },
  (data, histogram) => {
    const other = histogram.copy();
    other.add(latencies(2, 20_000, 1.2));
    return comparisonPlot(
      { name: 'v1', histogram },
      { name: `v2 ${data}`, histogram: other },
      { unit: 'ns' },
    );
  },
];

function withGaps(): Plot[] {
  const over = createOverTime({
    unit: 'ns',
    slos: [{ value: 30e6 }, { value: 31e6, name: 'promised' }],
  });
  const map = createHeatMap({ unit: 'ns', name: 'latency' });
  for (let i = 0; i < 300; i++) {
    if ((i > 40 && i < 90) || (i > 200 && i < 210 && i !== 205)) continue;
    const interval = {
      startMs: NOON + i * 60_000,
      endMs: NOON + (i + 1) * 60_000,
      histogram: latencies(i, 300),
    };
    over.add(interval);
    map.add(interval);
  }
  return [over.plot(), map.plot()];
}

function manyIntervals(): Plot[] {
  const over = createOverTime({ unit: 'us', valueScale: 1000 });
  const map = createHeatMap({ unit: 'ns', name: 'latency' });
  const kinds = Array.from({ length: 7 }, (_, i) => latencies(i, 12, 1 + i / 3));
  for (let i = 0; i < 5000; i++) {
    const histogram = kinds[i % 7]!;
    const [startMs, endMs] = [NOON + i * 20_000, NOON + (i + 1) * 20_000];
    over.add({ startMs, endMs, histogram });
    map.add({ startMs, endMs, histogram });
  }
  return [over.plot(), map.plot()];
}

function longNames(): Plot[] {
  const curves = NAMES.map((name, i) => curveOf(name, latencies(i, 2000, 1 + i / 10)));
  const timesMs = Array.from({ length: 30 }, (_, i) => NOON + i * 10_000);
  return [
    {
      kind: 'percentiles',
      unit: 'ns',
      title: 'Twenty routes',
      curves,
      slos: [{ value: 5e6, percentile: 99 }],
    },
    {
      kind: 'percentiles',
      unit: 'ns',
      title: NAMES.join(' and '),
      subtitle: NAMES.join('; '),
      curves: curves.slice(0, 3),
    },
    {
      kind: 'over-time',
      unit: 'ms',
      title: 'Twenty lines',
      timesMs,
      lines: NAMES.map((name, i) => ({ name, values: timesMs.map((_, at) => 10 + i + (at % 5)) })),
    },
    {
      kind: 'heat-map',
      title: 'Long names of axes',
      x: { name: NAMES[0]!, unit: 'bytes', slots: powersOfTwo(9, 32) },
      y: { name: NAMES[3]!, unit: 'us', slots: powersOfTwo(0, 32) },
      counts: Array.from({ length: 32 }, (_, y) =>
        Array.from({ length: 32 }, (_, x) => Math.max(0, 1200 - (x - y) ** 2 * 40)),
      ),
      countName: 'operations of the cluster',
    },
    {
      kind: 'bars',
      title: 'Objectives side by side',
      name: NAMES[0]!,
      unit: 'ms',
      slots: powersOfTwo(0, 12).map(({ lower, upper }) => ({ lower, upper: upper - 1 })),
      isInteger: true,
      counts: [1, 5, 90, 1200, 40_000, 123_456, 8000, 400, 12, 3, 0, 1],
      slos: [
        { value: 50 },
        { value: 55 },
        { value: 60, name: 'what was promised to everybody' },
        { value: 2000 },
      ],
    },
  ];
}

function powersOfTwo(first: number, count: number): { lower: number; upper: number }[] {
  return Array.from({ length: count }, (_, i) => ({ lower: 2 ** (first + i), upper: 2 ** (first + i + 1) }));
}

function others(): GalleryEntry[] {
  const doubles = new DoubleHistogram({ significantDigits: 3 });
  const random = createRandom(7);
  for (let i = 0; i < 20_000; i++) doubles.record(0.001 + random() ** 4);
  const slots = powersOfTwo(0, 24).map(({ lower, upper }) => ({ lower, upper: upper - 1 }));
  const counts = slots.map(
    (_, i) => Math.round(100_000 * Math.exp(-((i - 7) ** 2) / 6)) + (i === 20 ? 3 : 0),
  );
  const depths = [0, 1, 2, 3, 4, 5].map((depth) => ({ lower: depth, upper: depth }));
  return [
    {
      data: 'doubles',
      plot: { kind: 'percentiles', unit: 's', curves: [curveOf('doubles of seconds', doubles)] },
    },
    {
      data: 'kernel map',
      plot: { kind: 'percentiles', unit: 'us', curves: [curveOfSlots('run queue latency', slots, counts)] },
    },
    {
      data: 'kernel map',
      plot: {
        kind: 'bars',
        title: 'Run queue latency',
        unit: 'us',
        name: 'latency',
        slots,
        isInteger: true,
        counts,
      },
    },
    {
      data: 'small integers',
      plot: {
        kind: 'bars',
        name: 'tasks',
        unit: 'none',
        slots: depths,
        isInteger: true,
        counts: [5, 12_345, 70, 1, 0, 2],
      },
    },
    {
      data: 'large numbers',
      plot: {
        kind: 'over-time',
        unit: 'none',
        title: 'Numbers without a unit',
        timesMs: [NOON, NOON + 86_400_000, NOON + 2 * 86_400_000],
        lines: [{ name: 'p99', values: [125_000_000_000, 90_000_000_000, 110_000_000_000] }],
      },
    },
    {
      data: 'sizes',
      plot: {
        kind: 'percentiles',
        unit: 'bytes',
        curves: [curveOf('bodies', histogramOf(Array.from({ length: 3000 }, (_, i) => 10_000 + 13 * i)))],
      },
    },
    {
      data: 'a minute',
      plot: {
        kind: 'percentiles',
        unit: 's',
        curves: [curveOf('jobs', histogramOf(Array.from({ length: 300 }, (_, i) => 20 + i)))],
      },
    },
    {
      data: 'values of two scales',
      plot: comparisonPlot(
        { name: 'before', histogram: latencies(3, 30_000) },
        { name: 'after', histogram: latencies(4, 30_000, 0.93) },
        { unit: 'ns', percentiles: [50, 90, 99, 99.9] },
      ),
    },
  ];
}

/** All plots of the gallery. */
export function gallery(): GalleryEntry[] {
  return [
    ...SETS.flatMap(([data, histogram]) => KINDS.map((plotOf) => ({ data, plot: plotOf(data, histogram) }))),
    ...withGaps().map((plot) => ({ data: 'gaps', plot })),
    ...manyIntervals().map((plot) => ({ data: '5,000 intervals', plot })),
    ...longNames().map((plot) => ({ data: '20 long names', plot })),
    ...others(),
  ];
}

/** The widths of pictures: a page on a large screen, on a small one, and on a telephone. */
export const WIDTHS = [1440, 1024, 390] as const;
