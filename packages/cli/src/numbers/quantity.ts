import { nanosecondsPer, type Quantity, quantityOf } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { TIME_UNITS } from './number-unit.ts';

/** What a value measures. */
type Measure = 'time' | 'size';

/** A number with its unit, such as `12ms` or `4 KiB`. */
export interface NumberWithUnit extends Quantity {
  readonly measure: Measure;
  /** The unit in which values like this one are shown. */
  readonly unit: CountedUnit;
}

/** Reads a number with its unit; `undefined` for a number alone, and for other texts. */
export function numberWithUnit(text: string): NumberWithUnit | undefined {
  // Most texts have one of these units, and there may be millions of texts.
  const [, number, name] = COMMON.exec(text) ?? [];
  const unit = TIME_UNITS.find((one) => one === name);
  if (unit !== undefined) {
    const amount = Number(number) * nanosecondsPer(unit);
    // 15 digits hide rounding errors, and keep parts of a nanosecond, which --resolution may ask for.
    return {
      measure: 'time',
      amount: Number.isInteger(amount) ? amount : Number(amount.toPrecision(15)),
      unit,
    };
  }
  const { measure, amount } = quantityOf(text) ?? { measure: 'number', amount: 0 };
  if (measure === 'number') return undefined;
  if (measure === 'size') return { measure, amount, unit: text.endsWith('iB') ? 'KiB' : 'bytes' };
  // Longer durations, such as 1h30m, are shown in seconds.
  return { measure, amount, unit: /[\u00b5\u03bc]s$/.test(text) ? 'us' : 's' };
}

const COMMON = /^(\d+(?:\.\d+)?) ?(ns|us|ms|s)$/;

/** What values of a unit measure; `undefined` when they have no unit. */
export function measureOf(unit: CountedUnit): Measure | undefined {
  const { unit: shown } = SHOWN_UNITS[unit];
  return shown === 's' ? 'time' : shown === 'By' ? 'size' : undefined;
}

/** A quantity in a unit; `undefined` when the unit measures something else. */
export function quantityIn({ measure, amount }: Quantity, unit: CountedUnit): number | undefined {
  if (measureOf(unit) !== measure) return undefined;
  return amount / (nanosecondsPer(unit) ?? SHOWN_UNITS[unit].scale);
}

/** How many of a unit are one of another; `undefined` when they measure different things. */
export function unitsPer(one: CountedUnit, other: CountedUnit): number | undefined {
  if (measureOf(one) !== measureOf(other)) return undefined;
  // Integers, because 1e-6 / 1e-9 is 1000.0000000000001.
  const [a, b] = [one, other].map((unit) => nanosecondsPer(unit) ?? SHOWN_UNITS[unit].scale);
  return a! / b!;
}

/** Why numbers and values of other files cannot be shown together, and what to state. */
export function differentUnits(
  name: string,
  numbersIn: CountedUnit,
  other: string,
  unit: CountedUnit,
): string {
  return numbersIn === 'none'
    ? `${name} has numbers without a unit, and the values of ${other} are in ${unit}: --text-unit ms says that the numbers are milliseconds`
    : `${name} is in ${numbersIn} and ${other} in ${unit}: --unit states the unit of ${other}`;
}
