import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { wrongOption } from '../arguments.ts';
import { parseUnit, type ValueScale } from '../log/values.ts';

/** `--unit` @throws UsageError */
export function parseCountedUnit(text: string): CountedUnit {
  if (Object.hasOwn(SHOWN_UNITS, text)) return text as CountedUnit;
  throw wrongOption('--unit', Object.keys(SHOWN_UNITS).join(', '), text);
}

/** How percentile text is read: times are printed in ms, everything else as it is. */
export function textScale(unit: CountedUnit): ValueScale {
  return parseUnit(SHOWN_UNITS[unit].unit === 's' ? unit : 'none');
}
