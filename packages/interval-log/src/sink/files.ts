import { type FileHandle, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { codeOf, isMissing, lockName, syncFolder } from '@hdrscope/kit/files';
import type { LogErrorCode } from '../errors.ts';

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
  readonly uid: number;
  readonly gid: number;
  isFile(): boolean;
}

export const realFiles: Files = { open, readdir, realpath, rename, stat, unlink };

export type { FileHandle } from 'node:fs/promises';

/** Who may use a file. */
export type Access = Pick<FileStatus, 'mode' | 'uid' | 'gid'>;

const PERMISSIONS = 0o777;

/**
 * Makes a file with the access of another one, and opens it for appending. Nobody else can open it meanwhile. The owner is
 * that of the process, unless it may give files away. Returns `undefined` if the file exists.
 */
export async function makeLike(
  files: Files,
  path: string,
  { mode, uid, gid }: Access,
): Promise<FileHandle | undefined> {
  let handle: FileHandle;
  try {
    handle = await files.open(path, 'ax+', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  // Fails for a process without the right to it. The mode is set afterwards, because a change of the owner may restrict it.
  await handle.chown(uid, gid).catch(() => {});
  // Fails on file systems without modes.
  await handle.chmod(mode & PERMISSIONS).catch(() => {});
  return handle;
}

/** Forces the names in a file's directory to the disk, if the system supports it. */
export function syncDirectory(files: Files, path: string): Promise<void> {
  return syncFolder(files, dirname(path));
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

/**
 * Locks a path against other sinks of this machine, until the returned function is called or the process ends: see `lockName`.
 *
 * @throws HdrscopeError `ERR_LOG_WRITE` when another sink has the path.
 */
export async function lockPath(path: string): Promise<() => Promise<void>> {
  const unlock = await lockName(`interval-log ${path}`);
  if (unlock !== undefined) return unlock;
  const message = `${path} must be written by one sink at a time, and another sink has it open: close that one first`;
  throw new HdrscopeError<LogErrorCode>('ERR_LOG_WRITE', message, { details: { path } });
}
