import type { Bounds } from '@hdrscope/core';

/**
 * A percentile as people call it: `p99.9`, and `max` for 100.
 *
 * @param percentile From 0 to 100.
 * @example
 * ```ts
 * import { percentileName } from '@hdrscope/kit';
 *
 * [99.9, 100].map(percentileName); //=> ['p99.9', 'max']
 * ```
 */
export function percentileName(percentile: number): string {
  return percentile >= 100 ? 'max' : `p${percentile}`;
}

/**
 * A share as people read it: a percentage with three digits of its smaller part. It is 100 % only when nothing is missing, and 0 % only when nothing is
 * there.
 *
 * @param share From 0 to 1.
 * @example
 * ```ts
 * import { formatShare } from '@hdrscope/kit';
 *
 * [0.5, 0.99951, 0.999999].map(formatShare); //=> ['50 %', '99.951 %', '99.9999 %']
 * ```
 */
export function formatShare(share: number): string {
  const rest = Math.min(share, 1 - share);
  if (rest <= 0) return share <= 0 ? '0 %' : '100 %';
  const digits = Math.min(Math.max(2 - Math.floor(Math.log10(rest * 100)), 0), 15);
  const numbers =
    numbersByDigits[digits] ?? new Intl.NumberFormat('en-US', { maximumFractionDigits: digits });
  numbersByDigits[digits] = numbers;
  return `${numbers.format(share * 100)} %`;
}

/** Made once each: `toLocaleString` makes a format at each call, in a hundred times the time. */
const numbersByDigits: Intl.NumberFormat[] = [];

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * A bar as text for people: blocks to an eighth of a character, or `#` in ASCII. Only a bar of length 0 is empty.
 *
 * @param length In characters, at least 0.
 * @example
 * ```ts
 * import { formatBar } from '@hdrscope/kit';
 *
 * [formatBar(2.5), formatBar(2.5, true), formatBar(0.001)]; //=> ['██▌', '###', '▏']
 * ```
 */
export function formatBar(length: number, isAscii = false): string {
  const parts = isAscii ? 1 : EIGHTHS.length;
  const size = length === 0 ? 0 : Math.max(1, Math.round(length * parts));
  return (isAscii ? '#' : '█').repeat(Math.floor(size / parts)) + EIGHTHS[size % parts]!;
}

/**
 * Whether bounds are wider than the slot of a value that keeps so many digits: whether people should see both ends.
 *
 * @example
 * ```ts
 * import { areWide } from '@hdrscope/kit';
 *
 * [areWide({ lower: 1000, upper: 1007 }, 2), areWide({ lower: 1000, upper: 2500 }, 2)]; //=> [false, true]
 * ```
 */
export function areWide({ lower, upper }: Bounds, digits: number): boolean {
  return lower === Number.NEGATIVE_INFINITY || upper - lower > Math.abs(lower) * 10 ** -digits;
}

/**
 * Bounds as text for people: `1.00 to 2.50`, `400 to 800 µs`, `2.50` when both ends have the same text, `65 or more` when the upper side is open,
 * and `-` when nothing is known.
 *
 * @example
 * ```ts
 * import { formatBounds } from '@hdrscope/kit';
 *
 * formatBounds({ lower: 1, upper: 2.5 }, (seconds) => `${seconds} s`); //=> '1 to 2.5 s'
 * ```
 */
export function formatBounds({ lower, upper }: Bounds, format: (value: number) => string): string {
  if (Number.isNaN(lower)) return '-';
  const [from, to] = [format(lower), format(upper)];
  if (upper === Number.POSITIVE_INFINITY)
    return lower === Number.NEGATIVE_INFINITY ? 'any' : `${from} or more`;
  if (lower === Number.NEGATIVE_INFINITY) return `${to} or less`;
  if (from === to) return to;
  // A unit that both ends have stands once.
  const [, amount, unit] = /^((?:< )?\S+)( \S+)$/.exec(from) ?? [];
  return unit !== undefined && to.endsWith(unit) ? `${amount} to ${to}` : `${from} to ${to}`;
}
