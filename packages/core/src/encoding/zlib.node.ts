import { constants, deflateSync, inflateSync } from 'node:zlib';

/** Deflates into a zlib stream (RFC 1950), as tightly as HdrHistogram's logs are. */
export function deflate(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: constants.Z_BEST_COMPRESSION });
}

/** Inflates a zlib stream; throws when it is broken, or would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  return inflateSync(bytes, { maxOutputLength: mostBytes });
}
