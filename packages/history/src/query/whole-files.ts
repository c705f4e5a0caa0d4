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

/** The state in which a file was last found whole, by its path: one question reads a folder several times. */
const wholeStates = new Map<string, string>();
const MOST_KNOWN = 20_000;

/**
 * Finds the damaged files. A file that was whole is read again only when its state differs.
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
    if (state === undefined || wholeStates.get(path) === state) continue;
    const damage = await findDamage(path);
    if (damage !== undefined) {
      damaged.push({ path, reason: damage.message });
      continue;
    }
    if (wholeStates.size >= MOST_KNOWN) wholeStates.clear();
    wholeStates.set(path, state);
  }
  return damaged;
}

/** Makes the error of damaged files of a folder. */
export function damagedError(
  folder: string,
  damaged: readonly DamagedFile[],
): HdrscopeError<HistoryErrorCode> {
  const [first, ...others] = damaged.map(({ path, reason }) => ({ path, reason }));
  const more = others.length === 0 ? '' : `, and ${others.length} more of its files are damaged`;
  const message = `${first!.reason}${more}: verifyHistory('${folder}', { repair: true }) sets such files aside`;
  return new HdrscopeError('ERR_HISTORY_FILE', message, {
    details: { operation: 'read', path: first!.path, damaged },
  });
}
