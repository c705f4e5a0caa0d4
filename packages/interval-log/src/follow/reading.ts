import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import type { LogErrorCode } from '../errors.ts';
import { isGzip } from '../reader/input.ts';
import { markText, RECENT_BYTES, type TextFile, textFrom } from './text-file.ts';

const CHUNK_BYTES = 2 ** 16;
/** How many bytes at the beginning of a file tell it from most others. */
export const HEAD_BYTES = 4096;
// Each look compares so many bytes at least, and the last line, which differs from others by its timestamp.
const TAIL_BYTES = 1024;
/** A torn line that is longer is not cut off again. */
const MOST_TORN_BYTES = 2 ** 20;

const NEWLINE = 0x0a;

/** What a file holds of a log that was read. */
export interface KnownPart {
  /** The position where the file goes on with text that was not read; `undefined` if it ends before that. */
  readonly goesOnAt: number | undefined;
  /** The number of bytes that the file has in common with what was read. */
  readonly bytes: number;
}

/** Makes entries of the bytes of a followed file, which come in chunks. */
export interface ChunkParser<Entry> {
  /** Yields the entries of the lines that end in this chunk, which must not change meanwhile. */
  push(chunk: Uint8Array): Generator<Entry, void>;
  /** Forgets the line whose end has not arrived yet. */
  dropLine(): void;
  /** Yields the entry of the last line if no newline ends it. */
  end(): Generator<Entry, void>;
}

/** Identifies a file while it exists: a renamed file keeps it, and a later file may get it again. */
export type FileId = Pick<BigIntStats, 'dev' | 'ino'>;

/**
 * The reading of one log, whatever the name of its file is by now. It remembers the last bytes that it read, at least 64 KiB, and a
 * hash of all bytes before them. So it recognises the log in a copied or compressed file, and any part of the log that is not much
 * shorter.
 *
 * The next writer cuts off a line that a killed one has torn. So the reading also remembers the end of the last whole line, and steps
 * back to it.
 */
export class Reading<Entry> {
  readonly parser: ChunkParser<Entry>;
  /** The file that was read last; `undefined` if it was compressed. */
  fileId: FileId | undefined;
  /** How many of the first bytes are in a copy of the file. */
  copiedBytes = 0;
  #head: Buffer = Buffer.alloc(0);
  /** The hash of the first bytes, which are not in `#recent`. */
  readonly #hash = createHash('sha256');
  #hashedBytes = 0;
  #recent: Buffer = Buffer.alloc(0);
  /** The position after the last newline. */
  #lineEnd = 0;

  constructor(parser: ChunkParser<Entry>) {
    this.parser = parser;
  }

  /** The number of bytes that were read. */
  get position(): number {
    return this.#hashedBytes + this.#recent.length;
  }

  /** The position after the last whole line, if it is still remembered; otherwise that of the last byte. */
  get lineEnd(): number {
    return this.#lineEnd > this.#hashedBytes ? this.#lineEnd : this.position;
  }

  /** Whether all whole lines that were read are in a copy of the file. */
  get wasCopied(): boolean {
    return this.copiedBytes > 0 && this.copiedBytes >= this.lineEnd;
  }

  /** Identifies the text that was read. */
  get mark(): string {
    return markText(this.position, this.#head, this.#recent);
  }

  /** Yields the entries of the next bytes, which must not change meanwhile. */
  push(chunk: Uint8Array): Generator<Entry, void> {
    const lineEnd = chunk.lastIndexOf(NEWLINE) + 1;
    if (lineEnd > 0) this.#lineEnd = this.position + lineEnd;
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    this.#recent = Buffer.concat([this.#recent, chunk]);
    this.#hashOldBytes();
    return this.parser.push(chunk);
  }

  #hashOldBytes(): void {
    const tornBytes = this.position - this.#lineEnd;
    const oldBytes = this.#recent.length - RECENT_BYTES - (tornBytes <= MOST_TORN_BYTES ? tornBytes : 0);
    if (oldBytes <= 0) return;
    this.#hash.update(this.#recent.subarray(0, oldBytes));
    this.#hashedBytes += oldBytes;
    // Copied, because a part would keep the whole in memory.
    this.#recent = Buffer.from(this.#recent.subarray(oldBytes));
  }

  /** Goes on at the last byte or at the end of the last whole line. */
  goTo(position: number): void {
    if (position === this.position) return;
    this.parser.dropLine();
    this.#recent = this.#recent.subarray(0, position - this.#hashedBytes);
    this.#head = this.#head.subarray(0, position);
  }

