import { Argument, type Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode } from '../command.ts';
import type { Group, ParsedCommand } from '../command-module.ts';
import { addOutput, type OutputOptions, withOutput } from '../output-options.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';
import type { CommandNode } from './tree.ts';
import { commandTree } from './tree.ts';

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

/** `hdrscope completion` for a program. */
export function completionOf(program: Group): ParsedCommand {
  return {
    parser,
    async run({ options, operands: [shell] }: Arguments<OutputOptions>, io) {
      return withOutput(options.output, io, async ({ stdout }) => {
        const scriptOf = SCRIPTS[shell!]!;
        await stdout.write(scriptOf(await commandTree(program)));
        return ExitCode.done;
      });
    },
  };
}

function parser(): Command {
  const command = createParser('hdrscope completion', DESCRIPTION, [
    'source <(hdrscope completion bash)',
    'hdrscope completion zsh -o ~/.zsh/completions/_hdrscope',
  ]).addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)));
  return addOutput(command);
}
