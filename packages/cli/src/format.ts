import { formatDecimal } from '@hdrscope/core/internal';
import { formatCount, valuesText } from '@hdrscope/kit';

/** A decimal for people. A number that is shown as zero has no sign, also when it is less than zero by a rounding error. */
export function decimalText(value: number, decimals: number): string {
  const text = formatDecimal(value, decimals);
  return isZero(text) ? text.replace('-', '') : text;
}

/** A difference with its sign: `-` before an amount that is shown as other than zero, and `+` otherwise. */
export function signedText(difference: number, amountText: (amount: number) => string): string {
  const text = amountText(Math.abs(difference));
  return `${difference < 0 && !isZero(text) ? '-' : '+'}${text}`;
}

function isZero(text: string): boolean {
  return text.includes('0') && !/[1-9]/.test(text);
}

/**
 * A count of values, and how many independent ones know a percentile as well: `20,000 values, correlated: as good as 900`, or
 * `1,000 values, a sample: as good as 100`.
 *
 * @param asGoodAs At most `sent`.
 * @param sent How many values of a sample there are, if they are one. At most `count`.
 */
export function worthText(count: number, asGoodAs: number, sent: number = count): string {
  // Chance alone makes independent values look a little dependent.
  if (sent < count && asGoodAs >= sent / 2)
    return `${valuesText(count)}, a sample: as good as ${formatCount(sent)}`;
  if (asGoodAs >= count / 2) return valuesText(count);
  const worth = Math.max(1, Number(asGoodAs.toPrecision(2)));
  return `${valuesText(count)}, correlated: as good as ${formatCount(worth)}`;
}

/** A number of things: `1 target`, `2 targets`. */
export function countText(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
