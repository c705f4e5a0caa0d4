import { createRegistry } from '@hdrscope/registry';
import { clickHouseTable, openHistory, postgresTable } from '../../src/index.ts';
import { clickHouseTableOf } from '../../src/tables/clickhouse.ts';
import { postgresTableOf } from '../../src/tables/postgres.ts';

test.each([
  ['ClickHouse', clickHouseTableOf, '@clickhouse/client'],
  ['PostgreSQL', postgresTableOf, 'pg'],
] as const)(
  'without its client, a history in %s is refused with the command that installs it',
  async (_, tableOf, name) => {
    const missing = async () => {
      throw new Error('Cannot find package');
    };
    await expect(openHistory(createRegistry(), { table: tableOf({}, missing) })).rejects.toMatchObject({
      code: 'ERR_HISTORY_ENGINE',
      message: expect.stringContaining(`install it with "npm install ${name}"`),
    });
  },
);

test.each([
  [() => clickHouseTable({ url: 'secret@ftp:x' }), 'url must be an address such as http://localhost:8123'],
  [
    () => postgresTable({ url: 'http://secret@a' }),
    'url must be an address such as postgres://localhost/metrics',
  ],
  [() => postgresTable({ password: 7 as never }), 'password must be a text'],
  [() => postgresTable({ table: '' }), 'table must be a name, or the parts of a qualified name, got ""'],
  [() => clickHouseTable({ ttlDays: 0.5 }), 'ttlDays must be an integer of at least 1, got 0.5'],
  [() => clickHouseTable({ create: 1 as never }), 'create must be true or false, got 1'],
  [
    () => clickHouseTable({ timeoutMs: 0 }),
    'timeoutMs must be a number of milliseconds above 0 and at most 2^31 - 1, got 0',
  ],
  [
    () => clickHouseTable({ tls: { certFile: 'a' } }),
    'tls must have caFile, certFile and keyFile together, or caFile alone',
  ],
  [() => postgresTable({ ttlDays: 3 } as never), 'postgresTable has no option "ttlDays"'],
])('%s is refused', (make, message) => {
  expect(make).toThrow(message);
});

test('the name of a table has no password', () => {
  const url = 'postgres://shop:secret@db/metrics?password=secret';
  expect(postgresTable({ url, table: ['a', 'b'] }).name).toBe('a.b of PostgreSQL at postgres://db/metrics');
  expect(clickHouseTable({ url: 'http://u:secret@ch:8123/' }).name).toBe(
    'history of ClickHouse at http://ch:8123',
  );
});

test('a history needs either a folder or a table', async () => {
  const both = { folder: 'a', table: clickHouseTable() };
  await expect(openHistory(createRegistry(), both)).rejects.toThrow(
    'the rows go to a folder or to a table, got both',
  );
  await expect(openHistory(createRegistry(), {})).rejects.toThrow(
    'folder must be the path of a folder, unless there is a table',
  );
  await expect(openHistory(createRegistry(), { table: 'history' as never })).rejects.toThrow(
    'table must be a table of clickHouseTable or postgresTable, got "history"',
  );
});
