import { dirname } from 'node:path';
import { type Bounds, HdrscopeError } from '@hdrscope/core';
import type { HistoryErrorCode } from '../errors.ts';
import { type Damage, findDamage, readRanges } from '../parquet/decode.ts';
import { type FileRows, sharingFiles } from './row-sources.ts';

/** A file of a history whose bytes are not as they were written. */
export interface DamagedFile {
  /** Where it is. */
  readonly path: string;
  /** What is damaged, with the path. */
  readonly reason: string;
  /**
   * How many rows the history lacks without the file. The number is certain where both bounds are equal, and unknown from 0 to `Infinity`.
   * The lower bound is 0 where other files may have the same rows.
   */
  readonly rows: Bounds;
  /** How many values these rows have, in the same way. */
  readonly values: Bounds;
}

/** What was found of a file in a state, by its path: one question reads a folder several times. */
const found = new Map<string, { readonly state: string; readonly damage: Damage | undefined }>();
const MOST_KNOWN = 20_000;

/**
 * Finds the damaged files. A file is read again only when its state differs.
 *
 * @param states What `statesOf` gives for the files. A missing file is not damaged.
 * @throws HdrscopeError as `findDamage`.
 */
export async function findDamaged(
  files: readonly string[],
  states: readonly (string | undefined)[],
): Promise<DamagedFile[]> {
  const damaged = new Map<string, Damage>();
  for (const [at, path] of files.entries()) {
    const state = states[at];
    if (state === undefined) continue;
    if (found.get(path)?.state !== state) {
      const damage = await findDamage(path);
      if (found.size >= MOST_KNOWN) found.clear();
      found.set(path, { state, damage });
    }
    const damage = found.get(path)?.damage;
    if (damage !== undefined) damaged.set(path, damage);
  }
  return listDamaged(files, damaged);
}

/**
 * Lists damaged files, with what the history lacks without them.
 *
 * @param files All files of the same days: a row has one start, so equal rows are in one folder.
 */
export async function listDamaged(
  files: readonly string[],
  damaged: ReadonlyMap<string, Damage>,
): Promise<DamagedFile[]> {
  const sharing = new Set<string>();
  for (const folder of new Set([...damaged.keys()].map((path) => dirname(path)))) {
    const all: FileRows[] = [];
    for (const path of files) {
      if (dirname(path) !== folder) continue;
      all.push({ path, rows: damaged.has(path) ? damaged.get(path)!.ranges : await readRanges(path) });
    }
    if (all.length > 1) for (const path of sharingFiles(all)) sharing.add(path);
  }
  return [...damaged].map(([path, { reason, rows, values }]) => {
    const lacking = ({ lower, upper }: Bounds): Bounds => ({ lower: sharing.has(path) ? 0 : lower, upper });
    return { path, reason, rows: lacking(rows), values: lacking(values) };
  });
}

/** Makes the error of damaged files of a folder. */
export function damagedError(
  folder: string,
  damaged: readonly [DamagedFile, ...DamagedFile[]],
): HdrscopeError<HistoryErrorCode> {
  const [{ path, reason }, ...others] = damaged;
  const more = others.length === 0 ? '' : ` (${damaged.length} damaged files in ${folder})`;
  const message = `${reason}${more}: verifyHistory('${folder}', { repair: true }) sets such files aside`;
  return new HdrscopeError('ERR_HISTORY_FILE', message, { details: { operation: 'read', path, damaged } });
}
