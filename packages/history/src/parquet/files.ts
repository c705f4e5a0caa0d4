import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { DAY_MS } from '../times.ts';

/** The operations of the file system that writers need. Tests make them fail. */
export interface Files {
  readonly mkdir: (path: string) => Promise<void>;
  readonly open: (path: string, flags: string) => Promise<FileHandle>;
  readonly readdir: (path: string) => Promise<string[]>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
}

export const realFiles: Files = {
  mkdir: async (path) => {
    await mkdir(path, { recursive: true });
  },
  open: (path, flags) => open(path, flags),
  readdir: (path) => readdir(path),
  rename,
  unlink,
};

// Errors of Windows, of file systems without fsync of directories, and of directories that are writable but not readable.
const CANNOT_SYNC = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Forces the names in a directory to the disk, if the system supports it. */
export async function syncDirectory(files: Files, path: string): Promise<void> {
  try {
    const handle = await files.open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error) ?? '')) throw error;
  }
}

/** Removes a file, if it exists. */
export async function remove(files: Files, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Whether nobody has written an unfinished file or folder for a day, so that its writer has died. A missing one is not abandoned: its writer
 * has completed it.
 */
export async function isAbandoned(path: string, nowMs: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs + DAY_MS < nowMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The code of a system error, such as `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
