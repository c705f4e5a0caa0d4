import { nanosecondsPer, roundToDigits } from '@hdrscope/kit';
import type { Option } from 'commander';
import { choiceOption } from '../arguments.ts';
import { TIME_UNITS } from '../numbers/number-unit.ts';
import { VALUE_UNITS, type ValueUnit } from '../value-scale.ts';

/** `--unit`: the unit of the values of a map. */
export function mapUnitOption(): Option {
  const help = 'unit of the values; other than none, values are shown as times';
  return choiceOption('--unit <unit>', help, VALUE_UNITS).default('none');
}

/** A value with its unit, such as `16.4 µs`, or an integer without a unit. Whole seconds keep all their digits. */
export function formatValue(value: number, unit: ValueUnit): string {
  if (unit === 'none') return String(value);
  const ns = value * nanosecondsPer(unit);
  const shown = TIME_UNITS.findLast((one) => Math.abs(ns) >= nanosecondsPer(one)) ?? 'ns';
  return `${roundToDigits(ns / nanosecondsPer(shown), 3)} ${shown.replace('u', 'µ')}`;
}
