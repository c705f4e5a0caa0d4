import { DuckDBInstance } from '@duckdb/node-api';

/**
 * Lets all questions of a test file ask one engine for each set of settings. Making an engine takes some 20 ms of CPU time, more than
 * most answers. The shared one keeps nothing of the files that it has read.
 */
export function shareDuckDb(): void {
  const { create } = DuckDBInstance;
  const engines = new Map<string, Promise<DuckDBInstance>>();

  beforeAll(() => {
    DuckDBInstance.create = async (path, settings = {}) => {
      const key = JSON.stringify([path, settings]);
      const options = { ...settings, enable_external_file_cache: 'false' };
      const known = engines.get(key) ?? create.call(DuckDBInstance, path, options);
      engines.set(key, known);
      return Object.create(await known, { closeSync: { value: () => {} } });
    };
  });

  afterAll(async () => {
    DuckDBInstance.create = create;
    for (const engine of engines.values()) (await engine).closeSync();
  });
}

/** Runs statements in an engine of their own. Returns the rows of the last one. */
export async function runStatements(sql: string): Promise<Record<string, unknown>[]> {
  const engine = await DuckDBInstance.create(':memory:');
  const connection = await engine.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJS();
  } finally {
    connection.closeSync();
    engine.closeSync();
  }
}
