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
  let scaled: bigint;
  if (kept < 0) scaled = 0n;
  else if (kept >= digits.length) scaled = BigInt(digits) * 10n ** BigInt(kept - digits.length);
  else scaled = BigInt(digits.slice(0, kept) || '0') + (digits.charCodeAt(kept) >= FIVE ? 1n : 0n);
  const text = scaled.toString().padStart(decimals + 1, '0');
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  if (decimals === 0) return sign + text;
  return `${sign}${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

const FIVE = '5'.charCodeAt(0);
