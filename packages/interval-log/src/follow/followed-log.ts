import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { type ChunkParser, type FileId, type KnownPart, Reading } from './reading.ts';
import { isSameFile, type Sibling, Siblings } from './siblings.ts';
import { lengthOfBeginning, type TextFile, textFrom } from './text-file.ts';

/** An event of the followed file. */
export interface FollowNote {
  /**
   * - `'missing'`: the file does not exist (yet), and `followLog` waits for it.
   * - `'caught-up'`: every whole line was read. It comes once; only new lines follow.
   * - `'truncated'`: the file was truncated, and is read from its start. If a rotated copy has lines that were not read before,
   *   they precede this note.
   * - `'replaced'`: another file has the path, or had it for a while. The old file was read to its end, and the next entries
   *   come from the start of the other one. If that one no longer has the path, the entries of the present file follow.
   * - `'lost'`: lines may have been lost, for the `reason`. Unless a file is unreadable, a note `'truncated'` or `'replaced'`
   *   follows at once.
   */
  readonly kind: 'missing' | 'caught-up' | 'truncated' | 'replaced' | 'lost';
  /**
   * Why lines may have been lost; `undefined` for other kinds.
   *
   * - `'truncated'`: the file was truncated, and no rotated file has the lines that came before.
   * - `'replaced'`: several files had the path since the latest look, and the first of them was removed already, perhaps with
   *   others; or the log was removed while a `memory` waited.
   * - `'unreadable'`: a rotated file is compressed, and cut short or broken. The lines that can be decompressed were read.
   *
   * @example
   * ```ts
   * import type { FollowNote } from '@hdrscope/interval-log';
   *
   * const note: FollowNote = { kind: 'lost', reason: 'truncated' };
   * `lines may be lost: ${note.reason}`; //=> 'lines may be lost: truncated'
   * ```
   */
  readonly reason?: 'truncated' | 'replaced' | 'unreadable';
}

// How many former files may still get lines from a late writer.
const MOST_FORMER = 8;

/** The rotated files that were new. */
interface Meanwhile {
  /** Whether one of them holds what was read of the present log. */
  readonly hasCopy: boolean;
  /** The number of logs of which nothing had been read. */
  readonly fileCount: number;
  /** Whether there are files that do not hold all that was read of a log. */
  readonly hasOthers: boolean;
}

/** What a file holds of one of the readings. */
interface Recognised<Entry> extends KnownPart {
  readonly reading: Reading<Entry>;
}

/** The file that has the path, its reading, and those of the files that had the path before. */
export class FollowedLog<Entry> {
  readonly #path: string;
  readonly #makeParser: () => ChunkParser<Entry>;
  readonly #siblings: Siblings;
  readonly #former: Reading<Entry>[] = [];
  #realPath: string;
  #handle: FileHandle;
  #reading: Reading<Entry>;
  /** The file that was followed last, while it is closed. */
  #closed: FileId | undefined;
  #wasReplaced = false;
  /** Whether a file that had the path after this one, which is removed, was read already. */
  #hasSuccessor = false;

  private constructor(
    path: string,
    realPath: string,
    handle: FileHandle,
    siblings: Siblings,
    makeParser: () => ChunkParser<Entry>,
  ) {
    this.#siblings = siblings;
    this.#path = path;
    this.#realPath = realPath;
    this.#handle = handle;
    this.#makeParser = makeParser;
    this.#reading = new Reading(makeParser());
  }

