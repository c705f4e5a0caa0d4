/**
 * The index arithmetic of Java's HdrHistogram, with bigints: slow, and with no code in common with
 * the code under test.
 */
const SUB_BUCKET_BITS = [1n, 5n, 8n, 11n, 15n, 18n];

export interface ReferenceShape {
  readonly unitMagnitude: bigint;
  readonly bits: bigint;
}

export function shapeOf(significantDigits: number, unitMagnitude: number): ReferenceShape {
  return { unitMagnitude: BigInt(unitMagnitude), bits: SUB_BUCKET_BITS[significantDigits]! };
}

export function slotOf({ unitMagnitude, bits }: ReferenceShape, value: bigint): number {
  const mask = ((1n << bits) - 1n) << unitMagnitude;
  const bucket = BigInt((value | mask).toString(2).length) - bits - unitMagnitude;
  return Number((bucket << (bits - 1n)) + (value >> (bucket + unitMagnitude)));
}

export function lowerOf({ unitMagnitude, bits }: ReferenceShape, slot: number): bigint {
  const half = 1n << (bits - 1n);
  let bucket = (BigInt(slot) >> (bits - 1n)) - 1n;
  let subBucket = (BigInt(slot) & (half - 1n)) + half;
  if (bucket < 0n) {
    subBucket -= half;
    bucket = 0n;
  }
  return subBucket << (bucket + unitMagnitude);
}
