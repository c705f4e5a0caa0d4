import { writeFile } from 'node:fs/promises';
import { CONFIG_TEMPLATE } from '@hdrscope/agent/internal';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io, Refusal } from '../command.ts';
import { writeWhole } from '../output-file.ts';

interface Options {
  readonly force?: boolean;
}

/** The arguments of `hdrscope config init`. */
export function parser(): Command {
  return createParser(
    'hdrscope config init',
    'Writes a configuration that runs as it is: numbers on standard input, served to Prometheus on this machine.\nIts comments show everything else. An existing file is left alone.',
    ['hdrscope config init', 'hdrscope config init - | less'],
  )
    .argument('[file]', '- is standard output', 'hdrscope.yaml')
    .option('--force', 'replaces an existing file');
}

/** `hdrscope config init` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const [path = 'hdrscope.yaml'] = operands;
  if (path === '-') {
    await io.stdout.write(CONFIG_TEMPLATE);
    return ExitCode.done;
  }
  try {
    if (options.force === true) await writeWhole([CONFIG_TEMPLATE], path, io.signal);
    else await writeFile(path, CONFIG_TEMPLATE, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refusal(`${path} is there already, and is left alone: --force replaces it`);
  }
  await io.stdout.write(`${path} is written: hdrscope run ${path}\n`);
  return ExitCode.done;
}
