import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { lackOfFile, lackOfProgram, testUnless } from '@hdrscope/testing';
import { type Agent, parseConfig } from '../../src/index.ts';
import { findDrops, readAddress } from '../../src/statsd/kernel-drops.ts';
import { receiveUdp } from '../../src/statsd/receiver.ts';
import { configOf, until, useWorld } from '../support/agents.ts';

const world = useWorld();

const SINK = "sinks: [{ type: prometheus, listen: '127.0.0.1:0' }]";
const yaml = (more = ''): string =>
  `sources: [{ type: statsd, attributes: { via: udp }, ${more || "address: '127.0.0.1:0'"} }]\n${SINK}`;

const source = (agent: Agent) => agent.health.entries[0]!;
const packets = (agent: Agent) => source(agent).packets!;

/** Where the source listens, from its line in the log. */
function port(): number {
  const line = world.lines.findLast((text) => text.includes('source statsd has started: udp://'))!;
  return Number(line.slice(line.lastIndexOf(':') + 1));
}

/** Sends packets from this process, in their order. */
async function send(texts: readonly (string | Uint8Array)[], to = port(), host = '127.0.0.1'): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  for (const text of texts) {
    await new Promise<void>((resolve, reject) =>
      socket.send(text, to, host, (error) => (error ? reject(error) : resolve())),
    );
  }
  socket.close();
  await once(socket, 'close');
}

/** Lines of the series of StatsD: their attributes, count, sum and how many of the values are estimates. */
async function series(
  agent: Agent,
): Promise<Record<string, [count: number, sum: number, estimated: number]>> {
  const { families } = await agent.registry.gather();
  return Object.fromEntries(
    families
      .filter(({ name }) => !name.startsWith('hdrscope.'))
      .flatMap((family) =>
        family.series.map(({ attributes, histogram, sum, estimated }) => [
          [`${family.name}/${family.unit}`, ...Object.entries(attributes).map((pair) => pair.join('='))].join(
            ' ',
          ),
          [histogram.totalCount, Number(sum.toPrecision(12)), estimated?.sum ?? 0],
        ]),
      ),
  );
}

const values = (agent: Agent, count: number) =>
  until(`${count} values are counted`, () => source(agent).values >= count);

test('values count with their tags and units, and what is no distribution is left out by kind', async () => {
  const agent = await world.start(
    yaml(
      "address: '127.0.0.1:0', units: { 'db.*': us }, containers: true, dropAttributes: { 'db.*': [shard] }",
    ),
  );
  await send([
    'http.time:12.5|ms|#route:/a\nhttp.time:7:8|ms|#route:/b|c:ci-7f3\n',
    'db.time:250|d|#shard:1\ndb.time:250|d|#shard:2\nsize:5|h\nvisits:1|c\nusers:x|s\n_sc|a|0',
  ]);
  await values(agent, 6);
  expect(await series(agent)).toEqual({
    'http.time/s route=/a via=udp': [1, 0.0125, 0],
    'http.time/s route=/b container.id=7f3 via=udp': [2, 0.015, 0],
    'db.time/s via=udp': [2, 0.0005, 0],
    'size/ via=udp': [1, 5, 0],
  });
  expect(packets(agent)).toMatchObject({
    ...{ received: 2, malformed: 0, refusedValues: 0, estimatedValues: 0 },
    leftOut: { counter: 1, gauge: 0, set: 1, event: 0, serviceCheck: 1 },
  });
  expect(source(agent).state).toBe('running');
});

test('a sample counts for the values it stands for, the nearest integer of them, and says how many came', async () => {
  const agent = await world.start(yaml());
  await send(Array.from({ length: 100 }, (_, i) => `a:${i}|ms|@0.3\nb:1|ms|@0.1\nb:2|ms`));
  await values(agent, 300);
  const { 'a/s via=udp': a, 'b/s via=udp': b } = await series(agent);
  expect(a!.toSpliced(1, 1)).toEqual([333, 233]);
  expect(b).toEqual([1100, 1.2, 900]);
  expect(packets(agent).estimatedValues).toBe(233 + 900);
  expect(source(agent).values).toBe(300);
  expect(world.lines.filter((line) => line.includes('is a sample'))).toHaveLength(1);
});

