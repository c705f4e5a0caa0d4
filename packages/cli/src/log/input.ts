import { stat } from 'node:fs/promises';
import type { LogSource } from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../command.ts';
import { startProgress } from '../progress.ts';

/** Logs that are there, and not read yet. */
export interface OpenedLogs {
  readonly sources: readonly LogSource[];
  /** Told of every byte: shows the progress, and ends the reading when the command is to end. */
  readonly onBytes: (bytes: number) => void;
  /** When all were read: takes the progress away. */
  finish(): void;
}

/**
 * Looks at the logs that a command line names. What can be refused is refused before the first line is printed.
 *
 * @param isQuiet Whether nothing is printed to standard output while they are read, so that progress may be shown.
 * @throws Refusal, UsageError
 */
export async function openLogs(paths: readonly string[], io: Io, isQuiet: boolean): Promise<OpenedLogs> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  let total: number | undefined = 0;
  for (const path of paths) {
    const size: number | undefined = path === '-' ? undefined : await sizeOf(path);
    total = total === undefined || size === undefined ? undefined : total + size;
  }
  const progress = startProgress(io, total, isQuiet || !io.stdout.isTerminal);
  return {
    sources: paths.map((path) => (path === '-' ? io.stdin : path)),
    onBytes: (bytes) => {
      io.signal.throwIfAborted();
      progress.add(bytes);
    },
    finish: progress.finish,
  };
}

/** What a log is called in messages. */
export function nameOf(source: LogSource): string {
  return typeof source === 'string' ? source : 'standard input';
}

const OBSTACLES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  ENOTDIR: 'there is no such folder',
};

/** `undefined` for what is no plain file, such as a pipe. */
async function sizeOf(path: string): Promise<number | undefined> {
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
