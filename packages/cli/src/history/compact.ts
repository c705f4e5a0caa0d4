import { compactHistory } from '@hdrscope/history';
import { type Command, Option } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { jsonDocument } from '../figures.ts';
import { formatCount } from '../format.ts';
import { wrapToScreen } from '../help-text.ts';
import { addFormat, formatOf, type OutputOptions } from '../output-options.ts';
import { shownTable } from '../table.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends OutputOptions<(typeof FORMATS)[number]> {
  readonly olderThan: number;
}

const DESCRIPTION = `Merges the files of each day that has ended into one, which is smaller and faster to read.

Others may read and write the history meanwhile. It may be ended at any time: rows that are in two files then
count once, and the next run removes them. Run it once a day.`;

/** The arguments of `hdrscope history compact`. */
export function parser(): Command {
  const command = createParser('hdrscope history compact', DESCRIPTION, [
    'hdrscope history compact history',
    'hdrscope history compact history --older-than 1d --json',
  ])
    .argument('<folder>', 'the folder of a history')
    .addOption(
      new Option(
        '--older-than <duration>',
        'only days that ended so long ago, when no writer has rows of them',
      )
        .argParser((text) => parseDuration(text, '--older-than'))
        .default(7200, '2h'),
    );
  return addFormat(command, FORMATS);
}

/** `hdrscope history compact` */
export async function run({ options, operands: [folder = ''] }: Arguments<Options>, io: Io): Promise<number> {
  const format = formatOf(options, FORMATS) ?? 'text';
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
    await io.stdout.write(`${shownTable(COLUMNS, rows, io).join('\n')}\n`);
  }
  return ExitCode.done;
}

const COLUMNS = [
  { title: 'day', isText: true },
  { title: 'files' },
  { title: 'rows' },
  { title: 'bytes before', spare: 1 },
  { title: 'bytes after' },
  { title: 'duplicates', spare: 2 },
];
