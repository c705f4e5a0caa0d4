import { chmodSync } from 'node:fs';
import {
  type ClusterFollower,
  histogramReplies,
  PerfHistogram,
  type RunningAdminSocket,
  serveAdminSocket,
} from '@hdrscope/ceph';
import { type ClusterInterval, summarizeOperations } from '@hdrscope/ceph/internal';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { followSockets, topText } from '../../src/commands/ceph/top.ts';
import { hdrscope } from '../support/fake-io.ts';
import { FakeOsd } from '../support/fake-osd.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const running: RunningAdminSocket[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
});

async function serve(name: string, osd: FakeOsd, onAsked?: () => void): Promise<RunningAdminSocket> {
  const socket = await osd.serve(folder.pathOf(`ceph-${name}.asok`), onAsked);
  running.push(socket);
  return socket;
}

/** A clock that moves on by a second at each look. */
function seconds(): () => number {
  let ms = 0;
  return () => {
    ms += 1000;
    return ms;
  };
}

/** Serves two OSDs that work once, between the first reading and the second. */
async function busyCluster(): Promise<void> {
  const [fast, slow] = [new FakeOsd(), new FakeOsd()];
  fast.operate('w', 50_000_000, 4096, 1000);
  let asked = 0;
  await serve('osd.0', fast, () => {
    if (++asked !== 2) return;
    fast.operate('w', 500_000, 4096, 700);
    fast.operate('w', 3_000_000, 262_144, 20);
    fast.operate('r', 150_000, 4096, 50);
  });
  let slowAsked = 0;
  await serve('osd.10', slow, () => {
    if (++slowAsked === 2) slow.operate('w', 20_000_000, 4096, 30);
  });
}

const RUN = ['--interval', '10ms'];

test('shows all operations, kinds, sizes and the slowest OSDs of an interval', async () => {
  await busyCluster();
  const args = ['ceph', 'top', folder.pathOf('.'), '--once', '--percentiles', '50,99', ...RUN];
  const { exitCode, stdout, stderr } = await hdrscope(args, { monotonicMs: seconds() });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`2 OSDs, 1.0 s: 800 operations
operations         ops/s               mean              p50              p99
all                  800            1.27 ms    400 to 800 µs  12.8 to 25.6 ms
reads                 50             150 µs    100 to 200 µs    100 to 200 µs
  4 to 64 KiB         50      100 to 200 µs    100 to 200 µs    100 to 200 µs
writes               750            1.35 ms    400 to 800 µs  12.8 to 25.6 ms
  4 to 64 KiB        730  910 µs to 1.82 ms    400 to 800 µs  12.8 to 25.6 ms
  64 KiB to 1 MiB     20      1.6 to 3.2 ms    1.6 to 3.2 ms    1.6 to 3.2 ms
slowest OSDs
osd.10                30              20 ms  12.8 to 25.6 ms  12.8 to 25.6 ms
osd.0                770             542 µs    400 to 800 µs    1.6 to 3.2 ms
`);
});

