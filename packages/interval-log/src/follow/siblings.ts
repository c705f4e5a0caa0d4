import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { isGzip, readUtf8 } from '../reader/input.ts';
import { HEAD_BYTES, type Place } from './reading.ts';

// The mark that a rotation puts behind the name of a log or before its extension: `.1`, `-20260102`, `.20260102T030405Z`, `.old`.
const ROTATED = /^(?:[._-]\d|\.(?:old|bak)(?:\.|$))/;
// A compression that is under way, and compressions that Node.js cannot undo.
const UNREADABLE = /\.(?:part|tmp|xz|bz2|zst|lz4|lzo|Z|zip)$/;

/** A file beside a followed log, which a rotation may have made of it. It is open, because it may be renamed at any moment. */
export interface Sibling {
  readonly handle: FileHandle;
  readonly isCompressed: boolean;
  /** The first bytes of its text; all, if it is shorter. */
  readonly head: Buffer;
  readonly modifiedNs: bigint;
  /** Changes with the content, and not with the name. */
  readonly key: string;
  isCurrent(current: BigIntStats | undefined): boolean;
}

// More than any directory of logs has.
const MOST_KNOWN = 10_000;

/** The rotated files of a log: those that `changed` has not returned yet are new. */
export class Siblings {
  readonly #known = new Set<string>();
  /** The beginnings of plain files that nobody followed: a file that is compressed later begins alike. */
  readonly #knownHeads = new Set<string>();

  /** Takes all present files for known. */
  async learn(path: string): Promise<void> {
    for (const sibling of await this.changed(path, undefined)) {
      if (!sibling.isCompressed) this.#knownHeads.add(sibling.head.toString('latin1'));
      await sibling.handle.close();
    }
  }

  /**
   * Opens the rotated files that are new or have changed since the latest call, oldest first. The caller closes them.
   *
   * @param current The file that has the path now.
   */
  async changed(path: string, current: BigIntStats | undefined): Promise<Sibling[]> {
    const found = await this.#newOnes(path, current);
    // A rotation may rename files while they are listed, so that one of them has no name that was listed.
    let more: readonly Sibling[];
    do {
      more = await this.#newOnes(path, current);
      for (const one of more) found.push(one);
    } while (more.length > 0);
    return found.sort((a, b) => (a.modifiedNs < b.modifiedNs ? -1 : a.modifiedNs > b.modifiedNs ? 1 : 0));
  }

  async #newOnes(path: string, current: BigIntStats | undefined): Promise<Sibling[]> {
    const all = (await readdir(dirname(path)).catch(ifGone)) ?? [];
    const names = all.filter((name) => isRotated(name, basename(path)));
    const plain = new Set(names);
    const found: Sibling[] = [];
    for (const name of names) {
      // A file that is being compressed.
      if (name.endsWith('.gz') && plain.has(name.slice(0, -'.gz'.length))) continue;
      const status = await stat(join(dirname(path), name), { bigint: true }).catch(ifGone);
      if (status === undefined || !status.isFile() || this.#known.has(keyOf(status))) continue;
      const sibling = await openSibling(join(dirname(path), name));
      if (sibling === undefined) continue;
      // Another file may have the name by now.
      const isKnown =
        sibling.isCurrent(current) ||
        this.#known.has(sibling.key) ||
        (sibling.isCompressed && this.#knownHeads.has(sibling.head.toString('latin1')));
      if (!sibling.isCurrent(current)) this.#know(sibling);
      if (isKnown) await sibling.handle.close();
      else found.push(sibling);
    }
    return found;
  }

  #know({ key }: Sibling): void {
    this.#known.add(key);
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
  }

  /** Makes a file new again, so that a later call returns it. */
  forget({ key }: Sibling): void {
    this.#known.delete(key);
  }
}

/** Yields the text of a file after a place of a reading; `undefined` if the file does not hold what was read. */
export async function textAfter(
  sibling: Sibling,
  { position, tail }: Place,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const chunks = textFrom(sibling, position - tail.length);
  let begun = Buffer.alloc(0);
  while (begun.length < tail.length) {
    const { done, value } = await chunks.next();
    // An older copy of the log has nothing that was not read.
    if (done === true) return tail.subarray(0, begun.length).equals(begun) ? nothing() : undefined;
    begun = Buffer.concat([begun, value]);
  }
  if (begun.subarray(0, tail.length).equals(tail)) return following(begun.subarray(tail.length), chunks);
  await chunks.return();
  return undefined;
}

/** Yields the text of a file from a position. */
export async function* textFrom(
  { handle, isCompressed }: Pick<Sibling, 'handle' | 'isCompressed'>,
  start: number,
): AsyncGenerator<Uint8Array, void> {
  if (!isCompressed) {
    yield* bytesFrom(handle, start);
    return;
  }
  try {
    let skip = start;
    for await (const chunk of readUtf8(bytesFrom(handle, 0), undefined, Number.POSITIVE_INFINITY)) {
      if (chunk.length > skip) yield chunk.subarray(skip);
      skip = Math.max(0, skip - chunk.length);
    }
  } catch (error) {
    // The rest of a broken gzip stream cannot be read.
    if (!(error instanceof HdrscopeError)) throw error;
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

const CHUNK_BYTES = 2 ** 16;

async function openSibling(path: string): Promise<Sibling | undefined> {
  const handle = await open(path, 'r').catch(ifGone);
  if (handle === undefined) return undefined;
  try {
    const status = await handle.stat({ bigint: true });
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0);
    const isCompressed = isGzip(magic);
    let head = Buffer.alloc(0);
    for await (const chunk of textFrom({ handle, isCompressed }, 0)) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEAD_BYTES) break;
    }
    return {
      handle,
      isCompressed,
      head: Buffer.from(head.subarray(0, HEAD_BYTES)),
      modifiedNs: status.mtimeNs,
      key: keyOf(status),
      isCurrent: (current) => current?.ino === status.ino && current.dev === status.dev,
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function isRotated(name: string, base: string): boolean {
  if (name === base || UNREADABLE.test(name)) return false;
  const { name: stem, ext } = parse(base);
  if (name.startsWith(base) && ROTATED.test(name.slice(base.length))) return true;
  // The extension stays last: `app.20260102T030405Z.hlog`.
  const plain = name.endsWith('.gz') ? name.slice(0, -'.gz'.length) : name;
  return (
    ext !== '' &&
    plain.startsWith(stem) &&
    plain.endsWith(ext) &&
    ROTATED.test(plain.slice(stem.length, -ext.length))
  );
}

/** A renamed file has the same key, and a changed one another. */
function keyOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

async function* following(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  if (first.length > 0) yield first;
  yield* rest;
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

// A file may vanish between two calls, and files of others may be unreadable.
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
}
