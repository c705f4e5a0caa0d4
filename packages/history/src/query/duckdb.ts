import { engineError } from '../errors.ts';

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
  try {
    return (await load()) as DuckDbModule;
  } catch (cause) {
    throw engineError(
      'a question to a history needs the package @duckdb/node-api, which cannot be loaded: install it with "npm install @duckdb/node-api"',
      cause,
    );
  }
}

/** The rows of a statement, in an engine that lives for this statement only. */
export async function runInDuckDb(
  sql: string,
  settings: Readonly<Record<string, string>>,
  load?: () => Promise<unknown>,
): Promise<Record<string, unknown>[]> {
  const { DuckDBInstance } = await loadDuckDb(load);
  let instance: DuckDbInstance | undefined;
  let connection: DuckDbConnection | undefined;
  try {
    instance = await DuckDBInstance.create(':memory:', settings);
    connection = await instance.connect();
    return (await connection.runAndReadAll(sql)).getRowObjectsJS();
  } catch (cause) {
    throw engineError(
      `DuckDB refuses the question: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
      sql,
    );
  } finally {
    connection?.closeSync();
    instance?.closeSync();
  }
}
