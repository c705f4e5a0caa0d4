import type { Bounds } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { formatBounds } from '@hdrscope/kit';

/**
 * A count as people read it, with a comma between thousands. A count that is not an integer has three digits.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the count is not a number.
 * @example
 * ```ts
 * import { formatCount } from '@hdrscope/plot';
 *
 * formatCount(1_234_567); //=> '1,234,567'
 * formatCount(0.12345); //=> '0.123'
 * ```
 */
export function formatCount(count: number): string {
  if (typeof count !== 'number') throw mustBe('ERR_INVALID_VALUE', 'count', 'a number', count);
  if (!Number.isInteger(count)) return String(Number(count.toPrecision(3)));
  integers ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return integers.format(count);
}

/** Made once: `toLocaleString` makes a format at each call, in a hundred times the time. */
let integers: Intl.NumberFormat | undefined;

const STEPS = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A count in at most five characters, if it is below 10^18: `999`, `1.2k`, `84k`, `1M`. */
export function formatShortCount(count: number): string {
  // Rounds before it chooses the step: 999,999 is 1M. Below a thousand, nothing is rounded to two digits.
  const step = count < 1000 ? undefined : STEPS.find(([size]) => Number(count.toPrecision(2)) >= size);
  if (step === undefined) return String(Number(count.toPrecision(3)));
  const scaled = count / step[0];
  return `${scaled < 9.95 ? Number(scaled.toFixed(1)) : Math.round(scaled)}${step[1]}`;
}

/** A count with its noun: `1 value`, `16 values`, `0 to 10 values`. A name in the plural loses its s for one. */
export function countText(count: number, name = 'values', bounds: Partial<Bounds> = {}): string {
  const text = boundedCount(count, bounds);
  const isOne = text === '1' && name.endsWith('s') && !name.endsWith('ss');
  return `${text} ${isOne ? name.slice(0, -1) : name}`;
}

/** A count that may be known by bounds only: `3`, `0 to 10`. */
export function boundedCount(count: number, { lower, upper }: Partial<Bounds>): string {
  return lower === undefined || upper === undefined
    ? formatCount(count)
    : formatBounds({ lower, upper }, formatCount);
}

/** A count beside an axis: exact up to a million, short beyond it. */
export function formatTickCount(count: number): string {
  return count < 1e6 ? formatCount(count) : formatShortCount(count);
}
