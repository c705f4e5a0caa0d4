import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningAdminSocket, registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { Histogram } from '@hdrscope/core';
import { formatInterval, readIntervals } from '@hdrscope/interval-log';
import { createRegistry } from '@hdrscope/registry';

const BIN = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const folder = mkdtempSync(join(tmpdir(), 'hdrscope-e2e-agent-'));
const daemonRegistry = createRegistry();
const operations = daemonRegistry.histogram({ name: 'op', unit: 's' }).with({});
let daemon: RunningAdminSocket;
let agent: ChildProcess | undefined;

beforeAll(async () => {
  daemon = await serveAdminSocket({ path: join(folder, 'osd.asok'), ...registryReplies(daemonRegistry) });
});

afterAll(async () => {
  if (agent?.exitCode === null && agent.signalCode === null) {
    agent.kill('SIGKILL');
    await once(agent, 'exit');
  }
  await daemon.close();
  rmSync(folder, { recursive: true });
});

function intervalLine(milliseconds: readonly number[]): string {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  for (const ms of milliseconds) histogram.record(ms * 1e6);
  return formatInterval(histogram, { tag: 'get', startSec: 1_700_000_000, endSec: 1_700_000_001 });
}

function configuration(more: string): string {
  return `sources:
  - name: service
    type: interval-log
    path: ${join(folder, 'service.hlog')}
    poll: 20ms
    metric: { name: service.duration, unit: ns }
  - { name: osd.0, type: ceph, socket: ${join(folder, 'osd.asok')} }
  - { name: osd.1, type: ceph, socket: ${join(folder, 'gone.asok')} }
  - { type: stdin, metric: { name: typed, unit: ms } }
${more}sinks:
  - { type: prometheus, listen: '127.0.0.1:0' }
  - { type: interval-log, path: ${join(folder, 'all.hlog')}, interval: 1h }
`;
}

/** The numbers of a scrape, by name and labels. */
async function scrape(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(url)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`the condition never held: ${what}`);
    await sleep(20);
  }
}

test('hdrscope run brings sources of every kind to sinks, reloads, and ends without losing a value', async () => {
  const config = join(folder, 'hdrscope.yaml');
  const log = join(folder, 'service.hlog');
  writeFileSync(config, configuration(''));
  writeFileSync(log, intervalLine([1, 2, 3]));
  operations.record(0.01);
  operations.record(0.02);

  let printed = '';
  agent = spawn(process.execPath, [BIN, 'run', config], { stdio: ['pipe', 'pipe', 'pipe'] });
  agent.stderr!.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const exit = once(agent, 'close') as Promise<[number | null, string | null]>;
  await until('it serves', () => /prometheus has started: http\S+/.test(printed) || agent!.exitCode !== null);
  const [url] = /http:\S+/.exec(printed) ?? [printed];

  const ofService = 'service_duration_seconds_count{tag="get"}';
  const ofDaemon = 'ceph_hdrscope_op_seconds_count';
  await until('the log is read', async () => (await scrape(url!)).get(ofService) === 3);
  const first = await scrape(url!);
  expect(first.get(ofDaemon)).toBe(2);
  expect(first.get('service_duration_seconds_sum{tag="get"}')).toBeCloseTo(0.006, 5);
  // The broken source is reported, and the other sources are served.
  expect(first.get('hdrscope_source_errors{source="osd.1"}')).toBe(1);
  expect(first.get('hdrscope_agent_up{kind="source",name="osd.1",type="ceph"}')).toBe(0);
  expect(
    first.get('hdrscope_agent_source_values_total{kind="source",name="service",type="interval-log"}'),
  ).toBe(3);
  expect(printed).toMatch(/^hdrscope: source osd\.1 has failed: .*the socket does not exist/m);

  // Standard input stays open, which must not keep the process alive.
  agent.stdin!.write('5 6\n');
  appendFileSync(log, intervalLine([4, 5]));
  operations.record(0.03);
  await until('the log has grown', async () => (await scrape(url!)).get(ofService) === 5);
  // A scrape may show an answer of the daemon that is 100 ms old.
  await until('the daemon is read again', async () => (await scrape(url!)).get(ofDaemon) === 3);

  // A wrong configuration changes nothing.
  writeFileSync(config, configuration('  - { type: stdn }\n'));
  agent.kill('SIGHUP');
  await until('it is refused', () => /the configuration is refused.*hdrscope\.yaml:10:13/.test(printed));

  writeFileSync(join(folder, 'second.hlog'), intervalLine([7]));
  writeFileSync(
    config,
    configuration(`  - name: second
    type: interval-log
    path: ${join(folder, 'second.hlog')}
    metric: { name: second.duration, unit: ns }
`),
  );
  agent.kill('SIGHUP');
  await until(
    'the new source counts',
    async () => (await scrape(url!)).get('second_duration_seconds_count{tag="get"}') === 1,
  );
  const reloaded = await scrape(url!);
  expect([reloaded.get(ofService), reloaded.get(ofDaemon)]).toEqual([5, 3]);
  expect(reloaded.get('hdrscope_agent_reloads_total{result="applied"}')).toBe(1);
  expect(reloaded.get('hdrscope_agent_reloads_total{result="refused"}')).toBe(1);

  // The last interval has the values that no scrape has collected.
  operations.record(0.04);
  agent.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(printed).not.toMatch(/source stdin has failed/);
  expect(printed).toMatch(/^hdrscope: all has ended well$/m);
  const written: Record<string, number> = {};
  for await (const interval of readIntervals(join(folder, 'all.hlog'))) {
    written[interval.tag!] = interval.histogram().totalCount;
  }
  expect(written).toMatchObject({
    typed: 2,
    'service.duration?tag=get': 5,
    'second.duration?tag=get': 1,
    'ceph.hdrscope.op': 4,
  });
});
