import type { TimePlot } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { describePlot } from './description.ts';
import { frameOf, gridAt, type Setting, tooltipOf, tooltipText } from './frame.ts';
import type { ChartOption, OptionPart } from './option.ts';
import { levelSlos } from './slo.ts';
import { lineStyleOf, type Theme } from './theme.ts';
import { dateTimeText, timeAxisName, timeTickText } from './time-text.ts';
import { clampTo, labelsOf, rangeOf, valueAxis } from './value-axis.ts';

/** Lines over time. A line has a gap where nothing was counted. */
export function timeChart(plot: TimePlot, setting: Setting): ChartOption {
  const { theme } = setting;
  const { timesMs, lines, slos = [], unit, valueAxis: scale = 'linear' } = plot;
  const { option, top } = frameOf(
    plot,
    setting,
    describePlot(plot),
    lines.map(({ name }) => name),
  );
  const values = lines.flatMap((line) => line.values.filter((value) => value !== null));
  const range = rangeOf([...values, ...slos.map(({ value }) => value)], unit, scale);
  const name = timeAxisName(timesMs[0] ?? Number.NaN, timesMs.at(-1) ?? Number.NaN);
  return {
    ...option,
    grid: gridAt(labelsOf(range, unit), { top, bottom: 52 }),
    tooltip: tooltipOf(theme, {
      trigger: 'axis',
      axisPointer: { type: 'line', label: { show: false }, lineStyle: { color: theme.axis } },
      formatter: (hovered: readonly { dataIndex: number }[] | { dataIndex: number }) => {
        const index = [hovered].flat()[0]?.dataIndex ?? 0;
        const rows = lines.map(({ name, values }, i) => {
          const value = values[index] ?? null;
          return [
            name,
            value === null ? 'no values' : formatValue(value, unit),
            lineStyleOf(i, theme).color,
          ] as const;
        });
        return tooltipText(`${dateTimeText(timesMs[index] ?? Number.NaN)} UTC`, rows);
      },
    }),
    xAxis: timeAxis(theme, { name, ...timeRange(timesMs) }),
    yAxis: valueAxis(range, unit, scale, theme, { name: 'value' }),
    series: [
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
      ...levelSlos({ lines: slos, unit, theme, range }),
    ],
  };
}

/** The range of the axis. A single moment is in the middle of a minute. */
function timeRange(timesMs: readonly number[]): { min?: number; max?: number } {
  const [first, last] = [timesMs[0], timesMs.at(-1)];
  if (first === undefined || last === undefined) return {};
  return first < last ? { min: first, max: last } : { min: first - 30_000, max: last + 30_000 };
}

function isAlone(values: readonly (number | null)[], at: number): boolean {
  return (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
}

/** An axis of moments in UTC, whose ticks follow a zoom. */
export function timeAxis(theme: Theme, more: OptionPart): OptionPart {
  return {
    type: 'time',
    axisLine: { onZero: false, lineStyle: { color: theme.axis } },
    axisTick: { show: true },
    axisLabel: { color: theme.text, hideOverlap: true, formatter: (ms: number) => timeTickText(ms) },
    splitLine: { show: true, lineStyle: { color: theme.grid } },
    splitNumber: 8,
    nameLocation: 'middle',
    nameGap: 28,
    nameTextStyle: { color: theme.mutedText },
    ...more,
  };
}
