import { formatDecimal } from '@hdrscope/core/internal';
import { groupDecimal } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
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
 * decimals when the smallest value is below 0.01 ms. Other numbers are integers or have three decimals. Still smaller values get as
 * many decimals as three of their digits take.
 */
export function valueFormat(values: readonly number[], scale: ValueScale): (value: number) => string {
  const smallest = values.reduce(
    (least, value) => (value > 0 ? Math.min(least, scaled(value, scale)) : least),
    Number.POSITIVE_INFINITY,
  );
  const isTime = scale.unit === 'ms';
  const decimals = decimalsOf(smallest, isTime);
  return (value) => {
    const number = scaled(value, scale);
    return groupDecimal(formatDecimal(number, isTime || !Number.isInteger(number) ? decimals : 0));
  };
}

const MOST_DECIMALS = 20;

function decimalsOf(smallest: number, isTime: boolean): number {
  if (smallest >= 0.01) return 3;
  if (isTime && smallest >= 1e-6) return 6;
  return Math.min(MOST_DECIMALS, 2 - Math.floor(Math.log10(smallest)));
}
