import type { TimePlot } from '../plot.ts';
import { boundedText } from '../value-text.ts';
import { describePlot } from './description.ts';
import { frameOf, nameAbove, nameBelow, placeOfGrid, type Setting, tooltipOf, tooltipText } from './frame.ts';
import { type LineLabel, labelRoom, labelSeries } from './line-labels.ts';
import { levelObjectives, objectiveLabels } from './objectives.ts';
import type { ChartOption } from './option.ts';
import { bandSeries, timeBandsOf } from './steps.ts';
import { lineStyleOf } from './theme.ts';
import { type TimeSpan, timeAxis } from './time-axis.ts';
import { dateTimeText, timeAxisName } from './time-text.ts';
import { clampTo, labelsOf, rangeOf, valueAxis } from './value-axis.ts';

/** Lines over time. A line has a gap where nothing was counted. */
export function timeChart(plot: TimePlot, setting: Setting): ChartOption {
  const { theme, zone } = setting;
  const { timesMs, lines, slos = [], unit, valueAxis: scale } = plot;
  const names = lines.map(({ name }) => name);
  const { option, top } = frameOf(plot, setting, describePlot(plot, zone), names);
  const values = slos.map(({ value }) => value);
  for (const line of lines) {
    for (const value of [...line.values, ...(line.lower ?? [])]) if (value !== null) values.push(value);
  }
  const range = rangeOf(values, unit, scale);
  const hasValues = lines.some((line) => line.values.some((value) => value !== null));
  const span = timeRange(timesMs);
  const labels: LineLabel[] = [
    ...lines.map(({ name, values }, i) => ({
      name,
      series: name,
      stroke: lineStyleOf(i, theme),
      corners: timesMs.map((time, at) => [time, values[at] ?? null] as const),
    })),
    ...objectiveLabels(slos, unit, 0, theme).map((label) => ({
      ...label,
      corners: label.corners.map(([, value]) => [span.max, value] as const),
    })),
  ];
  const grid = placeOfGrid(labelsOf(range, unit), setting, labelRoom(labels, setting));
  const name = timeAxisName(timesMs[0] ?? Number.NaN, timesMs.at(-1) ?? Number.NaN, zone);
  return {
    ...option,
    grid: { left: grid.left, right: grid.right, top, bottom: 52 },
    tooltip: tooltipOf(theme, {
      trigger: 'axis',
      axisPointer: { type: 'line', label: { show: false }, lineStyle: { color: theme.axis } },
      formatter: (hovered: readonly { dataIndex: number }[] | { dataIndex: number }) => {
        const index = [hovered].flat()[0]?.dataIndex ?? 0;
        const rows = lines.map(({ name, values, lower }, i) => {
          const value = values[index] ?? null;
          return [
            name,
            value === null ? 'no values' : boundedText(lower?.[index] ?? undefined, value, unit),
            lineStyleOf(i, theme).color,
          ] as const;
        });
        return tooltipText(`${dateTimeText(timesMs[index] ?? Number.NaN, zone)} ${zone.name}`, rows);
      },
    }),
    xAxis: timeAxis(span, grid, setting, nameBelow(name, grid, setting)),
    yAxis: valueAxis(range, unit, theme, nameAbove(hasValues ? 'value' : 'no values', grid, setting)),
    series: [
      ...lines.flatMap((line, i) =>
        bandSeries(line.name, timeBandsOf(timesMs, line), lineStyleOf(i, theme).color, (value) =>
          clampTo(range, value),
        ),
      ),
      ...lines.map((line, i) => {
        const lineStyle = lineStyleOf(i, theme);
        return {
          type: 'line' as const,
          name: line.name,
          connectNulls: false,
          symbolSize: 6,
          showAllSymbol: true,
          lineStyle,
          itemStyle: { color: lineStyle.color },
          data: timesMs.map((time, at) => {
            const value = line.values[at] ?? null;
            return {
              value: [time, value === null ? null : clampTo(range, value)],
              // A value between two gaps has no line, so a dot shows it.
              symbol: isAlone(line.values, at) ? 'circle' : 'none',
            };
          }),
        };
      }),
      ...levelObjectives({ slos, unit, theme, range }),
      ...labelSeries(labels, (value) => clampTo(range, value), grid, theme),
    ],
  };
}

/** The range of the axis. A single moment is in the middle of a minute. */
function timeRange(timesMs: readonly number[]): TimeSpan {
  const [first, last] = [timesMs[0], timesMs.at(-1)];
  if (first === undefined || last === undefined) return { min: 0, max: 60_000 };
  return first < last ? { min: first, max: last } : { min: first - 30_000, max: last + 30_000 };
}

function isAlone(values: readonly (number | null)[], at: number): boolean {
  return (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
}
