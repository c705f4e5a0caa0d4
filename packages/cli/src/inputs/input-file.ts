import { stat } from 'node:fs/promises';
import { Refusal } from '../command.ts';
import { systemErrorText } from '../system-error.ts';

/**
 * The size of an input file in bytes; `undefined` for pipes and everything else that is not a plain file.
 *
 * @throws Refusal
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Refusal(`${path} is a folder, and a file is needed`);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(systemErrorText(error, path), { cause: error });
  }
}

/** The name of a path in messages. */
export function nameOfPath(path: string): string {
  return path === '-' ? 'standard input' : path;
}
