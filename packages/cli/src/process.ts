import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { addAbortSignal } from 'node:stream';
import { type Io, type Output, Termination } from './command.ts';
import { runCli } from './program.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the command line of this process and sets its exit code. */
export async function runProcess(): Promise<void> {
  const ending = new AbortController();
  const reload = new EventEmitter();
  let mayEndSlowly = false;
  for (const signal of SIGNALS) {
    const exitCode = 128 + constants.signals[signal];
    process.on(signal, () => {
      if (signal === 'SIGHUP' && reload.emit(RELOAD)) return;
      // A person who asks twice does not want to wait.
      if (ending.signal.reason instanceof Termination && ending.signal.reason.exitCode === exitCode) {
        process.exit(exitCode);
      }
      ending.abort(new Termination(signal, exitCode));
      // A command in the middle of its work may not notice.
      if (!mayEndSlowly) setTimeout(() => process.exit(exitCode), GRACE_MS).unref();
    });
  }
  const endSlowly = (): void => {
    mayEndSlowly = true;
  };
  process.exitCode = await runCli(process.argv.slice(2), createProcessIo(ending, reload, endSlowly));
  // An open handle, such as a connection to a peer that does not answer, must not keep a process that has to end.
  if (ending.signal.aborted) setTimeout(() => process.exit(), LAST_MS).unref();
  // Standard input may still be open when it was refused. It would keep the process until its writer ends.
  ending.abort(new Termination('done', process.exitCode));
}

const RELOAD = 'reload';
/** How long a command may work on after a signal. */
const GRACE_MS = 500;
/** How long open handles may keep a process that has to end. */
const LAST_MS = 500;

function createProcessIo(ending: AbortController, reload: EventEmitter, endSlowly: () => void): Io {
  return {
    stdout: createOutput(process.stdout, ending),
    stderr: createOutput(process.stderr, ending),
    stdin: {
      // Opened on the first read, because an open standard input keeps the process alive.
      [Symbol.asyncIterator]: () =>
        addAbortSignal(ending.signal, process.stdin)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
    },
    environment: process.env,
    signal: ending.signal,
    onReload(listener) {
      reload.on(RELOAD, listener);
      return () => reload.off(RELOAD, listener);
    },
    endSlowly,
    monotonicMs: () => performance.now(),
  };
}

/** Writes until the reader closes the pipe, as in `hdrscope log … | head`. A closed pipe ends the work and is not an error. */
function createOutput(stream: NodeJS.WriteStream, ending: AbortController): Output {
  let closed: Termination | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed ??=
      error.code === 'EPIPE' ? new Termination('nobody reads', 0) : new Termination(error.message, 1);
    ending.abort(closed);
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    get rows() {
      return stream.rows;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        if (closed !== undefined) reject(closed);
        else stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
