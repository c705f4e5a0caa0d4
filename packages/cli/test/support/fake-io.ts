import { once } from 'node:events';
import type { Io, Output, Termination } from '../../src/command.ts';
import { runCli } from '../../src/program.ts';
import { noteReason, PROGRAM, startCommand } from './program.ts';

/** The surroundings of a command, as a test sets them. */
export interface World {
  readonly stdin?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** The width of the terminal. @default 120 */
  readonly columns?: number;
  readonly monotonicMs?: () => number;
  /** Why only this process can run the command. @default a program may, without a terminal or a clock of the test */
  readonly within?: string;
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

/** Why only this process can run a command in these surroundings. `undefined` where a program can. */
function whyWithin({ within, isTerminal, monotonicMs }: World): string | undefined {
  if (isTerminal) return 'a program has no terminal here';
  return monotonicMs === undefined ? within : 'a program has a clock of its own';
}

/** Runs a command line in this process, or by the program that the environment names. */
export async function hdrscope(args: readonly string[], world: World = {}): Promise<Ran> {
  if (PROGRAM !== undefined) {
    const reason = whyWithin(world);
    if (reason === undefined) return runProgram(args, world);
    noteReason(reason);
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

/** Runs a command line as a process, which is ended by signals. */
async function runProgram(
  args: readonly string[],
  { stdin = '', environment = {}, onOutput, onNote }: World,
): Promise<Ran> {
  const child = startCommand(args, { env: { PATH: process.env.PATH, ...environment } });
  let isEnding = false;
  const end = ({ exitCode }: Termination): void => {
    // A second signal would end it at once.
    if (isEnding) return;
    isEnding = true;
    if (exitCode > 128) child.kill(exitCode - 128);
    else child.stdout!.destroy();
  };
  const printed = { stdout: '', stderr: '' };
  for (const [name, listener] of [
    ['stdout', onOutput],
    ['stderr', onNote],
  ] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      listener?.(text, end);
    });
  }
  // It may end before it has read everything.
  child.stdin!.on('error', () => {}).end(stdin);
  const [exitCode] = await once(child, 'close');
  return { exitCode: exitCode ?? -1, ...printed };
}

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield typeof text === 'string' ? new TextEncoder().encode(text) : text;
}
