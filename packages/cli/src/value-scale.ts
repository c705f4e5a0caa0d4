import { formatDecimal } from '@hdrscope/core/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { groupedDecimal } from './format.ts';
import { perMs } from './numbers/number-unit.ts';

/** How the values of a log are shown. */
export interface ValueScale {
  /** The divisor of raw values. */
  readonly divisor: number;
  /** The unit of the quotient; empty when values have none. */
  readonly unit: 'ms' | 'bytes' | 'KiB' | '';
}

/** The scale of values in a unit: times are shown in milliseconds, others as they are. */
export function valueScaleOf(unit: CountedUnit): ValueScale {
  if (unit === 'none') return { divisor: 1, unit: '' };
  if (unit === 'bytes' || unit === 'KiB') return { divisor: 1, unit };
  return { divisor: perMs(unit), unit: 'ms' };
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
  if (scale.unit !== 'ms') {
    return (value) => {
      const number = scaled(value, scale);
      return groupedDecimal(formatDecimal(number, Number.isInteger(number) ? 0 : 3));
    };
  }
  const smallest = shown.reduce(
    (least, value) => (value > 0 ? Math.min(least, value) : least),
    Number.POSITIVE_INFINITY,
  );
  const decimals = smallest < 0.01 ? 6 : 3;
  return (value) => groupedDecimal(formatDecimal(scaled(value, scale), decimals));
}
