import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../../command.ts';

/** A side of a comparison. */
export type SideName = 'before' | 'after';

/** The environment variable that names the file of a run. */
export const RUN_FILE = 'HDRSCOPE_RUN_FILE';

export interface Load {
  readonly side: SideName;
  /** From 1; 0 is a warm-up. */
  readonly number: number;
  /** For the shell. */
  readonly command: string;
}

/** A run that has ended well. */
export interface Ran extends Load {
  /** The file with its values. */
  readonly path: string;
  readonly seconds: number;
  /** The part of all processors that was busy meanwhile, from 0 to 1: with the load itself, the program and everything else. */
  readonly busy: number;
}

/**
 * Runs a command in a shell. It writes its values to the file that `HDRSCOPE_RUN_FILE` names, or to standard output.
 *
 * @throws Refusal when it fails, or writes nothing; the reason of the signal.
 */
export async function runLoad(load: Load, folder: string, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted();
  const base = join(folder, `${load.side}-${load.number}`);
  const [file, printed, errors] = [`${base}.run`, `${base}.out`, `${base}.err`];
  const [stdout, stderr] = [openSync(printed, 'w'), openSync(errors, 'w')];
  const startMs = performance.now();
  const before = processorTimes();
  try {
    const child = spawn(load.command, {
      shell: true,
      stdio: ['ignore', stdout, stderr],
      env: { ...process.env, [RUN_FILE]: file },
      // A group of its own, because a load test starts programs that must end with it.
      detached: IS_POSIX,
    });
    const end = (): void => {
      endGroup(child, 'SIGTERM');
      setTimeout(() => endGroup(child, 'SIGKILL'), PATIENCE_MS).unref();
    };
    signal.addEventListener('abort', end, { once: true });
    const [code, ended] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    signal.removeEventListener('abort', end);
    signal.throwIfAborted();
    if (code !== 0) {
      const how = code === null ? `was ended by ${ended}` : `has ended with exit code ${code}`;
      throw new Refusal(`${nameOf(load)} ${how}: ${load.command}${lastLines(errors)}`);
    }
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
  const path = [file, printed].find(hasBytes);
  if (path === undefined) {
    throw new Refusal(
      `${nameOf(load)} has written no values, to $${RUN_FILE} or to standard output: ${load.command}${lastLines(errors)}`,
    );
  }
  return { ...load, path, seconds: (performance.now() - startMs) / 1000, busy: busySince(before) };
}

const IS_POSIX = process.platform !== 'win32';
/** How long a load test may take to end by itself. */
const PATIENCE_MS = 3000;

/** Ends a shell and what it has started. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(IS_POSIX ? -pid : pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** `run 3 of --after`, or `the warm-up of --before`. */
function nameOf({ side, number }: Load): string {
  return `${number === 0 ? 'the warm-up' : `run ${number}`} of --${side}`;
}

function hasBytes(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

const MOST_LINES = 5;

function lastLines(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-MOST_LINES);
  return lines.join('') === '' ? '' : `\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

// The machine.

interface ProcessorTimes {
  readonly idle: number;
  readonly all: number;
}

function processorTimes(): ProcessorTimes {
  let [idle, all] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, all };
}

function busySince(before: ProcessorTimes): number {
  const after = processorTimes();
  const all = after.all - before.all;
  return all <= 0 ? Number.NaN : 1 - (after.idle - before.idle) / all;
}
