import { lackOfPeer, testUnless } from '@hdrscope/testing';
import { ClickHouse } from '@hdrscope/testing/clickhouse';
import { lackOfPostgres, Postgres } from '@hdrscope/testing/postgres';
import { parseConfig } from '../../src/index.ts';
import { configOf, until, useWorld } from '../support/agents.ts';

const world = useWorld();

async function* input(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const STDIN = 'sources: [{ type: stdin, metric: { name: n, unit: ms } }]';

const COUNTED = "SELECT sum(count) AS n FROM history WHERE metric = 'n'";

testUnless(lackOfPostgres())(
  'rows go into a table of PostgreSQL, over a reload',
  async () => {
    const postgres = await Postgres.start();
    const yaml = (interval: string) =>
      `${STDIN}\nsinks: [{ type: history, postgres: { url: "${postgres.url}", create: true }, interval: ${interval} }]`;
    const agent = await world.start(yaml('1h'), input('1 2 3\n'));
    expect(world.lines).toContain('sink history has started: history of PostgreSQL at postgres:///postgres');
    await until('all are counted', () => agent.health.entries[0]!.values === 3);
    expect(await agent.reload(() => configOf(yaml('2h')))).toMatchObject({ stopped: ['sink history'] });
    expect(postgres.ask(COUNTED)).toEqual([{ n: 3 }]);
    expect(await agent.stop()).toEqual([]);
    expect(postgres.ask(COUNTED)).toEqual([{ n: 3 }]);
    expect(agent.health.entries[1]!.storage).toMatchObject({ waitingRows: 0, lostRows: 0 });
    await postgres.stop();
  },
  60_000,
);

testUnless(lackOfPeer('chdb'))(
  'rows go into a table of ClickHouse, with a password that no line shows',
  async () => {
    const clickhouse = await ClickHouse.start('correct-horse');
    const { host } = new URL(clickhouse.url);
    const yaml = (password: string) =>
      `${STDIN}\nsinks: [{ type: history, clickhouse: { url: "http://${host}", password: ${password}, create: true }, interval: 100ms }]`;
    const wrong = await world.start(yaml('battery-staple'), input(''));
    await until('it fails', () => wrong.health.entries[1]!.state === 'failing');
    expect(wrong.health.entries[1]!.lastError).toMatch(/Authentication failed.*; check user and password/);
    await wrong.stop();
    const agent = await world.start(yaml('correct-horse'), input('1 2 3\n'));
    await until('rows are written', () => agent.health.entries[1]!.storage!.writtenRows > 0);
    await until('it runs', () => agent.health.entries[1]!.state === 'running');
    await until('all are counted', () => agent.health.entries[0]!.values === 3);
    expect(await agent.stop()).toEqual([]);
    expect(Number((await clickhouse.ask(COUNTED))[0]!.n)).toBe(3);
    expect(world.lines.join('\n')).not.toMatch(/correct-horse|battery-staple/);
    await clickhouse.stop();
  },
  60_000,
);

test('an agent starts without its database, and says what it lacks', async () => {
  const agent = await world.start(
    'sources: []\nsinks: [{ type: history, postgres: { url: "postgres://u:pass-word@127.0.0.1:1/db" } }]',
  );
  await until('it fails', () => agent.health.entries[0]!.state === 'failing');
  expect(agent.health.entries[0]!.lastError).toBe(
    'cannot write to history of PostgreSQL at postgres://127.0.0.1:1/db: connect ECONNREFUSED 127.0.0.1:1',
  );
  await agent.stop();
  expect(world.lines.join('\n')).not.toContain('pass-word');
});

test.each([
  [
    '{ type: history }',
    'sinks[0] must have exactly one of folder, clickhouse and postgres: it says where rows go',
  ],
  ['{ type: history, folder: a, postgres: {} }', 'must have exactly one of folder, clickhouse and postgres'],
  ['{ type: history, postgres: { url: "mysql://u?password=abc" } }', 'got a text of 22 characters'],
  [
    '{ type: history, clickhouse: { password: [abc] } }',
    'sinks[0].clickhouse.password must be a text, got a list',
  ],
  ['{ type: history, postgres: { ttlDays: 3 } }', 'sinks[0].postgres.ttlDays is not a known key'],
  [
    '{ type: history, postgres: {} }, { type: history, name: b, postgres: { user: x } }',
    'sinks[1].postgres must differ from the table of sinks[0]: two sinks in one table count every value twice',
  ],
])('the sinks %s are refused', (sinks, message) => {
  const { issues } = parseConfig(`sources: []\nsinks: [${sinks}]`);
  expect(issues.map((issue) => issue.message)).toEqual([expect.stringContaining(message)]);
});

test('a table has defaults', () => {
  const { config } = parseConfig('sources: []\nsinks: [{ type: history, clickhouse: {} }]');
  expect(config!.sinks).toEqual([
    {
      type: 'history',
      name: 'history',
      clickhouse: { url: 'http://localhost:8123', table: 'history', create: false, timeout: 10_000, tls: {} },
      interval: 60_000,
      maxWaitingSize: 2 ** 26,
    },
  ]);
});
