import { configJsonSchema } from '@hdrscope/agent';
import { createParser, readArguments } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';

/** `hdrscope config schema` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser(
    'hdrscope config schema',
    'Prints the JSON schema of configurations. Editors for YAML complete and check with it:\na first line "# yaml-language-server: $schema=./hdrscope.schema.json" names it.',
    ['hdrscope config schema > hdrscope.schema.json'],
  );
  if ((await readArguments(parser, args, io)) === undefined) return ExitCode.done;
  await io.stdout.write(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
  return ExitCode.done;
}
