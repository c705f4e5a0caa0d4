import { readConfigFile } from '@hdrscope/agent';
import { HdrscopeError } from '@hdrscope/core';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { errorText } from '../system-error.ts';

/** The arguments of `hdrscope config check`. */
export function parser(): Command {
  return createParser(
    'hdrscope config check',
    'Checks configurations, prints a line FILE:LINE:COLUMN for each problem, and exits with 1 when there is one.\nStarts nothing and connects to nothing. Variables come from the environment.',
    ['hdrscope config check hdrscope.yaml'],
  ).argument('<file...>', 'configurations');
}

/** `hdrscope config check` */
export async function run({ operands }: Arguments<unknown>, io: Io): Promise<number> {
  let exitCode: number = ExitCode.done;
  for (const path of operands) {
    try {
      const { sources, sinks } = await readConfigFile(path, { environment: io.environment });
      await io.stdout.write(`${path}: ${count(sources, 'source')} and ${count(sinks, 'sink')}\n`);
    } catch (error) {
      if (!(error instanceof HdrscopeError) && !('syscall' in (error as Error))) throw error;
      exitCode = ExitCode.refused;
      await io.stderr.write(`${errorText(error, io)}\n`);
    }
  }
  return exitCode;
}

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}
