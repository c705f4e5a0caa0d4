import type { Command } from 'commander';
import type { Arguments } from './arguments.ts';
import type { Io } from './command.ts';
import type { OptionNode } from './completion/nodes.ts';

/** Commands that share the beginning of their name. */
export interface Group {
  /** The group as people type it: `hdrscope log`. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly LazyCommand[];
  readonly examples: readonly string[];
  /** Text for the end of the help. */
  readonly notes?: string;
}

/** A command of a group. Its module is loaded when the command runs, or when a shell completes it. */
export interface LazyCommand {
  readonly name: string;
  /** One line, for the help of the group. */
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** The exports of a command's module. */
export type CommandModule = ParsedCommand | RawCommand | GroupModule;

/** A command whose arguments a parser reads. */
export interface ParsedCommand {
  /** Creates the parser, and does nothing else. Each run takes a new one, because a parser keeps what it has read. */
  parser(): Command;
  /** @returns The exit code. */
  run(given: Arguments<unknown>, io: Io): Promise<number>;
}

/** A command that reads its arguments without a parser, and prints its own help. */
interface RawCommand {
  /** The options that shells complete. */
  readonly options: readonly OptionNode[];
  /**
   * @param args The words after the name of the command.
   * @returns The exit code.
   */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** A command with further commands below it. */
interface GroupModule {
  readonly group: Group;
}
