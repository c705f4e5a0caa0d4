import type { CephFormat } from '../dump/format.ts';
import type { JsonValue } from '../json-text.ts';
import type { AdminArgument, ArgumentValue } from './arguments.ts';

/** The arguments in a request. An argument that the request leaves out is absent. */
export type CommandArguments = Readonly<Record<string, ArgumentValue | undefined>>;

/**
 * The answer of a command. Strings and bytes are sent unchanged, `undefined` as an empty body, other values in the format
 * that the client wants.
 */
export type CommandResult = JsonValue | Uint8Array | undefined;

/** A command of an admin socket. */
export interface AdminCommand {
  /** Words with single spaces between them: `cache drop`. */
  readonly prefix: string;
  /** One line. `help` lists only commands that have one. @default '' */
  readonly help?: string;
  /** In the order of the command line. @default no arguments */
  readonly args?: readonly AdminArgument[];
  /**
   * Answers the command. An error that it throws reaches the client as `ERROR: (22) Invalid argument` with its message.
   *
   * @param format The format that the client wants; an unknown one becomes `json-pretty`. In XML, the command is the root
   *   element, and each item of an array is an `item`. A command that writes its own text returns it as a string.
   */
  run(args: CommandArguments, format: CephFormat): CommandResult | Promise<CommandResult>;
}

export type Commands = ReadonlyMap<string, AdminCommand>;
