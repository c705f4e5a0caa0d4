const ZERO = 0x30;
const POINT = 0x2e;
const PLUS = 0x2b;
const MINUS = 0x2d;
const LOWER_E = 0x65;
const UPPER_E = 0x45;

/** Integers with this many digits are exact doubles. */
const EXACT_DIGITS = 15;

/** The powers of ten that are exact doubles. A product or quotient of two exact doubles is rounded once, as the decimal is. */
export const EXACT_POWERS: Float64Array = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * The number that a decimal means: `12`, `-0.5`, `.5`, `5.` or `1.5e-3`, as `Number(text)` has it.
 *
 * @param bytes ASCII, from `from` to before `to`.
 * @returns NaN when the bytes are no decimal: an empty range, blanks, hexadecimals, `Infinity`.
 */
export function parseDecimal(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  const sign = bytes[at];
  const isNegative = at < to && sign === MINUS;
  if (at < to && (sign === MINUS || sign === PLUS)) at++;

  let mantissa = 0;
  let digits = 0;
  let written = 0;
  // Where the point is, or -1.
  let pointAt = -1;
  for (; at < to; at++) {
    const digit = bytes[at]! ^ ZERO;
    if (digit < 10) {
      mantissa = mantissa * 10 + digit;
      written++;
      // Leading zeros do not count as digits.
      if (mantissa !== 0) digits++;
    } else if (digit === (POINT ^ ZERO) && pointAt === -1) pointAt = at;
    else break;
  }
  let exponent = pointAt === -1 ? 0 : pointAt + 1 - at;
  if (written === 0) return Number.NaN;

  if (at < to && (bytes[at] === LOWER_E || bytes[at] === UPPER_E)) {
    at++;
    const isDown = at < to && bytes[at] === MINUS;
    if (at < to && (bytes[at] === MINUS || bytes[at] === PLUS)) at++;
    const exponentFrom = at;
    let shift = 0;
    while (at < to && (bytes[at]! ^ ZERO) < 10) shift = shift * 10 + (bytes[at++]! ^ ZERO);
    if (at === exponentFrom) return Number.NaN;
    exponent += isDown ? -shift : shift;
  }
  if (at !== to) return Number.NaN;

  if (digits > EXACT_DIGITS || exponent < -22 || exponent > 22) return Number(asciiOf(bytes, from, to));
  const size = exponent < 0 ? mantissa / EXACT_POWERS[-exponent]! : mantissa * EXACT_POWERS[exponent]!;
  return isNegative ? -size : size;
}

function asciiOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}
