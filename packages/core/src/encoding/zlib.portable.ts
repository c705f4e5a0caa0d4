import { type ZlibOptions, zlibSync } from '#fflate';
import { Inflater } from './inflater.ts';

type DeflateLevel = NonNullable<ZlibOptions['level']>;

/** Deflates into a zlib stream (RFC 1950), at a level from 0 to 9 or zlib's default. */
export function deflate(bytes: Uint8Array, level?: number): Uint8Array {
  return level === undefined ? zlibSync(bytes) : zlibSync(bytes, { level: level as DeflateLevel });
}

/** Inflates a zlib stream. Throws when the stream is broken, bytes follow it, or the result would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const stream = pushStream(bytes, mostBytes);
  const { rest } = stream;
  if (!stream.isDone || rest.length < CHECK_BYTES) throw new RangeError('the stream is cut short');
  if (rest.length > CHECK_BYTES) throw new RangeError('bytes follow the stream');
  const whole = stream.take();
  if (adler32(whole) !== new DataView(rest.buffer, rest.byteOffset).getUint32(0))
    throw new RangeError('the checksum at the end does not match');
  return whole;
}

/** Inflates the first bytes of a zlib stream, to at most a megabyte. Throws when they are broken. */
export function inflateStart(bytes: Uint8Array): Uint8Array {
  return pushStream(bytes.subarray(0, START_BYTES), Number.POSITIVE_INFINITY).take();
}

let inflater: Inflater | undefined;

/** Source: RFC 1950, section 2.2. */
function pushStream(bytes: Uint8Array, mostBytes: number): Inflater {
  const [method = 0, flags = 0] = bytes;
  const isZlib =
    (method & 15) === DEFLATE && method >> 4 <= LARGEST_WINDOW && (method * 256 + flags) % 31 === 0;
  if (!isZlib || (flags & DICTIONARY) !== 0)
    throw new RangeError('it does not begin as a zlib stream without a dictionary');
  inflater ??= new Inflater();
  inflater.begin(mostBytes);
  inflater.push(bytes.subarray(HEADER_BYTES));
  return inflater;
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

const HEADER_BYTES = 2;
const DEFLATE = 8;
const LARGEST_WINDOW = 7;
const DICTIONARY = 0x20;
// Holds the longest table of codes, and more than the header of an encoding.
const START_BYTES = 1024;
const CHECK_BYTES = 4;
const ADLER_BASE = 65521;
// So many sums of bytes stay below 2^32.
const ADLER_RUN = 5552;