  /** The bytes before a position: at least the last whole line, as far as it is remembered. */
  #tailBefore(position: number): Buffer {
    const before = this.#recent.subarray(0, position - this.#hashedBytes);
    const lines = this.#recent.subarray(0, Math.max(0, this.lineEnd - this.#hashedBytes - 1));
    const lineStart = lines.lastIndexOf(NEWLINE) + 1;
    return before.subarray(Math.max(0, Math.min(lineStart, before.length - TAIL_BYTES)));
  }

  /** Where an open file that was read before goes on; `undefined` if it does not have the last bytes any more. */
  async findPlace(handle: FileHandle): Promise<number | undefined> {
    if (this.position === 0) return undefined;
    for (const place of [this.position, this.lineEnd]) {
      const tail = this.#tailBefore(place);
      const bytes = Buffer.alloc(tail.length);
      const { bytesRead } = await handle.read(bytes, 0, tail.length, place - tail.length);
      if (bytesRead === tail.length && bytes.equals(tail)) return place;
    }
    return undefined;
  }

  /**
   * Compares a file with all that was read. Returns what the file holds of it; `undefined` unless the whole file, or the whole
   * reading, is certain to be in the other one.
   *
   * @param head The first bytes of the text of the file.
   */
  async findPart(file: TextFile, head: Buffer): Promise<KnownPart | undefined> {
    if (this.position === 0) return undefined;
    const isUnlike = commonLength(this.#head, head) < Math.min(this.#head.length, head.length);
    if (this.#hashedBytes > 0 && isUnlike) return undefined;
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of textFrom(file, 0)) {
      let recent = chunk;
      if (bytes < this.#hashedBytes) {
        const old = chunk.subarray(0, this.#hashedBytes - bytes);
        hash.update(old);
        bytes += old.length;
        if (bytes < this.#hashedBytes) continue;
        if (!hash.digest().equals(this.#hash.copy().digest())) return undefined;
        recent = chunk.subarray(old.length);
      }
      const common = commonLength(recent, this.#recent.subarray(bytes - this.#hashedBytes));
      bytes += common;
      if (bytes === this.position) return { goesOnAt: bytes, bytes };
      if (common < recent.length) {
        const { lineEnd } = this;
        return bytes >= lineEnd ? { goesOnAt: lineEnd, bytes: lineEnd } : undefined;
      }
    }
    return bytes >= this.#hashedBytes ? { goesOnAt: undefined, bytes } : undefined;
  }

  /**
   * Reads an open file on from the position. Returns whether the file still has the bytes before the position there; the answer
   * is no after it was truncated, even if it is longer than before by now.
   *
   * @param name The name of the file in an error.
   * @throws HdrscopeError `ERR_LOG_FORMAT` when the file is compressed.
   */
  async *readOn(handle: FileHandle, name: string, isAborted: () => boolean): AsyncGenerator<Entry, boolean> {
    this.fileId ??= await handle.stat({ bigint: true });
    let buffer = Buffer.alloc(0);
    while (!isAborted()) {
      const { position } = this;
      const tail = this.#tailBefore(position);
      const overlap = tail.length;
      const size = overlap + CHUNK_BYTES;
      if (buffer.length < size) buffer = Buffer.allocUnsafe(size);
      const { bytesRead } = await handle.read(buffer, 0, size, position - overlap);
      if (!buffer.subarray(0, Math.min(overlap, bytesRead)).equals(tail)) {
        const { lineEnd } = this;
        if (lineEnd === position) return false;
        this.goTo(lineEnd);
        continue;
      }
      if (bytesRead === overlap) return true;
      const chunk = buffer.subarray(overlap, bytesRead);
      if (position === 0 && isGzip(chunk)) {
        const message = `a followed log must be plain text, and ${name} is compressed: read it with readEntries`;
        throw new HdrscopeError<LogErrorCode>('ERR_LOG_FORMAT', message, { details: { path: name } });
      }
      yield* this.push(chunk);
    }
    return true;
  }
}

function commonLength(a: Buffer | Uint8Array, b: Buffer | Uint8Array): number {
  const most = Math.min(a.length, b.length);
  if (Buffer.compare(a.subarray(0, most), b.subarray(0, most)) === 0) return most;
  let common = 0;
  while (a[common] === b[common]) common++;
  return common;
}
