import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { isMissing } from '@hdrscope/kit/files';
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

/**
 * Whether nobody has written an unfinished file or folder for a day, so that its writer has died. A missing one is not abandoned: its
 * writer has completed it.
 */
export async function isAbandoned(path: string, nowMs: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs + DAY_MS < nowMs;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
