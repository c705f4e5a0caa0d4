import type { DivideLog } from '@hdrscope/interval-log/internal';

/** A stream that takes text. */
export interface Output {
  /** Whether it is a terminal, so that a person watches. */
  readonly isTerminal: boolean;
  /** The width of the terminal; `undefined` for files and pipes. */
  readonly columns: number | undefined;
  /** The height of the terminal. @default unknown, as that of files and pipes */
  readonly rows?: number | undefined;
  /** Resolves when the stream takes more text; rejects when its reader has closed it. */
  write(text: string): Promise<void>;
}

/** The process as a command sees it, apart from files. Tests provide their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by a signal, and when the reader of the output has closed it. Its reason is a `Termination`. */
  readonly signal: AbortSignal;
  /**
   * Makes SIGHUP request a reload instead of ending the command, until the returned function is called. Without it, there
   * are no reloads.
   */
  readonly onReload?: (listener: () => void) => () => void;
  /**
   * Lets the command take its time after a signal, until a second one. Without it, a command that works on after a signal is
   * ended within a second.
   */
  readonly endSlowly?: () => void;
  /** Divides a log, so that other threads summarise parts of it. @default one thread reads all of it */
  readonly divideLog?: DivideLog;
  monotonicMs(): number;
}

/** Exit codes. A signal adds 128 to its number: Ctrl-C makes 130. */
export const ExitCode = {
  done: 0,
  /** A verdict (`worse`), or refused input such as a malformed line. */
  refused: 1,
  /** A wrong command line. */
  usage: 2,
  /** A gate that has too little to judge by. */
  undecided: 3,
  /** Nothing to give a verdict on: a load test has failed. CI must neither read it as `worse` nor forgive it as undecided. */
  failed: 4,
  /** A service ended well after a signal. The process exits with 0. */
  serviceEnded: -1,
} as const;

/** A wrong command line. The message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The reason why a command ends before it is done, and the exit code. */
export class Termination extends Error {
  override readonly name = 'Termination';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Input that a command cannot use. The message is for the person who named it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
