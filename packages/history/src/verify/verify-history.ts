import { dirname } from 'node:path';
import { assertFollows, assertOptions, filledText, flag, type OptionsOwner } from '@hdrscope/core/internal';
import { syncFolder } from '@hdrscope/kit/files';
import { fileError } from '../errors.ts';
import { type Damage, findDamage } from '../parquet/decode.ts';
import { realFiles } from '../parquet/files.ts';
import { DAMAGED, hiddenPath } from '../parquet/names.ts';
import { filesOf } from '../query/folder-files.ts';
import { type DamagedFile, listDamaged } from '../query/whole-files.ts';

/** Options of `verifyHistory`. */
export interface VerifyOptions {
  /** Whether damaged files get another name, so that no engine reads them: `_X.parquet.damaged`. @default false */
  readonly repair?: boolean;
}

/** What `verifyHistory` found. */
export interface VerifiedHistory {
  /** How many files were read. */
  readonly files: number;
  /** In the order of their paths. With `repair`, they have another name now. */
  readonly damaged: readonly DamagedFile[];
}

const OWNER: OptionsOwner<VerifyOptions> = {
  name: 'verifyHistory',
  names: { repair: flag },
  call: "verifyHistory('history', { repair: true })",
};

/**
 * Reads every byte of the files of a history, and names those that are damaged, with the number of rows and values that are missing. A file
 * of version 2 has a seal, which is a checksum of all its bytes; the rows of other files are decoded, with the checksums that they have.
 *
 * @param folder The folder that `openHistory` writes. Files that are being written are left alone.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is no boolean; `ERR_HISTORY_FILE` when the folder cannot be
 *   listed, the system does not let a file be read, a file has other content or a later version, or a damaged file cannot get another name.
 * @example
 * ```ts no-run there is no such folder
 * import { verifyHistory } from '@hdrscope/history';
 *
 * const { files, damaged } = await verifyHistory('history');
 * console.log(`${damaged.length} of ${files} files are damaged`, damaged);
 * ```
 */
export async function verifyHistory(folder: string, options: VerifyOptions = {}): Promise<VerifiedHistory> {
  assertFollows('the folder', filledText('the path of a folder'), folder);
  assertOptions(options, OWNER);
  const { repair = false } = options;
  const files = await filesOf(folder, { sinceMs: undefined, untilMs: undefined });
  const found = new Map<string, Damage>();
  for (const path of files) {
    const damage = await findDamage(path);
    if (damage !== undefined) found.set(path, damage);
  }
  const damaged = await listDamaged(files, found);
  if (repair) for (const { path } of damaged) await setAside(path);
  return { files: files.length, damaged };
}

async function setAside(path: string): Promise<void> {
  try {
    await realFiles.rename(path, hiddenPath(path, DAMAGED));
    await syncFolder(realFiles, dirname(path));
  } catch (error) {
    throw fileError('set aside', path, error);
  }
}
