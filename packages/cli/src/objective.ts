import { measureOf, quantityIn } from '@hdrscope/inputs/internal';
import { formatDuration, formatSize, percentileName, type Quantity, quantityOf } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { between, readPercent, readPercentile, wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';
import { defineOption } from './define-command.ts';

/** A promise about values, as a person wrote it: `p99.9=50ms`. */
export interface Objective {
  /** The text of the person, for messages. */
  readonly text: string;
  /** The option that has the text, for messages. */
  readonly option: string;
  /** The percentile that must be at most the threshold: 100 for `max`. `undefined` for a threshold alone, such as `50ms`. */
  readonly percentile: number | undefined;
  /** The threshold: nanoseconds for times, bytes for sizes, else a number without a unit. */
  readonly threshold: number;
  readonly measure: Quantity['measure'];
}

/**
 * Parses an objective: `p99.9=50ms`, `99.9=50ms`, `max=1s`, `p99=64KiB`, `p99=200`, or a threshold alone.
 *
 * @param option The option that has the text, for messages.
 * @throws UsageError
 */
export function parseObjective(text: string, option = '--slo'): Objective {
  const sign = text.indexOf('=');
  const rank = sign === -1 ? undefined : text.slice(0, sign).replace(/<$/, '');
  const amount = text.slice(sign + 1);
  const percentile = rank === undefined ? undefined : readPercentile(rank.trim());
  const threshold = quantityOf(amount.trim());
  if (threshold === undefined || (rank !== undefined && percentile === undefined)) {
    throw wrongOption(option, 'a percentile and a value, as in p99.9=50ms or p99=64KiB', text);
  }
  return { text: text.trim(), option, percentile, threshold: threshold.amount, measure: threshold.measure };
}

/**
 * The threshold of an objective in the unit of the values.
 *
 * @throws UsageError when the unit of the objective is not one of these values. Values with a unit refuse a bare number.
 */
export function thresholdIn({ text, option, threshold, measure }: Objective, unit: CountedUnit): number {
  const wanted = measureOf(unit);
  if (measure === 'number') {
    if (wanted === undefined) return threshold;
    const cure = `${text}${wanted === 'time' ? 'ms' : 'KiB'}`;
    throw new UsageError(
      `${option} needs a unit because the values are in ${unit}, as in ${cure}: got '${text}'`,
    );
  }
  const converted = quantityIn({ measure, amount: threshold }, unit);
  if (converted !== undefined) return converted;
  const cause = wanted === undefined ? 'the values have no unit' : `the values are in ${unit}`;
  throw new UsageError(
    `${option} cannot be a ${measure} because ${cause}, got '${text}': --unit states their unit`,
  );
}

/** An objective with a percentile, in words: `p99.9 ≤ 250 ms`. */
export function objectiveText({ percentile, threshold, measure }: Objective): string {
  const amount =
    measure === 'time'
      ? formatDuration(threshold, 15)
      : measure === 'size'
        ? formatSize(threshold, 15)
        : String(threshold);
  return `${percentileName(percentile!)} ≤ ${amount}`;
}

/** `--objective`: the percentage of values that must be good, as a number above 0 and below 100. */
export const OBJECTIVE = defineOption({
  value: '<percent>',
  help: 'the share of values that must be good, as in 99.9%',
  allowed: 'a percentage above 0 and below 100, as in 99.9%',
  parse: between(0, 100, readPercent),
  required: 'a percentage, as in 99.9%',
});
