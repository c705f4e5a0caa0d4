import type { Command } from 'commander';
import type { OptionNode } from './completion/tree.ts';
import type { Group } from './group.ts';

/** Where text goes. */
export interface Output {
  /** Whether a person watches. */
  readonly isTerminal: boolean;
  /** How wide the terminal is, where it is one. */
  readonly columns: number | undefined;
  /** Resolves when more may come; rejects when nobody reads any more. */
  write(text: string): Promise<void>;
}

/** All that a command knows of the world but files: tests hand it one of their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by a signal, and when nobody reads the output any more; an `Termination` is the reason. */
  readonly signal: AbortSignal;
  /**
   * Has SIGHUP ask for a reload in place of ending the command, until the returned function is called. Where it is missing,
   * nobody can ask.
   */
  readonly onReload?: (listener: () => void) => () => void;
  /** Handed what reads the arguments of a command, before it does: with `--help`, that is all that a command does. */
  readonly onParser?: (parser: Command) => void;
  monotonicMs(): number;
}

/** What the exit code says. Signals add 128 to their number: Ctrl-C makes 130. */
export const ExitCode = {
  done: 0,
  /** A verdict (`worse`), or input that was refused (a malformed line). */
  refused: 1,
  /** A command line that cannot be followed. */
  usage: 2,
  /** What a service returns that has ended well because a signal told it to: the process ends with 0. */
  serviceEnded: -1,
} as const;

/** A command as its group sees it; its module is loaded when it runs. */
export interface LazyCommand {
  readonly name: string;
  /** One line, for the help of the group. */
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** What the module of a command exports. */
export interface CommandModule {
  /**
   * @param args What follows the name of the command, untouched.
   * @returns The exit code.
   */
  run(args: readonly string[], io: Io): Promise<number>;
  /** The commands under this one's name, where it has some. */
  readonly group?: Group;
  /** The options of a command that understands its arguments by itself, without a parser that tells them. */
  readonly options?: readonly OptionNode[];
}

/** A command line that cannot be followed. The message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Why a command was told to end before it was done, and with which exit code. */
export class Termination extends Error {
  override readonly name = 'Termination';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Input that cannot be worked on. The message is for the person who named it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
