import { historyFunctionsSql } from '@hdrscope/history';
import { defineCommand } from '../../../define-command.ts';
import { joinStatements } from './options.ts';

const DESCRIPTION = `Prints statements that make functions of DuckDB, for statements of your own.

hdr_percentile(k, c, w, bits, scale, 99.9) is an aggregate: the bounds of a percentile of the rows of a group, in the
unit. hdr_slot_start(k, bits) is the first tick of a slot, and hdr_ticks_in_unit(ticks, scale) makes ticks a value.

hdr_percentile keeps the slots of a group in memory; hdrscope query --print-sql prints statements for large groups.`;

export const command = defineCommand({
  path: 'hdrscope history sql functions',
  description: DESCRIPTION,
  examples: ['hdrscope history sql functions -o functions.sql'],
  output: 'when done',
  writes: ['sql'],
  async run(_, io) {
    await io.stdout.write(joinStatements(historyFunctionsSql()));
  },
});
