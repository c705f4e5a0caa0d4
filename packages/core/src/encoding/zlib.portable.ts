import { Unzlib, unzlibSync, type ZlibOptions, zlibSync } from '#fflate';

type DeflateLevel = NonNullable<ZlibOptions['level']>;

/** Deflates into a zlib stream (RFC 1950), at a level from 0 to 9 or zlib's default. */
export function deflate(bytes: Uint8Array, level?: number): Uint8Array {
  return level === undefined ? zlibSync(bytes) : zlibSync(bytes, { level: level as DeflateLevel });
}

/** Inflates a zlib stream. Throws when the stream is broken, bytes follow it, or the result would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  if (bytes.length < CHECK_BYTES) throw new RangeError('a zlib stream has at least four bytes');
  const whole = mostBytes <= SCRATCH_BYTES ? inflateAtOnce(bytes) : joined(bytes, mostBytes, true);
  if (whole.length > mostBytes) throw new RangeError(`cannot inflate to more than ${mostBytes} bytes`);
  // fflate does not verify the checksum at the end, which shows that a stream is cut off or changed.
  const check = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - CHECK_BYTES).getUint32(0);
  if (adler32(whole) !== check) throw new RangeError('the checksum at the end does not match');
  return whole;
}

/** Inflates a small stream. What does not fit is cut off, which the checksum shows. */
function inflateAtOnce(bytes: Uint8Array): Uint8Array {
  // A stream of fflate allocates more than most encodings have, so many of them take minutes.
  scratch ??= new Uint8Array(SCRATCH_BYTES);
  return unzlibSync(bytes, { out: scratch }).slice();
}

/** Reused, because an encoding is decoded at once. */
let scratch: Uint8Array | undefined;
const SCRATCH_BYTES = 2 ** 16;

/** Inflates the first bytes of a zlib stream, to at most a megabyte. Throws when they are broken. */
export function inflateStart(bytes: Uint8Array): Uint8Array {
  return joined(bytes.subarray(0, START_BYTES), Number.POSITIVE_INFINITY, false);
}

/** @param isWhole Whether the stream ends with the bytes. */
function joined(bytes: Uint8Array, mostBytes: number, isWhole: boolean): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Unzlib((chunk) => {
    length += chunk.length;
    if (length > mostBytes) throw new RangeError(`cannot inflate to more than ${mostBytes} bytes`);
    chunks.push(chunk);
  });
  // In pieces, so that a small stream with a giant result is stopped on the way.
  for (let at = 0; at < bytes.length; at += PIECE)
    stream.push(bytes.subarray(at, at + PIECE), isWhole && at + PIECE >= bytes.length);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Source: RFC 1950, section 8.2. */
function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + ADLER_RUN);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= ADLER_BASE;
    b %= ADLER_BASE;
  }
  return b * 0x10000 + a;
}

const PIECE = 4096;
// Holds the longest table of codes, and more than the header of an encoding.
const START_BYTES = 1024;
const CHECK_BYTES = 4;
const ADLER_BASE = 65521;
// So many sums of bytes stay below 2^32.
const ADLER_RUN = 5552;
