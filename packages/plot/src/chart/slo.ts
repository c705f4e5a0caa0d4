import type { CountedUnit } from '@hdrscope/registry';
import type { Curve, SloLine } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { type Mark, markSeries } from './mark.ts';
import type { ChartSeries } from './option.ts';
import { ninesOf, percentileText } from './percentile-axis.ts';
import { crossingOf } from './steps.ts';
import type { Theme } from './theme.ts';
import { clampTo, type ValueRange } from './value-axis.ts';

/** What a line is called: what it was named, or its promise, such as `p99.9 ≤ 250 ms`. */
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

/** Promises about values of the vertical axis. */
interface LevelOptions extends SloOptions {
  /** A promise of zero has no place on a logarithmic axis but its beginning. */
  readonly range: ValueRange;
}

/** For percentiles: a line at the value up to its percentile, and there a tick down to the axis. */
export function percentileSlos({ lines, unit, theme, range }: LevelOptions, end: number): ChartSeries[] {
  const marks = lines.map((line): Mark => {
    const { value, percentile = 100 } = line;
    const stop = percentile >= 100 ? end : Math.min(end, ninesOf(percentile));
    return { y: clampTo(range, value), text: sloName(line, unit), ...(stop < end ? { stop } : {}) };
  });
  return markSeries(marks, theme.slo, theme);
}

/** A line over the whole width, at each value. */
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

/** A ring where a curve passes a promised value; curves that stay below have none. */
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
