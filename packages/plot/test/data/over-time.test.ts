import {
  countedIn,
  DoubleHistogram,
  explicitLayout,
  Histogram,
  hdrLayout,
  LayoutHistogram,
} from '@hdrscope/core';
import fc from 'fast-check';
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
    endMs: 2000,
    totalCount: 4,
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
  const overTime = createOverTime({ percentiles: [50, 100], columns: 4 });
  for (let at = 0; at < 8; at++) overTime.add(second(at, counted(at % 2 === 0 ? [1, 1, 1] : [100])));
  const [median, max] = overTime.plot().lines;
  expect(median!.values).toEqual([1, 1, 1, 1]);
  expect(max!.values).toEqual([100, 100, 100, 100]);
});

test('a histogram that changes after it was added changes nothing', () => {
  const overTime = createOverTime({ percentiles: [100] });
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

describe('histograms that take many bytes', () => {
  /** A histogram of as many slots as there are values. */
  function wide(from: number, slots: number): Histogram {
    const histogram = new Histogram({ highestTrackableValue: 2 ** 40, significantDigits: 5 });
    for (let i = 0; i < slots; i++) histogram.record(from + i);
    return histogram;
  }

  test('have fewer moments, which the subtitle says, and lose no value', () => {
    const maxBytes = 2 ** 18;
    const overTime = createOverTime({ percentiles: [0, 100], maxBytes, subtitle: 'a log' });
    // 25 KB each.
    for (let at = 0; at < 100; at++) overTime.add(second(at, wide(at + 1, 25_000)));
    const { timesMs, lines, subtitle } = overTime.plot();
    expect(timesMs.length).toBeGreaterThanOrEqual(2);
    expect(timesMs.length).toBeLessThan(10);
    expect(subtitle).toBe(
      `a log, only ${timesMs.length} moments, because the histograms take more than 256 KiB`,
    );
    const [lowest, highest] = lines.map(({ values }) => values);
    expect([lowest![0], highest!.at(-1)]).toEqual([1, 25_099]);
  });

  test('have two moments at least', () => {
    const overTime = createOverTime({ percentiles: [100], maxBytes: 1 });
    for (let at = 0; at < 5; at++) overTime.add(second(at, wide(1, 1000)));
    expect(overTime.plot().timesMs).toEqual([0, 4000]);
  });

  test('take at most 64 MiB by default', () => {
    const layout = hdrLayout({ highestTrackableValue: 2 ** 40, significantDigits: 5 });
    // 2 MiB each.
    const histogram = countedIn(layout, new Float64Array(2 ** 18).fill(2 ** 32), { from: 0 });
    const overTime = createOverTime();
    for (let at = 0; at < 40; at++) overTime.add({ startMs: at, endMs: at + 1, histogram });
    const { timesMs, subtitle } = overTime.plot();
    expect(timesMs.length).toBeLessThanOrEqual(32);
    expect(subtitle).toContain('because the histograms take more than 64 MiB');
  });

  test('of 3 digits up to an hour have all moments by default', () => {
    const full = new Histogram({ highestTrackableValue: 3.6e12, storage: 'sparse' });
    for (let value = 1; value <= 3.6e12; value = full.nextNonEquivalentValue(value)) full.record(value, 1000);
    expect(240 * full.byteLength).toBeLessThan(64 * 2 ** 20);
  });
});

test.each([
  ['the coarser first', [1, 4]],
  ['the finer first', [4, 1]],
])('a moment of different digits keeps what each of them knows, %s', (_, order) => {
  const overTime = createOverTime({ unit: 'ns', percentiles: [50, 100] });
  for (const significantDigits of order) {
    const histogram = new Histogram({ highestTrackableValue: 1_000_000, significantDigits });
    histogram.record(significantDigits === 1 ? 123_456 : 1000, 10);
    overTime.add({ startMs: 0, endMs: 1000, histogram });
  }
  expect(overTime.plot().lines).toEqual([
    { name: 'p50', values: [1000] },
    { name: 'max', values: [126_975], lower: [122_880] },
  ]);
});

/** Values, and the layout that counts them: of digits, or of buckets. */
const timedParts = fc.array(
  fc.record({
    at: fc.nat(5),
    layout: fc.oneof(
      fc
        .integer({ min: 0, max: 4 })
        .map((significantDigits) => hdrLayout({ highestTrackableValue: 100_000, significantDigits })),
      fc
        .uniqueArray(fc.integer({ min: 1, max: 99_999 }), { minLength: 1, maxLength: 4 })
        .map((edges) => explicitLayout([0, ...edges.sort((a, b) => a - b), 100_000])),
    ),
    values: fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 }),
  }),
  { minLength: 1, maxLength: 8 },
);

test('each percentile lies between its lower bound and its value, and no order changes them', () => {
  fc.assert(
    fc.property(timedParts, fc.integer({ min: 2, max: 6 }), (parts, columns) => {
      const percentiles = [50, 90, 100];
      const intervals = parts.map(({ at, layout, values }) => {
        const histogram = new LayoutHistogram(layout);
        histogram.recordValues(values);
        return { startMs: at * 1000, endMs: (at + 1) * 1000, histogram };
      });
      const digits = parts.flatMap(({ layout }) =>
        'significantDigits' in layout ? layout.significantDigits : [],
      );
      const precision = digits.length === 0 ? 0 : 10 ** -Math.max(...digits);
      const plot = overTimePlot(intervals, { percentiles, columns });
      for (const [moment, fromMs] of plot.timesMs.entries()) {
        const toMs = plot.timesMs[moment + 1] ?? Number.POSITIVE_INFINITY;
        const values = parts
          .flatMap(({ at, values }) => (at * 1000 >= fromMs && at * 1000 < toMs ? values : []))
          .sort((a, b) => a - b);
        for (const [i, percentile] of percentiles.entries()) {
          const { values: shown, lower } = plot.lines[i]!;
          const upper = shown[moment] ?? null;
          expect(upper === null).toBe(values.length === 0);
          if (upper === null) continue;
          const truth = values[Math.ceil((percentile * values.length) / 100) - 1]!;
          expect(upper).toBeGreaterThanOrEqual(truth);
          expect(lower?.[moment] ?? upper / (1 + precision)).toBeLessThanOrEqual(truth);
        }
      }
      if (columns === 6)
        expect(overTimePlot([...intervals].reverse(), { percentiles, columns })).toEqual(plot);
    }),
  );
});

test('moments of doubles of different digits have bounds too', () => {
  const overTime = createOverTime({ percentiles: [50] });
  for (const [startMs, significantDigits] of [
    [0, 1],
    [1000, 4],
    [1000, 1],
    [2000, 4],
  ] as const) {
    const histogram = new DoubleHistogram({ significantDigits });
    histogram.record(0.123456);
    overTime.add({ startMs, endMs: startMs + 1000, histogram });
  }
  const { values, lower } = overTime.plot().lines[0]!;
  expect(lower!.map((least, i) => least === null || (least <= 0.123456 && values[i]! >= 0.123456))).toEqual([
    true,
    true,
    true,
  ]);
  expect(lower!.map((least) => least === null)).toEqual([false, false, true]);
});
