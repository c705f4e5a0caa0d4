import { deflateSync, inflateSync } from 'node:zlib';

const SMALLEST_CHUNK = 1024;
const LARGEST_CHUNK = 2 ** 20;

/** Deflates into a zlib stream (RFC 1950), at a level from 0 to 9 or zlib's default. */
export function deflate(bytes: Uint8Array, level?: number): Uint8Array {
  return level === undefined ? deflateSync(bytes) : deflateSync(bytes, { level });
}

/** Inflates a zlib stream; throws when it is broken, is followed by anything, or would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const { buffer, engine } = inflateSync(bytes, {
    // Twice what most encodings make of it: they are in one piece then.
    chunkSize: Math.min(Math.max(SMALLEST_CHUNK, 4 * bytes.length), LARGEST_CHUNK),
    maxOutputLength: mostBytes,
    info: true,
  }) as unknown as Inflated;
  if (engine.bytesWritten !== bytes.length) throw new RangeError('something follows the stream');
  return buffer;
}

/** What `info` makes of the result, which its types do not know. */
interface Inflated {
  readonly buffer: Uint8Array;
  /** `bytesWritten` is how much of the input was used. */
  readonly engine: { readonly bytesWritten: number };
}
