/** Encodings of V0 and V1 put together field by field, right ones and wrong ones. */
export type WordSize = 2 | 4 | 8;

export interface FixedWords {
  readonly version: 0 | 1;
  readonly wordSize?: number;
  readonly counts?: readonly bigint[];
  readonly payloadLength?: number;
  readonly normalizingOffset?: number;
  readonly significantDigits?: number;
  readonly lowest?: bigint;
  readonly highest?: bigint;
}

/** The slots of the default range. */
export const SMALL_SLOTS = 64;

export function fixedWords({
  version,
  wordSize = 8,
  counts = [],
  payloadLength = counts.length * wordSize,
  normalizingOffset = 0,
  significantDigits = 1,
  lowest = 1n,
  highest = 100n,
}: FixedWords): Uint8Array<ArrayBuffer> {
  const start = version === 0 ? 32 : 40;
  const bytes = new Uint8Array(start + counts.length * wordSize);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, (version === 0 ? 0x1c849308 : 0x1c849301) | (wordSize << 4));
  const range = version === 0 ? 4 : 12;
  view.setInt32(range, significantDigits);
  view.setBigInt64(range + 4, lowest);
  view.setBigInt64(range + 12, highest);
  if (version === 1) {
    view.setInt32(4, payloadLength);
    view.setInt32(8, normalizingOffset);
    view.setFloat64(32, 1);
  }
  counts.forEach((count, i) => {
    const rest = BigInt.asUintN(8 * wordSize, count);
    for (let byte = 0; byte < wordSize; byte++) {
      bytes[start + i * wordSize + byte] = Number((rest >> BigInt(8 * (wordSize - 1 - byte))) & 0xffn);
    }
  });
  return bytes;
}
