import { mergeLogs, reintervalLog, sliceLog } from '@hdrscope/interval-log';
import { type Arguments, createParser } from '../arguments.ts';
import { type Io, UsageError } from '../command.ts';
import type { ParsedCommand } from '../command-module.ts';
import { parseDuration } from '../duration.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { addOutput } from '../output-options.ts';
import { runLines } from './input.ts';

const SLICE = `Copies a part of a log: some times, some tags. Its lines and their times stay the same.

An interval belongs to where it starts. --from is included and --to is not, so slices that follow one
another share no interval.`;

interface SliceOptions extends SelectingOptions {
  readonly output?: string;
}

/** `hdrscope log slice` */
export const slice: ParsedCommand = {
  parser() {
    const command = createParser('hdrscope log slice', SLICE, [
      'hdrscope log slice service.hlog --from 10m --to 20m -o incident.hlog',
      'hdrscope log slice service.hlog --from 2026-03-01T12:00:00Z --tag get',
    ]).argument('<file>', 'a log; - is standard input');
    return addSelection(addOutput(command));
  },
  async run({ options, operands }: Arguments<SliceOptions>, io: Io) {
    const selection = selectionOf(options);
    if (Object.keys(selection).length === 0) {
      throw new UsageError(
        'hdrscope log slice needs --from, --to, --tag or --no-tag: otherwise it copies everything',
      );
    }
    return runLines(operands, options.output, io, ([source], reading) =>
      sliceLog(source!, { ...selection, ...reading }),
    );
  },
};

const MERGE = `Merges logs into one, ordered by the starts of the intervals: those of several processes, or days.

Histograms are copied unchanged. When the logs count their times from different moments, the merged
log counts from its own start, and every interval keeps its moment. Each log must be in order
itself.`;

interface MergeOptions {
  readonly output?: string;
}

/** `hdrscope log merge` */
export const merge: ParsedCommand = {
  parser() {
    const command = createParser('hdrscope log merge', MERGE, [
      'hdrscope log merge worker-*.hlog -o service.hlog',
      'hdrscope log merge monday.hlog tuesday.hlog | hdrscope log summary -',
    ]).argument('<file...>', 'logs; - is standard input');
    return addOutput(command);
  },
  async run({ options, operands }: Arguments<MergeOptions>, io: Io) {
    return runLines(operands, options.output, io, (sources, reading, order) =>
      mergeLogs(sources, { ...reading, ...order }),
    );
  },
};

const REINTERVAL = `Merges the intervals of each tag into longer ones, which begin at multiples of their length: at full
minutes, for 1m. Counts are exact.

An interval that straddles such a moment belongs to where it starts, because a log does not know when
each value came. So a written interval has the time that its parts covered, which may be a little
shorter or longer than the given length.`;

interface ReintervalOptions extends SelectingOptions {
  readonly output?: string;
}

/** `hdrscope log reinterval` */
export const reinterval: ParsedCommand = {
  parser() {
    const command = createParser('hdrscope log reinterval', REINTERVAL, [
      'hdrscope log reinterval 1m service.hlog -o minutes.hlog',
      'hdrscope log reinterval 1h30m - < service.hlog',
    ])
      .argument('<length>', 'how long the intervals become: 10s, 1m, 1h30m')
      .argument('<file>', 'a log; - is standard input');
    return addSelection(addOutput(command));
  },
  async run({ options, operands }: Arguments<ReintervalOptions>, io: Io) {
    const [length = '', ...paths] = operands;
    const lengthSec = parseDuration(length, 'the length');
    return runLines(paths, options.output, io, ([source], reading, order) =>
      reintervalLog(source!, { ...selectionOf(options), ...reading, ...order, lengthSec }),
    );
  },
};
