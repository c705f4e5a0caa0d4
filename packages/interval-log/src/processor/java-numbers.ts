import { mustBe } from '@hdrscope/core/internal';

// Source: Java, `Double.valueOf`. `Double.parseDouble` trims characters up to U+0020, and accepts `1d` and `0x1p-3`.
const DECIMAL = /^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;
const HEXADECIMAL = /^([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)[fFdD]?$/;
const SPACE = 0x20;
const INTEGER = /^[+-]?\d+$/;

/**
 * Parses a number as Java's `Double.parseDouble`.
 *
 * @param what The name of the number in an error's message.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the text is not a number.
 */
export function parseJavaDouble(text: string, what: string): number {
  const trimmed = trimmedAsJava(text);
  if (DECIMAL.test(trimmed)) return Number(trimmed.replace(/[fFdD]$/, ''));
  const [, sign, whole = '', fraction = '', exponent] = HEXADECIMAL.exec(trimmed) ?? [];
  const digits = `${whole}${fraction}`;
  if (exponent === undefined || digits === '') {
    throw mustBe('ERR_INVALID_OPTION', what, 'a number', text);
  }
  const magnitude = Number(BigInt(`0x${digits}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -magnitude : magnitude;
}

/**
 * Parses an integer of 64 or 32 bits as Java's `Long.parseLong` or `Integer.parseInt`.
 *
 * @param what The name of the number in an error's message.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the text is not an integer in the range.
 */
export function parseJavaInteger(text: string, bits: 32 | 64, what: string): number {
  const isInteger = INTEGER.test(text);
  const value = isInteger ? BigInt(text.replace(/^\+/, '')) : 0n;
  if (isInteger && BigInt.asIntN(bits, value) === value) return Number(value);
  const end = 2n ** BigInt(bits - 1);
  throw mustBe('ERR_INVALID_OPTION', what, `an integer from ${-end} to ${end - 1n}`, text);
}

/** Formats a number as Java's `Double.toString`: `99.0`, `1.0E-5`. */
export function formatJavaDouble(x: number): string {
  if (!Number.isFinite(x)) return String(x);
  const magnitude = Math.abs(x);
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  if (magnitude === 0 || (magnitude >= 1e-3 && magnitude < 1e7)) {
    const digits = String(magnitude);
    return sign + (digits.includes('.') ? digits : `${digits}.0`);
  }
  const [mantissa, exponent] = magnitude.toExponential().split('e') as [string, string];
  return `${sign}${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}

function trimmedAsJava(text: string): string {
  // Java trims control characters too.
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return text.slice(start, end);
}
