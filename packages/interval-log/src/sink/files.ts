import { open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';

/** The file system, as far as a sink writes to it: what a test makes fail. */
export interface Files {
  readonly open: typeof open;
  readonly readdir: (path: string) => Promise<string[]>;
  readonly realpath: (path: string) => Promise<string>;
  readonly rename: typeof rename;
  readonly stat: (path: string) => Promise<FileStatus>;
  readonly unlink: typeof unlink;
}

/** What is asked of a file. */
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

// What file systems say that have no such thing, Windows, and directories that may be written but not read.
const CANNOT_SYNC = new Set(['EACCES', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Makes the names in a file's directory last, where that can be done. */
export async function syncDirectory(files: Files, path: string): Promise<void> {
  try {
    const handle = await files.open(dirname(path), 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_SYNC.has(codeOf(error) ?? '')) throw error;
  }
}

/** `undefined` where there is none. */
export async function statusOf(files: Files, path: string): Promise<FileStatus | undefined> {
  try {
    return await files.stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Removes a file, if it is there. */
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

/** The code of an error of the system, such as `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What a sink tells of a failure: `cannot write /var/log/app.hlog: no space left on device (ENOSPC)`. */
export function writeError(doing: string, path: string, cause: unknown): HdrscopeError {
  if (cause instanceof HdrscopeError && cause.code === 'ERR_LOG_WRITE') return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HdrscopeError('ERR_LOG_WRITE', `cannot ${doing} ${path}: ${reason}`, { cause });
}
