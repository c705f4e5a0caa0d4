import type { Command, Option } from 'commander';
import type { CommandModule, Io, LazyCommand } from '../command.ts';
import type { Group } from '../group.ts';

/** An option, as a shell completes it. */
export interface OptionNode {
  /** `--unit`, and `-u` where there is one; or `-csv`, of a program that has such. */
  readonly flags: readonly string[];
  /** What its value may be; `undefined` where it has none. */
  readonly value: ValueNode | undefined;
  readonly description: string;
}

/** What stands where a word is expected: one of several, a file, or something that nobody can guess. */
export type ValueNode = readonly string[] | 'file' | 'anything';

/** A command, or a group of them. */
export interface CommandNode {
  /** As it is typed: `hdrscope log summary`. */
  readonly path: string;
  /** Empty for a command that keeps its options to itself. */
  readonly options: readonly OptionNode[];
  /** Those under this one; empty unless it is a group. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** What it takes besides options. */
  readonly operand: ValueNode;
}

/** A group and all that is under it, outermost first. Every command tells its options, and none of them runs. */
export async function commandTree(group: Group): Promise<CommandNode[]> {
  const { path, commands } = group;
  const nodes: CommandNode[] = [];
  for (const command of commands) nodes.push(...(await nodesOf(command, `${path} ${command.name}`)));
  const options = [HELP];
  const shown = commands.map(({ name, summary }) => ({ name, summary }));
  return [{ path, options, commands: shown, operand: 'anything' }, ...nodes];
}

const HELP: OptionNode = { flags: ['--help', '-h'], value: undefined, description: 'prints help' };

async function nodesOf(command: LazyCommand, path: string): Promise<CommandNode[]> {
  const loaded = await command.load();
  if (loaded.group !== undefined) return commandTree({ ...loaded.group, path });
  const parser = await parserOf(loaded);
  if (parser === undefined) {
    return [{ path, options: loaded.options ?? [], commands: [], operand: 'file' }];
  }
  const options = parser.options.filter(({ hidden }) => !hidden).map(optionNode);
  const [operand] = parser.registeredArguments;
  return [{ path, options: [...options, HELP], commands: [], operand: operand?.argChoices ?? 'file' }];
}

/** What reads the arguments of a command; `undefined` where that is not said. */
async function parserOf({ run }: CommandModule): Promise<Command | undefined> {
  let found: Command | undefined;
  const nowhere = { isTerminal: false, columns: undefined, write: async () => {} };
  const io: Io = {
    stdout: nowhere,
    stderr: nowhere,
    stdin: (async function* () {})(),
    environment: {},
    signal: new AbortController().signal,
    onParser: (parser) => {
      found = parser;
    },
    monotonicMs: () => 0,
  };
  await run(['--help'], io);
  return found;
}

function optionNode(option: Option): OptionNode {
  const { long, short, flags, description } = option;
  return {
    flags: [long, short].filter((flag) => flag != null),
    value: option.required || option.optional ? valueNode(flags, option.argChoices) : undefined,
    description: shortened(description),
  };
}

function valueNode(flags: string, choices: readonly string[] | undefined): ValueNode {
  if (choices !== undefined) return choices;
  return /[<[](file|path|folder|directory|socket)s?\W/i.test(flags) ? 'file' : 'anything';
}

/** The first part of a sentence: a list of completions has little room. */
function shortened(description: string): string {
  return description.split(/[:;(\n]/)[0]!.trim();
}
