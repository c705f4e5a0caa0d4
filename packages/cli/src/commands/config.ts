import { writeFile } from 'node:fs/promises';
import { configJsonSchema, readConfigFile } from '@hdrscope/agent';
import { CONFIG_TEMPLATE } from '@hdrscope/agent/internal';
import { HdrscopeError } from '@hdrscope/core';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io, Refusal } from '../command.ts';
import type { ParsedCommand } from '../command-module.ts';
import { jsonDocument } from '../figures.ts';
import { addOutput, type OutputOptions, withOutput, writeWhole } from '../output-options.ts';
import { errorText } from '../system-error.ts';

interface InitOptions {
  readonly force?: boolean;
}

/** `hdrscope config init` */
export const init: ParsedCommand = {
  parser() {
    return createParser(
      'hdrscope config init',
      'Writes a configuration that runs as it is: numbers on standard input, served to Prometheus on this machine.\nIts comments show everything else. An existing file is left alone.',
      ['hdrscope config init', 'hdrscope config init - | less'],
    )
      .argument('[file]', '- is standard output', 'hdrscope.yaml')
      .option('--force', 'replaces an existing file');
  },
  async run({ options, operands }: Arguments<InitOptions>, io: Io) {
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
  },
};

/** `hdrscope config check` */
export const check: ParsedCommand = {
  parser() {
    return createParser(
      'hdrscope config check',
      'Checks configurations, prints a line FILE:LINE:COLUMN for each problem, and exits with 1 when there is one.\nStarts nothing and connects to nothing. Variables come from the environment.',
      ['hdrscope config check hdrscope.yaml'],
    ).argument('<file...>', 'configurations');
  },
  async run({ operands }: Arguments<unknown>, io: Io) {
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
  },
};

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}

/** `hdrscope config schema` */
export const schema: ParsedCommand = {
  parser() {
    const command = createParser(
      'hdrscope config schema',
      'Prints the JSON schema of configurations. Editors for YAML complete and check with it:\na first line "# yaml-language-server: $schema=./hdrscope.schema.json" names it.',
      ['hdrscope config schema -o hdrscope.schema.json'],
    );
    return addOutput(command);
  },
  async run({ options }: Arguments<OutputOptions>, io: Io) {
    return withOutput(options.output, io, async ({ stdout }) => {
      await stdout.write(jsonDocument(configJsonSchema()));
      return ExitCode.done;
    });
  },
};
