import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { kernelError } from '../errors.ts';

/** The verifier may take seconds. */
const MOST_MS = 60_000;

// The program of another process: it opens and loads what it reads, attaches nothing, and takes everything with it when it ends.
const PROGRAM = `
const [koffi, library] = [require(process.argv[1]), process.argv[2]];
const bpf = koffi.load(library);
const bytes = require('node:fs').readFileSync(0);
const object = bpf.func('bpf_object__open_mem', 'void *', ['void *', 'size_t', 'void *'])(bytes, bytes.length, null);
if (object !== null) bpf.func('bpf_object__load', 'int', ['void *'])(object);
`;

/** Ends of a process that has gone wrong within native code. */
const CRASHES: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE'];

/**
 * Loads an object file in another process first. libbpf trusts the types and tables of a file, and one that is made with malice or damaged
 * may end the process that opens it. Whatever else is wrong shows when this process loads it.
 *
 * @param object Path of the file, or its bytes.
 * @throws HdrscopeError `ERR_KERNEL` when that process crashes.
 */
export async function tryObject(object: string | Uint8Array, library = 'libbpf.so.1'): Promise<void> {
  const bytes = typeof object === 'string' ? await readFile(object).catch(() => undefined) : object;
  if (bytes === undefined) return;
  const signal = await runToEnd(bytes, library);
  if (signal === null || !CRASHES.includes(signal)) return;
  const name = typeof object === 'string' ? object : 'the program';
  throw kernelError(
    `${name} cannot be loaded: another process that tried it was ended by ${signal} within ${library}: the file is damaged, or made to do this`,
    { program: library },
  );
}

/** @returns The signal that ended the process; `null` when none did, or it did not start. */
function runToEnd(bytes: Uint8Array, library: string): Promise<NodeJS.Signals | null> {
  const koffi = createRequire(import.meta.url).resolve('koffi');
  // The other process does not get the options that this process was started with.
  const { NODE_OPTIONS: _, ...env } = process.env;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', PROGRAM, koffi, library], {
      ...{ env, timeout: MOST_MS, killSignal: 'SIGKILL' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => resolve(null)).on('close', (_code, signal) => resolve(signal));
    // It may end before it has read everything.
    child.stdin.on('error', () => {}).end(bytes);
  });
}
