import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAdminSocket, registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { readIntervals } from '@hdrscope/interval-log';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { EntryHealth } from '../src/health.ts';
import { type Agent, type AgentConfig, parseConfig, startAgent } from '../src/index.ts';
import { configOf, sample, until, urlIn, useWorld } from './support/agents.ts';
import { intervalLine } from './support/logs.ts';

const world = useWorld();

const PROMETHEUS = `sinks: [{ type: prometheus, listen: 'localhost:0' }]`;

/** Serves a registry on an admin socket, as a daemon of Ceph does. */
async function daemon(
  name: string,
): Promise<{ path: string; registry: Registry; close: () => Promise<void> }> {
  const path = world.pathOf(name);
  const registry = createRegistry();
  registry.histogram({ name: 'op.latency', unit: 's' }).with({}).record(0.01);
  const socket = await serveAdminSocket({ path, ...registryReplies(registry) });
  world.atEnd(() => socket.close());
  return { path, registry, close: () => socket.close() };
}

function entry(agent: Agent, name: string): EntryHealth {
  return agent.health.entries.find((one) => one.name === name)!;
}

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

/** The number of values of a family, in all its series. */
async function countOf({ registry }: Pick<Agent, 'registry'>, name: string): Promise<number> {
  const { families } = await registry.gather();
  const series = families.find((family) => family.name === name)?.series ?? [];
  return series.reduce((sum, { histogram }) => sum + histogram.totalCount, 0);
}

test('numbers on standard input reach Prometheus, wherever their chunks end', async () => {
  const agent = await world.start(
    `sources: [{ type: stdin, metric: { name: job, unit: ms }, attributes: { a: b } }]\n${PROMETHEUS}`,
    chunks('1 2', '50\n3', 'e2, nonsense\n-4 ', '7'),
  );
  await until('standard input has ended', () => world.lines.some((line) => line.includes('has ended')));
  const url = urlIn(world.lines);
  expect(await sample(url, 'job_seconds_count{a="b"}')).toBe(4);
  expect(await sample(url, 'job_seconds_sum{a="b"}')).toBeCloseTo(0.001 + 0.25 + 300e-3 + 0.007);
  expect(await sample(url, 'hdrscope_rejected_values_total{family="job_seconds",reason="negative"}')).toBe(1);
  expect(entry(agent, 'stdin')).toMatchObject({ values: 5, errors: 1 });
  expect(world.lines).toContain(
    'source stdin has failed: standard input must be numbers, got "nonsense" in line 2',
  );
});

test('a stop reads what a followed log has by then', async () => {
  const [path, copy] = [world.pathOf('service.hlog'), world.pathOf('copy.hlog')];
  writeFileSync(path, intervalLine(1));
  const agent = await world.start(`
sources:
  - { type: interval-log, path: ${path}, poll: 1h, metric: { name: job, unit: ns } }
sinks:
  - { type: interval-log, path: ${copy}, interval: 1h }`);
  await until('the log is read', () => entry(agent, 'interval-log').values === 1);
  appendFileSync(path, intervalLine(2));
  expect(await agent.stop()).toEqual([]);
  const counts: number[] = [];
  for await (const interval of readIntervals(copy, { tags: ['job'] })) {
    counts.push(interval.histogram().totalCount);
  }
  expect(counts).toEqual([3]);
});

test('an interval whose family cannot be made is reported, and the lines after it count', async () => {
  const path = world.pathOf('mixed.hlog');
  const family = '{"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":9,"description":""}';
  const rpc = intervalLine(2, 'rpc?method="7"');
  const lines = [intervalLine(1), `#[Family: ${family}]`, rpc, intervalLine(2), rpc, intervalLine(3)];
  writeFileSync(path, lines.map((line) => `${line.trimEnd()}\n`).join(''));
  const agent = await world.start(`
sources:
  - { type: interval-log, path: ${path}, poll: 5ms, metric: { name: job, unit: ns } }
${PROMETHEUS}`);
  await until('all other intervals are counted', () => entry(agent, 'interval-log').values === 6);
  expect(entry(agent, 'interval-log')).toMatchObject({ errors: 2, restarts: 0 });
});

