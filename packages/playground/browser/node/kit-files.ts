/** The part of `@hdrscope/kit/files` that commands on files use, over the files of the worker. */
import { writeFile } from '../disk.ts';

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

export async function replaceFile(
  parts: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const all: (string | Uint8Array)[] = [];
  for await (const part of parts) {
    signal.throwIfAborted();
    all.push(part);
  }
  writeFile(path, all);
}
