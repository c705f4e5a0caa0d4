import { type DefinedCommand, defineCommand } from '../../define-command.ts';
import type { Group } from '../../group.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';
import { type CommandNode, commandTree } from './tree.ts';

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