test('a log is followed as it grows and is rotated, from its beginning or from its end', async () => {
  const path = world.pathOf('a.hlog');
  writeFileSync(path, intervalLine(5, 'get'));
  const agent = await world.start(`sources:
  - { name: all, type: interval-log, path: ${path}, poll: 5ms, metric: { name: all, unit: ns } }
${PROMETHEUS}`);
  await until('the log is read', async () => (await countOf(agent, 'all')) === 5);
  const other = await world.start(`sources:
  - { name: new, type: interval-log, path: ${path}, poll: 5ms, since: now, metric: { name: new, unit: ns } }
${PROMETHEUS}`);
  await until('the end is there', () => entry(other, 'new').lastSuccessMs !== undefined);
  appendFileSync(path, `${intervalLine(2, 'get')}nonsense\n${intervalLine(1)}`);
  await until('it grows', async () => (await countOf(agent, 'all')) === 8);
  await until('it grows', async () => (await countOf(other, 'new')) === 3);
  expect(entry(agent, 'all').errors).toBe(1);
  renameSync(path, world.pathOf('a.1.hlog'));
  writeFileSync(path, intervalLine(10, 'get'));
  await until('the next file is read', async () => (await countOf(agent, 'all')) === 18);
  await until('the next file is read', async () => (await countOf(other, 'new')) === 13);

  const { families } = await agent.registry.gather();
  const { unit, series } = families.find(({ name }) => name === 'all')!;
  expect(unit).toBe('s');
  expect(series.map(({ attributes, max }) => [attributes, max])).toEqual([
    [{ tag: 'get' }, expect.closeTo(1e-3, 5)],
    [{}, expect.closeTo(1e-3, 5)],
  ]);
});

test('lines of a log that were lost are an error', async () => {
  const path = world.pathOf('a.hlog');
  writeFileSync(path, intervalLine(5) + intervalLine(5));
  const agent = await world.start(`
sources: [{ type: interval-log, path: ${path}, poll: 5ms, metric: { name: job, unit: ns } }]
${PROMETHEUS}`);
  await until('the log is read', () => entry(agent, 'interval-log').values === 10);
  writeFileSync(path, intervalLine(1));
  await until('it is read from its start', () => entry(agent, 'interval-log').values === 11);
  expect(entry(agent, 'interval-log').errors).toBe(1);
});

test('a failing source is reported and started again, and the others go on', async () => {
  const { path } = await daemon('good.asok');
  const folder = world.pathOf('.');
  const agent = await world.start(`sources:
  - { name: good, type: ceph, socket: ${path} }
  - { name: gone, type: ceph, socket: ${world.pathOf('gone.asok')} }
  - { name: folder, type: interval-log, path: ${folder} }
${PROMETHEUS}`);
  const url = urlIn(world.lines);
  expect(await sample(url, 'ceph_hdrscope_op_latency_seconds_count')).toBe(1);
  expect(await sample(url, 'hdrscope_source_errors{source="gone"}')).toBe(1);
  expect(await sample(url, 'hdrscope_agent_up{kind="source",name="good",type="ceph"}')).toBe(1);
  expect(await sample(url, 'hdrscope_agent_up{kind="source",name="gone",type="ceph"}')).toBe(0);
  await until('the folder was tried again', () => entry(agent, 'folder').restarts >= 2);
  expect(entry(agent, 'folder').lastError).toMatch(/EISDIR/);
  expect(world.lines.join('\n')).toMatch(/source gone has failed: .*the socket does not exist/);
  // The log has one line for the first failure, however many follow.
  expect(world.lines.filter((line) => line.startsWith('source folder has failed'))).toHaveLength(1);
});

