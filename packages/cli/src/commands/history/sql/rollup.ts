import { folderRollupSql, historyRollupSql } from '@hdrscope/history';
import { UsageError } from '../../../command.ts';
import { defineCommand } from '../../../define-command.ts';
import { PART_OF_DAY, spanOf, spanOptions } from '../../../moment.ts';
import { CLUSTER, DIALECT, HISTORY_OPERAND, isTableDialect, joinStatements, widenToDays } from './options.ts';

const DESCRIPTION = `Prints statements by which an engine makes a rollup itself: one row for each series and stretch of time. With --drop,
series that differ in these attributes only are one series, and the column series has their number.

DuckDB and Spark write files into a folder, which all commands read. They may run again: they replace the days that they
read. ClickHouse and PostgreSQL make views, once; ClickHouse adds each insert by itself, and PostgreSQL at
REFRESH MATERIALIZED VIEW CONCURRENTLY.`;

export const command = defineCommand({
  path: 'hdrscope history sql rollup',
  description: DESCRIPTION,
  examples: [
    'hdrscope history sql rollup history hourly | duckdb',
    'hdrscope history sql rollup history fleet --drop host.name --since 7d | duckdb',
    'hdrscope history sql rollup metrics.history hosts --dialect clickhouse --every 1d --drop host.name --cluster fleet',
  ],
  operands: {
    '<history>': HISTORY_OPERAND,
    '<into>': 'the folder of the rollup; for clickhouse and postgres its name, without the database',
  },
  options: {
    dialect: DIALECT,
    every: { ...PART_OF_DAY, default: 3_600_000, fallback: '1h' },
    drop: {
      value: '<key>',
      help: 'an attribute that rows of the rollup lack; may be repeated',
      isRepeated: true,
      fallback: 'each series has rows of its own',
    },
    cluster: CLUSTER,
    ...spanOptions('files: the days of '),
  },
  output: 'when done',
  writes: ['sql'],
  async run({ options, operands: [history = '', into = ''] }, io) {
    const { dialect, every: everyMs, drop, cluster } = options;
    const span = widenToDays(spanOf(options));
    if (!isTableDialect(dialect)) {
      if (cluster !== undefined) {
        throw new UsageError(`--cluster goes with clickhouse, got --dialect ${dialect}`);
      }
      const statements = folderRollupSql(dialect, history, into, { everyMs, drop, ...span });
      await io.stdout.write(joinStatements(statements));
      return;
    }
    if (Object.keys(span).length > 0) {
      throw new UsageError(
        `--since and --until go with duckdb and spark: a rollup of ${dialect} is a view of all rows`,
      );
    }
    const rollup = { into, everyMs, drop, ...(cluster !== undefined && { cluster }) };
    await io.stdout.write(joinStatements(historyRollupSql(dialect, history.split('.'), rollup)));
  },
});
