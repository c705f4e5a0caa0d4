/**
 * A number rounded to significant digits; digits before the point are never rounded away.
 *
 * @example
 * ```ts
 * import { roundToDigits } from '@hdrscope/kit';
 *
 * roundToDigits(0.12345, 3); //=> 0.123
 * roundToDigits(12_345.6, 3); //=> 12346
 * ```
 */
export function roundToDigits(value: number, digits: number): number {
  const wholeDigits = String(Math.trunc(Math.abs(value))).replace(/e.*/, '').length;
  return Number(value.toPrecision(Math.min(100, Math.max(digits, wholeDigits))));
}
