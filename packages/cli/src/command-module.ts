import { nearest } from '@hdrscope/kit';
import type { Command } from 'commander';
import type { Arguments } from './arguments.ts';
import { ExitCode, type Io, UsageError } from './command.ts';
import { helpColumns, wrapCommand, wrapItem, wrapText } from './help-text.ts';

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
type CommandModule = { readonly command: ParsedCommand } | ParsedCommand | RawCommand | GroupModule;

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

// What shells complete.

/** The allowed values of a word: a list, any file, or anything. */
export type ValueNode = readonly string[] | 'file' | 'anything';

/** An option that a shell completes. */
export interface OptionNode {
  /** `--unit`, also `-u` if the option has a short form; or `-csv`, as in Java's tools. */
  readonly flags: readonly string[];
  /** The allowed values; `undefined` for an option without a value. */
  readonly value: ValueNode | undefined;
  readonly description: string;
}

// Groups.

/** Runs the command that the first argument names, and loads no other module. */
export async function runGroup(group: Group, args: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    await io.stderr.write(groupHelp(group, helpColumns(io)));
    return ExitCode.usage;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    await io.stdout.write(groupHelp(group, helpColumns(io)));
    return ExitCode.done;
  }
  if (first === 'help') return runGroup(group, [...rest, '--help'], io);
  const command = group.commands.find(({ name }) => name === first);
  if (command === undefined) throw new UsageError(unknownCommand(group, first));
  return runModule(await command.load(), rest, io);
}

/** Runs a command with the words after its name. With `--help`, it prints the help and does nothing else. */
async function runModule(module: CommandModule, args: readonly string[], io: Io): Promise<number> {
  if ('group' in module) return runGroup(module.group, args, io);
  if ('command' in module) return runModule(module.command, args, io);
  if (!('parser' in module)) return module.run(args, io);
  // Help of groups and raw commands need no parser, so they do not load it.
  const { readArguments } = await import('./arguments.ts');
  const given = await readArguments(module.parser(), args, io);
  return given === undefined ? ExitCode.done : module.run(given, io);
}

function unknownCommand({ path, commands }: Group, name: string): string {
  const what = name.startsWith('-') ? 'option' : 'command';
  const similar = nearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = similar === undefined ? `${path} --help lists the commands` : `did you mean ${similar}?`;
  return `${path} has no ${what} '${name}': ${hint}`;
}

function groupHelp({ path, description, commands, examples, notes = '' }: Group, columns: number): string {
  // Bounded: these are the commands of a group.
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => wrapItem(name, width, summary, columns));
  return `${wrapText(description, columns)}

${wrapText(`usage: ${path} COMMAND [options]`, columns)}

commands:
${lines.join('\n')}

${wrapText(`  ${path} COMMAND --help describes one of them.\n${notes}`, columns)}
examples:
${examples.map((example) => `  ${wrapCommand(example, columns - 2).replaceAll('\n', '\n  ')}\n`).join('')}`;
}
