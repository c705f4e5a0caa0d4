import { mergeLogs } from '@hdrscope/interval-log';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import type { Io } from '../command.ts';
import { addOutput } from '../output-options.ts';
import { runLines } from './input.ts';

const DESCRIPTION = `Merges logs into one, ordered by the starts of the intervals: those of several processes, or days.

Histograms are copied unchanged. When the logs count their times from different moments, the merged
log counts from its own start, and every interval keeps its moment. Each log must be in order
itself.`;

interface Options {
  readonly output?: string;
}

/** The arguments of `hdrscope log merge`. */
export function parser(): Command {
  const command = createParser('hdrscope log merge', DESCRIPTION, [
    'hdrscope log merge worker-*.hlog -o service.hlog',
    'hdrscope log merge monday.hlog tuesday.hlog | hdrscope log summary -',
  ]).argument('<file...>', 'logs; - is standard input');
  return addOutput(command);
}

/** `hdrscope log merge` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  return runLines(operands, options.output, io, (sources, reading, order) =>
    mergeLogs(sources, { ...reading, ...order }),
  );
}
