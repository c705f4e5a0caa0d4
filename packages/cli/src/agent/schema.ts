import { configJsonSchema } from '@hdrscope/agent';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';

/** The arguments of `hdrscope config schema`. */
export function parser(): Command {
  return createParser(
    'hdrscope config schema',
    'Prints the JSON schema of configurations. Editors for YAML complete and check with it:\na first line "# yaml-language-server: $schema=./hdrscope.schema.json" names it.',
    ['hdrscope config schema > hdrscope.schema.json'],
  );
}

/** `hdrscope config schema` */
export async function run(_: Arguments<unknown>, io: Io): Promise<number> {
  await io.stdout.write(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
  return ExitCode.done;
}
