import type { FileHandle } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import type { LogErrorCode } from '../errors.ts';
import type { LogEntry } from '../reader/entry.ts';
import { isGzip } from '../reader/input.ts';
import { LogParser, type ParserSettings } from '../reader/parser.ts';

const CHUNK_BYTES = 2 ** 16;

/** How many bytes at the beginning of a file tell it from others. */
export const HEAD_BYTES = 4096;
// Lines differ by their timestamps, and a line has 80 bytes or more.
const TAIL_BYTES = 1024;

const NOTHING = Buffer.alloc(0);

/** A place in a log, and the last bytes before it. */
export interface Place {
  readonly position: number;
  readonly tail: Buffer;
}

const NEWLINE = 0x0a;
const START: Place = { position: 0, tail: NOTHING };

/**
 * The reading of one log, whatever the name of its file is by now. It remembers the first bytes of the log, and the last ones
 * before its position, by which it recognises the log in a renamed, copied or compressed file.
 *
 * The next writer cuts off a line that a killed one has torn. So the reading also remembers the end of the last whole line, and steps
 * back to it.
 */
export class Reading {
  readonly parser: LogParser;
  readonly beginning: Buffer;
  #here: Place = START;
  #lineEnd: Place = START;
  #head = Buffer.alloc(0);

  /** @param beginning The first bytes that `readOn` expects. @default any */
  constructor(settings: ParserSettings, beginning: Buffer = NOTHING) {
    this.beginning = beginning;
    this.parser = new LogParser(settings);
  }

  /** The number of bytes that were read. */
  get position(): number {
    return this.#here.position;
  }

  /** Where the log may go on: after the bytes that were read, or after the last whole line. */
  get places(): readonly Place[] {
    const hasTorn = this.#lineEnd.position > 0 && this.#lineEnd.position < this.#here.position;
    return hasTorn ? [this.#here, this.#lineEnd] : [this.#here];
  }

  /** Whether a file that begins with these bytes may be this log, a copy of it, or an older copy. */
  mayBegin(head: Uint8Array): boolean {
    return this.places.some(({ position }) => beginsAlike(this.#head.subarray(0, position), head));
  }

  /** Yields the entries of the next bytes, which must not change meanwhile. */
  push(chunk: Uint8Array): Generator<LogEntry, void> {
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    const lineEnd = chunk.lastIndexOf(NEWLINE) + 1;
    if (lineEnd > 0) this.#lineEnd = placeAfter(this.#here, chunk.subarray(0, lineEnd));
    this.#here = placeAfter(this.#here, chunk);
    return this.parser.push(chunk);
  }

  /** Goes on at one of the `places`. */
  goTo(place: Place): void {
    if (place.position === this.#here.position) return;
    this.parser.dropLine();
    this.#here = place;
    this.#head = this.#head.subarray(0, place.position);
  }

  /**
   * Reads an open file on from the position. Returns whether the file still has the bytes before the position there; the answer
   * is no after it was truncated, even if it is longer than before by now.
   *
   * @param name The name of the file in an error.
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the file is compressed.
   */
  async *readOn(
    handle: FileHandle,
    name: string,
    isAborted: () => boolean,
  ): AsyncGenerator<LogEntry, boolean> {
    const buffer = Buffer.allocUnsafe(TAIL_BYTES + CHUNK_BYTES);
    while (!isAborted()) {
      const { position, tail } = this.#here;
      const overlap = tail.length;
      const { bytesRead } = await handle.read(buffer, 0, overlap + CHUNK_BYTES, position - overlap);
      if (!buffer.subarray(0, Math.min(overlap, bytesRead)).equals(tail)) {
        const [, lineEnd] = this.places;
        if (lineEnd === undefined) return false;
        this.goTo(lineEnd);
        continue;
      }
      if (bytesRead === overlap) return position > 0 || this.beginning.length === 0;
      const chunk = buffer.subarray(overlap, bytesRead);
      if (position === 0 && this.beginning.length > 0 && !beginsAlike(chunk, this.beginning)) return false;
      if (position === 0 && isGzip(chunk)) {
        const message = `a followed log must be plain text, and ${name} is compressed: read it with readEntries`;
        throw new HdrscopeError<LogErrorCode>('ERR_LOG_FORMAT', message, { details: { path: name } });
      }
      yield* this.push(chunk);
    }
    return true;
  }
}

/** Whether one of two beginnings of files begins with the other. Nothing begins like an empty file. */
export function beginsAlike(a: Uint8Array, b: Uint8Array): boolean {
  const common = Math.min(a.length, b.length);
  return common > 0 && Buffer.compare(a.subarray(0, common), b.subarray(0, common)) === 0;
}

function placeAfter({ position, tail }: Place, chunk: Uint8Array): Place {
  const bytes = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]);
  // Copied, because a part would keep the whole in memory.
  return { position: position + chunk.length, tail: Buffer.from(bytes.subarray(-TAIL_BYTES)) };
}
