import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assertOptions, mustBe, number, type OptionsOwner } from '@hdrscope/core/internal';
import { fileError } from '../errors.ts';
import { isAbandoned } from '../parquet/files.ts';
import { DAY, ENDING, isDayFolder } from '../parquet/names.ts';
import { assertPartOfDay, DAY_MS, HOUR_MS } from '../times.ts';
import { type RolledDay, rollUpDay, rollupName, WORK } from './day.ts';

/** Options of `rollUpHistory`. */
export interface RollupOptions {
  /**
   * The length of a stretch of time, in milliseconds: an integer that divides a day. Stretches start at multiples of it since 1970, in UTC.
   * @default 3_600_000
   */
  readonly everyMs?: number;
  /**
   * Only stretches that ended so long ago, in milliseconds: at least 0. Rows that come later are added by a later call.
   * @default 4_200_000
   */
  readonly olderThanMs?: number;
  /** The present, in milliseconds since 1970. @default the clock of the system */
  readonly nowMs?: number;
}

const OWNER: OptionsOwner<RollupOptions> = {
  name: 'rollUpHistory',
  names: { everyMs: true, olderThanMs: number({ from: 0, to: Number.POSITIVE_INFINITY }), nowMs: true },
  call: "rollUpHistory('history', 'hourly', { everyMs: 3_600_000 })",
};

/**
 * Makes a history of another one, whose rows are sums over longer stretches of time: by default, one row for each series and hour. Their
 * slots are added, so percentiles lose nothing, but nobody can ask about shorter stretches any more. Questions about months are answered
 * from fewer rows.
 *
 * It works day by day, and each day is one file that replaces the one before at once: it may be killed at any time, and the next call goes
 * on. Days whose files have not changed since are left alone. A day that has new rows, also late ones, is made anew from all its rows, so
 * no row counts twice. When rows were removed from the source, the rollups of their day stay as they are.
 *
 * Rows are added up one by one, so memory does not depend on their number. It is work for a process of its own: decoding
 * a part of a file blocks the event loop for about 0.1 s, and for up to 0.25 s when rows have hundreds of slots.
 *
 * @param folder The folder that `openHistory` writes, or one of shorter stretches. Nothing in it is changed.
 * @param into The folder of the rollups, made if it does not exist. It has those of one history and one length only.
 * @returns The days that were read, ascending.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside its range or both folders are one; `ERR_HISTORY_FILE` when a file
 *   cannot be read or written, or `into` has other files than these rollups.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { openHistory, queryHistory, rollUpHistory } from '@hdrscope/history';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const folder = await mkdtemp(join(tmpdir(), 'history-'));
 * const registry = createRegistry();
 * const history = await openHistory(registry, { folder: join(folder, 'minutes') });
 * registry.histogram({ name: 'sizes', unit: 'By' }).with({}).record(2000);
 * await history.close();
 *
 * const tomorrow = Date.now() + 86_400_000;
 * const days = await rollUpHistory(join(folder, 'minutes'), join(folder, 'hours'), { nowMs: tomorrow });
 * days.map(({ sourceRows, rows }) => [sourceRows, rows]); //=> [[1, 1]]
 * const [sizes] = await queryHistory(join(folder, 'hours'), { metric: 'sizes' });
 * sizes!.max.upper; //=> 2000
 * ```
 */
export async function rollUpHistory(
  folder: string,
  into: string,
  options: RollupOptions = {},
): Promise<RolledDay[]> {
  assertOptions(options, OWNER);
  const { everyMs = HOUR_MS, olderThanMs = 4_200_000, nowMs = Date.now() } = options;
  for (const [name, path] of Object.entries({ folder, into })) {
    if (typeof path !== 'string' || path === '') {
      throw mustBe('ERR_INVALID_OPTION', name, 'the path of a folder', path);
    }
  }
  assertPartOfDay(everyMs);
  if (!Number.isFinite(nowMs)) throw mustBe('ERR_INVALID_OPTION', 'nowMs', 'a number of milliseconds', nowMs);
  const settledMs = Math.floor((nowMs - olderThanMs) / everyMs) * everyMs;
  const days = (await namesIn(folder)).filter(isDayFolder).sort();
  await prepare(folder, into, everyMs, nowMs);
  const rolled: RolledDay[] = [];
  for (const name of days) {
    const dayMs = Date.parse(name.slice(DAY.length));
    const untilMs = Math.min(dayMs + DAY_MS, settledMs);
    if (untilMs <= dayMs) continue;
    try {
      const found = await rollUpDay(join(folder, name), into, { name, dayMs, untilMs, everyMs });
      if (found !== undefined) rolled.push(found);
    } catch (error) {
      throw fileError('roll up', join(folder, name), error);
    }
  }
  return rolled;
}

/** The names in a folder. @throws HdrscopeError `ERR_HISTORY_FILE` */
async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    throw fileError('list', path, error);
  }
}

/** Makes the folder of the rollups, and checks that it has nothing else. */
async function prepare(folder: string, into: string, everyMs: number, nowMs: number): Promise<void> {
  let isSame: boolean;
  try {
    await mkdir(into, { recursive: true });
    isSame = (await realpath(folder)) === (await realpath(into));
  } catch (error) {
    throw fileError('make', into, error);
  }
  if (isSame) throw mustBe('ERR_INVALID_OPTION', 'into', 'another folder than that of the history', into);
  try {
    for (const name of await readdir(into)) {
      const path = join(into, name);
      if (name.startsWith(WORK) && (await isAbandoned(path, nowMs)))
        await rm(path, { recursive: true, force: true });
      if (!isDayFolder(name)) continue;
      const own = rollupName(Date.parse(name.slice(DAY.length)), everyMs);
      const other = (await readdir(path)).find((file) => file.endsWith(ENDING) && file !== own);
      if (other === undefined) continue;
      throw new Error(
        `it must have rollups of ${everyMs} ms only, and has ${join(name, other)}: name a folder of their own`,
      );
    }
  } catch (error) {
    throw fileError('roll up into', into, error);
  }
}
