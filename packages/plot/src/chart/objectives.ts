import type { CountedUnit } from '@hdrscope/registry';
import type { Curve, ObjectiveLine } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import type { GridPlace } from './frame.ts';
import type { LineLabel } from './line-labels.ts';
import { type Mark, markSeries, type UprightMark } from './mark.ts';
import type { ChartSeries } from './option.ts';
import { ninesOf, percentileText, placesOf } from './percentile-axis.ts';
import { crossingOf } from './steps.ts';
import { middleCut, textWidth } from './text-width.ts';
import type { Theme } from './theme.ts';
import { clampTo, type ValueRange } from './value-axis.ts';

/** The name of an objective: its own name, or its percentile and value, such as `p99.9 ≤ 250 ms`. */
export function objectiveName({ name, value, percentile }: ObjectiveLine, unit: CountedUnit): string {
  if (name !== undefined) return name;
  const text = formatValue(value, unit);
  if (percentile === undefined) return `≤ ${text}`;
  const rank = percentile >= 100 ? 'max' : `p${percentileText(percentile).replace(' %', '')}`;
  return `${rank} ≤ ${text}`;
}

/** Objectives on the vertical axis. */
interface LevelOptions {
  readonly slos: readonly ObjectiveLine[];
  readonly unit: CountedUnit;
  readonly theme: Theme;
  /** An objective outside of it is drawn at its nearer end: on a logarithmic axis, zero is at the beginning. */
  readonly range: ValueRange;
}

/** The names of objectives, which stand beside those of the curves. */
export function objectiveLabels(
  slos: readonly ObjectiveLine[],
  unit: CountedUnit,
  end: number,
  theme: Theme,
): LineLabel[] {
  return slos.map((objective) => ({
    name: objectiveName(objective, unit),
    stroke: { color: theme.objective, type: 'dashed', width: 2 },
    corners: [[stopOf(objective, end), objective.value]],
  }));
}

/** Where the line of an objective ends. */
function stopOf({ percentile = 100 }: ObjectiveLine, end: number): number {
  return percentile >= 100 ? end : Math.min(end, ninesOf(percentile));
}

/** A line at each value, which ends at its percentile with a tick down to the axis. */
export function percentileObjectives({ slos, theme, range }: LevelOptions, end: number): ChartSeries[] {
  const marks = slos.map((objective): Mark => {
    const stop = stopOf(objective, end);
    return { y: clampTo(range, objective.value), ...(stop < end ? { stop } : {}) };
  });
  return markSeries(marks, theme.objective, theme);
}

/** A line over the whole width at each value. */
export function levelObjectives({ slos, theme, range }: LevelOptions): ChartSeries[] {
  const marks = slos.map(({ value }) => ({ y: clampTo(range, value) }));
  return markSeries(marks, theme.objective, theme);
}

const ROW_HEIGHT = 16;

/** Upright objectives above a drawing. */
export interface UprightObjectives {
  readonly marks: readonly UprightMark[];
  /** The height of their texts, in pixels. */
  readonly height: number;
}

/**
 * Upright lines whose texts stand above the drawing, in as many rows as they need.
 *
 * @param placeOf The place of a value on the axis, which goes from 0 to `end`.
 */
export function uprightObjectives(
  slos: readonly ObjectiveLine[],
  unit: CountedUnit,
  placeOf: (value: number) => number,
  end: number,
  { left, right, width }: GridPlace,
): UprightObjectives {
  const rows: { from: number; to: number }[][] = [];
  const marks = slos
    .map((objective) => ({ text: objectiveName(objective, unit), place: placeOf(objective.value) }))
    .sort((a, b) => a.place - b.place)
    .map(({ text: name, place }): UprightMark => {
      const text = middleCut(name, left + width + right - 16);
      const half = textWidth(text) / 2 + 4;
      const x = (place / end) * width;
      const middle = Math.max(half - left, Math.min(x, width + right - half));
      const span = { from: middle - half, to: middle + half };
      let row = rows.findIndex((taken) => taken.every(({ from, to }) => span.to <= from || span.from >= to));
      if (row < 0) row = rows.push([]) - 1;
      rows[row]!.push(span);
      return { x: place, text, offset: [middle - x, 4 + row * ROW_HEIGHT] };
    });
  return { marks, height: rows.length * ROW_HEIGHT };
}

/** A ring where a curve passes the value of an objective. A curve that stays below the value has no ring. */
export function crossingSeries(
  curve: Curve,
  color: string,
  { slos, unit, theme, range }: LevelOptions,
): ChartSeries[] {
  const places = placesOf(curve);
  const data = slos.flatMap((objective) => {
    const at = crossingOf(curve, objective.value);
    if (at === undefined) return [];
    const name = `${objectiveName(objective, unit)}: ${percentileText(curve.points[at]!.percentile)}`;
    return [{ value: [places[at]!, clampTo(range, objective.value)], name }];
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
