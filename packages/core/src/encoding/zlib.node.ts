import { constants, deflateSync, inflateSync } from 'node:zlib';

const SMALLEST_CHUNK = 1024;
const LARGEST_CHUNK = 2 ** 20;
// Holds the longest table of codes, and more than the header of an encoding.
const START_BYTES = 1024;

/** Deflates into a zlib stream (RFC 1950), at a level from 0 to 9 or zlib's default. */
export function deflate(bytes: Uint8Array, level?: number): Uint8Array {
  return level === undefined ? deflateSync(bytes) : deflateSync(bytes, { level });
}

/** Inflates a zlib stream. Throws when the stream is broken, bytes follow it, or the result would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const { buffer, engine } = inflateSync(bytes, {
    // Twice the size of most results, which then come in one piece.
    chunkSize: Math.min(Math.max(SMALLEST_CHUNK, 4 * bytes.length), LARGEST_CHUNK),
    maxOutputLength: mostBytes,
    info: true,
  }) as unknown as Inflated;
  if (engine.bytesWritten !== bytes.length) throw new RangeError('bytes follow the stream');
  return buffer;
}

/** Inflates the first bytes of a zlib stream, to at most a megabyte. Throws when they are broken. */
export function inflateStart(bytes: Uint8Array): Uint8Array {
  return inflateSync(bytes.subarray(0, START_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
}

/** The result with `info`, which the types of Node.js lack. */
interface Inflated {
  readonly buffer: Uint8Array;
  /** `bytesWritten` is the number of input bytes used. */
  readonly engine: { readonly bytesWritten: number };
}
