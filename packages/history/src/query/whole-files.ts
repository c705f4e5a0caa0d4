import { HdrscopeError } from '@hdrscope/core';
import type { HistoryErrorCode } from '../errors.ts';
import { findDamage } from '../parquet/decode.ts';

/** A file of a history whose bytes are not as they were written. */
export interface DamagedFile {
  /** Where it is. */
  readonly path: string;
  /** What is damaged, with the path. */
  readonly reason: string;
}

/** What was found of a file in a state, by its path: one question reads a folder several times. */
const found = new Map<string, { readonly state: string; readonly damage: DamagedFile | undefined }>();
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
  const damaged: DamagedFile[] = [];
  for (const [at, path] of files.entries()) {
    const state = states[at];
    if (state === undefined) continue;
    if (found.get(path)?.state !== state) {
      const error = await findDamage(path);
      if (found.size >= MOST_KNOWN) found.clear();
      found.set(path, { state, damage: error && { path, reason: error.message } });
    }
    const damage = found.get(path)?.damage;
    if (damage !== undefined) damaged.push(damage);
  }
  return damaged;
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
