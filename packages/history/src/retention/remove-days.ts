import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assertOptions, filledText, flag, mustBe, number, type OptionsOwner } from '@hdrscope/core/internal';
import { isMissing, syncFolder } from '@hdrscope/kit/files';
import { fileError } from '../errors.ts';
import { findDamage, hasOtherContent, readMetadata } from '../parquet/decode.ts';
import { type Files, isAbandoned, realFiles } from '../parquet/files.ts';
import { DAMAGED, DAY, ENDING, isDayFolder, nameOfWaiting, PARTIAL } from '../parquet/names.ts';
import { hashDay } from '../rollup/day.ts';
import { parsedFacts, ROLLUP_KEY } from '../rollup/facts.ts';
import { DAY_MS } from '../times.ts';

/** Options of `removeHistoryDays`. */
export interface RemoveOptions {
  /** Days that ended longer ago are removed: milliseconds, at least a day. */
  readonly keepMs: number;
  /**
   * A folder that `rollUpHistory` writes from this history. A day stays while its rollup there lacks rows of it.
   * @default days are removed wherever else their rows are
   */
  readonly rollup?: string;
  /** Whether days are only named, and nothing is removed. @default false */
  readonly dryRun?: boolean;
  /** The present, in milliseconds since 1970. @default the clock of the system */
  readonly nowMs?: number;
}

/** What is removed, and what days wait for. */
export type Retention = Pick<RemoveOptions, 'keepMs' | 'rollup'>;

/** A day that was removed. */
export interface RemovedDay {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  /** How many files it had, also those that waited, were damaged or were never completed. */
  readonly files: number;
  /** The bytes of these files. */
  readonly bytes: number;
}

/** A day that is older than all that is kept, and stays. */
export interface RetainedDay {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  /** Why it stays. */
  readonly reason: string;
}

/** What `removeHistoryDays` did. */
export interface RemovedHistory {
  /** Ascending. With `dryRun`, they are still there. */
  readonly removed: readonly RemovedDay[];
  /** Ascending. */
  readonly retained: readonly RetainedDay[];
}

const OWNER: OptionsOwner<RemoveOptions> = {
  name: 'removeHistoryDays',
  names: {
    keepMs: number({ from: DAY_MS, to: Number.POSITIVE_INFINITY }),
    rollup: filledText('the path of a folder'),
    dryRun: flag,
    nowMs: number({ from: 0 }),
  },
  call: "removeHistoryDays('history', { keepMs: 90 * 86_400_000, rollup: 'hourly' })",
};

/**
 * Removes whole days of a history that ended longer ago than `keepMs`, in UTC. Others may read and write the folder meanwhile: a day
 * vanishes for readers at once, before its files are removed one by one. After a crash, the next call removes the rest once it is a day old.
 *
 * Nothing is removed but folders of days with files of a history alone. A day stays, with the reason, while it has anything else, while
 * a file of it is being written, or while its rollup lacks rows of it.
 *
 * @param folder The folder that `openHistory` writes, or a folder of rollups.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside its range; `ERR_HISTORY_FILE` when the folder is a link or no
 *   history, or the system refuses the work. Days that were not removed then are there as before.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { openHistory, removeHistoryDays } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * const history = await openHistory(registry, { folder });
 * registry.histogram({ name: 'sizes', unit: 'By' }).with({}).record(2000);
 * await history.close();
 *
 * const day = 86_400_000;
 * (await removeHistoryDays(folder, { keepMs: 90 * day })).removed.length; //=> 0
 * const { removed } = await removeHistoryDays(folder, { keepMs: 90 * day, nowMs: Date.now() + 92 * day });
 * removed.map(({ files }) => files); //=> [1]
 * ```
 */
export async function removeHistoryDays(folder: string, options: RemoveOptions): Promise<RemovedHistory> {
  return await removeWith(folder, options, realFiles);
}

/** How the folders of days that are being removed begin. */
const REMOVED = '.removed-';

