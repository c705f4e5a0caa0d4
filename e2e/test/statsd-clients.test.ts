import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, parseConfig, startAgent } from '@hdrscope/agent';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, type PeerName, programOf } from '@hdrscope/testing';

const TAGS = { route: '/pay', tier: 'gold' };

/** Values as clients write them without rounding: at most two decimals. */
const VALUES = Object.fromEntries(
  ['ms', 'h', 'd'].map((type, shift) => [
    type,
    Array.from({ length: 400 }, (_, i) => Math.round(1.03 ** i * (100 + shift)) / 100),
  ]),
);

let folder: string;
let agent: Agent;
const lines: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statsd-clients-'));
  lines.length = 0;
});
afterEach(async () => {
  await agent.stop();
  rmSync(folder, { recursive: true });
});

async function start(keys: string): Promise<void> {
  const yaml = `sources: [{ type: statsd, ${keys} }]\nsinks: [{ type: textfile, path: ${join(folder, 'a.prom')} }]`;
  const { config, issues } = parseConfig(yaml);
  expect(issues).toEqual([]);
  agent = await startAgent(config!, { log: (line) => lines.push(line) });
}

/** Runs a client, and waits until as many values have come as it sends. */
async function run(command: readonly string[], request: object, count: number): Promise<void> {
  const [program, ...args] = command as [string, ...string[]];
  const client = spawn(program, args, { stdio: ['pipe', 'inherit', 'pipe'] });
  client.stdin.end(JSON.stringify({ ...request, tags: TAGS, values: VALUES }));
  expect(await text(client.stderr)).toBe('');
  const values = (): number => agent.health.entries[0]!.values;
  for (const endMs = Date.now() + 20_000; values() < count && Date.now() < endMs; ) await sleep(20);
  await agent.registry.gather();
}

const port = (): number => Number(/udp:\/\/127\.0\.0\.1:(\d+)/.exec(lines.join('\n'))![1]);

/** The bytes of all histograms by metric, and those that their values make when they are recorded here. */
async function expectEqual(metrics: Readonly<Record<string, boolean>>): Promise<void> {
  const direct = createRegistry();
  for (const [name, hasTags] of Object.entries(metrics)) {
    const type = name.split('.')[1]!;
    const unit = type === 'ms' ? 's' : '';
    const series = direct.histogram({ name, unit, significantDigits: 3 }).with(hasTags ? TAGS : {});
    for (const value of VALUES[type]!) series.record(unit === 's' ? value / 1000 : value);
  }
  const read = async ({ registry }: Pick<Agent, 'registry'>) => {
    const { families } = await registry.gather();
    const own = families.filter(({ name }) => !name.startsWith('hdrscope.'));
    return Object.fromEntries(
      own.map(({ name, series }) => [
        name,
        series.map(({ attributes, histogram }) => [attributes, histogram.toBase64()]),
      ]),
    );
  };
  expect(await read(agent)).toEqual(await read({ registry: direct }));
  expect(agent.health.entries[0]).toMatchObject({ errors: 0, packets: { malformed: 0, dropped: 0 } });
}

const clients: readonly [PeerName, metrics: Record<string, boolean>, udpOnly: Record<string, boolean>][] = [
  ['statsd-go', { 'go.ms': true, 'go.h': true, 'go.d': true }, {}],
  ['statsd-python', { 'datadog.ms': true, 'datadog.h': true, 'datadog.d': true }, { 'statsd.ms': false }],
  [
    'statsd-js',
    { 'hot.ms': true, 'hot.h': true, 'hot.d': true, 'client.ms': true, 'client.d': true, 'node.ms': false },
    {},
  ],
];

describe.each(clients)('%s', (peer, metrics, udpOnly) => {
  describeWithPeers([peer])('counts are equal, bucket for bucket', () => {
    const command = (): string[] =>
      peer === 'statsd-js'
        ? [process.execPath, join(import.meta.dirname, 'support/statsd-client.mjs'), programOf(peer)!]
        : [programOf(peer)!];

    test.each([true, false])('by UDP, a value in each packet: %s', async (isPlain) => {
      await start("address: '127.0.0.1:0'");
      const all = { ...metrics, ...udpOnly };
      await run(
        command(),
        { target: { host: '127.0.0.1', port: port() }, isPlain },
        400 * Object.keys(all).length,
      );
      await expectEqual(all);
    });

    // Node.js has no Unix datagrams.
    if (peer !== 'statsd-js') {
      test('by Unix datagrams', async () => {
        const path = join(folder, 'statsd.sock');
        await start(`path: ${path}`);
        await run(command(), { target: { path }, isPlain: false }, 400 * Object.keys(metrics).length);
        await expectEqual(metrics);
      });
    }
  });
});
