/** The part of `node:fs/promises` that commands on files use, over the files of the worker. */
import { findFile } from '../disk.ts';

export async function stat(
  path: string,
): Promise<{ readonly size: number; isFile(): boolean; isDirectory(): boolean }> {
  const { size } = findFile(path, 'stat');
  return { size, isFile: () => true, isDirectory: () => false };
}

/** A dropped file has no links. */
export async function realpath(path: string): Promise<string> {
  return path;
}
