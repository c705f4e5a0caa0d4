import { stripVTControlCharacters } from 'node:util';
import { Histogram } from '@hdrscope/core';
import {
  barsOfHistogram,
  comparisonPlot,
  heatMapOverTime,
  overTimePlot,
  type PercentilePlot,
  type Plot,
  percentileCurve,
  plotText,
  type TerminalOptions,
} from '../../src/index.ts';

/** Ten thousand values with a tail, in ns. */
function latencies(factor = 1): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  for (let rank = 1; rank <= 10_000; rank++) {
    histogram.record(Math.min(2e9, (factor * 1e6) / (1 - rank / 10_001) ** 0.6));
  }
  return histogram;
}

const [before, after] = [latencies(), latencies(1.5)];
const TIMED = Array.from({ length: 30 }, (_, second) => ({
  startMs: 1_500_000_000_000 + second * 1000,
  endMs: 1_500_000_001_000 + second * 1000,
  histogram: second % 2 === 0 ? before : after,
}));

const CURVES: PercentilePlot = {
  kind: 'percentiles',
  title:
    'Latency of a service whose name is so long that it does not fit into a line of any terminal there is',
  unit: 'ns',
  curves: [percentileCurve('get', before), percentileCurve('put', after, { confidence: 0.95 })],
  slos: [
    { value: 50e6, percentile: 99 },
    { name: 'never more than µs', value: 3e9 },
  ],
};

const PLOTS: Readonly<Record<Plot['kind'], Plot>> = {
  percentiles: CURVES,
  comparison: comparisonPlot(
    { name: 'before', histogram: before },
    { name: 'after', histogram: after },
    { unit: 'ns' },
  ),
  'over-time': overTimePlot(TIMED, { unit: 'ns', slos: [{ value: 100e6 }] }),
  'heat-map': heatMapOverTime(TIMED, { unit: 'ns' }),
  bars: barsOfHistogram(before, { unit: 'ns', slos: [{ value: 50e6, percentile: 99 }] }),
};

const linesOf = (plot: Plot, options?: TerminalOptions): string[] =>
  plotText(plot, options).split('\n').slice(0, -1);
const widthOf = (line: string): number => [...stripVTControlCharacters(line)].length;

test('a value of hundreds of digits has a label that leaves room for the chart', () => {
  const points = percentileCurve('get', before).points.map((point) => ({ ...point, value: 1e300 }));
  const plot: Plot = { kind: 'percentiles', unit: 'us', curves: [{ name: 'get', totalCount: 5, points }] };
  const lines = linesOf(plot, { columns: 40 });
  expect(lines.some((line) => line.includes('e+'))).toBe(true);
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(40);
});

describe.each(Object.entries(PLOTS))('%s', (_, plot) => {
  test.each([40, 41, 60, 80, 200])('no line is wider than %d characters', (columns) => {
    for (const ascii of [false, true]) {
      for (const colours of [false, true]) {
        for (const line of linesOf(plot, { columns, ascii, colours })) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
        }
      }
    }
  });

  test('the option for colours changes only colours and marks, and is off by default', () => {
    expect(plotText(plot)).not.toContain('\u001b');
    expect(plotText(plot, { colours: true })).toContain('\u001b[');
    if (plot.kind === 'heat-map') return;
    const coloured = linesOf(plot, { colours: true });
    expect(coloured.length).toBe(linesOf(plot).length);
  });

  test('the option for ASCII leaves no other characters', () => {
    expect(plotText(plot, { ascii: true })).toMatch(/^\p{ASCII}*$/u);
  });

  test('has the number of rows that is asked for', () => {
    const [few, more] = [8, 20].map((rows) => linesOf(plot, { rows }).length);
    expect(more! - few!).toBe(plot.kind === 'heat-map' || plot.kind === 'bars' ? more! - few! : 12);
  });
});

test('a curve has its axes and its objective', () => {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  for (let value = 1; value <= 1000; value++) histogram.record(value);
  const curve = percentileCurve('get', histogram);
  const plot: Plot = {
    kind: 'percentiles',
    unit: 'ms',
    curves: [curve],
    slos: [{ value: 500, percentile: 90 }],
  };
  expect(linesOf(plot, { columns: 40, rows: 6, ascii: true })).toEqual([
    '* get  1,000 values  max 1 s',
    '- p90 <= 500 ms',
    '',
    '  1 s +   ******************************',
    '      |-***-------+',
    '      |**',
    '10 ms +*',
    '      |*',
    '      |*',
    '      ++----------+---------+----------+',
    '      0 %       90 %      99 %    99.9 %',
  ]);
});

test('without colours each curve carries marks of its own', () => {
  const text = plotText(CURVES, { columns: 80 });
  expect(text.match(/●/g)!.length).toBeGreaterThan(4);
  expect(text.match(/▲/g)!.length).toBeGreaterThan(4);
  expect(plotText(CURVES, { colours: true })).not.toMatch(/[●▲]/);
});

test('names that are too long lose their middle, and their counts stay', () => {
  const curves = [percentileCurve('x'.repeat(100), before)];
  const [legend] = linesOf({ kind: 'percentiles', unit: 'ns', curves }, { columns: 40 });
  expect(legend).toBe('⠒ xxxxx…xxxxx  10,000 values  max 251 ms');
});

test('a change that is shown as zero has no minus', () => {
  const changes = [{ percentile: 50, before: 100_000, after: 99_999 }];
  const text = plotText({ ...PLOTS.comparison, changes } as Plot);
  expect(text).toContain('+0.0 %');
  expect(text).not.toContain('-0.0 %');
});

