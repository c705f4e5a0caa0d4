import { type AxisLabel, fittingLabels, type GridPlace, labelledAxis } from './frame.ts';
import type { OptionPart } from './option.ts';
import type { Theme } from './theme.ts';
import { timeTicks } from './time-text.ts';

/** A stretch of a time axis, in ms. */
export interface TimeSpan {
  readonly min: number;
  readonly max: number;
}

const PIXELS_PER_LABEL = 76;
const PIXELS_PER_LONG_LABEL = 110;

/** The labels of a stretch of a horizontal axis of moments in UTC that have room. */
export function timeAxisLabels(span: TimeSpan, grid: GridPlace): AxisLabel[] {
  const usual = momentsOf(span, grid.width / PIXELS_PER_LABEL);
  // Parts of seconds have longer labels.
  const isLong = usual.some(({ text }) => text.length > 8);
  const labels = isLong ? momentsOf(span, grid.width / PIXELS_PER_LONG_LABEL) : usual;
  return fittingLabels(labels, span, grid);
}

/** Round moments as labels, at most `most`. */
export function momentsOf({ min, max }: TimeSpan, most: number): AxisLabel[] {
  return timeTicks(min, max, most).map(({ timeMs, label }) => ({ place: timeMs, text: label }));
}

/** A horizontal axis of moments in UTC. */
export function timeAxis(span: TimeSpan, grid: GridPlace, theme: Theme, more: OptionPart): OptionPart {
  return {
    type: 'value',
    min: span.min,
    max: Math.max(span.max, span.min + 1),
    axisLine: { onZero: false, lineStyle: { color: theme.axis } },
    ...labelledAxis(timeAxisLabels(span, grid), theme),
    splitLine: { show: false },
    ...more,
  };
}
