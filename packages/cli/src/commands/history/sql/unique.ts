import { uniqueRowsSql } from '@hdrscope/history';
import { defineCommand } from '../../../define-command.ts';
import { spanOf, spanOptions } from '../../../moment.ts';
import { WHERE } from '../../../options.ts';
import { DIALECT, HISTORY_OPERAND, isTableDialect, joinStatements } from './options.ts';

const DESCRIPTION = `Prints a statement that gives the rows of a history, each once, in its largest revision: for statements of your own, which
would count a row twice that is in two files.`;

export const command = defineCommand({
  path: 'hdrscope history sql unique',
  description: DESCRIPTION,
  examples: [
    'hdrscope history sql unique history --metric rpc.duration --since 7d',
    'hdrscope history sql unique metrics.history --dialect clickhouse',
  ],
  operands: { '<history>': HISTORY_OPERAND },
  options: {
    dialect: DIALECT,
    metric: { value: '<name>', help: 'the metric', fallback: 'all metrics' },
    where: WHERE,
    ...spanOptions(),
  },
  output: 'when done',
  writes: ['sql'],
  async run({ options, operands: [history = ''] }, io) {
    const { dialect, metric, where } = options;
    const source = isTableDialect(dialect) ? { table: history.split('.') } : { folder: history };
    const selection = { ...(metric !== undefined && { metric }), where, ...spanOf(options) };
    await io.stdout.write(joinStatements([uniqueRowsSql(selection, dialect, source)]));
  },
});
