import { formatDecimal } from '@hdrscope/core/internal';
import { wrongOption } from './arguments.ts';
import { perMs, TIME_UNITS } from './numbers/number-unit.ts';

/** How the values of a log are shown. */
export interface ValueScale {
  /** The divisor of raw values. */
  readonly divisor: number;
  /** The unit of the quotient; empty when values are shown as they are. */
  readonly unit: 'ms' | '';
}

const SCALES: Readonly<Record<string, ValueScale>> = Object.fromEntries([
  ...TIME_UNITS.map((unit) => [unit, { divisor: perMs(unit), unit: 'ms' }]),
  ['none', { divisor: 1, unit: '' }],
]);

/** The words of `--unit`. */
export const VALUE_UNITS: readonly string[] = Object.keys(SCALES);

/** @throws UsageError */
export function parseUnit(text: string): ValueScale {
  const scale = SCALES[text];
  if (scale === undefined) throw wrongOption('--unit', VALUE_UNITS.join(', '), text);
  return scale;
}

/** A raw value in the unit shown. */
export function scaled(value: number, { divisor }: ValueScale): number {
  if (divisor === 1) return value;
  // 15 digits hide rounding errors: 2.97796032, not 2.9779603199999998.
  return Number((value / divisor).toPrecision(15));
}

/**
 * The format of all values of a table: milliseconds with three decimals, as HdrHistogram's tools print them, or with six
 * decimals when the smallest value is below 0.01 ms.
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
