import { writeFile } from 'node:fs/promises';
import { CONFIG_TEMPLATE } from '@hdrscope/agent';
import { createParser, readArguments } from '../arguments.ts';
import { ExitCode, type Io, Refusal } from '../command.ts';

/** `hdrscope config init` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser(
    'hdrscope config init',
    'Writes a configuration that runs as it is: numbers on standard input, served to Prometheus on this machine.\nIts comments show everything else. An existing file is left alone.',
    ['hdrscope config init', 'hdrscope config init - | less'],
  )
    .argument('[file]', '- is standard output', 'hdrscope.yaml')
    .option('--force', 'replaces an existing file');
  const given = await readArguments<{ readonly force?: boolean }>(parser, args, io);
  if (given === undefined) return ExitCode.done;
  const [path = 'hdrscope.yaml'] = given.operands;
  if (path === '-') {
    await io.stdout.write(CONFIG_TEMPLATE);
    return ExitCode.done;
  }
  try {
    await writeFile(path, CONFIG_TEMPLATE, { flag: given.options.force === true ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refusal(`${path} is there already, and is left alone: --force replaces it`);
  }
  await io.stdout.write(`${path} is written: hdrscope run ${path}\n`);
  return ExitCode.done;
}
