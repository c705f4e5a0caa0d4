import { compressedOf } from './bytes.ts';

/** V2 encodings put together field by field, right ones and wrong ones. */
export interface RawV2 {
  readonly cookie?: number;
  readonly payloadLength?: number;
  readonly normalizingOffset?: number;
  readonly significantDigits?: number;
  readonly lowest?: bigint;
  readonly highest?: bigint;
  readonly ratio?: number;
  readonly payload?: ArrayLike<number>;
}

export function rawV2({
  payload = [2],
  cookie = 0x1c849313,
  payloadLength = payload.length,
  normalizingOffset = 0,
  significantDigits = 3,
  lowest = 1n,
  highest = 3_600_000_000n,
  ratio = 1,
}: RawV2 = {}): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(40 + payload.length);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, cookie);
  header.setInt32(4, payloadLength);
  header.setInt32(8, normalizingOffset);
  header.setInt32(12, significantDigits);
  header.setBigInt64(16, lowest);
  header.setBigInt64(24, highest);
  header.setFloat64(32, ratio);
  bytes.set(payload, 40);
  return bytes;
}

/** The wrapping of a compressed V2 encoding around any zlib stream. */
export function compressedV2(stream: Uint8Array, length?: number): Uint8Array<ArrayBuffer> {
  return compressedOf(0x1c849314, stream, length);
}

/** A number as in a payload, computed with bigints: 7 bits a byte, 8 in the ninth. */
export function zigZag(number: bigint): number[] {
  let rest = BigInt.asUintN(64, (number << 1n) ^ (number >> 63n));
  const bytes: number[] = [];
  while (rest >= 128n && bytes.length < 8) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
}
