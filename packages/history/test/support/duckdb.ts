import { withDuckDb } from '../../src/query/duckdb.ts';

/** The rows of a statement. */
export function runInDuckDb(
  sql: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  return withDuckDb(settings, (run) => run(sql));
}
