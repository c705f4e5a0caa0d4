import type { CountedUnit } from '@hdrscope/registry';
import type { Curve, SloLine } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { type Mark, markSeries } from './mark.ts';
import type { ChartSeries } from './option.ts';
import { ninesOf, percentileText } from './percentile-axis.ts';
import { crossingOf } from './steps.ts';
import type { Theme } from './theme.ts';
import { clampTo, type ValueRange } from './value-axis.ts';

/** The name of an objective: its own name, or its percentile and value, such as `p99.9 ≤ 250 ms`. */
export function sloName({ name, value, percentile }: SloLine, unit: CountedUnit): string {
  if (name !== undefined) return name;
  const text = formatValue(value, unit);
  if (percentile === undefined) return `≤ ${text}`;
  const rank = percentile >= 100 ? 'max' : `p${percentileText(percentile).replace(' %', '')}`;
  return `${rank} ≤ ${text}`;
}

interface SloOptions {
  readonly lines: readonly SloLine[];
  readonly unit: CountedUnit;
  readonly theme: Theme;
}

/** Objectives on the vertical axis. */
interface LevelOptions extends SloOptions {
  /** An objective outside of it is drawn at its nearer end: on a logarithmic axis, zero is at the beginning. */
  readonly range: ValueRange;
}

/** A line at each value, which ends at its percentile with a tick down to the axis. */
export function percentileSlos({ lines, unit, theme, range }: LevelOptions, end: number): ChartSeries[] {
  const marks = lines.map((line): Mark => {
    const { value, percentile = 100 } = line;
    const stop = percentile >= 100 ? end : Math.min(end, ninesOf(percentile));
    return { y: clampTo(range, value), text: sloName(line, unit), ...(stop < end ? { stop } : {}) };
  });
  return markSeries(marks, theme.slo, theme);
}

/** A line over the whole width at each value. */
export function levelSlos({ lines, unit, theme, range }: LevelOptions): ChartSeries[] {
  return markSeries(
    lines.map((line) => ({ y: clampTo(range, line.value), text: sloName(line, unit) })),
    theme.slo,
    theme,
  );
}

/** An upright line at each place. */
export function uprightSlos(
  { lines, unit, theme }: SloOptions,
  placeOf: (value: number) => number,
): ChartSeries[] {
  return markSeries(
    lines.map((line) => ({ x: placeOf(line.value), text: sloName(line, unit) })),
    theme.slo,
    theme,
  );
}

/** A ring where a curve passes the value of an objective. A curve that stays below the value has no ring. */
export function crossingSeries(
  curve: Curve,
  places: readonly number[],
  color: string,
  { lines, unit, theme, range }: LevelOptions,
): ChartSeries[] {
  const data = lines.flatMap((line) => {
    const percentile = crossingOf(curve, line.value);
    const point = curve.points.findLastIndex(({ value }) => value <= line.value);
    if (percentile >= 100 || point < 0) return [];
    const name = `${sloName(line, unit)}: ${percentileText(percentile)}`;
    return [{ value: [places[point]!, clampTo(range, line.value)], name }];
  });
  if (data.length === 0) return [];
  return [
    {
      type: 'scatter',
      name: curve.name,
      data,
      symbolSize: 9,
      itemStyle: { color: theme.background, borderColor: color, borderWidth: 2 },
      silent: true,
      tooltip: { show: false },
      z: 5,
    },
  ];
}
