import { countBytes, joinBytes, Slices } from '@hdrscope/kit';
import { chunkBytes } from '@hdrscope/kit/delivery';
import { holdParts, type PartsSink, writeParts } from '@hdrscope/kit/server';

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
  if (countBytes(body) <= CHUNK_BYTES || !isStream(response)) {
    const { buffer, byteOffset, byteLength } = joinBytes(body);
    // A Buffer of the same memory: a host that converts the body to a string gets its text.
    response.end(Buffer.from(buffer, byteOffset, byteLength));
    return;
  }
  holdParts(response, body);
  await writeParts(response, chunksOf(body));
}

async function* chunksOf(body: Body): AsyncGenerator<Uint8Array> {
  const slices = new Slices();
  for (const chunk of chunkBytes(body, CHUNK_BYTES)) {
    yield chunk;
    if (slices.isOver()) await slices.next();
  }
}

function isStream(response: BodySink): response is BodySink & PartsSink {
  return typeof response.write === 'function' && typeof response.on === 'function';
}
