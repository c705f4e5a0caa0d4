import type { FileHandle } from 'node:fs/promises';

/** Opens files. Tests make it fail. */
export interface OpensFiles {
  /** As in `node:fs/promises`. */
  readonly open: (path: string, flags: string) => Promise<FileHandle>;
}

// Errors of Windows, of file systems without fsync of directories, and of directories that are writable but not readable.
const CANNOT_SYNC = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Forces the names in a folder to the disk, if the system supports it. */
export async function syncFolder(files: OpensFiles, folder: string): Promise<void> {
  try {
    const handle = await files.open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error) ?? '')) throw error;
  }
}

/** Removes files. Tests make it fail. */
export interface RemovesFiles {
  /** As in `node:fs/promises`. */
  readonly unlink: (path: string) => Promise<void>;
}

/** Removes a file, if it exists. */
export async function removeFile(files: RemovesFiles, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The code of a system error, such as `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Whether a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}
