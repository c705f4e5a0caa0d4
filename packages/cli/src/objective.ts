import { type Quantity, quantityOf } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { isDecimal, wrongOption } from './arguments.ts';
import { UsageError } from './command.ts';

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
  /** What the threshold measures. */
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
  const percentile = rank === undefined ? undefined : percentileOf(rank.trim());
  const threshold = quantityOf(amount.trim());
  if (threshold === undefined || (rank !== undefined && percentile === undefined)) {
    throw wrongOption(option, 'a percentile and a value, as in p99.9=50ms or p99=64KiB', text);
  }
  return { text: text.trim(), option, percentile, threshold: threshold.amount, measure: threshold.measure };
}

function percentileOf(rank: string): number | undefined {
  if (rank === 'max') return 100;
  const digits = rank.replace(/^p/, '');
  return isDecimal(digits) && Number(digits) <= 100 ? Number(digits) : undefined;
}

/**
 * The threshold of an objective in the unit of the values.
 *
 * @throws UsageError when the unit of the objective is not one of these values. Values with a unit refuse a bare number.
 */
export function thresholdIn({ text, option, threshold, measure }: Objective, unit: CountedUnit): number {
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  const wanted = shown === 's' ? 'time' : shown === 'By' ? 'size' : 'number';
  if (measure === wanted) {
    if (measure === 'number') return threshold;
    // 50,000,000 ns are 0.05 s, without the digits of rounding errors.
    const inShownUnit = measure === 'time' ? threshold / 1e9 : threshold;
    return Number((inShownUnit / scale).toPrecision(15));
  }
  if (measure === 'number') {
    const cure = `${text}${wanted === 'time' ? 'ms' : 'KiB'}`;
    throw new UsageError(
      `${option} needs a unit because the values are in ${unit}, as in ${cure}: got '${text}'`,
    );
  }
  const cause = wanted === 'number' ? 'the values have no unit' : `the values are in ${unit}`;
  throw new UsageError(
    `${option} cannot be a ${measure} because ${cause}, got '${text}': --unit states their unit`,
  );
}
