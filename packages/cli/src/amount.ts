import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { isDecimal } from './arguments.ts';
import { durationSeconds } from './duration.ts';

const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/**
 * `50ms`, `4KiB` or `200` as a number of what is counted; a number alone is one already. `undefined` for what is no such
 * amount.
 */
export function amountIn(text: string, unit: CountedUnit): number | undefined {
  if (isDecimal(text)) return Number(text);
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  const amount = shown === 's' ? durationSeconds(text) : shown === 'By' ? bytesOf(text) : undefined;
  // 0.05 s is 50,000,000 ns, not 50,000,000.00000001.
  return amount === undefined ? undefined : Number((amount / scale).toPrecision(15));
}

function bytesOf(text: string): number | undefined {
  const [, number = '', unit = ''] = /^([\d.]+)(\w+)$/.exec(text) ?? [];
  return isDecimal(number) && Object.hasOwn(SIZES, unit) ? Number(number) * SIZES[unit]! : undefined;
}
