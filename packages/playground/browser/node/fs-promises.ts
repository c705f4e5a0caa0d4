/** The part of `node:fs/promises` that commands on files use, over the files of the worker. */
import { findFile, listFolder, noteRead } from '../disk.ts';

export async function stat(
  path: string,
): Promise<{ readonly size: number; isFile(): boolean; isDirectory(): boolean }> {
  if (listFolder(path).length > 0) return { size: 0, isFile: () => false, isDirectory: () => true };
  const { size } = findFile(path, 'stat');
  return { size, isFile: () => true, isDirectory: () => false };
}

/** A dropped file has no links. */
export async function realpath(path: string): Promise<string> {
  return path;
}

/** Opens a file, which is read at places. */
export async function open(path: string, _flags: 'r') {
  const blob = findFile(path, 'open');
  return {
    stat: async () => ({ size: blob.size }),
    async read(bytes: Uint8Array, offset: number, length: number, position: number) {
      const part = new Uint8Array(await blob.slice(position, position + length).arrayBuffer());
      bytes.set(part, offset);
      noteRead(part.length);
      return { bytesRead: part.length };
    },
    close: async () => {},
  };
}