test('with samples: received, a sample counts as the values that came', async () => {
  const agent = await world.start(yaml("address: '127.0.0.1:0', samples: received"));
  await send(['a:5|ms|@0.1']);
  await values(agent, 1);
  expect(await series(agent)).toEqual({ 'a/s via=udp': [1, 0.005, 0] });
});

test('lines that are not well formed are counted, the first one is named, and the rest counts once', async () => {
  const agent = await world.start(yaml());
  await send(['a:1|ms\na:x|ms\nnonsense\na:2|ms', Buffer.alloc(60_000, 0xff)]);
  await values(agent, 2);
  await until('all packets were read', async () => {
    await agent.registry.gather();
    return packets(agent).received === 2;
  });
  expect(packets(agent).malformed).toBe(3);
  expect(world.lines.join('\n')).toMatch(
    /has failed: since the previous gather, [23] lines did not count; first: a value must be a decimal number, got "x"/,
  );
  expect(await series(agent)).toEqual({ 'a/s via=udp': [2, 0.003, 0] });
});

test('one metric has one unit: values of another one are refused, with the cure', async () => {
  const agent = await world.start(yaml());
  await send(['a:1|ms\na:1|h\na:2|ms']);
  await values(agent, 2);
  await agent.registry.gather();
  expect(packets(agent).refusedValues).toBe(1);
  expect(source(agent).lastError).toMatch(
    /1 value had no series; first: the values of "a" \(h\) must have the unit of the metric: it has the unit s, and they have no unit; state one for both in units/,
  );
});

test('tags and names without end make no more series than there may be', async () => {
  const agent = await world.start(yaml("address: '127.0.0.1:0', maxSeries: 50"));
  for (let i = 0; i < 100; i++) {
    await send([
      Array.from({ length: 50 }, (_, j) => `a:1|ms|#t:${i * 50 + j}\nn${i * 50 + j}:1|ms`).join('\n'),
    ]);
    await values(agent, 50 * (i + 1));
  }
  await until('all came', async () => {
    await agent.registry.gather();
    return packets(agent).received === 100;
  });
  const all = await series(agent);
  expect(Object.keys(all).length).toBeLessThanOrEqual(50 + 50);
  const counted = Object.values(all).reduce((sum, [count]) => sum + count, 0);
  expect(counted + packets(agent).refusedValues).toBe(10_000);
  expect(source(agent).values).toBe(counted);
  expect(all['a/s otel.metric.overflow=true']![0]).toBeGreaterThan(4900);
});

test('values that were sent before the end count, and a later run goes on', async () => {
  const agent = await world.start(yaml());
  await send(['a:1|ms', 'a:2|ms|@0.5']);
  expect(await agent.stop()).toEqual([]);
  expect(source(agent)).toMatchObject({ values: 2, packets: { received: 2, estimatedValues: 1 } });
  const second = await world.start(yaml());
  await second.reload(() => configOf(yaml("address: '127.0.0.1:0', maxSeries: 9")));
  await send(['a:1|ms']);
  await values(second, 1);
  expect(await series(second)).toEqual({ 'a/s via=udp': [1, 0.001, 0] });
});

testUnless(lackOfFile('/proc/net/udp6'))('IPv6 is received', async () => {
  const agent = await world.start(yaml("address: '[::1]:0'"));
  await send(['a:1|ms'], port(), '::1');
  await values(agent, 1);
  await agent.registry.gather();
  expect(packets(agent).dropped).toBe(0);
});

describe.each(['koffi', 'Node.js'])('with the sockets of %s', (route) => {
  testUnless(lackOfFile('/proc/net/udp'))(
    'what was sent is what was taken and what the kernel dropped',
    async () => {
      let taken = 0;
      const take = () => void taken++;
      const host = { host: '127.0.0.1', port: 0 };
      const load = route === 'koffi' ? undefined : async () => undefined;
      const receiver = await receiveUdp(host, 20_000, take, () => {}, load);
      // The process is busy meanwhile.
      const program = `const s = require('dgram').createSocket('udp4'); let left = 5000;
      s.connect(${receiver.port}, '127.0.0.1', () => { for (let i = 0; i < 5000; i++) s.send('a:1|ms', () => --left || s.close()); });`;
      expect(spawnSync(process.execPath, ['-e', program]).status).toBe(0);
      await receiver.drain();
      const dropped = (await receiver.readDrops())!;
      await receiver.close();
      expect(dropped).toBeGreaterThan(0);
      expect(taken + dropped).toBe(5000);
    },
  );
});

