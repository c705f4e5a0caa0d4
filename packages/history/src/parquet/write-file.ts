import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeFile, syncFolder } from '@hdrscope/kit/files';
import type { HistoryRow } from '../rows/row.ts';
import { ParquetEncoder } from './encode.ts';
import type { Files } from './files.ts';
import { hiddenPath, PARTIAL } from './names.ts';

/** Facts about a written file. */
export interface WrittenFile {
  /** Path of the file under its final name. */
  readonly path: string;
  /** How many rows it has. */
  readonly rows: number;
  /** Its size in bytes. */
  readonly bytes: number;
}

/** What a file has besides rows. */
interface FileFacts {
  /** Keys and values that it has besides those of every file. Called when all rows are written. @default none */
  readonly metadata?: () => Readonly<Record<string, string>>;
  /** Whether a row may have a weight: a file without such rows has no column of them. @default false */
  readonly hasWeights?: boolean;
}

/**
 * Writes row groups to a file of a new name. The file has another name until it is complete and on the disk, so readers see all of it or
 * nothing. A failure leaves no file, as far as the disk allows.
 *
 */
export async function writeFile(
  files: Files,
  path: string,
  groups: Iterable<readonly HistoryRow[]> | AsyncIterable<readonly HistoryRow[]>,
  { metadata = () => ({}), hasWeights = false }: FileFacts = {},
): Promise<WrittenFile> {
  const partial = hiddenPath(path, PARTIAL);
  await files.mkdir(dirname(path));
  const handle = await files.open(partial, 'w');
  let bytes = 0;
  let rows = 0;
  try {
    try {
      const encoder = new ParquetEncoder(hasWeights);
      for await (const group of groups) {
        for (const part of encoder.add(group)) bytes += await writeAll(handle, part);
        rows += group.length;
      }
      bytes += await writeAll(handle, encoder.finish(metadata()));
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await files.rename(partial, path);
  } catch (error) {
    await removeFile(files, partial).catch(() => {});
    throw error;
  }
  await syncFolder(files, dirname(path));
  return { path, rows, bytes };
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<number> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    if (bytesWritten === 0) throw new Error('the system takes no bytes');
    written += bytesWritten;
  }
  return bytes.length;
}