test('--json has exact counts, bounds, and the sources of means', async () => {
  await busyCluster();
  const args = ['ceph', 'top', folder.pathOf('.'), '--once', '--json', '--percentiles', '99', ...RUN];
  const { stdout } = await hdrscope(args, { monotonicMs: seconds() });
  const { operations, kinds, slowest, daemons, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({ seconds: 1, late: [], leftOut: [], others: [] });
  expect(operations).toEqual({
    name: 'operations',
    unit: 'ns',
    count: 800,
    ratePerSec: 800,
    min: { lower: 100_000, upper: 200_000, value: 200_000 },
    mean: { lower: 1_271_875, upper: 1_271_875, value: 1_271_875 },
    max: { lower: 12_800_000, upper: 25_600_000, value: 25_600_000 },
    sumSource: 'perf dump',
    percentiles: [{ percentile: 99, lower: 12_800_000, upper: 25_600_000, value: 25_600_000 }],
  });
  expect(
    kinds.map(({ kind, count, sizes }: { kind: string; count: number; sizes: object[] }) => [
      kind,
      count,
      sizes.length,
    ]),
  ).toEqual([
    ['reads', 50, 1],
    ['writes', 750, 2],
    ['read-writes', 0, 0],
  ]);
  expect(kinds[1].sizes[1]).toEqual({
    name: 'writes of 64K-1M',
    unit: 'ns',
    from: 65_536,
    to: 1_048_576,
    count: 20,
    ratePerSec: 20,
    min: { lower: 1_600_000, upper: 3_200_000, value: 3_200_000 },
    mean: { lower: 1_600_000, upper: 3_200_000, value: 3_200_000 },
    max: { lower: 1_600_000, upper: 3_200_000, value: 3_200_000 },
    sumSource: 'slots',
    percentiles: [{ percentile: 99, lower: 1_600_000, upper: 3_200_000, value: 3_200_000 }],
  });
  expect(slowest.map(({ daemon, count }: { daemon: string; count: number }) => [daemon, count])).toEqual([
    ['osd.10', 30],
    ['osd.0', 770],
  ]);
  expect(daemons).toEqual([
    { name: 'osd.0', state: 'counted', ageSeconds: 0 },
    { name: 'osd.10', state: 'counted', ageSeconds: 0 },
  ]);
});

/** The figures of an interval as text of some width. */
function textOf(
  interval: ClusterInterval,
  columns: number,
  top = 10,
  percentiles: readonly number[] = [50, 99],
): string {
  const figures = summarizeOperations(interval, { percentiles, sizes: [4096, 65_536, 1_048_576] });
  return topText(interval, figures, { percentiles, columns, top, bold: (text) => text });
}

/** A follower of the sockets in the folder, after its first reading. */
async function followed(): Promise<ClusterFollower> {
  const follower = await followSockets([folder.pathOf('.')], seconds());
  await follower.start();
  return follower;
}

test('fits into a terminal of 40 columns', async () => {
  const osd = new FakeOsd();
  await serve('osd.1234', osd);
  const other = new FakeOsd();
  const gone = await serve('osd.77', other);
  const follower = await followed();
  osd.operate('w', 12_345_678, 100, 123_456);
  osd.operate('w', 12_345_678, 4096, 100);
  osd.operate('rw', 250_000_000_000, 2 ** 24, 3);
  await gone.close();
  const interval = await follower.advance();
  const text = textOf(interval, 40);
  expect(text).toBe(`1 OSD, 1.0 s: 123,559 operations
osd.77 has not answered for 1.0 s: it is
  no longer there
operations  ops/s       p50       p99
all          124k  <12.8 ms  <12.8 ms
writes       124k  <12.8 ms  <12.8 ms
  <4K        123k  <12.8 ms  <12.8 ms
  4K-64K      100  <12.8 ms  <12.8 ms
rw            3.0    <419 s    <419 s
  1M+         3.0    <419 s    <419 s
OSD
osd.1234     124k  <12.8 ms  <12.8 ms
`);
  for (const columns of [40, 47, 60, 80, 120]) {
    for (const line of textOf(interval, columns).split('\n'))
      expect(line.length).toBeLessThanOrEqual(columns);
  }
  expect(textOf(interval, 40, 10, [50, 90, 99, 99.9])).toContain('operations  ops/s       p99     p99.9\n');
});

test('restarts, resets, absences and arrivals are reported, and count nothing twice', async () => {
  const [one, two] = [new FakeOsd(), new FakeOsd()];
  one.operate('w', 5000, 4096, 10);
  const first = await serve('osd.1', one);
  const second = await serve('osd.2', two);
  const follower = await followed();
  const states = async (): Promise<[state: string, count: bigint][]> => {
    const interval = await follower.advance();
    const { slowest } = summarizeOperations(interval, { percentiles: [99], sizes: [] });
    return interval.daemons.map(({ name, state }) => [
      `${name} ${state}`,
      slowest.find(({ daemon }) => daemon === name)?.count ?? 0n,
    ]);
  };

  // A restart after which no cell is lower than before.
  await first.close();
  one.restart();
  one.operate('w', 5000, 4096, 12);
  const third = await serve('osd.1', one);
  expect(await states()).toEqual([
    ['osd.1 restarted', 12n],
    ['osd.2 counted', 0n],
  ]);
  await second.close();
  await serve('osd.3', new FakeOsd());
  expect(await states()).toEqual([
    ['osd.1 counted', 0n],
    ['osd.2 gone', 0n],
    ['osd.3 new', 0n],
  ]);
  one.restart();
  one.operate('w', 5000, 4096, 1);
  expect((await states())[0]).toEqual(['osd.1 restarted', 1n]);
  await third.close();
  two.operate('r', 5000, 4096, 4);
  await serve('osd.2', two);
  const interval = await follower.advance();
  // It has another socket, so it may have restarted: all its counts are new.
  expect(textOf(interval, 80).split('\n').slice(0, 5)).toEqual([
    '2 OSDs, 1.0 s: 4 operations',
    'osd.1 has not answered for 1.0 s: it is no longer there',
    'osd.2 began anew: its operations are those since then',
    'osd.2 is back: its operations are those of 3.0 s',
    expect.stringContaining('operations'),
  ]);
});

test('a daemon that does not answer for a while is read over all that time', async () => {
  const osd = new FakeOsd();
  let isDeaf = false;
  await serve('osd.0', osd, () => {
    if (isDeaf) throw new Error('not now');
  });
  const follower = await followed();
  isDeaf = true;
  osd.operate('w', 5000, 4096, 6);
  const deaf = await follower.advance();
  expect(textOf(deaf, 200)).toMatch(
    /^0 OSDs, 1.0 s: 0 operations\nosd.0 has not answered for 1\.0 s: .*not now\n$/,
  );
  isDeaf = false;
  const back = await follower.advance();
  expect(back.daemons[0]).toMatchObject({ state: 'counted', seconds: 2 });
  expect(summarizeOperations(back, { percentiles: [], sizes: [] }).all).toMatchObject({
    count: 6n,
    ratePerSec: 3,
  });
});

test('a cluster at rest has one line, and more OSDs than rows are counted', async () => {
  const osds = Array.from({ length: 4 }, () => new FakeOsd());
  for (const [id, osd] of osds.entries()) await serve(`osd.${id}`, osd);
  const follower = await followed();
  expect(textOf(await follower.advance(), 80)).toBe('4 OSDs, 1.0 s: 0 operations\n');
  for (const [id, osd] of osds.entries()) osd.operate('w', 10 ** (4 + id), 4096);
  const lines = textOf(await follower.advance(), 80, 2)
    .trimEnd()
    .split('\n');
  expect(lines.slice(-4).map((line) => line.split(' ')[0])).toEqual(['slowest', 'osd.3', 'osd.2', 'and']);
  expect(lines.at(-1)).toBe('and 2 more');
});

/** A program that answers as `ceph tell` does for `osd.*`. */
function fakeCeph(osds: Readonly<Record<string, FakeOsd>>, more = ''): string {
  const print = (what: (osd: FakeOsd) => string): string =>
    Object.entries(osds)
      .map(([name, osd]) => `echo '${name}: ${what(osd)}'`)
      .join('\n');
  const numbers = print((osd) => JSON.stringify({ osd: osd.numbers() }));
  const path = folder.write(
    `ceph-${Math.random()}`,
    `#!/bin/sh
[ "$1 $3" = "tell perf" ] || exit 9
case "$4" in
dump) ${numbers} ;;
histogram) ${print((osd) => osd.dump())} ;;
esac
${more}
`,
  );
  chmodSync(path, 0o755);
  return path;
}

test('--tell asks by the ceph program, and reports OSDs that it cannot reach', async () => {
  const [one, two] = [new FakeOsd(), new FakeOsd()];
  const ceph = fakeCeph(
    { 'osd.0': one, 'osd.11': two },
    "echo 'Error ENXIO: problem getting command descriptions from osd.4' >&2; exit 6",
  );
  const args = ['ceph', 'top', '--tell', '--ceph', ceph, '--once', '--json', ...RUN];
  const { exitCode, stdout, stderr } = await hdrscope(args);
  expect([exitCode, stderr]).toEqual([
    0,
    'hdrscope: osd.4 does not answer: Error ENXIO: problem getting command descriptions from osd.4\n',
  ]);
  expect(JSON.parse(stdout).daemons).toEqual([
    { name: 'osd.0', state: 'counted', ageSeconds: 0 },
    {
      name: 'osd.4',
      state: 'waiting',
      ageSeconds: null,
      problem: 'Error ENXIO: problem getting command descriptions from osd.4',
    },
    { name: 'osd.11', state: 'counted', ageSeconds: 0 },
  ]);
});

test('OSDs that have never answered share one line', async () => {
  const osd = new FakeOsd();
  const down = Array.from({ length: 7 }, (_, id) => `echo 'Error ENXIO: osd.${id + 4} is down' >&2`);
  const ceph = fakeCeph({ 'osd.0': osd }, `${down.join('\n')}\nexit 6`);
  const { stdout } = await hdrscope(['ceph', 'top', '--tell', '--ceph', ceph, '--once', ...RUN]);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^1 OSD, .* 0 operations$/),
    'osd.4, osd.5, osd.6, osd.7, osd.8 and 2 more: never answered',
  ]);
});

