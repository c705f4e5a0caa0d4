import type { SloLine } from '@hdrscope/plot';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { isDecimal, wrongOption } from '../arguments.ts';
import { durationSeconds } from '../duration.ts';

const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/**
 * `p99.9=50ms`, `max=1s` or `50ms`; a value without a unit is taken as values are counted.
 *
 * @throws UsageError
 */
export function parseSlo(text: string, unit: CountedUnit): SloLine {
  const [, rank, amount = ''] = /^(?:(p[\d.]+|max)\s*<?=\s*)?(.+)$/.exec(text.trim()) ?? [];
  const percentile = rank === undefined ? undefined : rank === 'max' ? 100 : Number(rank.slice(1));
  const value = amountOf(amount.trim(), unit);
  if (value === undefined || (percentile !== undefined && !(percentile >= 0 && percentile <= 100))) {
    const example =
      SHOWN_UNITS[unit].unit === 'By' ? 'p99=64KiB' : unit === 'none' ? 'p99=200' : 'p99.9=50ms';
    throw wrongOption('--slo', `a percentile and a value, as in ${example}`, text);
  }
  return { value, ...(percentile !== undefined && { percentile }) };
}

function amountOf(text: string, unit: CountedUnit): number | undefined {
  if (isDecimal(text)) return Number(text);
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  const amount = shown === 's' ? durationSeconds(text) : shown === 'By' ? bytesOf(text) : undefined;
  // 0.05 s is 50,000,000 ns, not 50,000,000.00000001.
  return amount === undefined ? undefined : Number((amount / scale).toPrecision(12));
}

function bytesOf(text: string): number | undefined {
  const [, number = '', unit = ''] = /^([\d.]+)\s*(\w+)$/.exec(text) ?? [];
  return isDecimal(number) && Object.hasOwn(SIZES, unit) ? Number(number) * SIZES[unit]! : undefined;
}
