import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { testUnless } from '@hdrscope/testing';
import { type Cut, CuttingProxy } from '@hdrscope/testing/cutting-proxy';
import fc from 'fast-check';
import {
  type HistoryRow,
  type HistorySink,
  historyRollupSql,
  historySql,
  openHistory,
} from '../../src/index.ts';
import { exemplarsProperty, parseExemplars } from '../../src/rows/row-exemplars.ts';
import { documentedSql } from '../support/documented-sql.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import { type Ask, expectMergedPercentiles, withNumbers } from '../support/merged-percentiles.ts';
import { anyText, INTERVAL_MS, rowsOf } from '../support/recorded.ts';
import { until } from '../support/runtime.ts';
import { ALL_PERCENTILES, expectShapes, rowsOfShape, shapeNames } from '../support/shaped-rows.ts';
import { expectZonedStretches } from '../support/zoned-stretches.ts';

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

// One start of each engine for all tests of tables.
describe.each(ENGINES)('in $name', ({ missing, start }) => {
  const testEngine = testUnless(missing);
  let engine: Engine;
  beforeAll(async () => {
    if (missing === undefined) engine = await start();
  }, 90_000);
  afterAll(async () => {
    await engine?.stop();
  });

  describe('a table', () => {
    let tables = 0;

    /** Writes rows into a new table that has a rollup, and returns its name. Each list is inserted twice, as after a lost answer. */
    async function written(lists: readonly (readonly HistoryRow[])[]): Promise<string> {
      const table = `history ${tables++}`;
      const target = await engine.table(table).open();
      await target.prepare!();
      for (const sql of historyRollupSql(engine.dialect, table, { everyMs: INTERVAL_MS }))
        await engine.run(sql);
      for (const [number, rows] of lists.entries()) {
        for (let times = 0; times < 2; times++) await target.write({ producer: 'shop 1', number, rows });
      }
      if (engine.dialect === 'postgres') {
        await engine.run(`REFRESH MATERIALIZED VIEW CONCURRENTLY "${table}_rollup"`);
      }
      await target.close();
      return table;
    }

    const asked =
      (table: string): Ask =>
      async (question) =>
        withNumbers(await engine.ask(historySql(question, engine.dialect, { table })));

    testEngine(
      'and its rollup give the percentiles of merged rows, by group and time',
      async () => {
        await expectMergedPercentiles(10, async ([rows]) => {
          const half = Math.ceil(rows!.length / 2);
          const table = await written(
            [rows!.slice(0, half), rows!.slice(half)].filter(({ length }) => length > 0),
          );
          return [asked(table), asked(`${table}_rollup`)];
        });
      },
      120_000,
    );

    testEngine(
      'gives stretches of time zones, as clocks show them',
      async () => {
        await expectZonedStretches(3, async (lists) => [asked(await written(lists))]);
      },
      120_000,
    );

    testEngine(
      'and its rollup give the bounds of wide slots',
      async () => {
        const rows = shapeNames.filter((shape) => shape.startsWith('widths')).flatMap(rowsOfShape);
        const table = await written([rows]);
        for (const name of [table, `${table}_rollup`]) expectShapes(await asked(name)(ALL_PERCENTILES), rows);
      },
      120_000,
    );

    testEngine('has the rows themselves', async () => {
      const ticks = [0, 1, 2, 3, 1e6, Number.MAX_SAFE_INTEGER];
      const exemplars = [{ value: 1e6, timeMs: 1_700_000_000_000, traceId: 'a"b\\c', spanId: '' }];
      const [first, second] = await rowsOf([
        { significantDigits: 5, attributes: { route: '/' }, intervals: [ticks, [7]] },
      ]);
      const rows = [{ ...first!, exemplars }, second!];
      const table = await written([rows]);
      const ms =
        engine.dialect === 'postgres' ? 'extract(epoch FROM "end") * 1000' : 'toUnixTimestamp64Milli(`end`)';
      const found = await engine.ask(
        `SELECT metric, unit, ${ms} AS ended, producer, sequence, count, sum, min, max, scale, bits, k, c, version, w, sum_below, sum_above, min_above, max_below, exemplars FROM ${engine.dialect === 'postgres' ? `"${table}"` : `\`${table}\``} ORDER BY sequence`,
      );
      const numbers = ({
        ended,
        sequence,
        count,
        k,
        c,
        w,
        sum_below: sumBelow,
        sum_above: sumAbove,
        min_above: minAbove,
        max_below: maxBelow,
        exemplars: text,
        ...rest
      }: Record<string, unknown>) => ({
        ...rest,
        margins: { sumBelow, sumAbove, minAbove, maxBelow },
        ended: Number(ended),
        sequence: Number(sequence),
        count: Number(count),
        k: (k as number[]).map(Number),
        c: (c as number[]).map(Number),
        w: (w as number[]).map(Number),
        ...exemplarsProperty(parseExemplars(String(text))),
      });
      const expected = rows.map(({ attributes, startMs, endMs, ...row }) => ({ ...row, ended: endMs }));
      expect(found.map(numbers)).toEqual(expected);
      const name = engine.dialect === 'postgres' ? `"${table}"` : `\`${table}\``;
      const documented = documentedSql('## Exemplars', engine.dialect).replace(
        'FROM history',
        `FROM ${name}`,
      );
      expect(await engine.ask(documented)).toEqual([
        { attributes: expect.anything(), seconds: expect.closeTo(0.001, 12), trace: 'a"b\\c' },
      ]);
    });

    testEngine(
      'holds any texts, and finds them',
      async () => {
        await fc.assert(
          fc.asyncProperty(
            anyText,
            anyText,
            anyText,
            fc.boolean(),
            async (metric, key, value, conforming) => {
              if (engine.dialect === 'postgres') {
                const setting = conforming ? 'on' : 'off';
                await engine.run(`ALTER DATABASE postgres SET standard_conforming_strings = ${setting}`);
              }
              const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
              const attributes = Object.fromEntries([[key, value]]);
              const table = await written([
                [
                  { ...row!, metric, attributes },
                  { ...row!, metric, producer: 'without' },
                ],
              ]);
              // PostgreSQL has no U+0000, and a history shows another character instead.
              const held = (text: string): string =>
                engine.dialect === 'postgres' ? text.replaceAll('\0', '\ufffd') : text;
              for (const name of [table, `${table}_rollup`]) {
                const question = {
                  metric: held(metric),
                  by: [held(key)],
                  where: { [held(key)]: held(value) },
                };
                // A computed key may be __proto__.
                Object.defineProperty(question.where, held(key), { value: held(value), enumerable: true });
                expect(await asked(name)(question)).toMatchObject([{ group1: held(value), count: 3 }]);
              }
            },
          ),
          { numRuns: 10 },
        );
      },
      120_000,
    );
  });

  describe('a history', () => {
    async function countIn(table: string): Promise<number[]> {
      const answer = await engine.ask(historySql({ metric: 'lat' }, engine.dialect, { table }));
      return answer.map(({ count }) => Number(count));
    }

    testEngine(
      'has each row once, in its rollup too, when answers get lost',
      async () => {
        await closed(
          await openHistory(recording().registry, { table: engine.table('lost'), intervalMs: 3_600_000 }),
        );
        for (const sql of historyRollupSql(engine.dialect, 'lost')) await engine.run(sql);
        let cut: Cut | undefined;
        const proxy = await CuttingProxy.start(engine.address, () => cut);
        const { registry, record } = recording();
        const history = await openHistory(registry, {
          table: engine.table('lost', { port: proxy.port }),
          intervalMs: 3_600_000,
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
          intervalMs: 3_600_000,
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
        expect(history.health).toMatchObject({
          lostRows: 1,
          lostValues: 5,
          uncertainRows: 1,
          waitingRows: 0,
        });
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
});
