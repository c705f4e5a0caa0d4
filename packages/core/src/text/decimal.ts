/**
 * Formats a number with a fixed count of decimals as Java's `%.{decimals}f` does: half up, on the shortest decimal
 * that reads back as the same double. `toFixed` rounds the binary value instead: 1.005 gives 1.00 there, 1.01 here.
 */
export function formatDecimal(x: number, decimals: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'NaN' : x > 0 ? 'Infinity' : '-Infinity';
  const [mantissa, exponent] = Math.abs(x).toExponential().split('e') as [string, string];
  const digits = mantissa.replace('.', '');
  // x = 0.DIGITS * 10 ** point
  const point = Number(exponent) + 1;
  const kept = point + decimals;
  const text = roundedDigits(digits, kept).padStart(decimals + 1, '0');
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  if (decimals === 0) return sign + text;
  return `${sign}${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

/** The first `kept` digits, rounded half up, or all digits and zeros after them. */
function roundedDigits(digits: string, kept: number): string {
  if (kept < 0) return '0';
  if (kept >= digits.length) return digits.padEnd(kept, '0');
  const up = digits.charCodeAt(kept) >= FIVE;
  const head = digits.slice(0, kept) || '0';
  // Up to fifteen digits, plus one, are exact in a double, which is many times faster.
  if (kept <= 15) return String(Number(head) + (up ? 1 : 0));
  return String(BigInt(head) + (up ? 1n : 0n));
}

const FIVE = '5'.charCodeAt(0);
