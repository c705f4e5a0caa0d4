import type { CountedUnit } from '@hdrscope/registry';
import type { Curve, ObjectiveLine, PercentilePlot } from '../plot.ts';
import { formatValue, intervalText } from '../value-text.ts';
import { describePlot } from './description.ts';
import { frameOf, nameAbove, nameBelow, placeOfGrid, type Setting, tooltipOf, tooltipText } from './frame.ts';
import { type LineLabel, labelRoom, labelSeries } from './line-labels.ts';
import { crossingSeries, objectiveLabels, percentileObjectives } from './objectives.ts';
import type { ChartOption, ChartSeries, OptionPart } from './option.ts';
import { axisEnd, percentileAt, percentileAxis, percentileText, placesOf } from './percentile-axis.ts';
import { bandSeries, bandsOf, type Corner, cornersOf, pointAt } from './steps.ts';
import { lineStyleOf, type Theme } from './theme.ts';
import { clampTo, labelsOf, rangeOf, type Scale, type ValueRange, valueAxis } from './value-axis.ts';

/** Values by percentile: a line in steps for each curve, its confidence as a band, objectives as dashed lines. */
export function percentileChart(plot: PercentilePlot, setting: Setting): ChartOption {
  const { theme } = setting;
  const { curves, unit, slos = [], valueAxis: scale, title } = plot;
  const names = curves.map(({ name }) => name);
  const { option, top } = frameOf(plot, setting, describePlot(plot), names);
  const range = curveRange(curves, slos, unit, scale);
  const end = axisEnd(curves.flatMap((curve) => placesOf(curve).at(-1) ?? []));
  const corners = curves.map(cornersOf);
  const labels = [...curveLabels(curves, corners, title, theme), ...objectiveLabels(slos, unit, end, theme)];
  const grid = placeOfGrid(labelsOf(range, unit), setting, labelRoom(labels, setting));
  return {
    ...option,
    grid: { left: grid.left, right: grid.right, top, bottom: 52 },
    tooltip: percentileTooltip(curves, unit, theme),
    xAxis: percentileAxis(end, grid, theme, nameBelow('percentile', grid, setting)),
    yAxis: valueAxis(range, unit, theme, nameAbove('value', grid, setting)),
    series: [
      ...curves.flatMap((curve, i) => curveSeries(curve, corners[i]!, i, slos, unit, range, theme)),
      ...percentileObjectives({ slos, unit, theme, range }, end),
      ...labelSeries(labels, (value) => clampTo(range, value), grid, theme),
    ],
  };
}

/** The names of curves. The title may name a single curve. */
export function curveLabels(
  curves: readonly Curve[],
  corners: readonly (readonly Corner[])[],
  title: string | undefined,
  theme: Theme,
): LineLabel[] {
  return curves.flatMap(({ name }, i) =>
    (curves.length === 1 && title === name) || name === '' || corners[i]!.length === 0
      ? []
      : [{ name, series: name, stroke: lineStyleOf(i, theme), corners: corners[i]! }],
  );
}

/** The range of the values of curves, of their bounds and of objectives. */
export function curveRange(
  curves: readonly Curve[],
  slos: readonly ObjectiveLine[],
  unit: CountedUnit,
  scale: Scale | undefined,
): ValueRange {
  const values: number[] = slos.map(({ value }) => value);
  for (const { points } of curves) {
    for (const { value, lower, upper } of points) values.push(value, lower ?? value, upper ?? value);
  }
  return rangeOf(values, unit, scale);
}

/** A curve with its band, and with a ring at each objective that it passes. */
export function curveSeries(
  curve: Curve,
  corners: readonly Corner[],
  index: number,
  slos: readonly ObjectiveLine[],
  unit: CountedUnit,
  range: ValueRange,
  theme: Theme,
): ChartSeries[] {
  const lineStyle = lineStyleOf(index, theme);
  const clamp = (value: number) => clampTo(range, value);
  return [
    ...bandSeries(curve.name, bandsOf(curve), lineStyle.color, clamp),
    {
      type: 'line',
      name: curve.name,
      // The maximum has a dot: a curve of a single value would be invisible without it.
      showSymbol: true,
      showAllSymbol: true,
      symbol: (_: unknown, { dataIndex }: { dataIndex: number }) =>
        dataIndex === corners.length - 1 ? 'circle' : 'none',
      symbolSize: 6,
      lineStyle,
      itemStyle: { color: lineStyle.color },
      data: corners.map(([place, value]) => [place, clamp(value)]),
      z: 3,
    },
    ...crossingSeries(curve, lineStyle.color, { slos, unit, theme, range }),
  ];
}

/**
 * A tooltip with the value of each curve at the hovered percentile.
 *
 * @param more Further rows for a percentile.
 */
export function percentileTooltip(
  curves: readonly Curve[],
  unit: CountedUnit,
  theme: Theme,
  more: (percentile: number) => readonly (readonly [name: string, value: string])[] = () => [],
): OptionPart {
  return tooltipOf(theme, {
    trigger: 'axis',
    axisPointer: { type: 'line', snap: false, label: { show: false }, lineStyle: { color: theme.axis } },
    formatter: (hovered: readonly { axisValue: number }[] | { axisValue: number }) => {
      const [first] = [hovered].flat();
      const percentile = percentileAt(first?.axisValue ?? 0);
      const rows = curves.map((curve, i) => {
        const point = pointAt(curve, percentile);
        const interval = point === undefined ? '' : intervalText(point.lower, point.upper, unit);
        const value = point === undefined ? '-' : formatValue(point.value, unit);
        return [curve.name, `${value}${interval}`, lineStyleOf(i, theme).color] as const;
      });
      return tooltipText(percentileText(percentile), [...rows, ...more(percentile)]);
    },
  });
}
