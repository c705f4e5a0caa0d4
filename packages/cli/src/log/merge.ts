import { mergeLogs } from '@hdrscope/interval-log';
import { createParser, readArguments } from '../arguments.ts';
import type { Io } from '../command.ts';
import { OUTPUT_HELP } from '../output-file.ts';
import { runLines } from './line-command.ts';

const DESCRIPTION = `Merges logs into one, ordered by the starts of the intervals: those of several processes, or days.

Histograms are copied unchanged. When the logs count their times from different moments, the merged
log counts from its own start, and every interval keeps its moment. Each log must be in order
itself.`;

/** `hdrscope log merge` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser('hdrscope log merge', DESCRIPTION, [
    'hdrscope log merge worker-*.hlog -o service.hlog',
    'hdrscope log merge monday.hlog tuesday.hlog | hdrscope log summary -',
  ])
    .argument('<file...>', 'logs; - is standard input')
    .option('-o, --output <file>', OUTPUT_HELP);
  const given = await readArguments<{ readonly output?: string }>(parser, args, io);
  if (given === undefined) return 0;
  return runLines(given.operands, given.options.output, io, mergeLogs);
}
