import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { type Cut, CuttingProxy } from '@hdrscope/testing/cutting-proxy';
import { testUnless } from '@hdrscope/testing/skips';
import {
  clickHouseTable,
  type HistorySink,
  historyRollupSql,
  historySql,
  openHistory,
  postgresTable,
} from '../../src/index.ts';
import { clickHouseTableOf } from '../../src/tables/clickhouse.ts';
import { postgresTableOf } from '../../src/tables/postgres.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import { until } from '../support/runtime.ts';

function recording(): { registry: Registry; record: (times?: number) => void } {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'lat', unit: 's' }).with({ route: '/' });
  return {
    registry,
    record: (times = 1) => {
      for (let i = 0; i < times; i++) series.record(0.25);
    },
  };
}

async function closed(history: HistorySink): Promise<void> {
  await history.close();
  await history.idle();
}

describe.each(ENGINES)('a history in $name', ({ reason, start }) => {
  const testEngine = testUnless(reason);
  let engine: Engine;
  beforeAll(async () => {
    if (reason === undefined) engine = await start();
  }, 90_000);
  afterAll(async () => {
    await engine?.stop();
  });

  async function countIn(table: string): Promise<number[]> {
    const answer = await engine.ask(historySql({ metric: 'lat' }, engine.dialect, { table }));
    return answer.map(({ count }) => Number(count));
  }

  testEngine(
    'has each row once, in its rollup too, when answers get lost',
    async () => {
      await closed(
        await openHistory(recording().registry, { table: engine.table('lost'), everyMs: 3_600_000 }),
      );
      for (const sql of historyRollupSql(engine.dialect, 'lost')) await engine.run(sql);
      let cut: Cut | undefined;
      const proxy = await CuttingProxy.start(engine.address, () => cut);
      const { registry, record } = recording();
      const history = await openHistory(registry, {
        table: engine.table('lost', { port: proxy.port }),
        everyMs: 3_600_000,
        onError: () => {},
      });
      await history.idle();
      // Before, in and after the answer of an insert: PostgreSQL answers 300 to 500 bytes before it.
      for (const afterBytes of [0, 20, 60, 350, 420, 450, 480]) {
        record(10);
        cut = { of: 'answer', afterBytes };
        await history.flush();
        cut = undefined;
        record();
        expect(await history.flush()).toBe(true);
      }
      await history.close();
      await proxy.stop();
      expect(proxy.cuts).toBeGreaterThan(1);
      expect(history.health).toMatchObject({ isFailing: false, waitingRows: 0, lostRows: 0 });
      expect(history.health.failures).toBe(proxy.cuts);
      expect(await countIn('lost')).toEqual([77]);
      if (engine.dialect === 'postgres') await engine.run('REFRESH MATERIALIZED VIEW lost_rollup');
      expect(await countIn('lost_rollup')).toEqual([77]);
    },
    60_000,
  );

  testEngine(
    'begins before its server, and loses nothing',
    async () => {
      const proxy = await CuttingProxy.start(engine.address, () => undefined);
      const { port } = proxy;
      await proxy.stop();
      const messages: string[] = [];
      const { registry, record } = recording();
      const history = await openHistory(registry, {
        table: engine.table('late', { port }),
        everyMs: 3_600_000,
        onError: ({ message }) => messages.push(message),
        onRecovery: () => messages.push('recovered'),
      });
      await history.idle();
      expect(messages).toEqual([
        expect.stringMatching(/^cannot write to late of .* at .*: connect ECONNREFUSED/),
      ]);
      record(7);
      expect(await history.flush()).toBe(false);
      expect(history.health).toMatchObject({
        waitingRows: 1,
        failures: 2,
        lastError: { code: 'ERR_HISTORY_TABLE' },
      });
      const again = await CuttingProxy.start(engine.address, () => undefined, port);
      expect(await history.flush()).toBe(true);
      expect(messages.slice(1)).toEqual(['recovered']);
      await history.close();
      await again.stop();
      expect(await countIn('late')).toEqual([7]);
    },
    60_000,
  );

  testEngine('says that the table is missing, and how to make it', async () => {
    const messages: string[] = [];
    const table = engine.table('missing', { create: false });
    const history = await openHistory(recording().registry, {
      table,
      onError: ({ message }) => messages.push(message),
    });
    await history.idle();
    await history.close();
    expect(messages).toEqual([
      expect.stringMatching(/missing.*; make the table with historyTableSql, or set create$/),
    ]);
  });

  testEngine(
    'of a server that never answers ends in time, and counts its rows as lost',
    async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      const sockets: Socket[] = [];
      silent.on('connection', (socket) => sockets.push(socket.resume().on('error', () => {})));
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const proxy = await CuttingProxy.start(engine.address, () => undefined);
      const { registry, record } = recording();
      const { port: reached } = proxy;
      const table = engine.table('silent', { port: reached });
      const history = await openHistory(registry, { table, closeTimeoutMs: 200, onError: () => {} });
      await history.idle();
      await proxy.stop();
      const deaf = await CuttingProxy.start({ host: '127.0.0.1', port }, () => undefined, reached);
      record(5);
      const beginMs = performance.now();
      await history.close();
      expect(performance.now() - beginMs).toBeLessThan(2000);
      expect(history.health).toMatchObject({ lostRows: 1, lostValues: 5, uncertainRows: 1, waitingRows: 0 });
      expect(history.health.lastError!.message).toContain('the last rows were not written within 200 ms');
      // Its connection is closed, so nothing keeps the process alive.
      await history.idle();
      await until(() => sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed));
      await deaf.stop();
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
    60_000,
  );
});

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
    'timeoutMs must be a number of milliseconds above 0, to 2^31 - 1, got 0',
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
