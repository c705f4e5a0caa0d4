import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { chunkBytes } from '../bytes.ts';
import { type Patience, Slices } from '../slices.ts';

/** How bytes are compressed. */
export interface GzipOptions {
  /** From 1, which is the fastest, to 9. @default zlib's own, which is 6 */
  readonly level?: number | undefined;
  /** How long the work may rest in a busy process. @default it does not rest */
  readonly patience?: Patience;
  /** Ends the work. @default nothing does */
  readonly signal?: AbortSignal;
}

// A thread compresses these in some 0.3 ms. Where a process has one processor, its requests wait for that thread.
const CHUNK_BYTES = 1 << 14;

/**
 * Compresses bytes in a thread of Node.js, in slices. Rejects when `signal` is aborted.
 *
 * @returns The compressed bytes, in parts.
 */
export async function gzipInSlices(
  parts: readonly Uint8Array[],
  { level, patience, signal }: GzipOptions = {},
): Promise<Uint8Array[]> {
  signal?.throwIfAborted();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const slices = new Slices(patience && { patience });
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
