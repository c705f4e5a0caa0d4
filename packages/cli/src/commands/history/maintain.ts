import {
  compactHistory,
  type RemovedHistory,
  type RolledDay,
  removeHistoryDays,
  rollUpHistory,
  type VerifiedHistory,
  verifyHistory,
} from '@hdrscope/history';
import { secondsOf } from '@hdrscope/inputs/internal';
import { DAY_MS, formatCount } from '@hdrscope/kit';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { DURATION, PART_OF_DAY } from '../../moment.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import { shownTable } from '../../screen/table.ts';
import { formatMissing, withEngine } from '../query/engine.ts';

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
    every: { ...PART_OF_DAY, default: 3_600_000, fallback: '1h' },
    olderThan: {
      ...DURATION,
      help: 'only stretches that ended so long ago',
      default: 4200,
      fallback: '70m',
    },
  },
  formats: ['text', 'json'],
  async run({ options, operands: [folder = '', into = ''], format }, io) {
    const { every: everyMs, olderThan } = options;
    const days = await rollUpHistory(folder, into, { everyMs, olderThanMs: olderThan * 1000 });
    await io.stdout.write(format === 'json' ? jsonDocument({ days }) : rolledText(days, io));
  },
});

function rolledText(days: readonly RolledDay[], io: Io): string {
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

const REMOVE = `Removes the days of a history that ended longer ago than --keep says: whole days of UTC, with all their files.

Others may read and write the history meanwhile. Nothing is removed but folders of days (day=2026-11-22) that have
files of a history alone. With --rollup, a day stays until the rollup in that folder has all its rows. What has to
stay is named with the reason, and the exit code is 1 then. The agent does the same by the key keep of its sink.`;

export const remove = defineCommand({
  path: 'hdrscope history remove',
  description: REMOVE,
  examples: [
    'hdrscope history remove history --keep 90d --dry-run',
    'hdrscope history remove history --keep 30d --rollup hourly',
  ],
  operands: { '<folder>': 'the folder of a history' },
  options: {
    keep: {
      ...DURATION,
      help: 'days that ended longer ago are removed',
      allowed: 'a duration of at least 1d, as in 90d',
      parse(text: string) {
        const keepMs = (secondsOf(text) ?? 0) * 1000;
        return keepMs >= DAY_MS ? keepMs : undefined;
      },
      required: 'how long days stay, as in 90d',
    },
    rollup: {
      value: '<folder>',
      help: 'the rollups of this history, which must have the rows of a day before it goes',
    },
    dryRun: { help: 'names the days, and removes nothing' },
  },
  formats: ['text', 'json'],
  async run({ options: { keep, rollup, dryRun = false }, operands: [folder = ''], format }, io) {
    const done = await removeHistoryDays(folder, {
      keepMs: keep,
      dryRun,
      ...(rollup !== undefined && { rollup }),
    });
    await io.stdout.write(
      format === 'json' ? jsonDocument({ ...done, isDryRun: dryRun }) : removedText(done, dryRun, io),
    );
    return done.retained.length === 0 ? ExitCode.done : ExitCode.refused;
  },
});

function removedText({ removed, retained }: RemovedHistory, isDryRun: boolean, io: Io): string {
  const stay = retained
    .map(({ day, reason }) => `${wrapToScreen(`${day} stays: ${reason}.`, io)}\n`)
    .join('');
  if (removed.length === 0) return `${wrapToScreen('No day was removed.', io)}\n${stay}`;
  const sum = (of: 'files' | 'bytes'): number => removed.reduce((total, one) => total + one[of], 0);
  const rows = [
    ...removed.map(({ day, files, bytes }) => [day, formatCount(files), formatCount(bytes)]),
    ['total', formatCount(sum('files')), formatCount(sum('bytes'))],
  ];
  const note = isDryRun ? `${wrapToScreen('Nothing was removed: --dry-run names the days only.', io)}\n` : '';
  return `${shownTable(REMOVE_COLUMNS, rows, io).join('\n')}\n${note}${stay}`;
}

const REMOVE_COLUMNS = [{ title: 'day', isText: true }, { title: 'files' }, { title: 'bytes' }];

const VERIFY = `Reads every byte of a history, and names the files that are damaged, with the rows and values that are missing.

A file has a checksum of all its bytes, which shows that a disk has changed one. Answers leave damaged files out, say so,
and end with exit code 1, or with 0 with --allow-missing; hdrscope serve refuses them. With --repair a damaged file gets
another name, _X.parquet.damaged, and no command looks at it again: its values are missing in all answers, unless a
backup or another import brings them back. The exit code is 1 when a file is damaged and stays where it is.

The number of missing rows and values is exact, as in 40 rows with 157 values, or has bounds, as in 0 to 40 rows: other files
may have the same rows, or the damage hides the number. It is unknown where no intact byte of the file states it.`;

export const verify = defineCommand({
  path: 'hdrscope history verify',
  description: VERIFY,
  examples: ['hdrscope history verify history', 'hdrscope history verify history --repair'],
  operands: { '<folder>': 'the folder of a history' },
  options: { repair: { help: 'gives damaged files another name, so that no command looks at them' } },
  formats: ['text', 'json'],
  async run({ options: { repair = false }, operands: [folder = ''], format }, io) {
    const verified = await withEngine(folder, () => verifyHistory(folder, { repair }));
    const text =
      format === 'json'
        ? jsonDocument({ ...verified, isRepaired: repair })
        : verifiedText(verified, repair, io);
    await io.stdout.write(text);
    return verified.damaged.length === 0 || repair ? ExitCode.done : ExitCode.refused;
  },
});

function verifiedText({ files, damaged }: VerifiedHistory, isRepaired: boolean, io: Io): string {
  const count = `${formatCount(files)} ${files === 1 ? 'file' : 'files'}`;
  if (damaged.length === 0) return `${wrapToScreen(`${count}: none is damaged.`, io)}\n`;
  const cure = isRepaired
    ? 'A damaged file has the ending .damaged now, and its values are missing in all answers.'
    : '--repair gives a damaged file another name, so that no command looks at it.';
  const found = `${count}, of which ${formatCount(damaged.length)} ${damaged.length === 1 ? 'is' : 'are'} damaged`;
  const summary = `${found}: the history lacks ${formatMissing(damaged)}. ${cure}`;
  const lines = damaged.map((file) => `${file.reason} (${formatMissing([file])})\n`).join('');
  return `${lines}${wrapToScreen(summary, io)}\n`;
}
