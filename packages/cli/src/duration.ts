import { secondsOf } from '@hdrscope/inputs/internal';
import { DURATION_FORMS, sizeBytes } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { isDecimal, wrongOption } from './arguments.ts';

/**
 * The seconds of a duration above 0.
 *
 * @throws UsageError
 */
export function parseDuration(text: string, name: string): number {
  const seconds = secondsOf(text);
  if (seconds === undefined || seconds === 0)
    throw wrongOption(name, `a duration above 0, ${DURATION_FORMS}`, text);
  return seconds;
}

// Amounts of options.

/** `50ms`, `4KiB` or `100MB` in a unit; a number alone is in that unit already. `undefined` when the text does not fit it. */
export function amountIn(text: string, unit: CountedUnit): number | undefined {
  if (isDecimal(text)) return Number(text);
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  const amount = shown === 's' ? secondsOf(text) : shown === 'By' ? sizeBytes(text) : undefined;
  // 0.05 s is 50,000,000 ns, not 50,000,000.00000001.
  return amount === undefined ? undefined : Number((amount / scale).toPrecision(15));
}
