import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import type { LogEntry } from '../reader/entry.ts';
import type { ParserSettings } from '../reader/parser.ts';
import { beginsAlike, HEAD_BYTES, Reading } from './reading.ts';
import { type Sibling, Siblings, textAfter, textFrom } from './siblings.ts';

/** An event of the followed file. */
export interface FollowNote {
  /**
   * - `'missing'`: the file does not exist (yet), and `followLog` waits for it.
   * - `'caught-up'`: every whole line was read. It comes once; only new lines follow.
   * - `'truncated'`: the file was truncated, and is read from its start. If a rotated copy has lines that were not read before,
   *   they precede this note.
   * - `'replaced'`: another file has the path, or had it for a while. The old file was read to its end, and the next entries
   *   come from the start of the other one.
   * - `'lost'`: lines may have been lost, for the `reason`. A note `'truncated'` or `'replaced'` follows at once.
   */
  readonly kind: 'missing' | 'caught-up' | 'truncated' | 'replaced' | 'lost';
  /**
   * Why lines may have been lost; `undefined` for other kinds.
   *
   * - `'truncated'`: the file was truncated, and no rotated file has the lines that came before.
   * - `'replaced'`: several files had the path since the latest look, and the first of them was removed already, perhaps with
   *   others; or the log was removed while a `memory` waited.
   */
  readonly reason?: 'truncated' | 'replaced';
}

// How many former files may still get lines from a late writer, or may be compressed at any time.
const MOST_FORMER = 8;

/** The rotated files that were new. */
interface Meanwhile {
  /** Whether one of them holds what was read of the present log. */
  readonly hasCopy: boolean;
  /** The number of logs of which nothing had been read. */
  readonly fileCount: number;
  /** The first bytes of the next file, before the others were looked for. */
  readonly nextHead: Buffer;
}

/** The file that has the path, its reading, and those of the files that had the path before. */
export class FollowedLog {
  readonly #path: string;
  readonly #options: ParserSettings;
  readonly #siblings: Siblings;
  readonly #former: Reading[] = [];
  #realPath: string;
  #handle: FileHandle;
  #reading: Reading;
  #emptyInode: bigint | undefined;
  /** The file that was followed last, while it is closed. */
  #closed: Pick<BigIntStats, 'dev' | 'ino'> | undefined;
  #wasReplaced = false;

  private constructor(
    path: string,
    realPath: string,
    handle: FileHandle,
    siblings: Siblings,
    options: ParserSettings,
  ) {
    this.#siblings = siblings;
    this.#path = path;
    this.#realPath = realPath;
    this.#handle = handle;
    this.#options = options;
    this.#reading = new Reading(options);
  }

  /** Opens the file at a path; `undefined` if it does not exist. */
  static async open(path: string, options: ParserSettings): Promise<FollowedLog | undefined> {
    const realPath = await resolvePath(path);
    const siblings = new Siblings();
    await siblings.learn(realPath);
    // After that, so that a file that is rotated meanwhile is new.
    const handle = await openIfThere(path);
    return handle && new FollowedLog(path, realPath, handle, siblings, options);
  }

  /** The path with symbolic links resolved, beside which rotated files lie. */
  get realPath(): string {
    return this.#realPath;
  }

  /** Whether another file had the path when it was opened again. `restart` reads what came before. */
  get wasReplaced(): boolean {
    return this.#wasReplaced;
  }

