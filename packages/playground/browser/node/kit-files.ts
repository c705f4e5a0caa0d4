/** The part of `@hdrscope/kit/files` that commands on files use, over the files of the worker. */
import { writeFile } from '../disk.ts';

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