test.each([
  [['nope'], 1, 'no such file: nope'],
  [['package.json'], 1, 'package.json is neither an admin socket nor a folder of sockets'],
  [['.'], 1, "no daemon with histograms answers: among Ceph's daemons, OSDs have some"],
  [['--tell', 'osd.1', 'x.asok'], 2, '--tell asks the cluster: it takes no sockets'],
  [['--tell', '--ceph', '/nope/ceph'], 1, '/nope/ceph tell osd.* has failed: there is no such program'],
  [['--tell', '--ceph', '/bin/false'], 1, '/bin/false tell osd.* has failed'],
  [['.', '--sizes', '64KiB,4KiB'], 2, '--sizes must be ascending sizes'],
  [['.', '--sizes', '4ms'], 2, '--sizes must be ascending sizes'],
])('refuses %j', async (args, exitCode, message) => {
  const ran = await hdrscope(['ceph', 'top', ...args]);
  expect([ran.exitCode, ran.stdout]).toEqual([exitCode, '']);
  expect(ran.stderr).toContain(message);
});

test('a class of sizes that begins within a slot is refused, with the nearest bounds', async () => {
  await busyCluster();
  const args = ['ceph', 'top', folder.pathOf('.'), '--once', '--sizes', '5000', ...RUN];
  const { exitCode, stderr } = await hdrscope(args);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('such as 4096 or 8192, got 5000')]);
});

