import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@hdrscope/kit/files';
import { merged, mergeToFew } from '../compact/merged.ts';
import { readMetadata, readRows } from '../parquet/decode.ts';
import { realFiles } from '../parquet/files.ts';
import { DAY, ENDING, fileName, PARTIAL } from '../parquet/names.ts';
import { compareRows } from '../parquet/order.ts';
import { rowGroups, SLOTS_PER_GROUP } from '../parquet/row-groups.ts';
import { RowRangesFinder } from '../parquet/row-ranges.ts';
import { writeFile } from '../parquet/write-file.ts';
import type { HistoryRow } from '../rows/row.ts';
import { factsText, lacksRows, parsedFacts, ROLLUP_KEY } from './facts.ts';
import { rollupProducer, rowsOfStretches } from './stretches.ts';

/** A day whose rows were added up. */
export interface RolledDay {
  /** In UTC, such as `2026-11-22`. */
  readonly day: string;
  /** How many rows were read, each once. */
  readonly sourceRows: number;
  /** How many rows they became. */
  readonly rows: number;
  /** The bytes of the new file. */
  readonly bytes: number;
  /**
   * Whether the earlier rollup of the day stays, because the source lacks rows that it has: they were removed, or the source is another
   * history.
   */
  readonly isKept: boolean;
}

// Other programs may have written them.
const NOT_IN_ORDER =
  'rows of a file must be in the order that writeRows gives them, or rows that are there twice cannot be found';

/** How the folders of files that are being made begin. */
export const WORK = '.rollup-';

/** What is to be done for a day. */
export interface DayTask {
  /** The name of the folder of the day. */
  readonly name: string;
  readonly dayMs: number;
  /** Rows that start before this time are added up. */
  readonly untilMs: number;
  readonly everyMs: number;
}

/**
 * Adds up the rows of a day.
 *
 * @param path The folder of the day in the source.
 * @returns `undefined` when nothing has changed since the earlier rollup, or there are no rows yet.
 */
export async function rollUpDay(path: string, into: string, task: DayTask): Promise<RolledDay | undefined> {
  const { name, dayMs, untilMs, everyMs } = task;
  const files = (await readdir(path)).filter((file) => file.endsWith(ENDING)).sort();
  if (files.length === 0) return undefined;
  const source = await hashDay(path, files, untilMs);
  const target = join(into, name, rollupName(dayMs, everyMs));
  const earlier = parsedFacts(await readMetadata(target, ROLLUP_KEY));
  if (earlier?.source === source) return undefined;
  const work = await mkdtemp(join(into, WORK));
  try {
    let made = 0;
    const few = await mergeToFew(
      files.map((file) => join(path, file)),
      async ({ paths, hasWeights }) => {
        const groups = rowGroups(rowsOfFiles(paths), SLOTS_PER_GROUP);
        return (await writeFile(realFiles, join(work, `${made++}${PARTIAL}`), groups, { hasWeights })).path;
      },
    );
    let sourceRows = 0;
    const ranges = new RowRangesFinder();
    const counted = (async function* () {
      let last: HistoryRow | undefined;
      for await (const row of rowsOfFiles(few.paths)) {
        if (last !== undefined && compareRows(last, row) >= 0) throw new Error(NOT_IN_ORDER);
        last = row;
        if (row.startMs >= untilMs) continue;
        sourceRows++;
        ranges.add([row]);
        yield row;
      }
    })();
    const facts = (): string => factsText(source, sourceRows, ranges.text);
    const day = await writeFile(
      realFiles,
      join(work, `day${PARTIAL}`),
      rowGroups(rowsOfStretches(counted, everyMs), SLOTS_PER_GROUP),
      { metadata: () => ({ [ROLLUP_KEY]: facts() }), hasWeights: few.hasWeights },
    );
    const { rows, bytes } = day;
    if (rows === 0 && earlier === undefined) return undefined;
    const isKept = earlier !== undefined && lacksRows(parsedFacts(facts())!, earlier);
    if (!isKept) {
      await mkdir(join(into, name), { recursive: true });
      await rename(day.path, target);
      await syncFolder(realFiles, join(into, name));
    }
    return { day: name.slice(DAY.length), sourceRows, rows, bytes, isKept };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The name of the file of a day. */
export function rollupName(dayMs: number, everyMs: number): string {
  return fileName(dayMs, rollupProducer(everyMs), 0);
}

/** A hash of what a day is made of: the names and sizes of its files, in the order of the names, and how far it is read. */
export async function hashDay(path: string, files: readonly string[], untilMs: number): Promise<string> {
  const sizes = await Promise.all(files.map(async (file) => [file, (await stat(join(path, file))).size]));
  return createHash('sha256')
    .update(JSON.stringify([untilMs, sizes]))
    .digest('hex');
}

/** The rows of files in order, each once. */
function rowsOfFiles(paths: readonly string[]): AsyncGenerator<HistoryRow, void, undefined> {
  return merged(
    paths.map((path) => readRows(path)),
    () => {},
  );
}
