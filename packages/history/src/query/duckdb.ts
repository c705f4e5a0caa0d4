import { HdrscopeError } from '@hdrscope/core';
import { engineError, loadPackage } from '../errors.ts';

/** The part of `@duckdb/node-api` that this package uses. */
interface DuckDbModule {
  readonly DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<DuckDbInstance>;
  };
}

interface DuckDbInstance {
  connect(): Promise<DuckDbConnection>;
  closeSync(): void;
}

interface DuckDbConnection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJS(): Record<string, unknown>[] }>;
  closeSync(): void;
}

/** @param load Loads the module; tests have one of their own. */
export async function loadDuckDb(
  load: () => Promise<unknown> = () => import('@duckdb/node-api'),
): Promise<DuckDbModule> {
  return (await loadPackage(load, 'a question to a history', '@duckdb/node-api')) as DuckDbModule;
}

/** Runs a statement, and gives its rows. @throws HdrscopeError `ERR_HISTORY_ENGINE` */
export type RunSql = (sql: string) => Promise<Record<string, unknown>[]>;

/** Does work with an engine that lives as long. */
export async function withDuckDb<T>(
  settings: Readonly<Record<string, string>>,
  work: (run: RunSql) => Promise<T>,
  load?: () => Promise<unknown>,
): Promise<T> {
  const { DuckDBInstance } = await loadDuckDb(load);
  let instance: DuckDbInstance | undefined;
  let connection: DuckDbConnection | undefined;
  try {
    instance = await DuckDBInstance.create(':memory:', settings);
    const connected = await instance.connect();
    connection = connected;
    return await work(async (sql) => {
      try {
        return (await connected.runAndReadAll(sql)).getRowObjectsJS();
      } catch (cause) {
        throw refusal(cause, sql);
      }
    });
  } catch (cause) {
    throw cause instanceof HdrscopeError ? cause : refusal(cause);
  } finally {
    connection?.closeSync();
    instance?.closeSync();
  }
}

function refusal(cause: unknown, sql?: string): HdrscopeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return engineError(`DuckDB refuses the question: ${reason}`, cause, sql);
}
