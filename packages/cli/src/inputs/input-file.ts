import { stat } from 'node:fs/promises';
import { Refusal } from '../command.ts';

const OBSTACLES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  ENOTDIR: 'there is no such folder',
};

/**
 * The size of an input file in bytes; `undefined` for pipes and everything else that is not a plain file.
 *
 * @throws Refusal
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Refusal(`cannot read ${path}: it is a folder`);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Refusal(`cannot read ${path}: ${OBSTACLES[code] ?? message}`, { cause: error });
  }
}

/** The name of a path in messages. */
export function nameOfPath(path: string): string {
  return path === '-' ? 'standard input' : path;
}