/** `removeHistoryDays` with given operations of the file system. */
export async function removeWith(
  folder: string,
  options: RemoveOptions,
  files: Files,
): Promise<RemovedHistory> {
  if (typeof folder !== 'string' || folder === '') {
    throw mustBe('ERR_INVALID_OPTION', 'folder', 'the path of a folder', folder);
  }
  assertOptions(options, OWNER);
  const { keepMs, rollup, dryRun = false, nowMs = Date.now() } = options;
  if (keepMs === undefined)
    throw mustBe('ERR_INVALID_OPTION', 'keepMs', 'a number of at least 86400000', keepMs);
  const names = await listHistory(files, folder);
  if (rollup !== undefined) await assertFolder(rollup);
  const retained: RetainedDay[] = [];
  const old: OldDay[] = [];
  for (const name of names.filter(isDayFolder).sort()) {
    const day = name.slice(DAY.length);
    if (Date.parse(day) + DAY_MS + keepMs > nowMs) continue;
    const path = join(folder, name);
    try {
      if (!(await lstat(path)).isDirectory()) {
        retained.push({ day, reason: `${path} is a link or a file, and no folder` });
        continue;
      }
      const contents = await readContents(path);
      const reason = await findObstacle(path, name, contents, rollup, nowMs);
      if (reason === undefined) old.push({ day, path, contents });
      else retained.push({ day, reason });
    } catch (error) {
      // Somebody else has removed it.
      if (!isMissing(error)) throw fileError('remove', path, error);
    }
  }
  const removed: RemovedDay[] = [];
  if (!dryRun) await removeRests(folder, names, nowMs);
  for (const one of old) {
    const { day, path, contents } = one;
    const bytes = contents.reduce((sum, { size }) => sum + size, 0);
    const gone = dryRun ? 'removed' : await removeDay(files, folder, one);
    if (gone === 'removed') removed.push({ day, files: contents.length, bytes });
    if (gone === 'written') retained.push({ day, reason: `a file was written into ${path} meanwhile` });
  }
  if (removed.length > 0 && !dryRun) await syncFolder(files, folder);
  return { removed, retained: retained.sort((a, b) => (a.day < b.day ? -1 : 1)) };
}

/** A day that is to be removed, as it was found. */
interface OldDay {
  readonly day: string;
  readonly path: string;
  readonly contents: readonly Content[];
}

/** Something in the folder of a day. */
interface Content {
  readonly name: string;
  readonly size: number;
  readonly isFile: boolean;
}

/** The names in the folder of a history. @throws HdrscopeError `ERR_HISTORY_FILE` */
async function listHistory(files: Files, folder: string): Promise<string[]> {
  await assertFolder(folder);
  try {
    const names = await files.readdir(folder);
    if (names.length > 0 && !names.some(isDayFolder) && !names.every((name) => /^[._]/.test(name))) {
      throw new Error('it is no history: it has no folder of a day, such as day=2026-11-22');
    }
    return names;
  } catch (error) {
    throw fileError('list', folder, error);
  }
}

/** Refuses links: what is behind them may be of somebody else. @throws HdrscopeError `ERR_HISTORY_FILE` */
async function assertFolder(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) throw new Error('it is a link: name the folder that it leads to');
    if (!found.isDirectory()) throw new Error('it is no folder');
  } catch (error) {
    throw fileError('list', path, error);
  }
}

/** What is in the folder of a day, in the order of the names. */
async function readContents(path: string): Promise<Content[]> {
  const contents: Content[] = [];
  for (const name of (await readdir(path)).sort()) {
    const found = await lstat(join(path, name));
    contents.push({ name, size: found.size, isFile: found.isFile() });
  }
  return contents;
}