  /** Opens the file at a path; `undefined` if it does not exist. */
  static async open<Entry>(
    path: string,
    makeParser: () => ChunkParser<Entry>,
  ): Promise<FollowedLog<Entry> | undefined> {
    const realPath = await resolvePath(path);
    const siblings = new Siblings();
    await siblings.learn(realPath);
    // After that, so that a file that is rotated meanwhile is new.
    const handle = await openIfThere(path);
    return handle && new FollowedLog(path, realPath, handle, siblings, makeParser);
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
      this.#wasReplaced ||= !isSameFile(await handle.stat({ bigint: true }), this.#closed);
      this.#realPath = realPath;
      this.#handle = handle;
      return true;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Yields the entries that were written since the latest look. Returns whether the file has all that was read. */
  async *readOn(isAborted: () => boolean): AsyncGenerator<Entry | FollowNote, boolean> {
    if (this.#reading.position === 0 && (await this.#siblings.mayHaveChanged(this.#realPath))) {
      // Files that had the path before the first bytes were written have been renamed or copied already.
      const { fileCount } = yield* this.#meanwhile(this.#handle, undefined, isAborted);
      if (fileCount > 0) yield { kind: 'truncated' };
    }
    return yield* this.#reading.readOn(this.#handle, this.#path, isAborted);
  }

  /**
   * Returns what has the path: the same file; another one, which the writer uses; or an empty file or nothing. A writer may go on
   * with a renamed file for a while.
   */
  async pathState(): Promise<'same' | 'replaced' | 'unused'> {
    const theirs = await statIfThere(this.#path);
    if (theirs === undefined) return 'unused';
    if (isSameFile(theirs, await this.#handle.stat({ bigint: true }))) return 'same';
    if (theirs.size > 0n) return 'replaced';
    if (!(await this.#siblings.mayHaveChanged(this.#realPath))) return 'unused';
    return (await this.#hasOther(theirs)) ? 'replaced' : 'unused';
  }

  /** Whether there is a new rotated file of which nothing was read. */
  async #hasOther(current: FileId): Promise<boolean> {
    const holders = new Map([[this.#reading, plainFile(this.#handle)]]);
    let hasOther = false;
    for (const sibling of await this.#siblings.changed(this.#realPath, current)) {
      hasOther ||= sibling.head.length > 0 && (await this.#recognise(sibling, holders)) === undefined;
      this.#siblings.forget(sibling);
      await sibling.handle.close();
    }
    return hasOther;
  }

  /**
   * Reads rotated files that have come although the file was not replaced. Its truncation is not visible when it begins again with
   * all the lines that were read of it.
   *
   * @param mustLook Whether to look even if the directory has not changed.
   */
  async *readMissed(isAborted: () => boolean, mustLook: boolean): AsyncGenerator<Entry | FollowNote, void> {
    if (!mustLook && !(await this.#siblings.mayHaveChanged(this.#realPath))) return;
    const { hasOthers } = yield* this.#meanwhile(this.#handle, plainFile(this.#handle), isAborted);
    // It was replaced, and removed, since `pathState` looked.
    this.#hasSuccessor ||= hasOthers && (await this.#handle.stat()).nlink === 0;
  }

  /** Reads the rest of a file that was truncated, or replaced while it was closed, and begins anew with the file at the path. */
  async *restart(
    isAborted: () => boolean,
    reason: 'truncated' | 'replaced',
  ): AsyncGenerator<Entry | FollowNote, void> {
    const { hasCopy } = yield* this.#meanwhile(this.#handle, undefined, isAborted);
    if (isAborted()) return;
    this.#wasReplaced = false;
    if (hasCopy || this.#reading.wasCopied) yield* this.#reading.parser.end();
    else if (this.#reading.position > 0) yield { kind: 'lost', reason };
    this.#begin(this.#handle);
    yield { kind: reason };
  }

  /** Reads the file to its end, then the files that had the path meanwhile, and begins with the one that has it now. */
  async *replace(isAborted: () => boolean): AsyncGenerator<Entry | FollowNote, void> {
    // First the text from between the latest look and the change. A file that was truncated as well is read again from its start.
    if (!(yield* this.readOn(isAborted))) yield* this.restart(isAborted, 'truncated');
    yield* this.readOn(isAborted);
    // Opened last: until then it may have become a rotated file, which is read as one.
    const next = await openIfThere(this.#path);
    if (next === undefined) return;
    let isTaken = false;
    try {
      yield* this.#reading.parser.end();
      const { hasCopy, hasOthers } = yield* this.#meanwhile(next, plainFile(this.#handle), isAborted);
      if (isAborted()) return;
      // Old files are removed first, so each one after this one may have gone with it.
      const isGone = !hasCopy && !this.#reading.wasCopied && (await this.#handle.stat()).nlink === 0;
      if (isGone && (hasOthers || this.#hasSuccessor)) yield { kind: 'lost', reason: 'replaced' };
      await this.#handle.close();
      this.#begin(next);
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

  #begin(handle: FileHandle): void {
    this.#hasSuccessor = false;
    this.#remember(this.#reading);
    this.#handle = handle;
    this.#reading = new Reading(this.#makeParser());
  }

  #remember(reading: Reading<Entry>): void {
    if (reading.position === 0) return;
    if (this.#former.push(reading) > MOST_FORMER) this.#siblings.learnText(this.#former.shift()!.mark);
  }

  /**
   * Reads the rotated files that are new: first the rest of logs that were read in part, then the others, each from its start.
   *
   * @param next The file that is read next.
   * @param held The file that has all that was read of the present log, if it is open.
   */
  async *#meanwhile(
    next: FileHandle,
    held: TextFile | undefined,
    isAborted: () => boolean,
  ): AsyncGenerator<Entry | FollowNote, Meanwhile> {
    const found = await this.#siblings.changed(this.#realPath, await next.stat({ bigint: true }));
    const holders = new Map<Reading<Entry>, TextFile>();
    if (held !== undefined) holders.set(this.#reading, held);
    let hasCopy = false;
    let hasOthers = false;
    let fileCount = 0;
    try {
      const others: Sibling[] = [];
      // A renamed file goes on with its log, so that none that begins alike does.
      for (const isRenamed of [true, false]) {
        for (const sibling of found) {
          if (this.#hasBeenRead(sibling) !== isRenamed) continue;
          const known = await this.#recognise(sibling, holders);
          if (known === undefined) {
            others.push(sibling);
            continue;
          }
          const { reading, bytes } = known;
          const isPresent = reading === this.#reading;
          const isWhole = bytes >= reading.lineEnd;
          hasCopy ||= isPresent && isWhole;
          const { position } = reading;
          yield* this.#readRest(sibling, known, holders, isAborted);
          // A file that goes on where a short one ended may be another one.
          hasOthers ||= !isWhole || !(isPresent || reading.position === position);
        }
      }
      hasOthers ||= others.length > 0;
      for (const sibling of others) {
        // One of the others may have been compressed while files were listed.
        const known = await this.#recognise(sibling, holders);
        if (known !== undefined) yield* this.#readRest(sibling, known, holders, isAborted);
        else if (sibling.head.length === 0) {
          fileCount++;
          if (sibling.isBroken === true) yield { kind: 'lost', reason: 'unreadable' };
        }
        // A file that was compressed while files were listed is among them twice, and the first one may have been forgotten.
        else if (await this.#siblings.hasKnownText(sibling)) continue;
        // A copy of the file that is read next is about to become a rotated file.
        else if ((await lengthOfBeginning(sibling, plainFile(next))) !== undefined)
          this.#siblings.lookAgainAt(sibling);
        else {
          fileCount++;
          yield { kind: 'replaced' };
          const reading = new Reading(this.#makeParser());
          yield* this.#readRest(sibling, { reading, goesOnAt: 0, bytes: 0 }, holders, isAborted);
          this.#remember(reading);
          // A broken file may become whole: its compression may be under way.
          if (!isAborted() && sibling.isBroken !== true) yield* reading.parser.end();
        }
      }
      return { hasCopy, fileCount, hasOthers };
    } finally {
      for (const sibling of found) {
        // Whoever goes on after this one reads the rest. Readings know what was read.
        if (isAborted()) this.#siblings.lookAgainAt(sibling);
        await sibling.handle.close();
      }
    }
  }

  /** Those of more bytes come first: a file that begins as two of them goes on where the longer one stopped. */
  get #readings(): readonly Reading<Entry>[] {
    return [this.#reading, ...this.#former].sort((a, b) => b.position - a.position);
  }

  #hasBeenRead({ fileId, isCompressed }: Sibling): boolean {
    return !isCompressed && this.#readings.some((reading) => isSameFile(fileId, reading.fileId));
  }

  /**
   * Finds the reading whose log a file holds; `undefined` for another log. A file is recognised by its device and inode and the last
   * bytes that were read, or by all of its text.
   *
   * @param holders The open files of readings. Until such a file is truncated, a copy holds no more than it does.
   */
  async #recognise(
    sibling: Sibling,
    holders: ReadonlyMap<Reading<Entry>, TextFile>,
  ): Promise<Recognised<Entry> | undefined> {
    let beginning: Recognised<Entry> | undefined;
    for (const reading of this.#readings) {
      const part = await findPart(sibling, reading, holders.get(reading));
      if (part === undefined) continue;
      if (part.goesOnAt === undefined) beginning ??= { reading, ...part };
      // A file that is the beginning of a longer log goes on with no other.
      else if (beginning === undefined || beginning.bytes === part.bytes) return { reading, ...part };
    }
    return beginning;
  }

  /** Reads what a file has beyond its reading. */
  async *#readRest(
    sibling: Sibling,
    { reading, goesOnAt, bytes }: Recognised<Entry>,
    holders: Map<Reading<Entry>, TextFile>,
    isAborted: () => boolean,
  ): AsyncGenerator<Entry | FollowNote, void> {
    if (goesOnAt === undefined) {
      // The file that is followed may be truncated before its last lines are read: the copy has them.
      if (bytes > reading.position) this.#siblings.lookAgainAt(sibling);
      reading.copiedBytes = Math.max(reading.copiedBytes, bytes);
      return;
    }
    if (!sibling.isCompressed) reading.fileId = sibling.fileId;
    holders.set(reading, sibling);
    reading.goTo(goesOnAt);
    for await (const chunk of textFrom(sibling, goesOnAt)) {
      if (isAborted()) return;
      yield* reading.push(chunk);
    }
    reading.copiedBytes = reading.position;
    if (sibling.isBroken === true) yield { kind: 'lost', reason: 'unreadable' };
  }
}

/** Finds what a file holds of a reading, of which another file may hold all. */
async function findPart(
  sibling: Sibling,
  reading: Reading<unknown>,
  holder: TextFile | undefined,
): Promise<KnownPart | undefined> {
  if (!sibling.isCompressed && isSameFile(sibling.fileId, reading.fileId)) {
    const goesOnAt = await reading.findPlace(sibling.handle);
    if (goesOnAt !== undefined) return { goesOnAt, bytes: goesOnAt };
  }
  if (holder !== undefined) {
    const bytes = await lengthOfBeginning(sibling, holder);
    if (bytes !== undefined) return { goesOnAt: undefined, bytes };
    // Asked afterwards, because it may be truncated at any moment.
    if ((await reading.findPlace(holder.handle)) !== undefined) return undefined;
  }
  return reading.findPart(sibling, sibling.head);
}

function plainFile(handle: FileHandle): TextFile {
  return { handle, isCompressed: false };
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
