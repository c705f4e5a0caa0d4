import { mkdirSync, readFileSync } from 'node:fs';
import { lackOfShared, sharedPath, testUnless } from '@hdrscope/testing';
import { OSD_DUMP } from '@hdrscope/testing/osd';
import { dumpOf, serveDumps } from '../support/ceph-daemon.ts';
import { hdrscope } from '../support/fake-io.ts';
import { FakeOsd } from '../support/fake-osd.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const MISLABEL = `hdrscope: the axis "Latency (usec)" counts nanoseconds in OSDs, and is read so; --units 'Latency (usec)=us' overrides this\n`;

test('prints percentiles and means of every axis, for a daemon and for a file', async () => {
  const path = folder.write('osd.json', OSD_DUMP);
  const socket = await serveDumps(folder.pathOf('ceph-osd.0.asok'), [OSD_DUMP]);
  for (const input of [path, socket.path]) {
    expect(await hdrscope(['ceph', 'dump', '--percentiles', '50,90,99', input])).toEqual({
      exitCode: 0,
      stdout: `osd.op_w_latency_in_bytes_histogram: 62,049 values
  axis                            p50               p90               p99           mean
  Latency (usec)        400 to 800 µs  800 µs to 1.6 ms  800 µs to 1.6 ms  369 to 739 µs
  Request size (bytes)     4 to 8 KiB        4 to 8 KiB        4 to 8 KiB     4 to 8 KiB
`,
      stderr: MISLABEL,
    });
  }
});

test("the means of an OSD's socket are those of its own sums, and those of a range are bounds", async () => {
  const osd = new FakeOsd();
  osd.operate('w', 500_000, 4096, 2);
  osd.operate('w', 900_001, 5120);
  const socket = await osd.serve(folder.pathOf('measured.asok'));
  try {
    const counter = ['--counter', 'op_w_latency_in_bytes_histogram'];
    const run = async (...args: string[]): Promise<string> =>
      (await hdrscope(['ceph', 'dump', socket.path, ...counter, ...args])).stdout;
    const means = (text: string): string[] =>
      text
        .trimEnd()
        .split('\n')
        .slice(2)
        .map((line) => line.split(/ {2,}/).at(-1)!);
    expect(means(await run())).toEqual(['633 µs', '4.33 KiB']);
    expect(means(await run('--where', 'size=4KiB..8KiB'))).toEqual(['533 µs to 1.07 ms', '4 to 8 KiB']);
    const [{ axes }] = JSON.parse(await run('--json'));
    expect(axes.map(({ sum, sumSource }: { sum: object; sumSource: string }) => [sum, sumSource])).toEqual([
      [{ lower: 1_900_001, upper: 1_900_001 }, 'perf dump'],
      [{ lower: 13_312, upper: 13_312 }, 'perf dump'],
    ]);
  } finally {
    await socket.close();
  }
});

test('dumps of one pipe are told apart, and its other lines are reported', async () => {
  const run = (text: string, ...args: string[]) => hdrscope(['ceph', 'dump', '-', ...args], { stdin: text });
  const two = await run(`\ufeff${dumpOf([0, 1, 0])}${dumpOf([0, 2, 0])}`);
  expect([two.exitCode, two.stderr]).toEqual([0, '']);
  expect(two.stdout.match(/^standard.*$/gm)).toEqual([
    'standard input 1 osd.op: 1 value',
    'standard input 2 osd.op: 2 values',
  ]);
  const noisy = `$ ceph daemon osd.0 perf histogram dump\n${dumpOf([0, 1, 0])}`;
  for (const format of ['--json', '--raw']) {
    const { exitCode, stderr } = await run(noisy, format);
    expect([exitCode, stderr]).toEqual([
      0,
      'hdrscope: standard input: skipped, as it is no part of a dump: line 1, "$ ceph daemon osd.0 perf histogram dump"\n',
    ]);
  }
  const cut = await run(dumpOf([0, 1, 0]) + dumpOf([0, 2, 0]).slice(0, 1));
  expect([cut.exitCode, cut.stdout]).toEqual([1, '']);
  expect(cut.stderr).toMatch(/^hdrscope: standard input: line 1, column \d+: .* got the end/);
});

test('a folder stands for the sockets in it', async () => {
  mkdirSync(folder.pathOf('run'));
  await serveDumps(folder.pathOf('run/ceph-osd.0.asok'), [dumpOf([0, 1, 0])]);
  await serveDumps(folder.pathOf('run/ceph-osd.1.asok'), [dumpOf([0, 2, 0])]);
  const { stdout } = await hdrscope(['ceph', 'dump', folder.pathOf('run')]);
  expect(stdout.match(/^ceph-osd.*$/gm)).toEqual([
    'ceph-osd.0 osd.op: 1 value',
    'ceph-osd.1 osd.op: 2 values',
  ]);
  mkdirSync(folder.pathOf('empty'));
  const { exitCode, stderr } = await hdrscope(['ceph', 'dump', folder.pathOf('empty')]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('empty has no sockets: no file in it is a socket'),
  ]);
});

