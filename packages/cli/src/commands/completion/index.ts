import type { Command, Option } from 'commander';
import { type DefinedCommand, defineCommand } from '../../define-command.ts';
import type { CommandNode, Group, LoadCommand, OptionNode, ValueNode } from '../../group.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';

const DESCRIPTION = `Prints a script that makes a shell complete the commands of hdrscope, their options, the values of
options, and files.

  bash   source <(hdrscope completion bash)
  zsh    source <(hdrscope completion zsh)
  fish   hdrscope completion fish | source

Put the line into a file that the shell reads when it starts, or the script into the folder that its
first lines name, to have it in every shell.`;

const SCRIPTS: Readonly<Record<string, (nodes: readonly CommandNode[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function defineCompletion(program: Group): DefinedCommand {
  return defineCommand({
    path: 'hdrscope completion',
    description: DESCRIPTION,
    examples: [
      'source <(hdrscope completion bash)',
      'hdrscope completion zsh -o ~/.zsh/completions/_hdrscope',
    ],
    operands: { '<shell>': { help: 'which shell', choices: Object.keys(SCRIPTS) } },
    output: 'when done',
    writes: Object.keys(SCRIPTS),
    async run({ operands: [shell = ''] }, { stdout }) {
      await stdout.write(SCRIPTS[shell]!(await commandTree(program)));
    },
  });
}

// The tree of commands.

/** A group and everything below it, outermost first. Loads the module of every command, and runs no command. */
export async function commandTree({ path, commands }: Group): Promise<CommandNode[]> {
  const below: CommandNode[] = [];
  for (const [name, [, found]] of Object.entries(commands)) {
    const nodes =
      typeof found === 'function' ? [await commandNode(`${path} ${name}`, found)] : await commandTree(found);
    for (const node of nodes) below.push(node);
  }
  const shown = Object.entries(commands).map(([name, [summary]]) => ({ name, summary }));
  return [{ path, options: [HELP], commands: shown, operand: 'anything' }, ...below];
}

const HELP: OptionNode = { flags: ['--help', '-h'], value: undefined, description: 'prints help' };

async function commandNode(path: string, load: LoadCommand): Promise<CommandNode> {
  const { command } = await load();
  if (!('parser' in command)) return { path, options: command.options, commands: [], operand: 'file' };
  const { options, registeredArguments }: Command = command.parser();
  const shown = options.filter(({ hidden }) => !hidden).map(optionNode);
  const [operand] = registeredArguments;
  return { path, options: [...shown, HELP], commands: [], operand: operand?.argChoices ?? 'file' };
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
