import { reintervalLog } from '@hdrscope/interval-log';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import type { Io } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { addOutput } from '../output-options.ts';
import { runLines } from './input.ts';

const DESCRIPTION = `Merges the intervals of each tag into longer ones, which begin at multiples of their length: at full
minutes, for 1m. Counts are exact.

An interval that straddles such a moment belongs to where it starts, because a log does not know when
each value came. So a written interval has the time that its parts covered, which may be a little
shorter or longer than the given length.`;

interface Options extends SelectingOptions {
  readonly output?: string;
}

/** The arguments of `hdrscope log reinterval`. */
export function parser(): Command {
  const command = createParser('hdrscope log reinterval', DESCRIPTION, [
    'hdrscope log reinterval 1m service.hlog -o minutes.hlog',
    'hdrscope log reinterval 1h30m - < service.hlog',
  ])
    .argument('<length>', 'how long the intervals become: 10s, 1m, 1h30m')
    .argument('<file>', 'a log; - is standard input');
  return addSelection(addOutput(command));
}

/** `hdrscope log reinterval` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const [length = '', ...paths] = operands;
  const lengthSec = parseDuration(length, 'the length');
  return runLines(paths, options.output, io, ([source], reading, order) =>
    reintervalLog(source!, { ...selectionOf(options), ...reading, ...order, lengthSec }),
  );
}