test('the daemons of a folder have names, and families of all together', async () => {
  mkdirSync(world.pathOf('run'));
  await daemon('run/ceph-osd.0.asok');
  const { registry } = await daemon('run/ceph-osd.1.asok');
  registry.histogram({ name: 'op.latency', unit: 's' }).with({}).record(0.02);
  await world.start(`sources: [{ type: ceph, socket: ${world.pathOf('run')}, merged: true }]\n${PROMETHEUS}`);
  const url = urlIn(world.lines);
  const name = 'ceph_hdrscope_op_latency_seconds_count';
  expect(await sample(url, `${name}{ceph_daemon="osd.0"}`)).toBe(1);
  expect(await sample(url, `${name}{ceph_daemon="osd.1"}`)).toBe(2);
  expect(await sample(url, 'ceph_merged_hdrscope_op_latency_seconds_count')).toBe(3);
});

test('daemons that ceph tell reaches have names, and the ages of their answers', async () => {
  const dump = `{"osd":{"op_r":{"axes":[{"name":"Items","min":0,"quant_size":8,"buckets":3,"scale_type":"linear"}],"values":[0,7,2]}}}`;
  const ceph = world.pathOf('ceph');
  writeFileSync(
    ceph,
    `#!/bin/sh
[ "$4" = histogram ] || exec echo 'osd.0: {}'
echo 'osd.0: ${dump}'
echo 'Error ENXIO: osd.3 is down' >&2
exit 6
`,
    { mode: 0o755 },
  );
  const agent = await world.start(`sources: [{ type: ceph, tell: osd.*, program: ${ceph} }]\n${PROMETHEUS}`);
  const url = urlIn(world.lines);
  expect(await sample(url, 'ceph_osd_op_r_count{ceph_daemon="osd.0"}')).toBe(9);
  expect(await sample(url, 'hdrscope_ceph_answer_age_seconds{ceph_daemon="osd.0"}')).toBeLessThan(10);
  expect(entry(agent, 'ceph').lastError).toBe('osd.3: Error ENXIO: osd.3 is down');
});