test('a comparison has a table of changes, and says when there are too few values', () => {
  const table = linesOf(PLOTS.comparison).slice(-5);
  expect(table[0]).toMatch(/^ +before +after +difference +99 % interval$/);
  expect(table[1]).toMatch(
    /^ +p50 +[\d.]+ ms +[\d.]+ ms +\+[\d.]+ µs +\+50\.\d % +\+[\d.]+ µs to \+[\d.]+ µs$/,
  );
  const { changes } = PLOTS.comparison as Extract<Plot, { kind: 'comparison' }>;
  const { lower: _, upper: __, ...unknown } = changes[0]!;
  const text = plotText({ ...PLOTS.comparison, changes: [unknown] } as Plot);
  expect(text).toMatch(/too few values\n$/);
});

test('lines over time break where nothing was counted', () => {
  const times = [0, 1, 2, 3, 4].map((second) => 1_500_000_000_000 + second * 1000);
  const lines = [{ name: 'p50', values: [5, 5, null, 5, 5] }];
  const text = linesOf(
    { kind: 'over-time', unit: 'ms', timesMs: times, lines },
    { columns: 50, rows: 4, ascii: true },
  );
  const row = text.find((line) => line.includes('**'))!;
  expect(row).toMatch(/\*{8,} {8,}\*{8,}$/);
  expect(text.at(-1)).toBe('time (UTC), 2017-07-14');
});

test('an objective stands beside the bar that has its value, and every slot that was hit has a bar', () => {
  const text = linesOf(
    {
      kind: 'bars',
      unit: 'none',
      isInteger: true,
      slots: [
        { lower: 0, upper: 0 },
        { lower: 1, upper: 1 },
        { lower: 2, upper: 4 },
        { lower: 5, upper: Number.POSITIVE_INFINITY },
      ],
      counts: [0, 100_000, 1, 0],
      slos: [{ value: 4, percentile: 99 }],
    },
    { columns: 40, ascii: true },
  );
  expect(text).toEqual([
    '0         0 |',
    `1   100,000 |${'#'.repeat(15)}`,
    '2-4       1 |# <- p99 <= 4',
    '5+        0 |',
    'total 100,001',
  ]);
});

test('long bounds of bars are above the bars of a narrow screen, and are whole', () => {
  const slots = [0, 1, 2, 3, 4].map((n) => ({ lower: 1e11 + n, upper: 1e11 + n + 1 }));
  const plot: Plot = { kind: 'bars', unit: 'none', slots, counts: [7, 1_000_000, 5, 0, 1] };
  expect(linesOf(plot, { columns: 40, ascii: true, rows: 4 })).toEqual([
    '100,000,000,000-100,000,000,002',
    `1,000,007 |${'#'.repeat(29)}`,
    '100,000,000,002-100,000,000,004',
    '        5 |#',
    '100,000,000,004-100,000,000,005',
    '        1 |#',
    'total 1,000,013',
    'each bar is 2 slots together',
  ]);
});

test('bars of more slots than rows are merged, and a note says so', () => {
  const slots = Array.from({ length: 30 }, (_, lower) => ({ lower, upper: lower + 1 }));
  const text = linesOf(
    { kind: 'bars', unit: 'none', slots, counts: slots.map(() => 2) },
    { rows: 10, ascii: true },
  );
  expect(text.length).toBe(11);
  expect(text[0]).toMatch(/^0-3 +6 \|#+$/);
  expect(text.at(-1)).toBe('total 60; each bar is 3 slots together');
});

test.each<Plot>([
  { kind: 'percentiles', unit: 'ns', curves: [] },
  { kind: 'percentiles', unit: 'ns', curves: [{ name: 'x', points: [], totalCount: 0 }] },
  { kind: 'over-time', unit: 'ns', timesMs: [], lines: [] },
  { kind: 'over-time', unit: 'ns', timesMs: [1], lines: [{ name: 'p50', values: [null] }] },
  { kind: 'bars', unit: 'ns', slots: [], counts: [] },
])('nothing is said to be nothing: %j', (plot) => {
  expect(plotText(plot)).toMatch(/nothing was counted\n$/);
});

test('a single value is drawn', () => {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  histogram.record(7);
  const curves = [percentileCurve('one', histogram)];
  expect(plotText({ kind: 'percentiles', unit: 'none', curves, valueAxis: 'log' })).toContain(
    '1 value  max 7',
  );
  expect(linesOf({ kind: 'percentiles', unit: 'none', curves })[0]).toBe('⠒ one  1 value  max 7');
});

test('a logarithmic axis, which values of a decade have, shows small values beside large ones', () => {
  const plot: PercentilePlot = { ...CURVES, curves: [CURVES.curves[0]!], slos: [] };
  for (const label of ['1 ms', '10 ms']) {
    for (const log of [plot, { ...plot, valueAxis: 'log' as const }]) {
      expect(plotText(log)).toContain(` ${label} ┤`);
    }
    expect(plotText({ ...plot, valueAxis: 'linear' })).not.toContain(` ${label} ┤`);
  }
});

test.each([
  [{ columns: 39 }, 'columns must be an integer from 40 to 1000, got 39'],
  [{ rows: 201 }, 'rows must be an integer from 4 to 200, got 201'],
])('%j is refused', (options, message) => {
  expect(() => plotText(CURVES, options)).toThrow(message);
});
