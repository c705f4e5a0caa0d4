import type { CountedUnit } from '@hdrscope/registry';
import { amountIn } from '../amount.ts';
import { wrongOption } from '../arguments.ts';

const EXACT_BELOW = 2n ** 53n;

/**
 * Parses a whole number of a unit: `3600`; `1h` for times or `4GiB` for sizes, rounded to the nearest. A bigint when a
 * number would not be exact.
 *
 * @throws UsageError
 */
export function parseAmount(text: string, unit: CountedUnit, name: string): number | bigint {
  if (/^\d{1,19}$/.test(text)) {
    const amount = BigInt(text);
    return amount < EXACT_BELOW ? Number(amount) : amount;
  }
  const amount = Math.round(amountIn(text, unit) ?? Number.NaN);
  if (!Number.isSafeInteger(amount)) throw wrongOption(name, allowedIn(unit), text);
  return amount;
}

function allowedIn(unit: CountedUnit): string {
  if (unit === 'none') return 'a whole number';
  const isSize = unit === 'bytes' || unit === 'KiB';
  return isSize
    ? 'a whole number of the unit, as in 4096, or a size, as in 4KiB or 1GiB'
    : 'a whole number of the unit, as in 60000, or a time, as in 500ms or 1h30m';
}
