import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertOptions, mustBe, number, type OptionsOwner } from '@hdrscope/core/internal';
import { removeFile, syncFolder } from '@hdrscope/kit/files';
import { fileError } from '../errors.ts';
import { readRows } from '../parquet/decode.ts';
import { type Files, isAbandoned, realFiles } from '../parquet/files.ts';
import { DAY, ENDING, fileName, isDayFolder, nameOfWaiting, PARTIAL } from '../parquet/names.ts';
import { rowGroups, SLOTS_PER_GROUP } from '../parquet/row-groups.ts';
import { type WrittenFile, writeFile } from '../parquet/write-file.ts';
import type { HistoryRow } from '../rows/row.ts';
import { DAY_MS } from '../times.ts';
import { type MergedFiles, merged, mergeToFew } from './merged.ts';

/** Options of `compactHistory`. */
export interface CompactOptions {
  /**
   * Only days that ended so long ago, in milliseconds: at least 0. A day has new files until its last rows are written.
   * @default 7_200_000
   */
  readonly olderThanMs?: number;
  /** The present, in milliseconds since 1970. @default the clock of the system */
  readonly nowMs?: number;
}

/** A day whose files have become one. */
export interface CompactedDay {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  /** How many files there were. */
  readonly files: number;
  /** How many bytes they had. */
  readonly bytesBefore: number;
  /** The bytes of the new file. */
  readonly bytes: number;
  /** The rows of the new file. */
  readonly rows: number;
  /** Rows that were there more than once, and no longer are. */
  readonly duplicates: number;
}

const OWNER: OptionsOwner<CompactOptions> = {
  name: 'compactHistory',
  names: { olderThanMs: number({ from: 0, to: Number.POSITIVE_INFINITY }), nowMs: true },
  call: "compactHistory('history', { olderThanMs: 3_600_000 })",
};

/**
 * Merges the files of each day into one: smaller, and faster to read. Those that a killed process has left are among them. Readers may read meanwhile. The new file is complete before the
 * others are removed, so after a crash some rows are in two files; statements of `historySql` and `queryHistory` count them once, and the
 * next call removes them. When two processes compact a folder at the same time, one of them may fail because the other has removed a file.
 * No row is lost, and the next call completes the work.
 *
 * Rows are merged one by one, and so many files at one time that their row groups take 32 MiB, so memory does not depend on the number of
 * rows and files. Two files with larger groups, which other programs write, take as much as these. Decoding a group takes up to 50 ms at a
 * time, during which the process does nothing else.
 *
 * @param folder The folder that `openHistory` writes.
 * @returns The days that had more than one file, ascending.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it; `ERR_HISTORY_FILE` when a
 *   file cannot be read or written. All rows are in files then too.
 */
export async function compactHistory(folder: string, options: CompactOptions = {}): Promise<CompactedDay[]> {
  return await compactWith(folder, options, realFiles);
}

/** `compactHistory` with given operations of the file system. */
export async function compactWith(
  folder: string,
  options: CompactOptions,
  files: Files,
): Promise<CompactedDay[]> {
  if (typeof folder !== 'string' || folder === '') {
    throw mustBe('ERR_INVALID_OPTION', 'folder', 'the path of a folder', folder);
  }
  assertOptions(options, OWNER);
  const { olderThanMs = 7_200_000, nowMs = Date.now() } = options;
  if (!Number.isFinite(nowMs)) throw mustBe('ERR_INVALID_OPTION', 'nowMs', 'a number of milliseconds', nowMs);
  const days: CompactedDay[] = [];
  for (const name of (await list(files, folder)).filter(isDayFolder).sort()) {
    const day = name.slice(DAY.length);
    if (Date.parse(day) + DAY_MS + olderThanMs > nowMs) continue;
    const path = join(folder, name);
    try {
      const found = await files.readdir(path);
      await removePartial(files, path, found, nowMs);
      const adopted = await adoptWaiting(files, path, found, nowMs - olderThanMs);
      const whole = [...found.filter((file) => file.endsWith(ENDING)), ...adopted].sort();
      if (whole.length > 1) days.push({ day, ...(await mergeAll(files, path, whole)) });
    } catch (error) {
      throw fileError('compact', path, error);
    }
  }
  return days;
}

async function list(files: Files, path: string): Promise<string[]> {
  try {
    return await files.readdir(path);
  } catch (error) {
    throw fileError('list', path, error);
  }
}

/** Merges files of a day into one. */
async function mergeAll(
  files: Files,
  folder: string,
  names: readonly string[],
): Promise<Omit<CompactedDay, 'day'>> {
  const paths = names.map((name) => join(folder, name));
  let bytesBefore = 0;
  for (const path of paths) bytesBefore += (await stat(path)).size;
  let duplicates = 0;
  let last: WrittenFile | undefined;
  const merge = async (some: MergedFiles): Promise<string> => {
    last = await mergeFiles(files, some, () => duplicates++);
    return last.path;
  };
  const few = await mergeToFew(paths, merge);
  if (few.paths.length > 1) await merge(few);
  const { bytes, rows } = last!;
  return { files: names.length, bytesBefore, bytes, rows, duplicates };
}

/** Writes a file with the rows of others, and then removes these. A crash at any moment leaves every row in at least one file. */
async function mergeFiles(
  files: Files,
  { paths, hasWeights }: MergedFiles,
  onDuplicate: () => void,
): Promise<WrittenFile> {
  const folder = dirname(paths[0]!);
  const rows = merged(
    paths.map((path) => readRows(path)),
    onDuplicate,
  );
  try {
    const first = await rows.next();
    const all = first.done ? rows : withFirst(first.value, rows);
    const start = first.done ? 0 : first.value.startMs;
    const name = fileName(start, `compact ${randomBytes(8).toString('hex')}`, 0);
    const written = await writeFile(files, join(folder, name), rowGroups(all, SLOTS_PER_GROUP), {
      hasWeights,
    });
    for (const old of paths) await removeFile(files, old);
    await syncFolder(files, folder);
    return written;
  } finally {
    // Closes the files when writing has failed.
    await rows.return();
  }
}

async function* withFirst(first: HistoryRow, rest: AsyncIterable<HistoryRow>): AsyncGenerator<HistoryRow> {
  yield first;
  yield* rest;
}

/**
 * Gives files whose rows waited for a larger file the name of any other, where nobody has written them since: their writer has died. Rows of
 * one that lives after all are in two files then, and count once.
 *
 * @returns The new names.
 */
async function adoptWaiting(
  files: Files,
  folder: string,
  names: readonly string[],
  untilMs: number,
): Promise<string[]> {
  const adopted: string[] = [];
  for (const name of names) {
    const own = nameOfWaiting(name);
    if (own === undefined || (await stat(join(folder, name))).mtimeMs > untilMs) continue;
    await files.rename(join(folder, name), join(folder, own));
    adopted.push(own);
  }
  return adopted;
}

/** Removes what writers that died have left. */
async function removePartial(
  files: Files,
  folder: string,
  names: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const name of names.filter((one) => one.endsWith(PARTIAL))) {
    const path = join(folder, name);
    if (await isAbandoned(path, nowMs)) await removeFile(files, path);
  }
}
