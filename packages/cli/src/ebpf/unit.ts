import { formatSize, nanosecondsPer, roundToDigits } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import type { Option } from 'commander';
import { choiceOption } from '../arguments.ts';
import { groupedDecimal } from '../format.ts';
import { NUMBER_UNITS, TIME_UNITS } from '../numbers/number-unit.ts';

/** `--unit`: the unit of the values of a map. */
export function mapUnitOption(): Option {
  const help = 'unit of the values: they are shown as times and sizes; the kernel does not know it';
  return choiceOption('--unit <unit>', help, NUMBER_UNITS).default('none');
}

/**
 * A value with its unit, such as `16.4 µs` or `4 KiB`, or an integer without a unit. Whole seconds keep all their digits.
 *
 * @param ascii Whether microseconds are `us`.
 */
export function formatValue(value: number, unit: CountedUnit, ascii = false): string {
  if (unit === 'none') return groupedDecimal(String(value));
  const nsPerUnit = nanosecondsPer(unit);
  if (nsPerUnit === undefined) return formatSize(value * SHOWN_UNITS[unit].scale);
  const ns = value * nsPerUnit;
  const shown = TIME_UNITS.findLast((one) => Math.abs(ns) >= nanosecondsPer(one)) ?? 'ns';
  return `${roundToDigits(ns / nanosecondsPer(shown), 3)} ${ascii ? shown : shown.replace('u', 'µ')}`;
}