testUnless(lackOfProgram('python3'))(
  'Unix datagrams are received, and the socket goes with the source',
  async () => {
    const path = world.pathOf('statsd.sock');
    const from = (text: string, count: number): void => {
      const program = `import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(${JSON.stringify(path)})
for i in range(${count}): s.send(${JSON.stringify(text)}.encode())`;
      execFileSync('python3', ['-c', program]);
    };
    // A program that was killed has left its socket.
    execFileSync('python3', [
      '-c',
      `import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind(${JSON.stringify(path)})`,
    ]);
    const agent = await world.start(yaml(`path: ${path}`));
    from('a:1|ms|#x:y', 5);
    await values(agent, 5);
    expect(await series(agent)).toEqual({ 'a/s x=y via=udp': [5, 0.005, 0] });
    expect(packets(agent).dropped).toBe(0);
    const other = await world.start(yaml(`path: ${path}`));
    expect(source(other)).toMatchObject({
      state: 'waiting',
      lastError: expect.stringMatching(/bind EADDRINUSE/),
    });
    from('a:1|ms|#x:y', 2);
    await agent.stop();
    expect(source(agent).values).toBe(7);
    await until('the other one has it', () => source(other).state === 'running');
    await other.stop();
    expect(existsSync(path)).toBe(false);
  },
);

testUnless(lackOfProgram('python3'))(
  'a Unix datagram that is too large does not count, and is no end of the next ones',
  async () => {
    const path = world.pathOf('statsd.sock');
    const agent = await world.start(yaml(`path: ${path}`));
    // The first one has as many bytes as there may be.
    const program = `import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(${JSON.stringify(path)})
for size in (65536, 65537, 150000, 6): s.send(b'a:1|ms\\n'.ljust(size, b'\\n')[:size])`;
    // The sender waits for the agent, which is in this process.
    await promisify(execFile)('python3', ['-c', program]);
    await values(agent, 2);
    await agent.registry.gather();
    expect(packets(agent)).toMatchObject({ received: 4, malformed: 2 });
    expect(source(agent).lastError).toMatch(
      /2 lines did not count; first: a packet must have at most 65536 bytes/,
    );
    expect(await series(agent)).toEqual({ 'a/s via=udp': [2, 0.002, 0] });
  },
);

test('the kernel names a socket by its address', () => {
  const table = `  sl  local_address rem_address   st
   6: 0100007F:1FBD 00000000:0000 07 00000000:00000000 00:00000000 00000000  0 0 1 2 0 12
   7: 0200007F:1FBD 00000000:0000 07 00000000:00000000 00:00000000 00000000  0 0 1 2 0 34
   8: 00000000000000000000000001000000:1FBD 00000000000000000000000000000000:0000 07 0:0 00:0 0 0 0 1 2 0 56
`;
  const addresses = ['127.0.0.1', '127.0.0.2', '::1', '::'];
  expect(addresses.map((one) => findDrops(table, one, 8125))).toEqual([12, 34, 56, undefined]);
  expect(findDrops(table.repeat(2), '127.0.0.1', 8125)).toBeUndefined();
  expect([...readAddress('fe80::1:2%eth0')]).toEqual([0xfe, 0x80, ...new Array(11).fill(0), 1, 0, 2]);
  expect(readAddress('::ffff:127.0.0.1').toString('hex')).toBe(`${'0'.repeat(20)}ffff7f000001`);
});

test('listens for other machines only when it may, and at one place', () => {
  const issues = (more: string) => parseConfig(yaml(more)).issues.map(({ message }) => message);
  expect(issues("address: '0.0.0.0:8125'")).toEqual([expect.stringMatching(/address of this machine alone/)]);
  expect(issues("address: '0.0.0.0:8125', allowRemote: true")).toEqual([]);
  expect(issues("address: '127.0.0.1:1', path: x")).toEqual([
    expect.stringMatching(/a source has one socket/),
  ]);
  expect(issues('units: { a: parsec }')).toEqual([expect.stringMatching(/must be ns, us/)]);
});