test('--where limits the values to a range', async () => {
  const args = ['ceph', 'dump', '-', '--percentiles', '50'];
  const run = async (where: string): Promise<string[]> => {
    const { stdout } = await hdrscope([...args, '--where', where], { stdin: OSD_DUMP });
    return stdout.split('\n')[0]!.split(': ');
  };
  const name = 'osd.op_w_latency_in_bytes_histogram';
  expect(await run('Request size (bytes)=4KiB..8KiB')).toEqual([name, '62,048 values']);
  expect(await run('size=..4096')).toEqual([name, '1 value']);
  expect(await run('size=8KiB..')).toEqual([name, 'nothing was counted']);
  // The latency axis counts nanoseconds.
  const above = await run('latency=0.4ms..');
  expect(above).toEqual(await run('latency=400000..'));
});

test.each([
  [
    'size=4KiB',
    "--where must be an axis and values, as in 'Request size (bytes)=4KiB..8KiB', size=..64KiB or latency=1ms.., got 'size=4KiB'",
    2,
  ],
  ['size=..', '--where must be an axis and values', 2],
  ['size=1ms..', `--where: values of "Request size (bytes)" must be written like 4KiB, got '1ms'`, 2],
  [
    'size=5000..',
    'the range of "Request size (bytes)": from must be the lower bound of a slot, such as 4096 or 8192, got 5000',
    1,
  ],
  [
    'age=1..',
    'no histogram has such an axis, or several axes match: osd.op_w_latency_in_bytes_histogram has "Latency (usec)", "Request size (bytes)"',
    1,
  ],
  ['e=1..', 'no histogram has such an axis, or several axes match', 1],
])('refuses --where %s', async (where, message, exitCode) => {
  const ran = await hdrscope(['ceph', 'dump', '-', '--where', where], { stdin: OSD_DUMP });
  expect([ran.exitCode, ran.stdout]).toEqual([exitCode, '']);
  expect(ran.stderr).toContain(message);
});

test('histograms without the axis of a condition are left out, and reported', async () => {
  const both = `${OSD_DUMP.slice(0, -2)},${dumpOf([0, 1, 0]).slice('{"osd":{'.length)}`;
  const { stdout, stderr } = await hdrscope(['ceph', 'dump', '-', '--where', 'size=4KiB..'], { stdin: both });
  expect(stdout).not.toContain('osd.op:');
  expect(stderr).toContain('hdrscope: left out by --where: osd.op has "Depth"\n');
});

test('--json prints exact counts, and null for an open bound', async () => {
  const stdin = dumpOf([0, 2n ** 60n + 1n, 0, 0]);
  const { stdout, exitCode } = await hdrscope(['ceph', 'dump', '--json', '-'], { stdin });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    '\n    "count": 1152921504606846977,\n    "axes": [\n      {\n        "name": "Depth",\n',
  );
  const few = await hdrscope(['ceph', 'dump', '--json', '--percentiles', '50,99', '-'], {
    stdin: dumpOf([1, 6, 0, 3]),
  });
  expect(JSON.parse(few.stdout)).toEqual([
    {
      source: 'standard input',
      daemon: null,
      logger: 'osd',
      counter: 'op',
      count: 10,
      axes: [
        {
          name: 'Depth',
          unit: 'none',
          unitSource: 'unknown',
          count: 10,
          min: { lower: null, upper: 0, value: 0 },
          mean: { lower: null, upper: null, value: null },
          max: { lower: 16, upper: null, value: null },
          percentiles: [
            { percentile: 50, lower: 0, upper: 8, value: 8 },
            { percentile: 99, lower: 16, upper: null, value: null },
          ],
          sum: { lower: null, upper: null },
          sumSource: 'slots',
        },
      ],
      notes: [],
    },
  ]);
});

test('a histogram of more than 2^53 - 1 values has no percentiles', async () => {
  const { stdout, stderr } = await hdrscope(['ceph', 'dump', '-'], {
    stdin: dumpOf([0, 2n ** 60n, 2n ** 60n]),
  });
  expect(stderr).toBe('hdrscope: osd.op has no percentiles: they need at most 2^53 - 1 values\n');
  expect(
    stdout
      .split('\n')
      .slice(0, 3)
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ['osd.op: 2,305,843,009,213,693,952 values'],
    ['axis', 'p50', 'p90', 'p99', 'p99.9', 'mean'],
    ['Depth', '-', '-', '-', '-', '-'],
  ]);
});

