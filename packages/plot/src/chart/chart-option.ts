import type { Plot } from '../plot.ts';
import { visiblePlot } from '../visible-plot.ts';
import { barChart } from './bar-chart.ts';
import { comparisonChart } from './comparison-chart.ts';
import { heatMapChart } from './heat-map-chart.ts';
import type { ChartOption } from './option.ts';
import { percentileChart } from './percentile-chart.ts';
import { THEMES, type ThemeName } from './theme.ts';
import { timeChart } from './time-chart.ts';

/**
 * A plot as an option of ECharts, for its `setOption`: with titles, axes in units that people read, a legend, tooltips, and a
 * description for people who cannot see it. It runs in browsers too. ECharts needs its line, scatter and custom series, and
 * its components title, grid, legend, tooltip and aria. Control characters in titles and names are made visible.
 *
 * @param given The plot.
 * @param theme The background that the chart is for.
 * @param width The width of the chart in pixels, which decides how many rows the legend takes.
 * @see https://echarts.apache.org/en/option.html
 * @example
 * ```ts
 * import { chartOption } from '@hdrscope/plot';
 *
 * const points = [{ percentile: 50, value: 12 }, { percentile: 99, value: 90 }, { percentile: 100, value: 200 }];
 * const option = chartOption({ kind: 'percentiles', unit: 'ms', curves: [{ name: 'GET /', points, totalCount: 1000 }] });
 *
 * // 99 % has two nines, and the maximum of 1000 values has three.
 * option.series[0]!.data.slice(1); //=> [[2, 90], [3, 200]]
 * ```
 */
export function chartOption(given: Plot, theme: ThemeName = 'light', width = 920): ChartOption {
  const plot = visiblePlot(given);
  const setting = { theme: THEMES[theme], width };
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
