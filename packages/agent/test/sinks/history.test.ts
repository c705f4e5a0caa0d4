import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HistoryRow, queryHistory, readRows } from '@hdrscope/history';
import { parseConfig } from '../../src/index.ts';
import { configOf, sample, until, urlIn, useWorld } from '../support/agents.ts';

const world = useWorld();

const STDIN = 'sources: [{ type: stdin, metric: { name: n, unit: ms }, attributes: { host: a7 } }]';

/** Standard input that goes on when a test says so. */
function gated(...parts: readonly string[]) {
  const gates = parts.map(() => {
    const gate = { open: () => {}, opened: Promise.resolve() };
    gate.opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    return gate;
  });
  const stdin = (async function* () {
    for (const [at, part] of parts.entries()) {
      await gates[at]!.opened;
      yield new TextEncoder().encode(part);
    }
  })();
  return { stdin, open: (at: number) => gates[at]!.open() };
}

async function rowsIn(folder: string): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.parquet')) continue;
    for await (const row of readRows(join(folder, name))) rows.push(row);
  }
  return rows;
}

test('a stop writes all rows, and DuckDB reads them', async () => {
  const folder = world.pathOf('history');
  const { stdin, open } = gated('1 2 3\n');
  open(0);
  const agent = await world.start(
    `${STDIN}\nsinks: [{ type: history, folder: ${folder}, interval: 1h, producer: shop }]`,
    stdin,
  );
  expect(world.lines).toContain(`sink history has started: ${folder}`);
  await until('all are counted', () => agent.health.entries[0]!.values === 3);
  expect(readdirSync(folder)).toEqual([]);
  expect(await agent.stop()).toEqual([]);
  const rows = await rowsIn(folder);
  const ofInput = rows.find(({ metric }) => metric === 'n')!;
  expect(ofInput).toMatchObject({ unit: 's', attributes: { host: 'a7' }, count: 3 });
  expect(ofInput.producer).toMatch(/^shop [0-9a-f]{16}$/);
  const [answer] = await queryHistory(folder, { metric: 'n', percentiles: [50] });
  expect([answer!.count, answer!.max.upper]).toEqual([3, 0.003]);
  expect(agent.health.entries[1]).toMatchObject({
    state: 'stopped',
    storage: { waitingRows: 0, writtenRows: rows.length, lostRows: 0 },
  });
});

test('a sink that changes goes on where the one before ended, and its counters only grow', async () => {
  const folder = world.pathOf('history');
  const { stdin, open } = gated('1 2 3\n', '4\n');
  open(0);
  const yaml = (interval: string) =>
    `${STDIN}\nsinks: [{ type: history, folder: ${folder}, interval: ${interval} }]`;
  const agent = await world.start(yaml('1h'), stdin);
  await until('three are counted', () => agent.health.entries[0]!.values === 3);
  expect(await agent.reload(() => configOf(yaml('2h')))).toMatchObject({
    stopped: ['sink history'],
    kept: ['source stdin'],
  });
  const { writtenRows } = agent.health.entries[1]!.storage!;
  expect(writtenRows).toBeGreaterThan(0);
  open(1);
  await until('four are counted', () => agent.health.entries[0]!.values === 4);
  await agent.stop();
  const rows = (await rowsIn(folder)).filter(({ metric }) => metric === 'n');
  expect(rows.map(({ count }) => count).sort()).toEqual([1, 3]);
  expect(agent.health.entries[1]!.storage!.writtenRows).toBeGreaterThan(writtenRows);
});

test('shows its rows as metrics, and that it works', async () => {
  const folder = world.pathOf('history');
  const { stdin, open } = gated('1 2 3\n');
  open(0);
  const agent = await world.start(
    `${STDIN}
sinks:
  - { type: history, folder: ${folder}, interval: 20ms, batch: 1ms }
  - { type: prometheus, listen: 'localhost:0' }`,
    stdin,
  );
  const url = urlIn(world.lines);
  const labels = '{kind="sink",name="history",type="history"}';
  await until('rows are written', async () => {
    return ((await sample(url, `hdrscope_agent_sink_written_rows_total${labels}`)) ?? 0) > 0;
  });
  expect(await sample(url, `hdrscope_agent_sink_lost_rows_total${labels}`)).toBe(0);
  expect(await sample(url, `hdrscope_agent_sink_waiting_rows${labels}`)).toBeGreaterThanOrEqual(0);
  expect(await sample(url, `hdrscope_agent_up${labels}`)).toBe(1);
  expect(agent.health.entries[1]!.lastSuccessMs).toBeGreaterThan(0);
});

