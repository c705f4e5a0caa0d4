const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The next double towards infinity. */
export function nextUp(x: number): number {
  return -nextDown(-x);
}

/** The next double towards minus infinity. */
export function nextDown(x: number): number {
  if (x === Number.NEGATIVE_INFINITY || Number.isNaN(x)) return x;
  if (x === 0) return -Number.MIN_VALUE;
  double[0] = x;
  bits[0] = bits[0]! + (x > 0 ? -1n : 1n);
  return double[0]!;
}

/** The middle of two numbers, exact in range even when their difference exceeds the largest double. */
export function middle(lower: number, upper: number): number {
  const width = upper - lower;
  return Number.isFinite(width) ? lower + width / 2 : lower / 2 + upper / 2;
}
