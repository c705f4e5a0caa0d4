import { open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The file system operations of a sink. Tests make them fail. */
export interface Files {
  readonly open: typeof open;
  readonly readdir: (path: string) => Promise<string[]>;
  readonly realpath: (path: string) => Promise<string>;
  readonly rename: typeof rename;
  readonly stat: (path: string) => Promise<FileStatus>;
  readonly unlink: typeof unlink;
}

/** The facts about a file that a sink needs. */
export interface FileStatus {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  isFile(): boolean;
}

export const realFiles: Files = { open, readdir, realpath, rename, stat, unlink };

export type { FileHandle } from 'node:fs/promises';

// Errors of Windows, of file systems without fsync of directories, and of directories that are writable but not readable.
const CANNOT_SYNC = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Forces the names in a file's directory to the disk, if the system supports it. */
export async function syncDirectory(files: Files, path: string): Promise<void> {
  try {
    const handle = await files.open(dirname(path), 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error) ?? '')) throw error;
  }
}

/** Returns the status of a file; `undefined` if the file does not exist. */
export async function statusOf(files: Files, path: string): Promise<FileStatus | undefined> {
  try {
    return await files.stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes a file, if it exists. */
export async function remove(files: Files, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Returns the code of a system error, such as `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
