import { nanosecondsPer, roundToDigits } from '@hdrscope/kit';
import { Option } from 'commander';
import { TIME_UNITS } from '../numbers/number-unit.ts';

/** Unit of the values of a map; `none` for values that are not times. */
export type ShownUnit = (typeof TIME_UNITS)[number] | 'none';

/** The option `--unit`. */
export function shownUnit(): Option {
  return new Option('--unit <unit>', 'unit of the values; other than none, values are shown as times')
    .choices([...TIME_UNITS, 'none'])
    .default('none');
}

/** A value with its unit, such as `16.4 µs`, or an integer without a unit. Whole seconds keep all their digits. */
export function formatValue(value: number, unit: ShownUnit): string {
  if (unit === 'none') return String(value);
  const ns = value * nanosecondsPer(unit);
  const shown = TIME_UNITS.findLast((one) => Math.abs(ns) >= nanosecondsPer(one)) ?? 'ns';
  return `${roundToDigits(ns / nanosecondsPer(shown), 3)} ${shown.replace('u', 'µ')}`;
}
