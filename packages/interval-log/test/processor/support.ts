import { readFileSync } from 'node:fs';
import { type LogSource, type ProcessorIo, runProcessor } from '@hdrscope/interval-log';
import { bytes } from '../support/read.ts';

/** The results of a run of the processor. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** By path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Runs the processor on logs by path and standard input, with output in memory. */
export async function runInMemory(
  args: readonly string[],
  { logs = {}, stdin = new Uint8Array() }: { logs?: Record<string, string>; stdin?: LogSource } = {},
): Promise<Ran> {
  const texts = { stdout: '', stderr: '' };
  const files: Record<string, string> = {};
  const io: ProcessorIo = {
    stdin,
    stdout: {
      write: (text) => {
        texts.stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        texts.stderr += text;
      },
    },
    files: {
      openLog: async (path) => ({ source: bytes(logs[path] ?? readFileSync(path, 'utf8')), close: () => {} }),
      create: async (path) => {
        files[path] = '';
        return {
          write: (text) => {
            files[path] += text;
          },
          close: async () => {},
        };
      },
    },
    timeZone: 'UTC',
  };
  const exitCode = await runProcessor(args, io);
  return { exitCode, ...texts, files };
}
