import { setTimeout as sleep } from 'node:timers/promises';
import { historyRollupSql, historyTableSql, slotOfTick } from '@hdrscope/history';
import { describeUnless, lackOfPeer, testUnless } from '@hdrscope/testing';
import { ClickHouse } from '@hdrscope/testing/clickhouse';
import { type Cut, CuttingProxy } from '@hdrscope/testing/cutting-proxy';
import { lackOfPostgres, Postgres } from '@hdrscope/testing/postgres';
import {
  type EngineName,
  HistoryProducer,
  ROUTES,
  VALUES_PER_STEP,
  valuesOf,
} from './support/history-producer.ts';

const PRODUCERS = 8;
const KILLS = 100;
const LONGEST_LIFE_MS = 300;
const LONGEST_WAIT_MS = 2000;
const CUT_SHARE = 0.4;

/** A row as it lies in a table. */
interface StoredRow {
  readonly producer: string;
  readonly sequence: number;
  readonly attributes: { readonly route: string };
  readonly bits: number;
  readonly k: readonly number[];
  readonly c: readonly number[];
}

/** A server that takes the rows of the fleet. */
interface Store {
  readonly name: EngineName;
  readonly url: (proxyPort: number) => string;
  readonly proxy: CuttingProxy;
  run(sql: string): Promise<unknown>;
  ask(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Breaks connections at random, while it is on. */
class Weather {
  isOn = true;

  /** @param answerBytes The size of an answer, so that connections break in it, also after the server has done its work. */
  cut(answerBytes: number): Cut | undefined {
    if (!this.isOn || Math.random() > CUT_SHARE) return undefined;
    return Math.random() < 0.3
      ? { of: 'request', afterBytes: Math.random() * 6000 }
      : { of: 'answer', afterBytes: Math.random() * answerBytes };
  }
}

async function postgresStore(weather: Weather): Promise<Store> {
  const server = await Postgres.start();
  const proxy = await CuttingProxy.start({ path: server.socket }, () => weather.cut(550));
  return {
    name: 'postgres',
    url: (port) => `postgres://history@127.0.0.1:${port}/postgres`,
    proxy,
    run: async (sql) => server.run(sql),
    ask: async (sql) => server.ask(sql),
    stop: () => server.stop(),
  };
}

async function clickHouseStore(weather: Weather): Promise<Store> {
  const server = await ClickHouse.start();
  const { hostname: host, port } = new URL(server.url);
  const proxy = await CuttingProxy.start({ host, port: Number(port) }, () => weather.cut(180));
  return {
    name: 'clickhouse',
    url: (proxyPort) => `http://127.0.0.1:${proxyPort}`,
    proxy,
    run: (sql) => server.run(sql),
    ask: (sql) => server.ask(sql),
    stop: () => server.stop(),
  };
}

const ENGINES = [
  { name: 'postgres', missing: lackOfPostgres(), make: postgresStore },
  { name: 'clickhouse', missing: lackOfPeer('chdb'), make: clickHouseStore },
] as const;
const MAKERS = ENGINES.filter(({ missing }) => missing === undefined).map(({ make }) => make);

// One engine is enough.
describeUnless(MAKERS.length > 0 ? undefined : ENGINES[0].missing)(
  'eight producers, killed a hundred times, over a network that fails',
  () => {
    const weather = new Weather();
    let stores: Store[] = [];
    const lives: HistoryProducer[] = [];

    beforeAll(async () => {
      stores = await Promise.all(MAKERS.map((make) => make(weather)));
      for (const { name, run } of stores) {
        await run(historyTableSql(name));
        for (const sql of historyRollupSql(name)) await run(sql);
      }
      const addresses = Object.fromEntries(stores.map(({ name, url, proxy }) => [name, url(proxy.port)]));
      let kills = 0;
      const live = async (producer: number): Promise<void> => {
        for (let life = 0; ; life++) {
          const one = new HistoryProducer(`shop-${producer}-${life}`, lives.length, addresses);
          lives.push(one);
          await one.started();
          // Some are killed before they have written anything.
          if (Math.random() < 0.8) await Promise.race([one.wrote, sleep(LONGEST_WAIT_MS)]);
          await sleep(Math.random() * LONGEST_LIFE_MS);
          if (kills >= KILLS) {
            weather.isOn = false;
            await one.end();
            return;
          }
          kills++;
          await one.kill();
        }
      };
      await Promise.all(Array.from({ length: PRODUCERS }, (_, producer) => live(producer)));
    }, 600_000);
    afterAll(async () => {
      for (const { proxy, stop } of stores) {
        await proxy.stop();
        await stop();
      }
    });

    for (const { name, missing } of ENGINES) {
      testUnless(missing)(`broke many connections to ${name}`, () => {
        expect(lives.length).toBe(PRODUCERS + KILLS);
        const { cuts } = stores.find((store) => store.name === name)!.proxy;
        const writing = lives.filter(({ written }) => written.has(name));
        console.log(`${name}: ${cuts} connections broken, ${writing.length} lives wrote`);
        expect(cuts).toBeGreaterThan(10);
      });
    }

    test('left every value that a producer has reported as written in the table, exactly once', async () => {
      for (const { name, ask } of stores) {
        const rows = await storedRows(ask);
        const keys = rows.map(({ producer, sequence }) => `${producer} ${sequence}`);
        expect(new Set(keys).size).toBe(keys.length);
        for (const life of lives) {
          const own = rows.filter(({ producer }) => producer.startsWith(`${life.name} `));
          const steps = stepsIn(life.seed, own);
          expect(steps).toBeGreaterThanOrEqual(life.written.get(name) ?? 0);
          if (life.lastStep !== undefined) expect([steps, life.missingRows]).toEqual([life.lastStep, 0]);
        }
      }
    });

    test('left every value in the rollup once', async () => {
      for (const { name, run, ask } of stores) {
        if (name === 'postgres') await run('REFRESH MATERIALIZED VIEW CONCURRENTLY history_rollup');
        const merged = async (table: string): Promise<Map<string, number>> =>
          slotsOf(await storedRows(ask, table));
        expect(await merged('history_rollup')).toEqual(await merged('history'));
      }
    });
  },
);

async function storedRows(ask: Store['ask'], table = 'history'): Promise<StoredRow[]> {
  const rows = await ask(`SELECT producer, sequence, attributes, bits, k, c FROM ${table}`);
  return rows.map(({ sequence, k, c, ...row }) => ({
    ...row,
    sequence: Number(sequence),
    k: (k as unknown[]).map(Number),
    c: (c as unknown[]).map(Number),
  })) as unknown as StoredRow[];
}

/** The counts of rows by route and slot. */
function slotsOf(rows: readonly StoredRow[]): Map<string, number> {
  const slots = new Map<string, number>();
  for (const { attributes, k, c } of rows) {
    for (const [i, slot] of k.entries()) add(slots, `${attributes.route} ${slot}`, c[i]!);
  }
  return slots;
}

/** How many steps of a producer are in its rows. Throws when the rows have not exactly the values of whole steps from the first on. */
function stepsIn(seed: number, rows: readonly StoredRow[]): number {
  const found = slotsOf(rows);
  const count = [...found.values()].reduce((sum, one) => sum + one, 0);
  const steps = count / (ROUTES.length * VALUES_PER_STEP);
  const expected = new Map<string, number>();
  for (let step = 1; step <= steps; step++) {
    for (const [i, route] of ROUTES.entries()) {
      for (const ticks of valuesOf(seed, step, i))
        add(expected, `${route} ${slotOfTick(ticks, rows[0]!.bits)}`, 1);
    }
  }
  expect(found).toEqual(expected);
  return steps;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
