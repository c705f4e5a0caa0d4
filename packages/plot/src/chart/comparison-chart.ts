import type { ComparisonPlot, PercentileChange } from '../plot.ts';
import { confidenceText, formatValue } from '../value-text.ts';
import { describePlot } from './description.ts';
import { frameOf, gridAt, type Setting } from './frame.ts';
import { markSeries } from './mark.ts';
import type { ChartOption, ChartSeries, Drawing, DrawingApi } from './option.ts';
import { axisEnd, ninesOf, percentileAxis, percentileText, placesOf } from './percentile-axis.ts';
import { curveRange, curveSeries, intervalText, percentileTooltip } from './percentile-chart.ts';
import type { Theme } from './theme.ts';
import { clampTo, labelsOf, linearRange, type ValueRange, valueAxis } from './value-axis.ts';

const DIFFERENCE = 'difference';

/** Two curves, and below them the difference at each percentile. */
export function comparisonChart(plot: ComparisonPlot, setting: Setting): ChartOption {
  const { theme } = setting;
  const { before, after, changes, unit, confidence, valueAxis: scale = 'linear' } = plot;
  const curves = [before, after];
  const { option, top } = frameOf(plot, setting, describePlot(plot), [before.name, after.name]);
  const range = curveRange(curves, [], unit, scale);
  const end = axisEnd(curves.flatMap((curve) => placesOf(curve).at(-1) ?? []));
  const differences = linearRange(changes.flatMap(boundsOf), unit, 4);
  // One margin for both drawings, so that their left edges align.
  const labels = [...labelsOf(range, unit), ...labelsOf(differences, unit)];
  const name = `${after.name} − ${before.name}, ${confidenceText(confidence)} confidence`;
  return {
    ...option,
    // The upper drawing and its labels take the room that the lower drawing leaves.
    grid: [gridAt(labels, { top, bottom: '41%' }), gridAt(labels, { top: '68%', bottom: 46 })],
    tooltip: percentileTooltip(curves, unit, theme, (percentile) => nearestChange(changes, percentile, plot)),
    axisPointer: { link: [{ xAxisIndex: 'all' }] },
    xAxis: [
      percentileAxis(end, theme, { gridIndex: 0 }),
      percentileAxis(end, theme, {
        gridIndex: 1,
        name: 'percentile',
        axisLine: { onZero: false, lineStyle: { color: theme.axis } },
      }),
    ],
    yAxis: [
      valueAxis(range, unit, scale, theme, { gridIndex: 0, name: 'value' }),
      valueAxis(differences, unit, 'linear', theme, { gridIndex: 1, name }),
    ],
    series: [
      ...curves.flatMap((curve, i) => curveSeries(curve, i, [], unit, range, theme)),
      ...markSeries([{ y: 0 }], theme.axis, theme, { isSolid: true, xAxisIndex: 1, yAxisIndex: 1 }),
      differenceSeries(changes, end, differences, theme),
    ],
  };
}

function boundsOf({ before, after, lower, upper }: PercentileChange): number[] {
  const difference = after - before;
  return [difference, lower ?? difference, upper ?? difference];
}

function nearestChange(
  changes: readonly PercentileChange[],
  percentile: number,
  { unit }: ComparisonPlot,
): (readonly [string, string])[] {
  const place = ninesOf(Math.min(percentile, 100 - 1e-12));
  const distance = (change: PercentileChange) =>
    Math.abs(ninesOf(Math.min(change.percentile, 100 - 1e-12)) - place);
  const [first, ...rest] = changes;
  if (first === undefined) return [];
  const nearest = rest.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
  const text = differenceText(nearest, unit);
  return [[`difference at ${percentileText(nearest.percentile)}`, text]];
}

/** The difference of a percentile, with its interval. */
export function differenceText(
  { before, after, lower, upper }: PercentileChange,
  unit: ComparisonPlot['unit'],
): string {
  const difference = after - before;
  return `${difference > 0 ? '+' : ''}${formatValue(difference, unit)}${intervalText(lower, upper, unit)}`;
}

/** A point with an error bar for each percentile. The point is filled when the interval excludes zero. */
function differenceSeries(
  changes: readonly PercentileChange[],
  end: number,
  range: ValueRange,
  theme: Theme,
): ChartSeries {
  return {
    type: 'custom',
    name: DIFFERENCE,
    xAxisIndex: 1,
    yAxisIndex: 1,
    clip: true,
    z: 5,
    silent: true,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2, 3] },
    data: changes.map((change) => {
      const [difference, lower, upper] = boundsOf(change).map((bound) => clampTo(range, bound));
      return [
        change.percentile >= 100 ? end : Math.min(end, ninesOf(change.percentile)),
        difference,
        lower,
        upper,
      ];
    }),
    renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawingApi): Drawing => {
      const [place, difference, lower, upper] = [0, 1, 2, 3].map((dimension) => api.value(dimension));
      const [x, y] = api.coord([place!, difference!]);
      const [top, bottom] = [api.coord([place!, upper!])[1], api.coord([place!, lower!])[1]];
      const isSure = changes[dataIndex]!.lower !== undefined && (lower! > 0 || upper! < 0);
      const line = { stroke: theme.text, lineWidth: 1.5 };
      const stroke = (x1: number, y1: number, x2: number, y2: number) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: line,
      });
      return {
        type: 'group',
        children: [
          stroke(x, top, x, bottom),
          stroke(x - 4, top, x + 4, top),
          stroke(x - 4, bottom, x + 4, bottom),
          {
            type: 'circle',
            shape: { cx: x, cy: y, r: 4 },
            style: { ...line, fill: isSure ? theme.text : theme.background },
          },
        ],
      };
    },
  };
}
