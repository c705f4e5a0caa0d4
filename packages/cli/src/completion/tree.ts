import type { Command, Option } from 'commander';
import type { CommandModule, Group, Io, LazyCommand } from '../command.ts';
import type { OptionNode, ValueNode } from './option-node.ts';

/** A command, or a group of them. */
export interface CommandNode {
  /** The command as people type it: `hdrscope log summary`. */
  readonly path: string;
  /** Empty for a command that does not state its options. */
  readonly options: readonly OptionNode[];
  /** The commands below this one; empty unless it is a group. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The words that are not options. */
  readonly operand: ValueNode;
}

/** A group and everything below it, outermost first. Each command is asked for its parser with `--help`; nothing is printed. */
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

/** The parser of a command; `undefined` for a command without one. */
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

/** The first part of a sentence, because a list of completions has little room. */
function shortened(description: string): string {
  return description.split(/[:;(\n]/)[0]!.trim();
}
