import type { CephFormat } from '../dump/format.ts';
import type { JsonValue } from '../json-text.ts';
import type { AdminArgument, ArgumentValue } from './arguments.ts';

/** The arguments of a command that came with a request; those that did not are absent. */
export type CommandArguments = Readonly<Record<string, ArgumentValue | undefined>>;

/** Text goes out as it is, anything else as JSON in the client's format. */
export type CommandResult = JsonValue | Uint8Array | undefined;

/** A command of an admin socket. */
export interface AdminCommand {
  /** Words with single spaces between them: `cache drop`. */
  readonly prefix: string;
  /** One line. Without one, `help` does not list the command. @default '' */
  readonly help?: string;
  /** In the order in which the command line takes them. @default none */
  readonly args?: readonly AdminArgument[];
  /**
   * Answers. What it throws goes to the client as `ERROR: (22) Invalid argument` with its message. It is told the
   * `format` for the sake of XML, which is text that it writes itself; JSON is written from what it returns, also where
   * it was asked for XML and returns no text. Formats that are neither arrive as `json-pretty`.
   */
  run(args: CommandArguments, format: CephFormat): CommandResult | Promise<CommandResult>;
}

export type Commands = ReadonlyMap<string, AdminCommand>;
