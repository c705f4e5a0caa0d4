import { DAY_MS } from '@hdrscope/kit';
import { defineOption } from '../../../define-command.ts';

/** What the operand `<history>` of these commands is. */
export const HISTORY_OPERAND =
  'the folder of a history, as the engine names it; for clickhouse and postgres its table, as in metrics.history';

/** Engines that keep tables. The others read and write folders. */
const TABLE_DIALECTS = ['clickhouse', 'postgres'] as const;

export type TableDialect = (typeof TABLE_DIALECTS)[number];

/** `--dialect` of a command for all engines. */
export const DIALECT = defineOption({
  value: '<name>',
  help: 'the engine',
  choices: ['duckdb', 'clickhouse', 'postgres', 'spark'],
  default: 'duckdb',
});

/** `--dialect` of a command for engines that write files. */
export const FILE_DIALECT = defineOption({
  value: '<name>',
  help: 'the engine',
  choices: ['duckdb', 'spark'],
  default: 'duckdb',
});

/** `--cluster` of a command for tables. */
export const CLUSTER = defineOption({
  value: '<name>',
  help: 'the cluster of ClickHouse on whose shards the rows are; the history is named with its database',
  fallback: 'one server',
});

export function isTableDialect(dialect: string): dialect is TableDialect {
  return TABLE_DIALECTS.some((name) => name === dialect);
}

/** Widens a span of time to whole days. */
export function widenToDays({ sinceMs, untilMs }: { readonly sinceMs?: number; readonly untilMs?: number }): {
  readonly sinceMs?: number;
  readonly untilMs?: number;
} {
  return {
    ...(sinceMs !== undefined && { sinceMs: Math.floor(sinceMs / DAY_MS) * DAY_MS }),
    ...(untilMs !== undefined && { untilMs: Math.ceil(untilMs / DAY_MS) * DAY_MS }),
  };
}

/** Statements as a file of SQL has them. */
export function joinStatements(statements: readonly string[]): string {
  return `${statements.join(';\n')};\n`;
}