test.each([
  ['', 'must be the path of an admin socket or of a folder of them, unless tell names daemons'],
  [', socket: /run, tell: osd.1', 'must not be set with tell'],
])('a source of Ceph with{%s} is refused', (keys, message) => {
  const { issues } = parseConfig(`sources: [{ type: ceph${keys} }]\n${PROMETHEUS}`);
  expect(issues.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
});

test('a folder without sockets is a failure, until a daemon comes', async () => {
  mkdirSync(world.pathOf('empty'));
  const agent = await world.start(
    `sources: [{ type: ceph, socket: ${world.pathOf('empty')} }]\n${PROMETHEUS}`,
  );
  await agent.registry.gather();
  expect(entry(agent, 'ceph')).toMatchObject({
    state: 'failing',
    lastError: expect.stringContaining('empty has no sockets'),
  });
  await daemon('empty/ceph-osd.0.asok');
  await agent.registry.gather();
  expect(entry(agent, 'ceph').state).toBe('running');
});

test('a daemon that comes back is read again', async () => {
  const { path, close } = await daemon('a.asok');
  const agent = await world.start(`sources: [{ type: ceph, socket: ${path} }]\n${PROMETHEUS}`);
  await agent.registry.gather();
  await close();
  await agent.registry.gather();
  expect(entry(agent, 'ceph').state).toBe('failing');
  const { registry } = await daemon('a.asok');
  registry.histogram({ name: 'op.latency', unit: 's' }).with({}).record(0.02);
  await agent.registry.gather();
  // One of its two axes has a single slot, and no family.
  expect(entry(agent, 'ceph')).toMatchObject({ state: 'running', errors: 1, values: 2 });
  expect(world.lines).toContain('source ceph works again');
});

test('a source that hangs is reported as late, and delays nobody', async () => {
  const path = world.pathOf('a.asok');
  const socket = await serveAdminSocket({
    path,
    histograms: { schema: () => '{}', dump: () => new Promise<string>(() => {}) },
    limits: { answerMs: 60_000 },
  });
  world.atEnd(() => socket.close());
  const agent = await world.start(`sources: [{ type: ceph, socket: ${path}, timeout: 50ms }]\n${PROMETHEUS}`);
  await fetch(urlIn(world.lines));
  expect(entry(agent, 'ceph')).toMatchObject({ state: 'failing' });
  expect(entry(agent, 'ceph').lastError).toMatch(/has not answered within 50 ms/);
});

test('a sink starts again and again until its port is free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = await world.start(`sources: []
sinks:
  - { name: taken, type: prometheus, listen: '127.0.0.1:${port}' }
  - { type: admin-socket, path: ${world.pathOf('b.asok')} }`);
  expect(entry(agent, 'taken').state).toBe('waiting');
  expect(entry(agent, 'admin-socket').state).toBe('running');
  await new Promise((resolve) => server.close(resolve));
  await until('it has the port', () => entry(agent, 'taken').state === 'running');
  expect((await fetch(urlIn(world.lines, 'taken'))).status).toBe(200);
});

test('the admin socket answers with the counts and with the health of the agent', async () => {
  const path = world.pathOf('all.asok');
  const agent = await world.start(
    `sources: [{ type: stdin, metric: { name: size, unit: bytes } }]\nsinks: [{ type: admin-socket, path: ${path} }]`,
    chunks('100 200\n'),
  );
  await until('both are counted', () => entry(agent, 'stdin').values === 2);
  const numbers = JSON.parse(await askAdminSocket(path, 'perf dump'));
  expect(numbers.hdrscope.size).toMatchObject({ avgcount: 2, sum: 300 });
  const health = JSON.parse(await askAdminSocket(path, 'agent health'));
  expect(health.entries).toHaveLength(2);
});

test('a stop reads the sources once more and completes the log', async () => {
  const { path, registry } = await daemon('a.asok');
  const log = world.pathOf('out.hlog');
  const agent = await world.start(`sources: [{ type: ceph, socket: ${path} }]
sinks: [{ type: interval-log, path: ${log}, interval: 1h }]`);
  registry.histogram({ name: 'op.latency', unit: 's' }).with({}).record(0.02);
  expect(await agent.stop()).toEqual([]);
  const counts: number[] = [];
  for await (const interval of readIntervals(log, { tags: ['ceph.hdrscope.op.latency'] })) {
    counts.push(interval.histogram().totalCount);
  }
  expect(counts).toEqual([2]);
  expect(agent.health.entries.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
});

describe('a reload', () => {
  test('keeps equal entries, with their counts and connections', async () => {
    const { path, registry } = await daemon('a.asok');
    const agent = await world.start(`sources: [{ type: ceph, socket: ${path} }]\n${PROMETHEUS}`);
    const url = urlIn(world.lines);
    expect(await sample(url, 'ceph_hdrscope_op_latency_seconds_count')).toBe(1);
    const log = world.pathOf('b.hlog');
    writeFileSync(log, intervalLine(7));
    const reloaded = await agent.reload(() =>
      configOf(`sources:
  - { type: ceph, socket: ${path} }
  - { type: interval-log, path: ${log}, metric: { name: b, unit: ns } }
${PROMETHEUS}`),
    );
    expect(reloaded).toEqual({
      started: ['source interval-log'],
      stopped: [],
      kept: ['source ceph', 'sink prometheus'],
    });
    registry.histogram({ name: 'op.latency', unit: 's' }).with({}).record(0.02);
    await until('the log is read', async () => (await sample(url, 'b_seconds_count')) === 7);
    // A scrape may show an answer of the daemon that is 100 ms old.
    await until(
      'the daemon is read again',
      async () => (await sample(url, 'ceph_hdrscope_op_latency_seconds_count')) === 2,
    );
    expect(await sample(url, 'hdrscope_agent_reloads_total{result="applied"}')).toBe(1);
  });

  test('counts nothing twice when a source changes', async () => {
    const { path, registry } = await daemon('a.asok');
    const log = world.pathOf('b.hlog');
    writeFileSync(log, intervalLine(7));
    const yaml = (attributes: string) => `sources:
  - { type: ceph, socket: ${path}, attributes: { ${attributes} } }
  - { type: interval-log, path: ${log}, poll: 5ms, metric: { name: b, unit: ns }, attributes: { ${attributes} } }
${PROMETHEUS}`;
    const agent = await world.start(yaml('a: one'));
    await until('the log is read', async () => (await countOf(agent, 'b')) === 7);
    await agent.reload(() => configOf(yaml('a: two')));
    await agent.registry.gather();
    registry.histogram({ name: 'op.latency', unit: 's' }).with({}).record(0.02);
    appendFileSync(log, intervalLine(2));
    await until('the log is read on', async () => (await countOf(agent, 'b')) === 9);
    expect(await countOf(agent, 'ceph.hdrscope.op.latency')).toBe(2);
    const { families } = await agent.registry.gather();
    const ofLog = families.find(({ name }) => name === 'b')!.series;
    expect(ofLog.map(({ attributes, histogram }) => [attributes.a, histogram.totalCount])).toEqual([
      ['one', 7],
      ['two', 2],
    ]);
    expect(entry(agent, 'interval-log').values).toBe(9);
  });

  test('goes on in a log that was rotated while nobody read it', async () => {
    const log = world.pathOf('rotated.hlog');
    // Other writers than hdrscope put a blank after the `#`.
    const note =
      '#  [Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n';
    const rpc = (count: number): string => intervalLine(count, 'rpc');
    writeFileSync(log, note + rpc(1));
    const without = `sources: []\n${PROMETHEUS}`;
    const following = `sources: [{ type: interval-log, path: ${log}, poll: 5ms }]\n${PROMETHEUS}`;
    const agent = await world.start(following);
    await until('the log is read', async () => (await countOf(agent, 'rpc')) === 1);
    await agent.reload(() => configOf(without));
    appendFileSync(log, rpc(10));
    renameSync(log, `${log}.1`);
    writeFileSync(log, note + rpc(100));
    await agent.reload(() => configOf(following));
    await until('all is read', async () => (await countOf(agent, 'rpc')) >= 111);
    await agent.stop();
    expect(await countOf(agent, 'rpc')).toBe(111);
  });

  test('goes on with the log and the port of a sink that changes', async () => {
    const log = world.pathOf('out.hlog');
    const yaml = (interval: string, buckets: string, port: number) => `sources:
  - { type: stdin, metric: { name: n } }
sinks:
  - { type: interval-log, path: ${log}, interval: ${interval} }
  - { type: prometheus, listen: 'localhost:${port}', buckets: ${buckets} }`;
    const gate: { open: () => void } = { open: () => {} };
    const second = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    const stdin = (async function* () {
      yield* chunks('1 2 3\n');
      await second;
      yield* chunks('4\n');
    })();
    const agent = await world.start(yaml('1h', 'native', 0), stdin);
    await until('three are counted', () => entry(agent, 'stdin').values === 3);
    const port = Number(new URL(urlIn(world.lines)).port);
    const { stopped } = await agent.reload(() => configOf(yaml('2h', 'both', port)));
    expect(stopped).toEqual(['sink interval-log', 'sink prometheus']);
    expect(await sample(`http://localhost:${port}/metrics`, 'n_count')).toBe(3);
    gate.open();
    await until('four are counted', () => entry(agent, 'stdin').values === 4);
    await agent.stop();
    const counts: number[] = [];
    for await (const interval of readIntervals(log, { tags: ['n'] })) {
      counts.push(interval.histogram().totalCount);
    }
    expect(counts).toEqual([3, 1]);
  });

  test('counts and reports a refused configuration', async () => {
    const agent = await world.start(`sources: []\n${PROMETHEUS}`);
    const refused = Promise.reject(new Error('a.yaml:1:1: wrong\na.yaml:2:1: wrong, too'));
    expect(await agent.reload(() => refused)).toEqual({
      started: [],
      stopped: [],
      kept: ['sink prometheus'],
      problem: 'a.yaml:1:1: wrong; a.yaml:2:1: wrong, too',
    });
    expect(agent.health.reloads).toEqual({ applied: 0, refused: 1 });
    expect(world.lines.at(-1)).toBe(
      'the configuration is refused, the one before goes on: a.yaml:1:1: wrong; a.yaml:2:1: wrong, too',
    );
  });

  test('reads configurations one after the other', async () => {
    const agent = await world.start(`sources: []\n${PROMETHEUS}`);
    const slow = async () => {
      await sleep(50);
      return configOf(`sources: []\nsinks: [{ type: health, listen: 'localhost:0' }]`);
    };
    const [first, second] = await Promise.all([
      agent.reload(slow),
      agent.reload(() => configOf(`sources: []\n${PROMETHEUS}`)),
    ]);
    expect([first!.started, second!.started]).toEqual([['sink health'], ['sink prometheus']]);
    expect(agent.health.entries.map(({ name }) => name)).toEqual(['prometheus']);
  });

  test('from a file that never ends does not hold up the stop', async () => {
    const agent = await world.start(`sources: []\n${PROMETHEUS}`);
    void agent.reload(() => new Promise(() => {}));
    expect(await agent.stop()).toEqual([]);
  });
});

