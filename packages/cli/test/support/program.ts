import {
  type ChildProcess,
  type SpawnOptions,
  type SpawnSyncOptions,
  type SpawnSyncReturns,
  spawn,
  spawnSync,
} from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The program that runs command lines in place of this process: that of `npm run test:executable`. */
export const PROGRAM: string | undefined = process.env.HDRSCOPE_PROGRAM;

const BIN = fileURLToPath(new URL('../../bin/hdrscope.js', import.meta.url));

/** The words that start the command as a process: the program, or the built package. */
export const COMMAND: readonly [string, ...string[]] =
  PROGRAM === undefined ? [process.execPath, BIN] : [PROGRAM];

/** What `tools/jest/environment.js` reads after each test: only tests in which the program ran have passed. */
const PROGRAM_RUN = Symbol.for('hdrscope.program-run');

function noteRun(): void {
  Reflect.set(globalThis, PROGRAM_RUN, true);
}

/** Notes why a test runs a command line in this process, although there is a program. */
export function noteReason(reason: string): void {
  if (Reflect.get(globalThis, PROGRAM_RUN) !== true) Reflect.set(globalThis, PROGRAM_RUN, reason);
}

/** Starts the command as a process. */
export function startCommand(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  noteRun();
  const [program, ...first] = COMMAND;
  return spawn(program, [...first, ...args], options);
}

/** Runs another program, such as a shell, that gets the words of the command. */
export function runWithCommand(
  program: string,
  args: readonly string[],
  options: SpawnSyncOptions = {},
): SpawnSyncReturns<string> {
  noteRun();
  return spawnSync(program, args, { ...options, encoding: 'utf8' });
}