test('a terminal gets one screen for each interval', async () => {
  await serve('osd.0', new FakeOsd());
  const args = ['ceph', 'top', folder.pathOf('.'), '-n', '2', ...RUN];
  const { stdout } = await hdrscope(args, { isTerminal: true });
  expect(stdout.split('\u001b[H\u001b[2J')).toHaveLength(3);
});

test('names of sockets do not control a terminal', async () => {
  const osd = new FakeOsd();
  let asked = 0;
  await serve('osd.\u001b[41m7', osd, () => ++asked === 2 && osd.operate('w', 5000, 4096));
  const gone = await serve('osd.\u001b]0;x', new FakeOsd());
  const args = ['ceph', 'top', folder.pathOf('.'), '-n', '1', '--interval', '300ms'];
  const running = hdrscope(args, { isTerminal: true, environment: { NO_COLOR: '1' } });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await gone.close();
  const { stdout, stderr } = await running;
  const shown = stdout.replaceAll('\u001b[H\u001b[2J', '');
  expect(shown).toContain('osd.\\x1b[41m7');
  expect(shown + stderr).not.toContain('\u001b');
});

test('a daemon that is no OSD is named, and is not counted as one', async () => {
  await busyCluster();
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  histogram.record(1000, 4096);
  const loggers = [{ name: 'app', counters: [{ name: 'reads', histogram }] }];
  const path = folder.pathOf('client.asok');
  running.push(await serveAdminSocket({ path, histograms: histogramReplies(() => loggers) }));
  const args = ['ceph', 'top', folder.pathOf('.'), '--once', ...RUN];
  const { stdout } = await hdrscope(args, { monotonicMs: seconds() });
  expect(stdout).toMatch(
    /^2 OSDs, 1\.0 s: 800 operations\n.*client.* has no histograms of an OSD's operations\n/,
  );
});

test('two sockets of one name are refused: their counts would be compared with each other', async () => {
  await serve('osd.0', new FakeOsd());
  const args = ['ceph', 'top', folder.pathOf('.'), folder.pathOf('ceph-osd.0.asok'), '--once', ...RUN];
  const { exitCode, stdout, stderr } = await hdrscope(args, { monotonicMs: seconds() });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/two sockets are those of osd\.0/);
});
