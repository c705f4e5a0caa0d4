import { type AxisLabel, fittingLabels, type GridPlace, labelledAxis, type Setting } from './frame.ts';
import type { OptionPart } from './option.ts';
import { timeTicks, type Zone } from './time-text.ts';

/** A stretch of a time axis, in ms. */
export interface TimeSpan {
  readonly min: number;
  readonly max: number;
}

const PIXELS_PER_LABEL = 76;
const PIXELS_PER_LONG_LABEL = 110;

/** The labels of a stretch of a horizontal axis of moments that have room. */
export function timeAxisLabels(span: TimeSpan, grid: GridPlace, zone: Zone): AxisLabel[] {
  const usual = momentsOf(span, grid.width / PIXELS_PER_LABEL, zone);
  // Parts of seconds have longer labels.
  const isLong = usual.some(({ text }) => text.length > 8);
  const labels = isLong ? momentsOf(span, grid.width / PIXELS_PER_LONG_LABEL, zone) : usual;
  return fittingLabels(labels, span, grid);
}

/** Round moments as labels, at most `most`. */
export function momentsOf({ min, max }: TimeSpan, most: number, zone: Zone): AxisLabel[] {
  return timeTicks(min, max, most, zone).map(({ timeMs, label }) => ({ place: timeMs, text: label }));
}

/** A horizontal axis of moments. */
export function timeAxis(
  span: TimeSpan,
  grid: GridPlace,
  { theme, zone }: Setting,
  more: OptionPart,
): OptionPart {
  return {
    type: 'value',
    min: span.min,
    max: Math.max(span.max, span.min + 1),
    axisLine: { onZero: false, lineStyle: { color: theme.axis } },
    ...labelledAxis(timeAxisLabels(span, grid, zone), theme),
    splitLine: { show: false },
    ...more,
  };
}
