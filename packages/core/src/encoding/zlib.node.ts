import { deflateSync, inflateSync } from 'node:zlib';

/** Deflates into a zlib stream (RFC 1950), at zlib's default level. */
export function deflate(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes);
}

/** Inflates a zlib stream; throws when it is broken, is followed by anything, or would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const { buffer, engine } = inflateSync(bytes, {
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