test('a configuration that was not parsed is refused, because its secrets are not known', async () => {
  // @ts-expect-error: only parseConfig and readConfigFile make configurations.
  const literal: AgentConfig = { shutdownTimeout: 1, sources: [], sinks: [] };
  await expect(startAgent(literal)).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: 'config must be a result of parseConfig or readConfigFile',
  });
  const agent = await world.start(`sources: []\n${PROMETHEUS}`);
  const { problem } = await agent.reload(() => literal);
  expect(problem).toBe('config must be a result of parseConfig or readConfigFile');
  expect(agent.health.reloads).toEqual({ applied: 0, refused: 1 });
});

test('descriptions of families that have no effect are counted, and all intervals count', async () => {
  const path = world.pathOf('notes.hlog');
  const note = (unit: string): string =>
    `#[Family: {"name":"rpc","unit":"${unit}","resolution":1e-9,"significantDigits":3,"description":""}]\n`;
  const interval = intervalLine(2, 'rpc');
  const bad = `#[Family: {"name":7}]\n#[Family: not json]\n${note('By')}${note('s').slice(0, -9)}\n`;
  writeFileSync(path, `${note('s')}${interval.repeat(20)}${bad}${interval.repeat(40)}${note('s')}`);
  const agent = await world.start(
    `sources: [{ type: interval-log, path: ${path}, poll: 5ms }]\n${PROMETHEUS}`,
  );
  await until('all intervals are counted', () => entry(agent, 'interval-log').values === 120);
  expect(entry(agent, 'interval-log')).toMatchObject({ errors: 4, restarts: 0 });
  expect(entry(agent, 'interval-log').lastError).toMatch(/^line \d+: must describe a family/);
});

