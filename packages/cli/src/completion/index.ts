import { Argument } from 'commander';
import { createParser, readArguments } from '../arguments.ts';
import type { Group } from '../command.ts';
import { type CommandModule, ExitCode } from '../command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CommandNode, commandTree } from './tree.ts';
import { zshScript } from './zsh.ts';

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
export function completionOf(program: Group): CommandModule {
  return {
    async run(args, io) {
      const parser = createParser('hdrscope completion', DESCRIPTION, [
        'source <(hdrscope completion bash)',
        'hdrscope completion zsh > ~/.zsh/completions/_hdrscope',
      ]).addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)));
      const given = await readArguments(parser, args, io);
      if (given === undefined) return ExitCode.done;
      const scriptOf = SCRIPTS[given.operands[0]!]!;
      await io.stdout.write(scriptOf(await commandTree(program)));
      return ExitCode.done;
    },
  };
}