  /** Opens the file that has the path now. Returns whether there is one. */
  async reopen(): Promise<boolean> {
    const handle = await openIfThere(this.#path);
    if (handle === undefined) return false;
    try {
      const realPath = await resolvePath(this.#path);
      const { dev, ino } = await handle.stat({ bigint: true });
      this.#wasReplaced ||= dev !== this.#closed?.dev || ino !== this.#closed.ino;
      this.#realPath = realPath;
      this.#handle = handle;
      return true;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Yields the entries that were written since the latest look. Returns whether the file has all that was read. */
  async *readOn(isAborted: () => boolean): AsyncGenerator<LogEntry | FollowNote, boolean> {
    for (;;) {
      if (this.#reading.position === 0 && this.#reading.beginning.length === 0) {
        // Files that had the path before these first bytes were written have been renamed or copied already.
        const { fileCount, nextHead } = yield* this.#meanwhile(this.#handle, isAborted);
        if (fileCount > 0) yield { kind: 'truncated' };
        if (nextHead.length === 0) return true;
        this.#reading = new Reading(this.#options, nextHead);
      }
      const isSame = yield* this.#reading.readOn(this.#handle, this.#path, isAborted);
      if (isSame || this.#reading.position > 0) return isSame;
      this.#reading = new Reading(this.#options);
    }
  }

  /** Whether another file has the path, and the writer uses it. A writer may go on with a renamed file for a while. */
  async isReplaced(): Promise<boolean> {
    const theirs = await statIfThere(this.#path);
    if (theirs === undefined) return false;
    const ours = await this.#handle.stat({ bigint: true });
    if (theirs.ino === ours.ino && theirs.dev === ours.dev) return false;
    if (theirs.size > 0n) return true;
    // Looks for others once for each file.
    if (theirs.ino === this.#emptyInode) return false;
    this.#emptyInode = theirs.ino;
    return this.#hasOther(theirs);
  }

  /** Whether there is a new rotated file of which nothing was read. */
  async #hasOther(current: BigIntStats): Promise<boolean> {
    let hasOther = false;
    for (const sibling of await this.#siblings.changed(this.#realPath, current)) {
      hasOther ||= sibling.head.length > 0 && (await this.#knownTextOf(sibling)) === undefined;
      this.#siblings.forget(sibling);
      await sibling.handle.close();
    }
    return hasOther;
  }

  /** Reads the rest of a file that was truncated, or replaced while it was closed, and begins anew with the file at the path. */
  async *restart(
    isAborted: () => boolean,
    reason: 'truncated' | 'replaced',
  ): AsyncGenerator<LogEntry | FollowNote, void> {
    const { hasCopy, nextHead } = yield* this.#meanwhile(this.#handle, isAborted);
    if (isAborted()) return;
    this.#wasReplaced = false;
    if (hasCopy) yield* this.#reading.parser.end();
    else if (this.#reading.position > 0) yield { kind: 'lost', reason };
    this.#begin(this.#handle, nextHead);
    yield { kind: reason };
  }

  /** Reads the file to its end, then the files that had the path meanwhile, and begins with the one that has it now. */
  async *replace(isAborted: () => boolean): AsyncGenerator<LogEntry | FollowNote, void> {
    // First the text from between the latest look and the change. A file that was truncated as well is read again from its start.
    if (!(yield* this.readOn(isAborted))) yield* this.restart(isAborted, 'truncated');
    yield* this.readOn(isAborted);
    // Opened last: until then it may have become a rotated file, which is read as one.
    const next = await openIfThere(this.#path);
    if (next === undefined) return;
    let isTaken = false;
    try {
      yield* this.#reading.parser.end();
      const { hasCopy, fileCount, nextHead } = yield* this.#meanwhile(next, isAborted);
      if (isAborted()) return;
      // Old files are removed first, so each one after this one may have gone with it.
      const isGone = !hasCopy && (await this.#handle.stat()).nlink === 0;
      if (isGone && fileCount > 0) yield { kind: 'lost', reason: 'replaced' };
      await this.#handle.close();
      this.#begin(next, nextHead);
      isTaken = true;
    } finally {
      // The consumer may stop at any entry.
      if (!isTaken) await next.close();
    }
    this.#realPath = await resolvePath(this.#path);
    yield { kind: 'replaced' };
  }

  async close(): Promise<void> {
    try {
      this.#closed = await this.#handle.stat({ bigint: true });
    } finally {
      await this.#handle.close();
    }
  }

  #begin(handle: FileHandle, beginning: Buffer): void {
    this.#remember(this.#reading);
    this.#handle = handle;
    this.#reading = new Reading(this.#options, beginning);
  }

  #remember(reading: Reading): void {
    if (this.#former.push(reading) > MOST_FORMER) this.#former.shift();
  }

  /**
   * Reads the rotated files that are new: first the rest of logs that were read in part, then the others, each from its start.
   *
   * @param next The file that is read next.
   */
  async *#meanwhile(
    next: FileHandle,
    isAborted: () => boolean,
  ): AsyncGenerator<LogEntry | FollowNote, Meanwhile> {
    const status = await next.stat({ bigint: true });
    const nextHead = await readHead(next);
    const found = await this.#siblings.changed(this.#realPath, status);
    let hasCopy = false;
    try {
      // Its first lines may have come, and been copied, since `nextHead` was read.
      const laterHead = await readHead(next);
      const others: Sibling[] = [];
      for (const sibling of found) {
        const known = await this.#knownTextOf(sibling);
        if (known === undefined) others.push(sibling);
        else {
          hasCopy ||= known.reading === this.#reading;
          yield* readEntriesOf(known.text, known.reading, isAborted);
        }
      }
      let fileCount = 0;
      for (const sibling of others) {
        // A copy of the file that is read next is about to become a rotated file. An empty one is a file without lines.
        if (beginsAlike(sibling.head, nextHead) || beginsAlike(sibling.head, laterHead)) {
          this.#siblings.forget(sibling);
          continue;
        }
        // One of the others, which was compressed while files were listed.
        const known = await this.#knownTextOf(sibling);
        if (known !== undefined) {
          yield* readEntriesOf(known.text, known.reading, isAborted);
          continue;
        }
        fileCount++;
        if (sibling.head.length === 0) continue;
        yield { kind: 'replaced' };
        const reading = new Reading(this.#options);
        this.#remember(reading);
        yield* readEntriesOf(textFrom(sibling, 0), reading, isAborted);
        if (!isAborted()) yield* reading.parser.end();
      }
      return { hasCopy, fileCount, nextHead };
    } finally {
      for (const sibling of found) {
        // Whoever goes on after this one reads the rest. Readings know what was read.
        if (isAborted()) this.#siblings.forget(sibling);
        await sibling.handle.close();
      }
    }
  }

  /** Finds the reading whose log a file holds, and the text that was not read; `undefined` for another log. */
  async #knownTextOf(
    sibling: Sibling,
  ): Promise<{ reading: Reading; text: AsyncIterable<Uint8Array> } | undefined> {
    for (const reading of [this.#reading, ...this.#former]) {
      if (!reading.mayBegin(sibling.head)) continue;
      for (const place of reading.places) {
        const text = await textAfter(sibling, place);
        if (text === undefined) continue;
        reading.goTo(place);
        return { reading, text };
      }
    }
    return undefined;
  }
}

async function* readEntriesOf(
  text: AsyncIterable<Uint8Array>,
  reading: Reading,
  isAborted: () => boolean,
): AsyncGenerator<LogEntry, void> {
  for await (const chunk of text) {
    if (isAborted()) return;
    yield* reading.push(chunk);
  }
}

async function readHead(handle: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
  return head.subarray(0, bytesRead);
}

/** Resolves symbolic links; a path that does not exist stays as it is. */
function resolvePath(path: string): Promise<string> {
  return realpath(path).catch((error) => ifMissing(error) ?? path);
}

function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(ifMissing);
}

function statIfThere(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(ifMissing);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