/** Why a day must not be removed; `undefined` when nothing speaks against it. */
async function findObstacle(
  path: string,
  name: string,
  contents: readonly Content[],
  rollup: string | undefined,
  nowMs: number,
): Promise<string | undefined> {
  const other = contents.find((one) => !(one.isFile && isOfHistory(one.name)));
  if (other !== undefined) return `${join(path, other.name)} is no file of a history`;
  for (const { name: file } of contents) {
    const one = join(path, file);
    if (file.endsWith(PARTIAL) && !(await isAbandoned(one, nowMs))) return `${one} is being written`;
    if (file.endsWith(ENDING) && (await hasOtherContent(one))) return `${one} has no rows of a history`;
  }
  return rollup === undefined ? undefined : findLack(path, name, contents, rollup);
}

/** Whether the name of a file is one that writers of histories give: hdrscope, and engines with their checksums. */
function isOfHistory(name: string): boolean {
  return (
    name.endsWith(ENDING) ||
    [PARTIAL, DAMAGED].some((ending) => name.startsWith('_') && name.endsWith(ENDING + ending)) ||
    nameOfWaiting(name) !== undefined ||
    (name.startsWith('.') && name.endsWith('.crc'))
  );
}

/**
 * Why the rollup of a day may lack rows of it; `undefined` when it has all: it was made of these very files, and it is whole.
 *
 * @param name The name of the folder of the day.
 */
async function findLack(
  path: string,
  name: string,
  contents: readonly Content[],
  rollup: string,
): Promise<string | undefined> {
  const names = contents.map((one) => one.name);
  const unread = names.find((one) => nameOfWaiting(one) !== undefined || one.endsWith(ENDING + DAMAGED));
  if (unread !== undefined) {
    const cure = unread.endsWith(DAMAGED) ? '' : ': compact the history, and roll it up';
    return `${join(rollup, name)} lacks the rows of ${join(path, unread)}${cure}`;
  }
  const files = names.filter((one) => one.endsWith(ENDING));
  if (files.length === 0) return undefined;
  const source = await hashDay(path, files, Date.parse(name.slice(DAY.length)) + DAY_MS);
  const rolled = await readdir(join(rollup, name)).catch((error: unknown): string[] => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const file of rolled.filter((one) => one.endsWith(ENDING))) {
    const target = join(rollup, name, file);
    if ((await findDamage(target)) !== undefined) return `${target} is damaged`;
    if (parsedFacts(await readMetadata(target, ROLLUP_KEY))?.source === source) return undefined;
  }
  return `${join(rollup, name)} was not made of its files as they are: roll the history up`;
}

/**
 * Removes a day. Readers see all of it or nothing. A day that has changed meanwhile comes back.
 *
 * @returns `undefined` when somebody else has removed it.
 */
async function removeDay(
  files: Files,
  folder: string,
  { day, path, contents }: OldDay,
): Promise<'removed' | 'written' | undefined> {
  const gone = join(folder, `${REMOVED}${day}-${randomBytes(8).toString('hex')}`);
  try {
    await files.rename(path, gone);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError('remove', path, error);
  }
  try {
    if (JSON.stringify(await readContents(gone)) !== JSON.stringify(contents)) {
      await putBack(files, gone, path);
      return 'written';
    }
    await rm(gone, { recursive: true });
    return 'removed';
  } catch (error) {
    throw fileError('remove', gone, error);
  }
}

/** Puts the files of a day back, beside those that were written since. */
async function putBack(files: Files, from: string, path: string): Promise<void> {
  await files.mkdir(path);
  for (const name of await readdir(from)) await files.rename(join(from, name), join(path, name));
  await rm(from, { recursive: true });
}

/** Removes what calls that were killed have left. */
async function removeRests(folder: string, names: readonly string[], nowMs: number): Promise<void> {
  for (const name of names.filter((one) => one.startsWith(REMOVED))) {
    const path = join(folder, name);
    try {
      const found = await lstat(path);
      // A rename changes this time only.
      if (found.isDirectory() && found.ctimeMs + DAY_MS < nowMs) await rm(path, { recursive: true });
    } catch (error) {
      if (!isMissing(error)) throw fileError('remove', path, error);
    }
  }
}
