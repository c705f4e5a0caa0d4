import type { ChunkParser } from './reading.ts';

const NEWLINE = 0x0a;
// A line that is longer comes in parts, and cannot be dropped.
const LONGEST_LINE = 2 ** 20;

/** Bytes of whole lines of a followed file. They last until the next ones come. */
export interface FollowedBytes {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
}

/** Passes on the bytes of whole lines. */
export class WholeLines implements ChunkParser<FollowedBytes> {
  /** The beginning of a line. */
  #begun = Buffer.alloc(0);

  *push(chunk: Uint8Array): Generator<FollowedBytes, void> {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#begun = Buffer.concat([this.#begun, chunk]);
      if (this.#begun.length > LONGEST_LINE) yield this.#take(this.#begun);
      return;
    }
    const whole = chunk.subarray(0, end);
    // Copied, because the memory of the chunk is used again.
    const rest = Buffer.from(chunk.subarray(end));
    yield this.#take(this.#begun.length === 0 ? whole : Buffer.concat([this.#begun, whole]));
    this.#begun = rest;
  }

  dropLine(): void {
    this.#begun = Buffer.alloc(0);
  }

  *end(): Generator<FollowedBytes, void> {
    if (this.#begun.length > 0) yield this.#take(Buffer.concat([this.#begun, Buffer.of(NEWLINE)]));
  }

  #take(bytes: Uint8Array): FollowedBytes {
    this.#begun = Buffer.alloc(0);
    return { kind: 'bytes', bytes };
  }
}
