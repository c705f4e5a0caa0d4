import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Slices } from '../slices.ts';

/** How bytes are compressed. */
export interface GzipOptions {
  /** A level from 1, which is the fastest, to 9, an integer. @default zlib's own, which is 6 */
  readonly level?: number | undefined;
  /** Ends the work. @default nothing does */
  readonly signal?: AbortSignal;
}

// A thread compresses these in some 0.3 ms. Where a process has one processor, its requests wait for that thread.
const CHUNK_BYTES = 1 << 14;

/**
 * Compresses bytes in a thread of Node.js. Rejects when `signal` is aborted.
 *
 * @param slices A slice is what the thread does at a time.
 * @returns The compressed bytes, in parts.
 */
export async function gzipInSlices(
  parts: readonly Uint8Array[],
  slices: Slices,
  { level, signal }: GzipOptions = {},
): Promise<Uint8Array[]> {
  signal?.throwIfAborted();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunkBytes(parts, CHUNK_BYTES)) {
      yield chunk;
      await slices.next();
    }
  }
  const zipped: Uint8Array[] = [];
  const collect = async (compressed: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const part of compressed) zipped.push(part);
  };
  // One chunk at a time: the next one waits for the slice after it.
  await pipeline(Readable.from(chunks(), { highWaterMark: 1 }), createGzip({ level }), collect, { signal });
  return zipped;
}

/**
 * The same bytes in chunks, each of at least `least` and less than twice as many bytes. The last one may be shorter. What comes from one
 * part is not copied.
 *
 * @param least From 1.
 */
export function* chunkBytes(parts: readonly Uint8Array[], least: number): Generator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const end = length + part.length - at < 2 * least ? part.length : at + least - length;
      pending.push(part.subarray(at, end));
      length += end - at;
      at = end;
      if (length < least) continue;
      yield pending.length === 1 ? pending[0]! : Buffer.concat(pending, length);
      pending = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(pending, length);
}
