/**
 * A service whose history goes into tables, in its own process: `history-producer.mjs NAME SEED TABLES`, where TABLES is JSON with the addresses
 * of a `postgres` and a `clickhouse`. In each step it records the values of the step, and reports which tables have them all.
 */
import { clickHouseTable, openHistory, postgresTable } from '@hdrscope/history';
import { createRegistry } from '@hdrscope/registry';

const [name, seed, addresses] = process.argv.slice(2);
const MAKERS = { postgres: postgresTable, clickhouse: clickHouseTable };

// As in history-producer.ts, which expects these values.
const ROUTES = ['/pay', '/search', '/'];
const ticksOf = (step, route, i) =>
  1 + (((((Number(seed) * 10_000 + step) * 3 + route) * 5 + i) * 7919) % 1_000_000_000);

const registry = createRegistry();
const family = registry.histogram({ name: 'rpc', unit: 's', significantDigits: 2 });
const series = ROUTES.map((route) => family.with({ route }));

const histories = await Promise.all(
  Object.entries(JSON.parse(addresses)).map(async ([engine, url]) => {
    const table = MAKERS[engine]({ url, timeoutMs: 2000 });
    // The steps below flush.
    const options = { table, producer: name, intervalMs: 3_600_000, onError: () => {} };
    return { engine, history: await openHistory(registry, options) };
  }),
);

let isEnding = false;
process.on('message', () => {
  isEnding = true;
});
process.on('disconnect', () => process.exit());
process.send({ type: 'ready' });

let step = 0;
while (!isEnding) {
  step++;
  for (const [i, one] of series.entries()) {
    for (let value = 0; value < 5; value++) one.record(ticksOf(step, i, value) / 1e9);
  }
  const recorded = step;
  await Promise.all(
    histories.map(async ({ engine, history }) => {
      if (await history.flush()) process.send({ type: 'written', engine, step: recorded });
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
}
for (const { engine, history } of histories) {
  await history.close();
  const { failures, lostRows, waitingRows } = history.health;
  process.send({ type: 'ended', engine, step, failures, lostRows, waitingRows });
}
process.disconnect();
