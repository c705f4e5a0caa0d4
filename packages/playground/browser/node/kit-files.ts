/** The part of `@hdrscope/kit/files` that commands on files use, over the files of the worker. */
import { writeFile } from '../disk.ts';

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

type FileParts = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

export async function replaceFiles(
  files: readonly { readonly path: string; readonly parts: FileParts }[],
  signal: AbortSignal,
): Promise<void> {
  for (const { path, parts } of files) await replaceFile(parts, path, signal);
}

export async function replaceFile(parts: FileParts, path: string, signal: AbortSignal): Promise<void> {
  const all: (string | Uint8Array)[] = [];
  for await (const part of parts) {
    signal.throwIfAborted();
    all.push(part);
  }
  writeFile(path, all);
}