test('a folder that cannot be written fails the sink, and rows wait until it can', async () => {
  const folder = world.pathOf('history');
  const { stdin, open } = gated('1 2 3\n');
  const agent = await world.start(
    `${STDIN}\nsinks: [{ type: history, folder: ${folder}, interval: 20ms, batch: 1ms }]`,
    stdin,
  );
  // A file in the place of the folder refuses every writer, root included.
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  open(0);
  await until('it fails', () => agent.health.entries[1]!.state === 'failing');
  await until('rows wait', () => agent.health.entries[1]!.storage!.waitingRows > 0);
  expect(agent.health.entries[1]!.lastError).toContain(folder);
  rmSync(folder);
  mkdirSync(folder);
  await until('it works again', () => agent.health.entries[1]!.state === 'running');
  await agent.stop();
  const rows = await rowsIn(folder);
  expect(rows.filter(({ metric }) => metric === 'n').reduce((sum, { count }) => sum + count, 0)).toBe(3);
  expect(agent.health.entries[1]!.storage).toMatchObject({ waitingRows: 0, lostRows: 0 });
});

test('rows that were never written are lost at the end, which the stop reports', async () => {
  const folder = world.pathOf('history');
  const { stdin, open } = gated('1 2 3\n');
  open(0);
  const agent = await world.start(
    `${STDIN}\nsinks: [{ type: history, folder: ${folder}, interval: 1h }]`,
    stdin,
  );
  await until('all are counted', () => agent.health.entries[0]!.values === 3);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  expect(await agent.stop()).toEqual([expect.stringContaining('sink history did not end well')]);
  expect(agent.health.entries[1]!.storage!.lostRows).toBeGreaterThan(0);
});

test('a folder that is a file is tried again', async () => {
  const folder = world.pathOf('file');
  writeFileSync(folder, '');
  const agent = await world.start(`sources: []\nsinks: [{ type: history, folder: ${folder} }]`);
  expect(agent.health.entries[0]).toMatchObject({ state: 'waiting' });
  rmSync(folder);
  await until('it runs', () => agent.health.entries[0]!.state === 'running');
});

test('has defaults, and one sink for a folder', () => {
  const { config } = parseConfig('sources: []\nsinks: [{ type: history, folder: /a }]');
  expect(config!.sinks).toEqual([
    {
      type: 'history',
      name: 'history',
      folder: '/a',
      interval: 60_000,
      maxWaitingSize: 2 ** 26,
    },
  ]);
  const { issues } = parseConfig(
    'sources: []\nsinks: [{ type: history, folder: /a }, { type: history, name: b, folder: /b/../a }]',
  );
  expect(issues.map(({ message }) => message)).toEqual([
    'sinks[1].folder must differ from the folder of sinks[0]: two sinks in one folder count every value twice, got "/b/../a"',
  ]);
});

test('days that are older than keep are removed, and the log names them', async () => {
  const folder = world.pathOf('kept');
  const first = await world.start(
    `${STDIN}\nsinks: [{ type: history, folder: ${folder}, interval: 1h }]`,
    gated('1\n').stdin,
  );
  await first.stop();
  const [day] = readdirSync(folder);
  if (day === undefined) mkdirSync(join(folder, 'day=2023-11-14'), { recursive: true });
  else renameSync(join(folder, day), join(folder, 'day=2023-11-14'));
  await world.start(
    `${STDIN}\nsinks: [{ type: history, folder: ${folder}, interval: 100ms, keep: 90d }]`,
    gated('1\n').stdin,
  );
  await until('the day is gone', () => !readdirSync(folder).includes('day=2023-11-14'));
  await until('the log says so', () =>
    world.lines.some((line) => /removed the day 2023-11-14: \d+ files?, /.test(line)),
  );
});

test.each([
  ['{ type: history, folder: a, keep: 1h }', 'sinks[0].keep must be a duration of at least 1d, as in 90d'],
  ['{ type: history, folder: a, rollup: b }', 'must have rollup with keep only'],
  ['{ type: history, postgres: {}, keep: 90d }', 'must have keep with folder only'],
])('the sink %s is refused', (sink, message) => {
  const { issues } = parseConfig(`${STDIN}\nsinks: [${sink}]`);
  expect(issues.map((issue) => issue.message)).toEqual([expect.stringContaining(message)]);
});
