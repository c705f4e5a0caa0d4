import { configJsonSchema } from '@hdrscope/agent';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { jsonDocument } from '../figures.ts';
import { addOutput, type OutputOptions, withOutput } from '../output-options.ts';

/** The arguments of `hdrscope config schema`. */
export function parser(): Command {
  const command = createParser(
    'hdrscope config schema',
    'Prints the JSON schema of configurations. Editors for YAML complete and check with it:\na first line "# yaml-language-server: $schema=./hdrscope.schema.json" names it.',
    ['hdrscope config schema -o hdrscope.schema.json'],
  );
  return addOutput(command);
}

/** `hdrscope config schema` */
export async function run({ options }: Arguments<OutputOptions>, io: Io): Promise<number> {
  return withOutput(options.output, io, async ({ stdout }) => {
    await stdout.write(jsonDocument(configJsonSchema()));
    return ExitCode.done;
  });
}
