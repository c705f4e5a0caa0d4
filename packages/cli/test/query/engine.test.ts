import { HdrscopeError } from '@hdrscope/core';
import { withEngine } from '../../src/commands/query/engine.ts';

test('the error says how to install DuckDB, and what goes without it', async () => {
  const cause = new Error("Cannot find package '@duckdb/node-api'");
  const missing = new HdrscopeError('ERR_HISTORY_ENGINE' as never, 'queryHistory needs it', { cause });
  await expect(withEngine('history', () => Promise.reject(missing))).rejects.toMatchObject({
    name: 'Refusal',
    message: expect.stringMatching(/asked by DuckDB: npm install @duckdb\/node-api, .*Cannot find package/),
  });
});

test('other errors stay as they are', async () => {
  const refused = new HdrscopeError('ERR_HISTORY_ENGINE' as never, 'DuckDB refuses', {
    details: { sql: 'SELECT' },
  });
  await expect(withEngine('history', () => Promise.reject(refused))).rejects.toBe(refused);
  await expect(withEngine('history', () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError);
});
