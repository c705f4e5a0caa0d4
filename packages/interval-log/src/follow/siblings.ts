import type { BigIntStats } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { isGzip } from '../reader/input.ts';
import { type FileId, HEAD_BYTES } from './reading.ts';
import { markBytes, markCompressed, type TextFile, textFrom } from './text-file.ts';

// The mark that a rotation puts behind the name of a log or before its extension: `.1`, `-20260102`, `.20260102T030405Z`, `.old`.
const ROTATED = /^(?:[._-]\d|\.(?:old|bak)(?:\.|$))/;
// A compression that is under way, and compressions that Node.js cannot undo.
const UNREADABLE = /\.(?:part|tmp|xz|bz2|zst|lz4|lzo|Z|zip)$/;

/** A file beside a followed log, which a rotation may have made of it. It is open, because it may be renamed at any moment. */
export interface Sibling extends TextFile {
  readonly fileId: FileId;
  /** The first bytes of its text; all, if it is shorter. */
  readonly head: Buffer;
  readonly modifiedNs: bigint;
  /** Changes with the content, and not with the name. */
  readonly key: string;
  /** Identifies the bytes of the file. */
  readonly mark: string;
}

// More than any directory of logs has.
const MOST_KNOWN = 10_000;

/**
 * How long a file system may give one time to several changes, in milliseconds; FAT has the coarsest times. A file whose latest change
 * is not older may change, or be another one, with the same times.
 */
const COARSE_TIME_MS = 2000;

/** The rotated files of a log: those that `changed` has not returned yet are new. */
export class Siblings {
  /** By the keys of files: the marks of those that may still become another file with the same key. */
  readonly #known = new Map<string, string | undefined>();
  /** The marks of texts that need not be read: a file that is copied or compressed later has the same text. */
  readonly #knownTexts = new Set<string>();
  /** The latest change of the directory that `changed` has seen. */
  #directoryMs: number | undefined;
  /** When later changes have another time, which `changed` has not seen. */
  #lookAgainMs = 0;

  /** Takes all present files for known. */
  async learn(path: string): Promise<void> {
    for (const sibling of await this.changed(path, undefined)) {
      if (!sibling.isCompressed) this.learnText(sibling.mark);
      await sibling.handle.close();
    }
  }

  /** Takes a text for known, in whatever file. */
  learnText(mark: string): void {
    this.#knownTexts.add(mark);
    forgetOldest(this.#knownTexts);
  }

  /** Whether `changed` may find something. This reads nothing but the time of the directory. */
  async mayHaveChanged(path: string): Promise<boolean> {
    return Date.now() >= this.#lookAgainMs || (await directoryMs(path)) !== this.#directoryMs;
  }

  /**
   * Opens the rotated files that are new or have changed since the latest call, oldest first. The caller closes them.
   *
   * @param current The file that has the path now.
   */
  async changed(path: string, current: FileId | undefined): Promise<Sibling[]> {
    const changedMs = await directoryMs(path);
    this.#directoryMs = changedMs;
    this.#lookAgainMs =
      changedMs !== undefined && isRecent(changedMs) ? changedMs + COARSE_TIME_MS : Number.POSITIVE_INFINITY;
    const found = await this.#newOnes(path, current);
    // A rotation may rename files while they are listed, so that one of them has no name that was listed.
    let more: readonly Sibling[];
    do {
      more = await this.#newOnes(path, current);
      for (const one of more) found.push(one);
    } while (more.length > 0);
    return found.sort((a, b) => (a.modifiedNs < b.modifiedNs ? -1 : a.modifiedNs > b.modifiedNs ? 1 : 0));
  }

  async #newOnes(path: string, current: FileId | undefined): Promise<Sibling[]> {
    const all = (await readdir(dirname(path)).catch(ifGone)) ?? [];
    const names = all.filter((name) => isRotated(name, basename(path)));
    const plain = new Set(names);
    const found: Sibling[] = [];
    for (const name of names) {
      // A file that is being compressed.
      if (name.endsWith('.gz') && plain.has(name.slice(0, -'.gz'.length))) continue;
      const status = await stat(join(dirname(path), name), { bigint: true }).catch(ifGone);
      if (status === undefined || !status.isFile() || this.#isSettled(keyOf(status))) continue;
      const sibling = await openSibling(join(dirname(path), name));
      if (sibling === undefined) continue;
      // Another file may have the name by now.
      if (isSameFile(sibling.fileId, current) || (await this.#isKnown(sibling))) await sibling.handle.close();
      else found.push(sibling);
    }
    return found;
  }

  #isSettled(key: string): boolean {
    return this.#known.has(key) && this.#known.get(key) === undefined;
  }

  /** Whether a file was found before, or its text is known. Afterwards, the file is known. */
  async #isKnown(sibling: Sibling): Promise<boolean> {
    const { key, mark, modifiedNs } = sibling;
    const isKnown = this.#isSettled(key) || this.#known.get(key) === mark;
    this.#known.set(key, isRecent(Number(modifiedNs / 1_000_000n)) ? mark : undefined);
    forgetOldest(this.#known);
    return isKnown || (await this.hasKnownText(sibling));
  }

  /** Whether a file has a text that `learnText` has taken for known. */
  async hasKnownText(sibling: Sibling): Promise<boolean> {
    if (this.#knownTexts.size === 0) return false;
    const { isCompressed, mark, head } = sibling;
    return this.#knownTexts.has(isCompressed ? await markCompressed(sibling, head) : mark);
  }

  /** Makes a file new again, so that the next call of `changed` returns it. */
  forget({ key }: Sibling): void {
    this.#known.delete(key);
  }

  /** Makes a file new again, and lets `mayHaveChanged` answer yes. */
  lookAgainAt(sibling: Sibling): void {
    this.forget(sibling);
    this.#lookAgainMs = 0;
  }
}

function forgetOldest(known: Map<string, unknown> | Set<string>): void {
  for (const oldest of known.keys()) {
    if (known.size <= MOST_KNOWN) return;
    known.delete(oldest);
  }
}

/** Whether a change is so recent that another one may have the same time. */
function isRecent(changedMs: number): boolean {
  return Math.abs(Date.now() - changedMs) < COARSE_TIME_MS;
}

async function directoryMs(path: string): Promise<number | undefined> {
  return (await stat(dirname(path)).catch(ifGone))?.mtimeMs;
}

export function isSameFile(a: FileId, b: FileId | undefined): boolean {
  return a.ino === b?.ino && a.dev === b.dev;
}

async function openSibling(path: string): Promise<Sibling | undefined> {
  const handle = await open(path, 'r').catch(ifGone);
  if (handle === undefined) return undefined;
  try {
    const status = await handle.stat({ bigint: true });
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0);
    const file: TextFile = { handle, isCompressed: isGzip(magic) };
    let head = Buffer.alloc(0);
    for await (const chunk of textFrom(file, 0)) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEAD_BYTES) break;
    }
    return {
      ...file,
      fileId: { dev: status.dev, ino: status.ino },
      head: Buffer.from(head.subarray(0, HEAD_BYTES)),
      modifiedNs: status.mtimeNs,
      key: keyOf(status),
      mark: await markBytes(handle, Number(status.size), HEAD_BYTES),
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

// A file may vanish between two calls, and files of others may be unreadable.
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
}
