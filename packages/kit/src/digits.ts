/**
 * A count as people read it: `1,234,567`.
 *
 * @example
 * ```ts
 * import { formatCount } from '@hdrscope/kit';
 *
 * formatCount(2n ** 53n); //=> '9,007,199,254,740,992'
 * ```
 */
export function formatCount(count: number | bigint): string {
  return groupDigits(count, ',');
}

/**
 * A count of values as people read it: `1 value`, `1,234 values`.
 *
 * @example
 * ```ts
 * import { valuesText } from '@hdrscope/kit';
 *
 * [valuesText(1), valuesText(1234)]; //=> ['1 value', '1,234 values']
 * ```
 */
export function valuesText(count: number | bigint): string {
  return `${formatCount(count)} ${Number(count) === 1 ? 'value' : 'values'}`;
}

/**
 * The digits of an integer, with a separator between thousands. Other numbers stay as they are.
 *
 * @example
 * ```ts
 * import { groupDigits } from '@hdrscope/kit';
 *
 * [groupDigits(3_600_000, '_'), groupDigits(0.5, '_')]; //=> ['3_600_000', '0.5']
 * ```
 */
export function groupDigits(number: number | bigint, separator: string): string {
  return grouped(String(number), separator);
}

/**
 * A decimal with commas between the thousands before its point.
 *
 * @example
 * ```ts
 * import { groupDecimal } from '@hdrscope/kit';
 *
 * groupDecimal('-12345.50'); //=> '-12,345.50'
 * ```
 */
export function groupDecimal(decimal: string): string {
  const [, sign = '', digits = '', rest = ''] = /^(-?)(\d+)(\D.*)?$/.exec(decimal) ?? [];
  return digits === '' ? decimal : `${sign}${grouped(digits, ',')}${rest}`;
}

/**
 * A decimal without the zeros at its end.
 *
 * @example
 * ```ts
 * import { trimZeros } from '@hdrscope/kit';
 *
 * ['1.50', '2.00'].map(trimZeros); //=> ['1.5', '2']
 * ```
 */
export function trimZeros(decimal: string): string {
  let end = decimal.length;
  while (decimal[end - 1] === '0') end--;
  if (decimal[end - 1] === '.') end--;
  return decimal.slice(0, end);
}

function grouped(text: string, separator: string): string {
  if (!/^\d+$/.test(text)) return text;
  const groups: string[] = [];
  for (let end = text.length; end > 0; end -= 3) groups.unshift(text.slice(Math.max(0, end - 3), end));
  return groups.join(separator);
}
