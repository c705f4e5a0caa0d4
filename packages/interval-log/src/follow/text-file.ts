import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import { readUtf8 } from '../reader/input.ts';

const CHUNK_BYTES = 2 ** 16;

/** How many of the last bytes of a text are compared byte for byte. */
export const RECENT_BYTES = 65_536;

/** An open file with text, plain or compressed by gzip. */
export interface TextFile {
  readonly handle: FileHandle;
  readonly isCompressed: boolean;
  /** Whether its gzip stream was found to be cut short or broken. */
  isBroken?: boolean;
}

/** Yields the text of a file from a position, as far as it can be decompressed. */
export async function* textFrom(file: TextFile, start: number): AsyncGenerator<Uint8Array, void> {
  if (!file.isCompressed) {
    yield* bytesFrom(file.handle, start);
    return;
  }
  try {
    let skip = start;
    for await (const chunk of readUtf8(bytesFrom(file.handle, 0), undefined, Number.POSITIVE_INFINITY)) {
      if (chunk.length > skip) yield chunk.subarray(skip);
      skip = Math.max(0, skip - chunk.length);
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    file.isBroken = true;
  }
}

async function* bytesFrom(handle: FileHandle, start: number): AsyncGenerator<Uint8Array, void> {
  for (let position = start; ; ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** The length of a text if another file begins with all of it; `undefined` if not. An empty text is the beginning of no other. */
export async function lengthOfBeginning(file: TextFile, whole: TextFile): Promise<number | undefined> {
  const wholeText = textFrom(whole, 0);
  let length = 0;
  let expected: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of textFrom(file, 0)) {
      length += chunk.length;
      for (let rest = chunk; rest.length > 0; ) {
        if (expected.length === 0) {
          const { done, value } = await wholeText.next();
          if (done === true) return undefined;
          expected = value;
        }
        const common = Math.min(rest.length, expected.length);
        if (Buffer.compare(rest.subarray(0, common), expected.subarray(0, common)) !== 0) return undefined;
        rest = rest.subarray(common);
        expected = expected.subarray(common);
      }
    }
  } finally {
    await wholeText.return();
  }
  return length > 0 ? length : undefined;
}

/** Identifies a text by its length, its first bytes and its last ones. */
export function markText(length: number, head: Uint8Array, recent: Uint8Array): string {
  const ends = createHash('sha256').update(head).update(recent.subarray(-RECENT_BYTES));
  return `${length}:${ends.digest('base64')}`;
}

/** The mark of the text of a compressed file. */
export async function markCompressed(file: TextFile, head: Uint8Array): Promise<string> {
  let length = 0;
  let recent = Buffer.alloc(0);
  for await (const chunk of textFrom(file, 0)) {
    length += chunk.length;
    recent = Buffer.concat([recent, chunk]).subarray(-RECENT_BYTES);
  }
  return markText(length, head, recent);
}

/** The mark of the bytes of an open file. */
export async function markBytes(handle: FileHandle, size: number, headBytes: number): Promise<string> {
  const head = await readAt(handle, 0, Math.min(size, headBytes));
  const recentBytes = Math.min(size, RECENT_BYTES);
  return markText(size, head, await readAt(handle, size - recentBytes, recentBytes));
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
