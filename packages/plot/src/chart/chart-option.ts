import { assertPlot } from '../assert-plot.ts';
import type { Plot } from '../plot.ts';
import { visiblePlot } from '../visible-plot.ts';
import { barChart } from './bar-chart.ts';
import { comparisonChart } from './comparison-chart.ts';
import { labelledAxis } from './frame.ts';
import { heatMapChart } from './heat-map-chart.ts';
import type { ChartOption, OptionPart } from './option.ts';
import { percentileChart } from './percentile-chart.ts';
import { THEMES, type ThemeName } from './theme.ts';
import { type TimeSpan, timeAxisLabels } from './time-axis.ts';
import { timeChart } from './time-chart.ts';
import { type Zone, zoneOfPlot } from './time-text.ts';

/**
 * A plot as an option of ECharts, for its `setOption`: with titles, axes in units that people read, the names of lines at
 * their ends, tooltips, and a description for people who cannot see it. It runs in browsers too. ECharts needs its line, scatter and
 * custom series, and its components title, grid, legend, tooltip and aria. The legend is not drawn: its actions hide curves. Control
 * characters in titles and names are made visible.
 *
 * @param given The plot.
 * @param theme The background that the chart is for.
 * @param width The width of the chart in pixels, which decides how many labels there are and how much room names have.
 * @param zone The time zone of times. @default that of the plot
 * @see https://echarts.apache.org/en/option.html
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `given` is not a plot.
 * @example
 * ```ts
 * import { chartOption } from '@hdrscope/plot';
 *
 * const points = [{ percentile: 50, value: 12 }, { percentile: 99, value: 90 }, { percentile: 100, value: 200 }];
 * const option = chartOption({ kind: 'percentiles', unit: 'ms', curves: [{ name: 'GET /', points, totalCount: 1000 }] });
 *
 * // 99 % has two nines, and the maximum of 1000 values has three.
 * option.series[0]!.data.slice(-3); //=> [[2, 90], [2, 200], [3, 200]]
 * ```
 */
export function chartOption(given: Plot, theme: ThemeName = 'light', width = 920, zone?: Zone): ChartOption {
  assertPlot(given);
  const plot = visiblePlot(given);
  const setting = { theme: THEMES[theme], width, zone: zone ?? zoneOfPlot(plot) };
  switch (plot.kind) {
    case 'percentiles':
      return percentileChart(plot, setting);
    case 'comparison':
      return comparisonChart(plot, setting);
    case 'over-time':
      return timeChart(plot, setting);
    case 'heat-map':
      return heatMapChart(plot, setting);
    case 'bars':
      return barChart(plot, setting);
  }
}

/** A part of an axis, from 0, its begin, to 1. */
export interface ZoomedPart {
  readonly from: number;
  readonly to: number;
}

/** The labels of the part of a time axis that a zoom shows, as a part of an option; `undefined` for a plot without a time axis. */
export function zoomedTimes(
  plot: Plot,
  theme: ThemeName,
  width: number,
  { from, to }: ZoomedPart,
): OptionPart | undefined {
  if (plot.kind !== 'over-time' && !(plot.kind === 'heat-map' && plot.x.unit === 'time')) return undefined;
  const { grid, xAxis } = chartOption(plot, theme, width) as unknown as {
    grid: Sides | Sides[];
    xAxis: TimeSpan | TimeSpan[];
  };
  const [{ left, right } = { left: 0, right: 0 }] = [grid].flat();
  const [{ min, max } = { min: 0, max: 1 }] = [xAxis].flat();
  const place = { left, right, width: Math.max(20, width - left - right) };
  const shown = { min: min + (max - min) * from, max: min + (max - min) * to };
  return { xAxis: [labelledAxis(timeAxisLabels(shown, place, zoneOfPlot(plot)), THEMES[theme])] };
}

interface Sides {
  readonly left: number;
  readonly right: number;
}
