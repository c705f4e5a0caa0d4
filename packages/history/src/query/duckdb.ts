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

/** An engine that runs. */
export interface Engine {
  readonly run: RunSql;
  close(): void;
}

/** Starts an engine, which takes some ten milliseconds. @throws HdrscopeError `ERR_HISTORY_ENGINE` */
export async function startDuckDb(settings: Readonly<Record<string, string>>): Promise<Engine> {
  const { DuckDBInstance } = await loadDuckDb();
  let instance: DuckDbInstance | undefined;
  try {
    instance = await DuckDBInstance.create(':memory:', settings);
    const started = instance;
    const connection = await started.connect();
    return {
      async run(sql) {
        try {
          return (await connection.runAndReadAll(sql)).getRowObjectsJS();
        } catch (cause) {
          throw refusal(cause, sql);
        }
      },
      close() {
        connection.closeSync();
        started.closeSync();
      },
    };
  } catch (cause) {
    instance?.closeSync();
    throw refusal(cause);
  }
}

/** Does work with an engine that lives as long. */
export async function withDuckDb<T>(
  settings: Readonly<Record<string, string>>,
  work: (run: RunSql) => Promise<T>,
): Promise<T> {
  const { run, close } = await startDuckDb(settings);
  try {
    return await work(run);
  } catch (cause) {
    throw cause instanceof HdrscopeError ? cause : refusal(cause);
  } finally {
    close();
  }
}

function refusal(cause: unknown, sql?: string): HdrscopeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return engineError(`DuckDB refuses the question: ${reason}`, cause, sql);
}
