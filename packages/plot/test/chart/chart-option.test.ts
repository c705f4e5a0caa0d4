import { chartOption, zoomedTimes } from '../../src/chart/chart-option.ts';
import { describePlot } from '../../src/chart/description.ts';
import type { ChartOption, ChartSeries } from '../../src/chart/option.ts';
import { THEMES } from '../../src/chart/theme.ts';
import type { HeatMapPlot, Plot } from '../../src/plot.ts';
import { allPlots, bars, comparison, curve, heatMap, overTime, percentiles } from '../support/plots.ts';

function seriesOf({ series }: ChartOption, type: string, name?: string): ChartSeries[] {
  return series.filter((one) => one.type === type && one.name === name);
}

function tooltipOf(option: ChartOption): (hovered: unknown) => string {
  return (option.tooltip as { formatter: (hovered: unknown) => string }).formatter;
}

describe.each(allPlots.map((plot) => [plot.kind, plot] as const))('the chart of %s', (_, plot) => {
  test('leaves its plot unchanged, and is the same each time', () => {
    const before = structuredClone(plot);
    const [one, other] = [chartOption(plot), chartOption(plot)];
    expect(plot).toEqual(before);
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  test('says in words what it shows', () => {
    const { aria } = chartOption(plot) as unknown as {
      aria: { enabled: boolean; label: { description: string } };
    };
    expect(aria.enabled).toBe(true);
    expect(aria.label.description).toBe(describePlot(plot));
    expect(aria.label.description).toContain(plot.title);
  });

  test.each(['light', 'dark'] as const)('has the background of the %s theme', (theme) => {
    expect(chartOption(plot, theme).backgroundColor).toBe(THEMES[theme].background);
  });
});

test('bars that count nothing have no most frequent slot', () => {
  const plot: Plot = { kind: 'bars', unit: 'none', slots: [{ lower: 0, upper: 1 }], counts: [0] };
  expect(describePlot(plot)).toBe('0 counts of value in 1 slot.');
});

describe('percentiles', () => {
  test('are all in the line of their curve, with the maximum at the number of values', () => {
    const [line] = seriesOf(chartOption(percentiles), 'line', 'GET /');
    const data = line!.data as [number, number][];
    expect([...new Set(data.map(([, value]) => value))]).toEqual(curve.points.map(({ value }) => value));
    for (const [i, place] of [0, Math.log10(2), 1, 2, 3, 4].entries()) {
      const { value } = curve.points[i]!;
      expect(data.findLast((corner) => corner[1] === value)![0]).toBeCloseTo(place, 9);
    }
  });

  test('have a ring where a curve passes an objective', () => {
    const [ring] = seriesOf(chartOption(percentiles), 'scatter', 'GET /');
    expect(ring!.data).toEqual([{ value: [2, 30_000], name: 'p99 ≤ 30 ms: 99 %' }]);
    const kept = chartOption({ ...percentiles, slos: [{ value: 250_000 }] });
    expect(seriesOf(kept, 'scatter', 'GET /')).toEqual([]);
  });

  test('show percentile, values and bounds in a tooltip, with names as text', () => {
    const text = tooltipOf(chartOption(percentiles))([{ axisValue: 1 }]);
    expect(text).toContain('90 %');
    expect(text).toContain('4 ms (3.9 ms to 4.2 ms)');
    expect(text).toContain('&#60;b&#62;POST&#60;/b&#62;');
    expect(text).not.toContain('<b>POST');
  });

  test('show zeros at the beginning of a logarithmic axis, which is labelled so', () => {
    const points = [
      { percentile: 0, value: 0 },
      { percentile: 100, value: 500 },
    ];
    const option = chartOption({
      ...percentiles,
      slos: [],
      valueAxis: 'log',
      curves: [{ ...curve, points }],
    });
    const [line] = seriesOf(option, 'line', 'GET /');
    expect((line!.data as [number, number][]).map(([, value]) => value)).toEqual([250, 500, 500]);
    expect(option.yAxis).toMatchObject({ type: 'log', min: 250, max: 1000 });
    const { axisLabel } = option.yAxis as { axisLabel: { formatter: (value: number) => string } };
    expect([250, 500].map(axisLabel.formatter)).toEqual(['0', '500 µs']);
  });

  test('have the names of their curves and objectives in the room at the right', () => {
    const rightOf = (option: ChartOption) => (option.grid as { right: number }).right;
    const [one] = percentiles.curves;
    const single = { ...percentiles, title: one!.name, slos: [], curves: [one!] };
    // The title names a single curve.
    expect(rightOf(chartOption(single))).toBeLessThan(30);
    expect(rightOf(chartOption(percentiles))).toBeGreaterThan(100);
    expect(rightOf(chartOption(percentiles, 'light', 390))).toBeLessThan(390 / 2);
    expect(chartOption(percentiles).legend).toEqual({
      show: false,
      data: percentiles.curves.map(({ name }) => name),
    });
  });
});

test('a comparison has the ratios below its curves, with their intervals, and the differences in a tooltip', () => {
  const option = chartOption(comparison);
  expect(seriesOf(option, 'line', 'v1')).toHaveLength(1);
  expect(seriesOf(option, 'line', 'v2')).toHaveLength(1);
  const [ratio] = seriesOf(option, 'custom', 'ratio');
  expect(ratio).toMatchObject({ xAxisIndex: 1, yAxisIndex: 1 });
  const data = ratio!.data as number[][];
  const expected = [
    [Math.log10(2), 1.2, 1.15, 1.25],
    [2, 0.95, 0.8, 1.1],
    [4, 1.04, 1.04, 1.04],
  ];
  for (const [i, row] of expected.entries()) {
    for (const [j, value] of row.entries()) expect(data[i]![j]).toBeCloseTo(value, 9);
  }
  expect(tooltipOf(option)([{ axisValue: 2 }])).toContain('-1 ms (-4 ms to 2 ms)');
});

test('curves without names leave the usual margin at the right', () => {
  const unnamed = { ...curve, name: '' };
  const rightOf = (option: ChartOption): number[] =>
    [option.grid as { right: number } | { right: number }[]].flat().map(({ right }) => right);
  const usual = rightOf(chartOption(bars));
  const [single, pair] = [
    chartOption({ kind: 'percentiles', unit: 'us', curves: [unnamed] }),
    chartOption({ ...comparison, before: unnamed, after: unnamed }),
  ];
  expect(rightOf(single)).toEqual(usual);
  expect(rightOf(pair)).toEqual([...usual, ...usual]);
});

test('a line over time has gaps where nothing was counted, and a dot for a value between two gaps', () => {
  const [line] = seriesOf(chartOption(overTime), 'line', 'p99');
  const data = line!.data as { value: [number, number | null]; symbol: string }[];
  expect(line).toMatchObject({ connectNulls: false });
  expect(data.map(({ value }) => value[1])).toEqual([10, 12, null, 14, null, 20]);
  expect(data.map(({ symbol }, i) => (symbol === 'circle' && data[i]!.value[1] !== null ? i : -1))).toEqual([
    -1, -1, -1, 3, -1, 5,
  ]);
  const text = tooltipOf(chartOption(overTime));
  expect(text([{ dataIndex: 0 }])).toContain('2026-01-31 12:00:00 UTC');
  expect(text([{ dataIndex: 2 }])).toContain('no values');
});

test('a single moment is in the middle of its axis', () => {
  const timesMs = [1_000_000];
  const { xAxis } = chartOption({ ...overTime, timesMs, lines: [{ name: 'p99', values: [3] }] });
  expect(xAxis).toMatchObject({ min: 970_000, max: 1_030_000 });
});

test('a heat map has a cell for each count above 0, no empty ends, and a tooltip with the ranges of a cell', () => {
  const option = chartOption(heatMap);
  const [cells] = seriesOf(option, 'custom', 'cells');
  const data = cells!.data as number[][];
  expect(data.map(([column, row, count]) => [column, row, count])).toEqual([
    [0, 0, 1],
    [1, 0, 10],
    [1, 1, 1000],
    [2, 1, 3],
    [3, 1, 2],
  ]);
  const text = tooltipOf(option)({ value: data[2] });
  expect(text).toContain('1,000 operations');
  expect(text).toContain('512 B – 1 KiB');
  expect(text).toContain('100 µs – 200 µs');
});

describe('a heat map over time', () => {
  const NOON = Date.UTC(2026, 0, 31, 12);
  const slots = Array.from({ length: 40 }, (_, i) => ({
    lower: NOON + i * 1000,
    upper: NOON + (i + 1) * 1000,
  }));
  const time: HeatMapPlot['x'] = { name: 'time', unit: 'time', slots };
  const size: HeatMapPlot['x'] = { name: 'size', unit: 'bytes', slots: [{ lower: 0, upper: 512 }] };
  const overTimeMap: HeatMapPlot = { kind: 'heat-map', x: time, y: size, counts: [slots.map(() => 1)] };
  const axesOf = (option: object, side: 'xAxis' | 'yAxis') =>
    (option as Record<typeof side, { name: string; axisLabel: { customValues: number[] } }[]>)[side];

  test.each([320, 480, 600, 920])('has the labels of a page that is not zoomed: %d pixels', (width) => {
    const [drawn] = axesOf(chartOption(overTimeMap, 'light', width), 'xAxis');
    const [zoomed] = axesOf(zoomedTimes(overTimeMap, 'light', width, { from: 0, to: 1 })!, 'xAxis');
    expect(drawn!.axisLabel.customValues).toEqual(zoomed!.axisLabel.customValues);
    expect(drawn!.axisLabel.customValues.length).toBeGreaterThan(1);
  });

  test('may have its time on either axis, which has the date', () => {
    const upright = chartOption({ ...overTimeMap, x: size, y: time, counts: slots.map(() => [1]) });
    const [across] = axesOf(chartOption(overTimeMap), 'xAxis');
    const [up] = axesOf(upright, 'yAxis');
    expect([across!.name, up!.name]).toEqual(['time (UTC), 2026-01-31', 'time (UTC), 2026-01-31']);
    expect(up!.axisLabel.customValues.map((ms) => ms - NOON)).toEqual([
      0, 5000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000,
    ]);
  });
});

test('the axes of a heat map lie at its edges, whatever values the other axis has', () => {
  const { xAxis, yAxis } = chartOption(heatMap) as unknown as Record<string, { axisLine: object }[]>;
  const scale = yAxis![1];
  for (const axis of [xAxis![0], yAxis![0], scale]) expect(axis!.axisLine).toMatchObject({ onZero: false });
});

test('the colours of a heat map follow the logarithm of counts, and their scale is labelled with counts', () => {
  const { yAxis } = chartOption(heatMap) as unknown as {
    yAxis: { axisLabel: { customValues: number[]; formatter: (place: number) => string } }[];
  };
  const { customValues, formatter } = yAxis[1]!.axisLabel;
  expect(customValues.map(formatter)).toEqual(['1', '10', '100', '1,000']);
  for (const [i, place] of customValues.entries()) expect(place).toBeCloseTo(i / 3, 9);
});

test('bars are labelled with their slots, and objectives lie within their slot', () => {
  const option = chartOption(bars) as ChartOption & {
    xAxis: { axisLabel: { customValues: number[]; formatter: (place: number) => string } };
  };
  const { customValues, formatter } = option.xAxis.axisLabel;
  expect(customValues.map(formatter)).toEqual(['0', '1', '2–4', '65+']);
  expect(seriesOf(option, 'custom', 'count')[0]!.data).toEqual([
    [0.5, 5],
    [1.5, 12_345],
    [2.5, 70],
    [3.5, 1],
  ]);
  // Counts, then lines and texts of objectives.
  const [, promise] = seriesOf(option, 'custom');
  const [place] = promise!.data[0] as [number, number];
  expect(place).toBeGreaterThan(2);
  expect(place).toBeLessThan(3);
});

test('bars have their counts above them, but where these would not stand beside each other', () => {
  const countAbove = (width: number): string | undefined => {
    const { series } = chartOption(bars, 'light', width) as unknown as {
      series: {
        z?: number;
        renderItem: (params: object, api: object) => { style: { text: string } };
      }[];
    };
    const api = { value: (at: number) => [1.5, 12_345][at], coord: () => [0, 0] };
    return series.find(({ z }) => z === 6)?.renderItem({ dataIndex: 1 }, api).style.text;
  };
  expect(countAbove(600)).toBe('12,345');
  expect(countAbove(200)).toBeUndefined();
});

test('a description has the percentiles of each curve, and the objectives', () => {
  expect(describePlot(percentiles)).toBe(
    'Latency of the shop. Monday. Values by percentile. ' +
      'GET /: p50 1 ms, p99 20 ms, maximum 250 ms of 10,000 values. ' +
      '<b>POST</b> & "more": p50 1 ms, p99 20 ms, maximum 250 ms of 100 values. Objectives: p99 ≤ 30 ms.',
  );
  expect(describePlot(heatMap)).toContain('1,016 operations in all');
  expect(describePlot(bars)).toContain('Most are in 1.');
  expect(describePlot(overTime)).toContain('p99: from 10 ms to 20 ms, 20 ms at the end.');
});

test('the ratios of values with bounds are numbers, and one without an end has none', () => {
  const zeroed = { percentile: 50, before: 5, beforeLower: 0, after: 5, afterLower: 0, lower: -5, upper: 0 };
  const open = { ...zeroed, before: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };
  const { series } = chartOption({ ...comparison, changes: [zeroed, open] }) as unknown as {
    series: { name?: string; data: number[][] }[];
  };
  const { data } = series.find(({ name }) => name === 'ratio')!;
  expect(data).toHaveLength(1);
  expect(data.flat().every(Number.isFinite)).toBe(true);
});
