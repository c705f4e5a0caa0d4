/** The part of `node:fs` that commands on files use, over the files of the worker. */
import { readFile } from '../disk.ts';

export function createReadStream(path: string): AsyncGenerator<Uint8Array, void> {
  return readFile(path);
}
