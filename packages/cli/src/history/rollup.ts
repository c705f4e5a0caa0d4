import { type RolledDay, rollUpHistory } from '@hdrscope/history';
import { type Command, Option } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { jsonDocument } from '../figures.ts';
import { formatCount } from '../format.ts';
import { addFormat, formatOf, type OutputOptions } from '../output-options.ts';
import { shownTable } from '../table.ts';
import { parsePartOfDay } from './options.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends OutputOptions<(typeof FORMATS)[number]> {
  readonly every: number;
  readonly olderThan: number;
}

const DESCRIPTION = `Makes a history of longer stretches of time: one row for each series and hour, with the counts of all its rows.

Percentiles of hours and days are the same in both, and questions about months are answered sooner. The history that
is read stays as it is; its days may be removed later. It may be ended at any time, and the next run goes on. Days
with new rows, also late ones, are made anew. Run it once an hour or once a day.`;

/** The arguments of `hdrscope history rollup`. */
export function parser(): Command {
  const command = createParser('hdrscope history rollup', DESCRIPTION, [
    'hdrscope history rollup history hourly',
    'hdrscope history rollup history daily --every 1d --json',
  ])
    .argument('<folder>', 'the folder of a history')
    .argument('<into>', 'the folder of the rollups, for this history and stretch only')
    .addOption(
      new Option('--every <duration>', 'the stretch of time of a row, which divides a day')
        .argParser(parsePartOfDay)
        .default(3_600_000, '1h'),
    )
    .addOption(
      new Option('--older-than <duration>', 'only stretches that ended so long ago')
        .argParser((text) => parseDuration(text, '--older-than'))
        .default(1200, '20m'),
    );
  return addFormat(command, FORMATS);
}

/** `hdrscope history rollup` */
export async function run(
  { options, operands: [folder = '', into = ''] }: Arguments<Options>,
  io: Io,
): Promise<number> {
  const format = formatOf(options, FORMATS) ?? 'text';
  const { every: everyMs, olderThan } = options;
  const days = await rollUpHistory(folder, into, { everyMs, olderThanMs: olderThan * 1000 });
  if (format === 'json') {
    await io.stdout.write(jsonDocument({ days }));
  } else {
    await io.stdout.write(textOf(days, io));
  }
  return ExitCode.done;
}

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
  return `${shownTable(COLUMNS, rows, io).join('\n')}\n${note}`;
}

const COLUMNS = [
  { title: 'day', isText: true },
  { title: 'rows read' },
  { title: 'rows' },
  { title: 'bytes', spare: 1 },
  { title: 'rollup', isText: true },
];
