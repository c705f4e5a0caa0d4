import { formatDecimal } from '@hdrscope/core';
import { wrongOption } from './arguments.ts';
import { perMs, TIME_UNITS } from './numbers/number-unit.ts';

/** How the values of a log are shown. */
export interface ValueScale {
  /** What raw values are divided by. */
  readonly divisor: number;
  /** The unit that they are in then; empty where they are shown as they are. */
  readonly unit: 'ms' | '';
}

const SCALES: Readonly<Record<string, ValueScale>> = Object.fromEntries([
  ...TIME_UNITS.map((unit) => [unit, { divisor: perMs(unit), unit: 'ms' }]),
  ['none', { divisor: 1, unit: '' }],
]);

/** What `--unit` may be. */
export const VALUE_UNITS: readonly string[] = Object.keys(SCALES);

/** @throws UsageError */
export function parseUnit(text: string): ValueScale {
  const scale = SCALES[text];
  if (scale === undefined) throw wrongOption('--unit', VALUE_UNITS.join(', '), text);
  return scale;
}

/** Raw values as numbers of the unit shown. */
export function scaled(value: number, { divisor }: ValueScale): number {
  if (divisor === 1) return value;
  // Quotients of 15 digits are as many as were meant: 2.97796032, not 2.9779603199999998.
  return Number((value / divisor).toPrecision(15));
}

/**
 * Values of one table: in milliseconds with three decimals, as HdrHistogram's tools print them, or with six where
 * three would show next to nothing.
 */
export function valueFormat(values: readonly number[], scale: ValueScale): (value: number) => string {
  const shown = values.map((value) => scaled(value, scale));
  if (scale.unit === '') {
    return (value) => {
      const number = scaled(value, scale);
      return formatDecimal(number, Number.isInteger(number) ? 0 : 3);
    };
  }
  const smallest = Math.min(...shown.filter((value) => value > 0));
  const decimals = smallest < 0.01 ? 6 : 3;
  return (value) => formatDecimal(scaled(value, scale), decimals);
}
