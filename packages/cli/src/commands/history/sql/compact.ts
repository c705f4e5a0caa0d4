import { folderCompactSql } from '@hdrscope/history';
import { defineCommand } from '../../../define-command.ts';
import { spanOf, spanOptions } from '../../../moment.ts';
import { FILE_DIALECT, joinStatements, widenToDays } from './options.ts';

const DESCRIPTION = `Prints statements by which DuckDB or Spark write the rows of a history into another folder: each row once, in its largest
revision, with one file for each day.

They may run again: they replace the days that they read. Put the new folder in the place of the old one while nobody
writes. Engines do not read files that end in .waiting, such as those that a killed process has left: copy them to the
same days of the new folder.

ClickHouse merges the parts of a table by itself, and a table of PostgreSQL has each row once.`;

export const command = defineCommand({
  path: 'hdrscope history sql compact',
  description: DESCRIPTION,
  examples: [
    'hdrscope history sql compact history compacted | duckdb',
    'hdrscope history sql compact s3a://metrics/history s3a://metrics/compacted --dialect spark --until 1d',
  ],
  operands: {
    '<folder>': 'the folder of a history, as the engine names it',
    '<into>': 'the new folder',
  },
  options: { dialect: FILE_DIALECT, ...spanOptions('the days of ') },
  output: 'when done',
  writes: ['sql'],
  async run({ options, operands: [folder = '', into = ''] }, io) {
    const statements = folderCompactSql(options.dialect, folder, into, widenToDays(spanOf(options)));
    await io.stdout.write(joinStatements(statements));
  },
});
