import type { SloLine } from '@hdrscope/plot';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { amountIn } from '../amount.ts';
import { wrongOption } from '../arguments.ts';

/**
 * Parses `p99.9=50ms`, `max=1s` or `50ms`. A value without a unit is in the unit of the plot.
 *
 * @throws UsageError
 */
export function parseSlo(text: string, unit: CountedUnit): SloLine {
  const [, rank, amount = ''] = /^(?:(p[\d.]+|max)\s*<?=\s*)?(.+)$/.exec(text.trim()) ?? [];
  const percentile = rank === undefined ? undefined : rank === 'max' ? 100 : Number(rank.slice(1));
  const value = amountIn(amount.trim(), unit);
  if (value === undefined || (percentile !== undefined && !(percentile >= 0 && percentile <= 100))) {
    const example =
      SHOWN_UNITS[unit].unit === 'By' ? 'p99=64KiB' : unit === 'none' ? 'p99=200' : 'p99.9=50ms';
    throw wrongOption('--slo', `a percentile and a value, as in ${example}`, text);
  }
  return { value, ...(percentile !== undefined && { percentile }) };
}