test('prints open ends, single integers, and means of sums', async () => {
  const rows = async (stdin: string): Promise<string[]> => {
    const { stdout } = await hdrscope(['ceph', 'dump', '--percentiles', '1,50,100', '-'], { stdin });
    return stdout.split('\n')[2]!.trim().split(/ {2,}/);
  };
  expect(await rows(dumpOf([1, 1, 0, 1]))).toEqual(['Depth', 'below 0', '0 to 8', '16 or more', 'any']);
  expect(await rows(dumpOf([0, 0, 7, 0], 'op', { quant_size: 1 }))).toEqual(['Depth', '1', '1', '1', '1']);
  const withSum = dumpOf([0, 2, 2, 0]).replace('"values"', '"sum":[30],"values"');
  expect(await rows(withSum)).toEqual(['Depth', '0 to 8', '0 to 8', '8 to 16', '7.5']);
});

test('an unknown axis of --units is refused, with the axes that there are', async () => {
  for (const command of ['dump', 'heatmap']) {
    const args = ['ceph', command, '-', '--units', 'Latency=us'];
    const { exitCode, stdout, stderr } = await hdrscope(args, { stdin: OSD_DUMP });
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      `hdrscope: --units must be for one of the axes "Latency (usec)", "Request size (bytes)", got 'Latency'\n`,
    ]);
  }
});

test('names each of several daemons', async () => {
  const stdin = `osd.0: ${dumpOf([0, 1, 0])}\nosd.1: ${dumpOf([0, 0, 0])}\n`;
  const { stdout } = await hdrscope(['ceph', 'dump', '-'], { stdin });
  expect(stdout).toMatch(/^osd\.0 osd\.op: 1 value\n/);
  expect(stdout).toMatch(/\nosd\.1 osd\.op: nothing was counted\n$/);
});

test('--logger and --counter select histograms, --units sets the unit of an axis', async () => {
  const both = `${OSD_DUMP.slice(0, -2)},${dumpOf([0, 1, 0]).slice('{"osd":{'.length)}`;
  const one = await hdrscope(['ceph', 'dump', '-', '--counter', 'op', '--units', 'Depth=ms'], {
    stdin: both,
  });
  expect([one.exitCode, one.stderr]).toEqual([0, '']);
  expect(one.stdout).toContain('0 to 8 ms');
  const none = await hdrscope(['ceph', 'dump', '-', '--logger', 'mon'], { stdin: both });
  expect([none.exitCode, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toContain('standard input: no such histogram');
  const word = ['--units', 'Latency (usec)=us', '--percentiles', '50'];
  const believed = await hdrscope(['ceph', 'dump', '-', ...word], { stdin: OSD_DUMP });
  expect([believed.stderr, believed.stdout.includes('400 to 800 ms')]).toEqual(['', true]);
  const wrong = await hdrscope(['ceph', 'dump', '-', '--units', 'Depth=days'], { stdin: both });
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    "hdrscope: --units must be an axis and one of ns, us, ms, s, bytes, none, as in 'Latency (usec)=us', got 'Depth=days'\n",
  ]);
});

test.each([
  [['nope.asok'], 1, 'no such file: nope.asok'],
  [['-', '-'], 2, '- is standard input, which can be read only once'],
  [
    ['-'],
    1,
    'standard input: the text must have a line that begins with { or <perfcounter_collection>, got no such line',
  ],
  [['--raw', '--json', '-'], 2, '--json and --raw exclude each other'],
  [[], 2, "missing required argument 'socket|file'"],
])('refuses %j', async (args, exitCode, message) => {
  const ran = await hdrscope(['ceph', 'dump', ...args], { stdin: 'not a dump' });
  expect([ran.exitCode, ran.stdout]).toEqual([exitCode, '']);
  expect(ran.stderr).toContain(message);
});

test('--raw prints the dump of a daemon unchanged, and dumps of several daemons as ceph tell does', async () => {
  const pretty = (text: string): string => `${JSON.stringify(JSON.parse(text), undefined, 4)}\n`;
  const socket = await serveDumps(folder.pathOf('raw.asok'), [OSD_DUMP]);
  const one = await hdrscope(['ceph', 'dump', '--raw', socket.path]);
  expect([one.exitCode, one.stdout, one.stderr]).toEqual([0, pretty(OSD_DUMP), '']);
  const several = await hdrscope(['ceph', 'dump', '--raw', '-'], {
    stdin: `osd.0: ${OSD_DUMP}\nosd.7: {"cct":{}}\n`,
  });
  expect(several.stdout).toBe(`osd.0: ${pretty(OSD_DUMP)}osd.7: {\n    "cct": {}\n}\n`);
});

const RECORDED = 'data/ceph/real-dump.json';

testUnless(lackOfShared(RECORDED))('--raw is what Ceph 16.2.15 prints, byte for byte', async () => {
  const path = sharedPath(RECORDED);
  const { stdout } = await hdrscope(['ceph', 'dump', '--raw', path]);
  expect(stdout).toBe(readFileSync(path, 'utf8'));
});
