import type { FileHandle } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import type { LogErrorCode } from '../errors.ts';
import type { LogEntry } from '../reader/entry.ts';
import { LogParser, type ParserOptions } from '../reader/parser.ts';

const CHUNK_BYTES = 2 ** 16;
const GZIP_MAGIC = 0x8b1f;

/** How many bytes at the beginning of a file tell it from others. */
export const HEAD_BYTES = 4096;
// Lines differ by their timestamps, and a line has 80 bytes or more.
const TAIL_BYTES = 1024;

const NOTHING = Buffer.alloc(0);

/**
 * The reading of one log, whatever the name of its file is by now. It remembers the first bytes of the log, and the last ones
 * before its position, by which it recognises the log in a renamed, copied or compressed file.
 */
export class Reading {
  readonly parser: LogParser;
  readonly beginning: Buffer;
  #position = 0;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  /** @param beginning The first bytes that `readOn` expects. @default any */
  constructor(options: ParserOptions, beginning: Buffer = NOTHING) {
    this.beginning = beginning;
    this.parser = new LogParser({ maxMalformed: Number.POSITIVE_INFINITY, ...options });
  }

  /** The number of bytes that were read. */
  get position(): number {
    return this.#position;
  }

  /** The last bytes that were read. */
  get tail(): Buffer {
    return this.#tail;
  }

  /** Whether a file that begins with these bytes may be this log, a copy of it, or an older copy. */
  mayBegin(head: Uint8Array): boolean {
    return beginsAlike(this.#head, head);
  }

  /** Yields the entries of the next bytes, which must not change meanwhile. */
  push(chunk: Uint8Array): Generator<LogEntry, void> {
    this.#position += chunk.length;
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    const tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]);
    // Copied, because a part would keep the whole in memory.
    this.#tail = Buffer.from(tail.subarray(-TAIL_BYTES));
    return this.parser.push(chunk);
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
      const overlap = this.#tail.length;
      const { bytesRead } = await handle.read(buffer, 0, overlap + CHUNK_BYTES, this.#position - overlap);
      if (!buffer.subarray(0, Math.min(overlap, bytesRead)).equals(this.#tail)) return false;
      if (bytesRead === overlap) return this.#position > 0 || this.beginning.length === 0;
      const chunk = buffer.subarray(overlap, bytesRead);
      if (this.#position === 0 && this.beginning.length > 0 && !beginsAlike(chunk, this.beginning))
        return false;
      if (this.#position === 0 && chunk[0]! + 256 * (chunk[1] ?? 0) === GZIP_MAGIC) {
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
