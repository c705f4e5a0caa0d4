import { compactHistory, type RolledDay, rollUpHistory } from '@hdrscope/history';
import { formatCount } from '@hdrscope/kit';
import type { Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { DURATION } from '../../options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { shownTable } from '../../screen/table.ts';
import { parsePartOfDay } from './options.ts';

const COMPACT = `Merges the files of each day that has ended into one, which is smaller and faster to read.

Others may read and write the history meanwhile. It may be ended at any time: rows that are in two files then
count once, and the next run removes them. Run it once a day.`;

export const compact = defineCommand({
  path: 'hdrscope history compact',
  description: COMPACT,
  examples: ['hdrscope history compact history', 'hdrscope history compact history --older-than 1d --json'],
  operands: { '<folder>': 'the folder of a history' },
  options: {
    olderThan: {
      ...DURATION,
      help: 'only days that ended so long ago, when no writer has rows of them',
      default: 7200,
      fallback: '2h',
    },
  },
  formats: ['text', 'json'],
  async run({ options, operands: [folder = ''], format }, io) {
    const days = await compactHistory(folder, { olderThanMs: options.olderThan * 1000 });
    if (format === 'json') {
      await io.stdout.write(jsonDocument({ days }));
    } else if (days.length === 0) {
      await io.stdout.write(`${wrapToScreen('No day has more than one file that is to be merged.', io)}\n`);
    } else {
      const rows = days.map(({ day, files, rows, bytesBefore, bytes, duplicates }) => [
        day,
        ...[files, rows, bytesBefore, bytes, duplicates].map(formatCount),
      ]);
      await io.stdout.write(`${shownTable(COMPACT_COLUMNS, rows, io).join('\n')}\n`);
    }
  },
});

const COMPACT_COLUMNS = [
  { title: 'day', isText: true },
  { title: 'files' },
  { title: 'rows' },
  { title: 'bytes before', spare: 1 },
  { title: 'bytes after' },
  { title: 'duplicates', spare: 2 },
];

const ROLLUP = `Makes a history of longer stretches of time: one row for each series and hour, with the counts of all its rows.

Percentiles of hours and days are the same in both, and questions about months are answered sooner. The history that
is read stays as it is; its days may be removed later. It may be ended at any time, and the next run goes on. Days
with new rows, also late ones, are made anew. Run it once an hour or once a day.`;

export const rollup = defineCommand({
  path: 'hdrscope history rollup',
  description: ROLLUP,
  examples: [
    'hdrscope history rollup history hourly',
    'hdrscope history rollup history daily --every 1d --json',
  ],
  operands: {
    '<folder>': 'the folder of a history',
    '<into>': 'the folder of the rollups, for this history and stretch only',
  },
  options: {
    every: {
      value: '<duration>',
      help: 'the stretch of time of a row, which divides a day',
      parse: parsePartOfDay,
      default: 3_600_000,
      fallback: '1h',
    },
    olderThan: {
      ...DURATION,
      help: 'only stretches that ended so long ago',
      default: 1200,
      fallback: '20m',
    },
  },
  formats: ['text', 'json'],
  async run({ options, operands: [folder = '', into = ''], format }, io) {
    const { every: everyMs, olderThan } = options;
    const days = await rollUpHistory(folder, into, { everyMs, olderThanMs: olderThan * 1000 });
    await io.stdout.write(format === 'json' ? jsonDocument({ days }) : textOf(days, io));
  },
});

function textOf(days: readonly RolledDay[], io: Io): string {
  if (days.length === 0) return 'No day has new rows in stretches of time that have ended.\n';
  const rows = days.map(({ day, sourceRows, rows, bytes, isKept }) => [
    day,
    ...[sourceRows, rows, bytes].map(formatCount),
    isKept ? 'kept' : 'made',
  ]);
  const kept = days.filter(({ isKept }) => isKept).length;
  const note =
    kept === 0
      ? ''
      : `Kept: the history lacks rows that the rollup of the day has, so the rollup stays as it is (${formatCount(kept)} ${kept === 1 ? 'day' : 'days'}).\n`;
  return `${shownTable(ROLLUP_COLUMNS, rows, io).join('\n')}\n${note}`;
}

const ROLLUP_COLUMNS = [
  { title: 'day', isText: true },
  { title: 'rows read' },
  { title: 'rows' },
  { title: 'bytes', spare: 1 },
  { title: 'rollup', isText: true },
];
