import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Io, Output, Termination } from '../../src/command.ts';
import { runCli } from '../../src/program.ts';

/** The surroundings of a command, as a test sets them. */
export interface World {
  readonly stdin?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** The width of the terminal. @default 120 */
  readonly columns?: number;
  readonly monotonicMs?: () => number;
  /** Gets each text on standard output. */
  readonly onOutput?: (text: string, end: (reason: Termination) => void) => void;
  /** Gets each text on standard error. */
  readonly onNote?: (text: string, end: (reason: Termination) => void) => void;
}

/** The result of a command. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs command lines in place of this process, such as the executable of `npm run executable`. */
const PROGRAM = process.env.HDRSCOPE_PROGRAM;

/** What only this process can be. */
const WITHIN = ['isTerminal', 'columns', 'monotonicMs', 'onOutput', 'onNote'] as const;

/** Runs a command line in this process, or by the program that the environment names. */
export async function hdrscope(args: readonly string[], world: World = {}): Promise<Ran> {
  if (PROGRAM !== undefined && WITHIN.every((name) => world[name] === undefined)) {
    return runProgram(PROGRAM, args, world);
  }
  const { stdin = '', environment = {}, isTerminal = false, monotonicMs = () => 0, onOutput, onNote } = world;
  const columns = isTerminal ? (world.columns ?? 120) : undefined;
  const ending = new AbortController();
  const printed = { stdout: '', stderr: '' };
  let mayEndSlowly = false;
  const output = (name: keyof typeof printed): Output => ({
    isTerminal,
    columns,
    write: async (text) => {
      if (ending.signal.aborted && name === 'stdout' && !mayEndSlowly) throw ending.signal.reason;
      printed[name] += text;
      if (name === 'stdout') onOutput?.(text, (reason) => ending.abort(reason));
      else onNote?.(text, (reason) => ending.abort(reason));
    },
  });
  const io: Io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: bytesOf(stdin),
    environment,
    signal: ending.signal,
    endSlowly: () => {
      mayEndSlowly = true;
    },
    monotonicMs,
  };
  return { exitCode: await runCli(args, io), ...printed };
}

async function runProgram(
  program: string,
  args: readonly string[],
  { stdin = '', environment = {} }: World,
): Promise<Ran> {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...environment } });
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code ?? -1));
  });
  // It may end before it has read everything.
  child.stdin.on('error', () => {}).end(stdin);
  const [exitCode, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { exitCode, stdout, stderr };
}

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield typeof text === 'string' ? new TextEncoder().encode(text) : text;
}
