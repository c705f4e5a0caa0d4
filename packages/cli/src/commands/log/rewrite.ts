import { mergeLogs, reintervalLog, sliceLog } from '@hdrscope/interval-log';
import { UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { parseDuration } from '../../moment.ts';
import { runLines } from './input.ts';

const SLICE = `Copies a part of a log: some times, some tags. Its lines and their times stay the same.

An interval belongs to where it starts. --since is included and --until is not, so slices that follow one
another share no interval.`;

export const slice = defineCommand({
  path: 'hdrscope log slice',
  description: SLICE,
  examples: [
    'hdrscope log slice service.hlog --since 10m --until 20m -o incident.hlog',
    'hdrscope log slice service.hlog --since 2026-03-01T12:00:00Z --tag get',
  ],
  operands: { '<file>': 'a log; - is standard input' },
  options: SELECTION,
  output: 'by command',
  writes: ['hlog', 'log', 'text'],
  async run({ options, operands }, io) {
    const selection = selectionOf(options);
    if (Object.keys(selection).length === 0) {
      throw new UsageError(
        'hdrscope log slice needs --since, --until, --tag or --no-tag: otherwise it copies everything',
      );
    }
    return runLines(
      operands,
      options.output,
      io,
      ([source], reading) => sliceLog(source!, { ...selection, ...reading }),
      { selection },
    );
  },
});

const MERGE = `Merges logs into one, ordered by the starts of the intervals: those of several processes, or days.

Histograms are copied unchanged. When the logs count their times from different moments, the merged
log counts from its own start, and every interval keeps its moment. Each log must be in order
itself.`;

export const merge = defineCommand({
  path: 'hdrscope log merge',
  description: MERGE,
  examples: [
    'hdrscope log merge worker-*.hlog -o service.hlog',
    'hdrscope log merge monday.hlog tuesday.hlog | hdrscope log summary -',
  ],
  operands: { '<file...>': 'logs; - is standard input' },
  output: 'by command',
  writes: ['hlog', 'log', 'text'],
  run: ({ options, operands }, io) =>
    runLines(operands, options.output, io, (sources, reading, order) =>
      mergeLogs(sources, { ...reading, ...order }),
    ),
});

const REINTERVAL = `Merges the intervals of each tag into longer ones, which begin at multiples of their length: at full
minutes, for 1m. Counts are exact.

An interval that straddles such a moment belongs to where it starts, because a log does not know when
each value came. So a written interval has the time that its parts covered, which may be a little
shorter or longer than the given length.`;

export const reinterval = defineCommand({
  path: 'hdrscope log reinterval',
  description: REINTERVAL,
  examples: [
    'hdrscope log reinterval 1m service.hlog -o minutes.hlog',
    'hdrscope log reinterval 1h30m - < service.hlog',
  ],
  operands: {
    '<length>': 'how long the intervals become: 10s, 1m, 1h30m',
    '<file>': 'a log; - is standard input',
  },
  options: SELECTION,
  output: 'by command',
  writes: ['hlog', 'log', 'text'],
  async run({ options, operands: [length = '', ...paths] }, io) {
    const lengthSec = parseDuration(length, 'the length');
    const selection = selectionOf(options);
    return runLines(
      paths,
      options.output,
      io,
      ([source], reading, order) => reintervalLog(source!, { ...selection, ...reading, ...order, lengthSec }),
      { selection },
    );
  },
});