test('sources that have ended leave nothing open', async () => {
  const path = world.pathOf('b.hlog');
  writeFileSync(path, intervalLine(1));
  const none = configOf(`sources: []\n${PROMETHEUS}`);
  const some = configOf(`sources:
  - { type: interval-log, path: ${path}, poll: 5ms }
  - { type: ceph, socket: ${world.pathOf('gone.asok')} }
  - { type: stdin, metric: { name: job } }
  - { type: otlp, listen: '127.0.0.1:0' }
${PROMETHEUS}`);
  const agent = await world.start(`sources: []\n${PROMETHEUS}`);
  const open = (): number => process.getActiveResourcesInfo().length;
  for (let i = 0; i < 3; i++) for (const config of [some, none]) await agent.reload(() => config);
  const before = open();
  for (let i = 0; i < 20; i++) for (const config of [some, none]) await agent.reload(() => config);
  expect(open()).toBeLessThanOrEqual(before + 3);
  expect((await agent.registry.gather()).errors).toEqual([]);
  expect(agent.health.entries).toHaveLength(1);
});

test('a family with as many series as its limit is logged once, with the attribute that grew', async () => {
  const { registry } = await world.start(`sources: [{ type: stdin, metric: { name: n } }]\n${PROMETHEUS}`);
  const family = registry.histogram({ name: 'job', cardinalityLimit: 2 });
  for (const user of ['ann', 'bob', 'cid', 'dan']) family.with({ user }).record(1);
  await until('it is logged', async () => world.lines.some((line) => line.includes('its limit of 2 series')));
  expect(world.lines.filter((line) => line.includes('its limit'))).toEqual([
    expect.stringContaining(
      'The attribute "user" has the most values, 3: leave it out by dropAttributes of the source, or where the values come from',
    ),
  ]);
});
