import { historyFunctionsSql } from '@hdrscope/history';
import { defineCommand } from '../../../define-command.ts';
import { DIALECT, joinStatements } from './options.ts';

const DESCRIPTION = `Prints statements that make functions of an engine, for statements of your own. Their first lines say how to call them.

hdr_percentile(k, c, w, bits, scale, 99.9) is an aggregate: the bounds of a percentile of the rows of a group, in the
unit. hdr_count_within(k, c, w, bits, scale, 0, 0.25) has the bounds of how many values lie from 0 to 0.25, and
hdr_merge(k, c, w, bits, scale) makes one row of a group. hdr_slot_start(k, bits) is the first tick of a slot, and
hdr_ticks_in_unit(ticks, scale) makes ticks a value.

They need DuckDB 1.5, ClickHouse 26, PostgreSQL 15 or Spark 4. In Spark, a group is collect_list(struct(k, c, w, bits, scale)).
DuckDB and Spark keep a group in memory; hdrscope query --print-sql prints statements for large groups.`;

export const command = defineCommand({
  path: 'hdrscope history sql functions',
  description: DESCRIPTION,
  examples: [
    'hdrscope history sql functions -o functions.sql',
    'hdrscope history sql functions --dialect clickhouse | clickhouse-client --multiquery',
  ],
  options: { dialect: DIALECT },
  output: 'when done',
  writes: ['sql'],
  async run({ options }, io) {
    await io.stdout.write(joinStatements(historyFunctionsSql(options.dialect)));
  },
});
