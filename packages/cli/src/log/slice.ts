import { sliceLog } from '@hdrscope/interval-log';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { type Io, UsageError } from '../command.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { addOutput } from '../output-options.ts';
import { runLines } from './input.ts';

const DESCRIPTION = `Copies a part of a log: some times, some tags. Its lines and their times stay the same.

An interval belongs to where it starts. --from is included and --to is not, so slices that follow one
another share no interval.`;

interface Options extends SelectingOptions {
  readonly output?: string;
}

/** The arguments of `hdrscope log slice`. */
export function parser(): Command {
  const command = createParser('hdrscope log slice', DESCRIPTION, [
    'hdrscope log slice service.hlog --from 10m --to 20m -o incident.hlog',
    'hdrscope log slice service.hlog --from 2026-03-01T12:00:00Z --tag get',
  ]).argument('<file>', 'a log; - is standard input');
  return addSelection(addOutput(command));
}

/** `hdrscope log slice` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const selection = selectionOf(options);
  if (Object.keys(selection).length === 0) {
    throw new UsageError(
      'hdrscope log slice needs --from, --to, --tag or --no-tag: otherwise it copies everything',
    );
  }
  return runLines(operands, options.output, io, ([source], reading) =>
    sliceLog(source!, { ...selection, ...reading }),
  );
}
