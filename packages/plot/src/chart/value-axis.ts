import type { CountedUnit } from '@hdrscope/registry';
import { formatShortCount } from '../count-text.ts';
import { formatValue } from '../value-text.ts';
import type { OptionPart } from './option.ts';
import type { Theme } from './theme.ts';
import { logEnd, logTicks, niceStep } from './ticks.ts';

/** The scale of an axis of values. */
export type Scale = 'linear' | 'log';

/** The ends of an axis of values, and its labelled values. */
export interface ValueRange {
  readonly scale: Scale;
  readonly min: number;
  readonly max: number;
  /** Ascending. */
  readonly ticks: readonly number[];
  /** Whether the beginning of a logarithmic axis stands for zero. */
  readonly hasZero: boolean;
}

/** From this ratio of the largest to the smallest positive value on, an axis is logarithmic. */
const DECADE = 10;

/** The scale that shows all of the values: logarithmic when they span a decade. */
function scaleOf(values: readonly number[]): Scale {
  const [least, most] = extentOf(values.filter((value) => value > 0 && Number.isFinite(value)));
  return least > 0 && most >= DECADE * least && !values.some((value) => value < 0) ? 'log' : 'linear';
}

/** A linear axis that begins at 0, or below 0 when there are negative values. */
export function linearRange(values: readonly number[], unit: CountedUnit, parts = 6): ValueRange {
  const [least, most] = extentOf(values.filter(Number.isFinite));
  const low = Math.min(0, least);
  const high = least === most && least === 0 ? 1 : Math.max(0, most);
  const step = niceStep((high - low) / parts, unit);
  // Nothing is shorter than a nanosecond, unless all of it is.
  const whole = unit === 'ns' && high - low >= 1 ? Math.max(1, step) : step;
  const [from, to] = [Math.floor(low / whole + 1e-9) * whole, Math.ceil(high / whole - 1e-9) * whole];
  const [min, max] = [Number(from.toPrecision(12)), Number(to.toPrecision(12))];
  const count = Math.round((max - min) / whole);
  const ticks = Array.from({ length: count + 1 }, (_, i) => Number((min + i * whole).toPrecision(12)));
  return { scale: 'linear', min, max, ticks, hasZero: false };
}

/** A logarithmic axis. Zeros lie at its beginning, which is labelled so. */
export function logRange(values: readonly number[], unit: CountedUnit, parts = 10): ValueRange {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  const [least, most] = positive.length === 0 ? [1, 10] : extentOf(positive);
  const low = logEnd(least, unit, 'below');
  let high = logEnd(most, unit, 'above');
  // A single value that is a labelled one has room above it.
  if (high <= low) high = logEnd(low * 1.5, unit, 'above');
  const hasZero = values.some((value) => value <= 0);
  // Zero is below all ticks, a tenth of the axis away.
  const min = hasZero ? low / Math.max(2, (high / low) ** 0.12) : low;
  const ticks = logTicks(low, high, unit, parts);
  return { scale: 'log', min, max: high, ticks: hasZero ? [min, ...ticks] : ticks, hasZero };
}

/** The range of an axis, whose scale follows from the values when it is left out. */
export function rangeOf(
  values: readonly number[],
  unit: CountedUnit,
  scale: Scale | undefined,
  parts?: number,
): ValueRange {
  return (scale ?? scaleOf(values)) === 'log'
    ? logRange(values, unit, parts)
    : linearRange(values, unit, parts);
}

/** The smallest and the largest value; zeros without values. */
export function extentOf(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least <= most ? [least, most] : [0, 0];
}

/** The value at which a value outside of the range is drawn: 0 is at the beginning of a logarithmic axis. */
export function clampTo({ min, max }: Pick<ValueRange, 'min' | 'max'>, value: number): number {
  return Math.min(max, Math.max(min, value));
}

/** A value beside an axis: zero has no unit, and large numbers without a unit are short. */
export function tickText(value: number, unit: CountedUnit): string {
  if (value === 0) return '0';
  if (unit !== 'none' || Math.abs(value) < 1e6) return formatValue(value, unit);
  const short = formatShortCount(Math.abs(value));
  const exact = Number(Math.abs(value).toPrecision(2)) === Math.abs(value) && Math.abs(value) < 1e18;
  return exact ? `${value < 0 ? '-' : ''}${short}` : formatValue(value, unit);
}

/** The label of a value of the axis. */
function labelOf({ min, hasZero }: ValueRange, value: number, unit: CountedUnit): string {
  return hasZero && value <= min ? '0' : tickText(value, unit);
}

/** The labels of an axis. */
export function labelsOf(range: ValueRange, unit: CountedUnit): string[] {
  return range.ticks.map((tick) => labelOf(range, tick, unit));
}

/** The vertical axis of values, in units that people read. */
export function valueAxis(
  range: ValueRange,
  unit: CountedUnit,
  theme: Theme,
  more: OptionPart = {},
): OptionPart {
  return {
    type: range.scale === 'log' ? 'log' : 'value',
    min: range.min,
    max: range.max,
    axisLine: { show: true, lineStyle: { color: theme.axis } },
    axisTick: { show: true, customValues: range.ticks },
    axisLabel: {
      color: theme.text,
      customValues: range.ticks,
      hideOverlap: true,
      formatter: (value: number) => labelOf(range, value, unit),
    },
    splitLine: { show: true, lineStyle: { color: theme.grid } },
    nameTextStyle: { color: theme.mutedText, align: 'left' },
    ...more,
  };
}
