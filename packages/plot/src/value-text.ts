import { mustBe } from '@hdrscope/core/internal';
import { formatBounds, formatDuration, formatSize, nanosecondsPer, roundToDigits } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import type { PlottedChange } from './plot.ts';

/**
 * A value as people read it: `16.4 µs`, `16 min 40 s`, `4 KiB`, or the number with commas between thousands when the unit is `'none'`.
 * Infinity is `∞`, NaN is `-`.
 *
 * @param unit The unit of `value`.
 * @param digits Significant digits; digits before the point are kept, zeros at the end are not written.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is not a number.
 * @example
 * ```ts
 * import { formatValue } from '@hdrscope/plot';
 *
 * formatValue(16_383, 'ns'); //=> '16.4 µs'
 * formatValue(4096, 'bytes'); //=> '4 KiB'
 * formatValue(0.2504, 's'); //=> '250 ms'
 * formatValue(12_345, 'none'); //=> '12,345'
 * ```
 */
export function formatValue(value: number, unit: CountedUnit, digits = 3): string {
  if (typeof value !== 'number') throw mustBe('ERR_INVALID_VALUE', 'value', 'a number', value);
  if (Number.isNaN(value)) return '-';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  if (unit === 'none') return numberText(roundToDigits(value, digits));
  const ns = nanosecondsPer(unit);
  return ns === undefined
    ? formatSize(value * SHOWN_UNITS[unit].scale, digits)
    : formatDuration(value * ns, digits);
}

/** An interval behind its value: ` (18 ms to 25 ms)`; empty without bounds. */
export function intervalText(
  lower: number | undefined,
  upper: number | undefined,
  unit: CountedUnit,
): string {
  if (lower === undefined || upper === undefined) return '';
  return ` (${formatValue(lower, unit)} to ${formatValue(upper, unit)})`;
}

/** A value that may be known by bounds only, of which it is the upper one: `2.5 s`, `1 s to 2.5 s`. */
export function boundedText(lower: number | undefined, value: number, unit: CountedUnit): string {
  return lower === undefined
    ? formatValue(value, unit)
    : formatBounds({ lower, upper: value }, (bound) => formatValue(bound, unit));
}

/** Whether a value of a change is known by bounds only. */
export function isBounded({ beforeLower, afterLower }: PlottedChange): boolean {
  return beforeLower !== undefined || afterLower !== undefined;
}

/** A number with commas between thousands. A number of more than 21 digits has an exponent. */
function numberText(value: number): string {
  const text = String(value);
  if (Math.abs(value) < 1000 || text.includes('e')) return text;
  numbers ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });
  return numbers.format(value);
}

/** Made once: `toLocaleString` makes a format at each call, in a hundred times the time. */
let numbers: Intl.NumberFormat | undefined;
