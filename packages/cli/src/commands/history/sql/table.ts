import { historyTableSql } from '@hdrscope/history';
import { defineCommand } from '../../../define-command.ts';
import { CLUSTER, joinStatements } from './options.ts';

const DESCRIPTION = `Prints the statements that make the table of a history. Services and the agent then write to it, and
hdrscope query --print-sql asks it.

With --cluster, each shard of a cluster of ClickHouse has its rows in a table of its own, and the table itself asks and
fills all of them. Its database must exist on all servers: CREATE DATABASE ... ON CLUSTER.`;

export const command = defineCommand({
  path: 'hdrscope history sql table',
  description: DESCRIPTION,
  examples: [
    'hdrscope history sql table history --dialect postgres | psql',
    'hdrscope history sql table metrics.history --cluster fleet | clickhouse-client --multiquery',
  ],
  operands: { '<table>': 'the name of the table, as in metrics.history' },
  options: {
    dialect: {
      value: '<name>',
      help: 'the engine',
      choices: ['clickhouse', 'postgres'],
      default: 'clickhouse',
    },
    cluster: CLUSTER,
  },
  output: 'when done',
  writes: ['sql'],
  async run({ options: { dialect, cluster }, operands: [table = ''] }, io) {
    const sql = historyTableSql(dialect, table.split('.'), { ...(cluster !== undefined && { cluster }) });
    await io.stdout.write(joinStatements([sql]));
  },
});
