import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Slices } from '@hdrscope/kit';
import { holdParts, type PartsSink, writeParts } from '@hdrscope/kit/server';
import { joined, lengthOf } from './kept-bytes.ts';

/** The body of an answer, in pieces of any length. */
export type Body = readonly Uint8Array[];

/** The part of a response that takes a body. */
export interface BodySink {
  /** With `on`, a long body is written in pieces, as fast as the client takes them. Left out, `end` gets it whole. */
  // biome-ignore lint/suspicious/noExplicitAny: streams differ in the bodies that they accept besides bytes
  write?(chunk: any): unknown;
  /** Registers a listener. The answer waits for `'drain'` and ends at `'close'`. */
  // biome-ignore lint/suspicious/noExplicitAny: each kind of stream has events of its own
  on?(event: any, listener: any): unknown;
  /** Ends the answer, after the given bytes. */
  // biome-ignore lint/suspicious/noExplicitAny: as for `write`
  end(body?: any): unknown;
  /** Whether the client has gone. */
  readonly destroyed?: boolean;
}

// Long enough that a write costs little beside its bytes, and short beside a slice of work.
const CHUNK_BYTES = 1 << 16;

/**
 * Sends a body and ends the response. A long body waits for the client between its chunks. Ends early if the client has gone; rejects
 * with the error of the response.
 */
export async function sendBody(response: BodySink, body: Body): Promise<void> {
  if (lengthOf(body) <= CHUNK_BYTES || !isStream(response)) {
    const { buffer, byteOffset, byteLength } = joined(body);
    // A Buffer of the same memory: a host that converts the body to a string gets its text.
    response.end(Buffer.from(buffer, byteOffset, byteLength));
    return;
  }
  holdParts(response, body);
  await writeParts(response, chunksOf(body));
}

/**
 * Compresses a body in Node's threads. Rejects when `signal` is aborted.
 *
 * @param level From 1, which is the fastest, to 9. @default zlib's own, which is 6
 */
export async function gzipped(body: Body, signal: AbortSignal, level?: number): Promise<Body> {
  signal.throwIfAborted();
  const zipped: Uint8Array[] = [];
  const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of chunks) zipped.push(chunk);
  };
  await pipeline(Readable.from(chunksOf(body)), createGzip({ level }), collect, { signal });
  return zipped;
}

/** The same bytes in chunks of a fitting length. */
async function* chunksOf(body: Body): AsyncGenerator<Uint8Array> {
  const slices = new Slices();
  let pieces: Uint8Array[] = [];
  let length = 0;
  for (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length < CHUNK_BYTES) continue;
    // Most pieces of text are long enough. Copies for each of many clients would take longer than the sockets do.
    yield pieces.length === 1 ? piece : joined(pieces);
    pieces = [];
    length = 0;
    if (slices.isOver()) await slices.next();
  }
  if (length > 0) yield joined(pieces);
}

function isStream(response: BodySink): response is BodySink & PartsSink {
  return typeof response.write === 'function' && typeof response.on === 'function';
}
