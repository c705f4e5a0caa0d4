import { Unzlib, zlibSync } from 'fflate';

/** Deflates into a zlib stream (RFC 1950), as tightly as HdrHistogram's logs are. */
export function deflate(bytes: Uint8Array): Uint8Array {
  return zlibSync(bytes, { level: 9 });
}

/** Inflates a zlib stream; throws when it is broken, or would exceed `mostBytes`. */
export function inflate(bytes: Uint8Array, mostBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Unzlib((chunk) => {
    length += chunk.length;
    if (length > mostBytes) throw new RangeError(`cannot inflate to more than ${mostBytes} bytes`);
    chunks.push(chunk);
  });
  // In pieces, so that a small stream which inflates to a giant one is stopped on the way.
  for (let at = 0; at < bytes.length; at += PIECE)
    stream.push(bytes.subarray(at, at + PIECE), at + PIECE >= bytes.length);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const PIECE = 4096;
