import { nanosecondsPer } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { formatValue } from '../value-text.ts';
import type { OptionPart } from './option.ts';
import type { Theme } from './theme.ts';

// The steps, in ns, of times above 5 s, where people stop counting in decimals.
const TIME_STEPS = [
  10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
].map((seconds) => seconds * 1e9);

/** The ends of an axis of values, and its labelled values. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
  /** Ascending. */
  readonly ticks: readonly number[];
}

/** A linear axis that begins at 0, or below 0 when there are negative values. */
export function linearRange(values: readonly number[], unit: CountedUnit, parts = 6): ValueRange {
  const [least, most] = extentOf(values.filter(Number.isFinite));
  const low = Math.min(0, least);
  const high = least === most && least === 0 ? 1 : Math.max(0, most);
  const step = niceStep((high - low) / parts, unit);
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  const ticks = Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(12)));
  return { min: ticks[0]!, max: ticks.at(-1)!, ticks };
}

/** A logarithmic axis. Values of 0 and less lie at its beginning. */
export function logRange(values: readonly number[], unit: CountedUnit): ValueRange {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return { min: 1, max: 10, ticks: [1, 10] };
  const [smallest, most] = extentOf(positive);
  // Zeros lie below the smallest positive value.
  const least = values.some((value) => value <= 0) ? smallest / 2 : smallest;
  const size = sizeOf(unit);
  const candidates = unit === 'bytes' || unit === 'KiB' ? powersOfTwo(least * size, most * size) : null;
  const all = candidates ?? decimals(least * size, most * size);
  const ticks = all.map((tick) => tick / size);
  return { min: ticks[0]!, max: ticks.at(-1)!, ticks };
}

/** The range of a linear or a logarithmic axis. */
export function rangeOf(
  values: readonly number[],
  unit: CountedUnit,
  scale: 'linear' | 'log' | undefined,
  parts?: number,
): ValueRange {
  return scale === 'log' ? logRange(values, unit) : linearRange(values, unit, parts);
}

/** The smallest step that people count in and that is at least `least`. */
function niceStep(least: number, unit: CountedUnit): number {
  const size = sizeOf(unit);
  const wanted = least * size;
  if (unit === 'bytes' || unit === 'KiB') return 2 ** Math.ceil(Math.log2(wanted)) / size;
  if (unit !== 'none' && wanted > 5e9) {
    const step = TIME_STEPS.find((one) => one >= wanted);
    return (step ?? decimalStep(wanted / 86_400e9) * 86_400e9) / size;
  }
  return decimalStep(wanted) / size;
}

/** How many nanoseconds or bytes one of a unit is; 1 without a unit. */
function sizeOf(unit: CountedUnit): number {
  return nanosecondsPer(unit) ?? SHOWN_UNITS[unit].scale;
}

function decimalStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return decade * [1, 2, 5, 10].find((one) => one * decade >= least * (1 - 1e-9))!;
}

/** Steps of 1, 2 and 5 around a range of up to two decades, powers of ten around a wider range. */
function decimals(least: number, most: number): number[] {
  const [from, to] = [Math.floor(Math.log10(least) + 1e-9), Math.ceil(Math.log10(most) - 1e-9)];
  const decades = Array.from({ length: Math.max(1, to - from) + 1 }, (_, i) => from + i);
  if (decades.length > 3) return decades.map((decade) => 10 ** decade);
  const steps = decades.flatMap((decade) => [1, 2, 5].map((digit) => Number(`${digit}e${decade}`)));
  return around(steps, least, most);
}

function powersOfTwo(least: number, most: number): number[] {
  const [from, to] = [Math.floor(Math.log2(least)), Math.ceil(Math.log2(most))];
  const step = Math.max(1, Math.ceil((to - from) / 8));
  const count = Math.max(1, Math.ceil((to - from) / step));
  return Array.from({ length: count + 1 }, (_, i) => 2 ** (from + i * step));
}

/** The part of ascending steps from the last step up to `least` to the first step from `most`: at least two steps. */
function around(steps: readonly number[], least: number, most: number): number[] {
  const from = Math.max(
    0,
    steps.findLastIndex((step) => step <= least * (1 + 1e-9)),
  );
  const to = steps.findIndex((step) => step >= most * (1 - 1e-9));
  return steps.slice(from, Math.max(to, from + 1) + 1);
}

function extentOf(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least <= most ? [least, most] : [0, 0];
}

/** The value at which a value outside of the range is drawn: 0 is at the beginning of a logarithmic axis. */
export function clampTo({ min, max }: ValueRange, value: number): number {
  return Math.min(max, Math.max(min, value));
}

/** A value beside an axis: zero has no unit. */
export function tickText(value: number, unit: CountedUnit): string {
  return value === 0 ? '0' : formatValue(value, unit);
}

/** The labels of an axis. */
export function labelsOf({ ticks }: ValueRange, unit: CountedUnit): string[] {
  return ticks.map((tick) => tickText(tick, unit));
}

/** The vertical axis of values, in units that people read. */
export function valueAxis(
  range: ValueRange,
  unit: CountedUnit,
  scale: 'linear' | 'log',
  theme: Theme,
  more: OptionPart = {},
): OptionPart {
  return {
    type: scale === 'log' ? 'log' : 'value',
    min: range.min,
    max: range.max,
    axisLine: { show: true, lineStyle: { color: theme.axis } },
    axisTick: { show: true, customValues: range.ticks },
    axisLabel: {
      color: theme.text,
      customValues: range.ticks,
      hideOverlap: true,
      formatter: (value: number) => tickText(value, unit),
    },
    splitLine: { show: true, lineStyle: { color: theme.grid } },
    nameTextStyle: { color: theme.mutedText, align: 'left' },
    ...more,
  };
}
