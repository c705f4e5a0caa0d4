import { readConfigFile } from '@hdrscope/agent';
import { HdrscopeError } from '@hdrscope/core';
import { createParser, readArguments } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';

/** `hdrscope config check` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser(
    'hdrscope config check',
    'Checks configurations, prints a line FILE:LINE:COLUMN for each problem, and exits with 1 when there is one.\nStarts nothing and connects to nothing. Variables come from the environment.',
    ['hdrscope config check hdrscope.yaml'],
  ).argument('<file...>', 'configurations');
  const given = await readArguments(parser, args, io);
  if (given === undefined) return ExitCode.done;
  let exitCode: number = ExitCode.done;
  for (const path of given.operands) {
    try {
      const { sources, sinks } = await readConfigFile(path, { environment: io.environment });
      await io.stdout.write(`${path}: ${count(sources, 'source')} and ${count(sinks, 'sink')}\n`);
    } catch (error) {
      if (!(error instanceof HdrscopeError) && !('syscall' in (error as Error))) throw error;
      exitCode = ExitCode.refused;
      await io.stderr.write(`${(error as Error).message}\n`);
    }
  }
  return exitCode;
}

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}
