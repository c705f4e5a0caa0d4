import { nearest } from '@hdrscope/kit';
import { ExitCode, type Io, UsageError } from './command.ts';
import type { DefinedCommand } from './define-command.ts';
import { helpColumns, wrapCommand, wrapItem, wrapText } from './screen/help-text.ts';

/** Commands that share the beginning of their name. */
export interface Group {
  /** The group as people type it: `hdrscope log`. */
  readonly path: string;
  readonly description: string;
  /** Titles of the help, each with the names of its commands. @default one list */
  readonly sections?: Readonly<Record<string, readonly string[]>>;
  /** By their names. The summary is a line of the help. */
  readonly commands: Readonly<Record<string, readonly [summary: string, command: Group | LoadCommand]>>;
  readonly examples: readonly string[];
  /** Text for the end of the help. */
  readonly notes?: string;
}

/** Loads the module of a command, when the command runs or a shell completes it. */
export type LoadCommand = () => Promise<{ readonly command: DefinedCommand | RawCommand }>;

/** A command that reads its arguments without a parser, and prints its own help. */
export interface RawCommand {
  /** The options that shells complete. */
  readonly options: readonly OptionNode[];
  /**
   * @param args The words after the name of the command.
   * @returns The exit code.
   */
  run(args: readonly string[], io: Io): Promise<number>;
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

/** A command, or a group of them. */
export interface CommandNode {
  /** The command as people type it: `hdrscope log summary`. */
  readonly path: string;
  readonly options: readonly OptionNode[];
  /** The commands below this one; empty unless it is a group. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The words that are not options. */
  readonly operand: ValueNode;
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
  if (!Object.hasOwn(group.commands, first)) throw new UsageError(unknownCommand(group, first));
  const [, found] = group.commands[first]!;
  if (typeof found !== 'function') return runGroup(found, rest, io);
  const { command } = await found();
  if (!('parser' in command)) return command.run(rest, io);
  // Help of groups and raw commands need no parser, so they do not load it.
  const { readArguments } = await import('./arguments.ts');
  const given = await readArguments(command.parser(), rest, io);
  return given === undefined ? ExitCode.done : command.run(given, io);
}

function unknownCommand({ path, commands }: Group, name: string): string {
  const what = name.startsWith('-') ? 'option' : 'command';
  const inside = Object.entries(commands).flatMap(([group, [, found]]) =>
    typeof found !== 'function' && Object.hasOwn(found.commands, name) ? [`${group} ${name}`] : [],
  );
  const similar = nearest(name, Object.keys(commands));
  const meant = inside.length > 0 ? inside : similar === undefined ? [] : [similar];
  const hint =
    meant.length === 0 ? `${path} --help lists the commands` : `did you mean ${meant.join(' or ')}?`;
  return `${path} has no ${what} '${name}': ${hint}`;
}

function groupHelp(
  { path, description, commands, sections, examples, notes = '' }: Group,
  columns: number,
): string {
  const names = Object.keys(commands);
  // Bounded: these are the commands of a group.
  const width = Math.max(...names.map(({ length }) => length));
  const lines = Object.entries(sections ?? { commands: names }).flatMap(([title, own]) => [
    `${title}:`,
    ...own.map((name) => wrapItem(name, width, commands[name]![0], columns)),
  ]);
  return `${wrapText(description, columns)}

${wrapText(`usage: ${path} COMMAND [options]`, columns)}

${lines.join('\n')}

${wrapText(`  ${path} COMMAND --help describes one of them.\n${notes}`, columns)}
examples:
${examples.map((example) => `  ${wrapCommand(example, columns - 2).replaceAll('\n', '\n  ')}\n`).join('')}`;
}
