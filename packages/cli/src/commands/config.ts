import { writeFile } from 'node:fs/promises';
import { configJsonSchema, readConfigFile } from '@hdrscope/agent';
import { CONFIG_TEMPLATE } from '@hdrscope/agent/internal';
import { HdrscopeError } from '@hdrscope/core';
import { ExitCode, Refusal } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { jsonDocument } from '../figures.ts';
import { countText } from '../format.ts';
import { writeWhole } from '../output-options.ts';
import { errorText } from '../system-error.ts';

export const init = defineCommand({
  path: 'hdrscope config init',
  description: `Writes a configuration that runs as it is: numbers on standard input, served to Prometheus on this machine.
Its comments show everything else. An existing file is left alone.`,
  examples: ['hdrscope config init', 'hdrscope config init - | less'],
  operands: { '[file]': { help: '- is standard output', fallback: 'hdrscope.yaml' } },
  options: { force: { help: 'replaces an existing file' } },
  async run({ options, operands: [path = 'hdrscope.yaml'] }, io) {
    if (path === '-') {
      await io.stdout.write(CONFIG_TEMPLATE);
      return;
    }
    try {
      if (options.force === true) await writeWhole([CONFIG_TEMPLATE], path, io.signal);
      else await writeFile(path, CONFIG_TEMPLATE, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Refusal(`${path} is there already, and is left alone: --force replaces it`);
    }
    await io.stdout.write(`${path} is written: hdrscope run ${path}\n`);
  },
});

export const check = defineCommand({
  path: 'hdrscope config check',
  description: `Checks configurations, prints a line FILE:LINE:COLUMN for each problem, and exits with 1 when there is one.
Starts nothing and connects to nothing. Variables come from the environment.`,
  examples: ['hdrscope config check hdrscope.yaml'],
  operands: { '<file...>': 'configurations' },
  async run({ operands }, io) {
    let exitCode: number = ExitCode.done;
    for (const path of operands) {
      try {
        const { sources, sinks } = await readConfigFile(path, { environment: io.environment });
        await io.stdout.write(
          `${path}: ${countText(sources.length, 'source')} and ${countText(sinks.length, 'sink')}\n`,
        );
      } catch (error) {
        if (!(error instanceof HdrscopeError) && !('syscall' in (error as Error))) throw error;
        exitCode = ExitCode.refused;
        await io.stderr.write(`${errorText(error, io)}\n`);
      }
    }
    return exitCode;
  },
});

export const schema = defineCommand({
  path: 'hdrscope config schema',
  description: `Prints the JSON schema of configurations. Editors for YAML complete and check with it:
a first line "# yaml-language-server: $schema=./hdrscope.schema.json" names it.`,
  examples: ['hdrscope config schema -o hdrscope.schema.json'],
  output: 'when done',
  writes: ['yaml'],
  async run(_, { stdout }) {
    await stdout.write(jsonDocument(configJsonSchema()));
  },
});
