import { plotFromJson } from '@hdrscope/plot';
import { OSD_DUMP, OSD_DUMP_LATER } from '@hdrscope/testing/osd';
import { dumpOf, serveDumps } from '../support/ceph-daemon.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const WRITES = 'osd.op_w_latency_in_bytes_histogram';

function totalOf(text: string): number {
  const plot = plotFromJson(text);
  if (plot.kind !== 'heat-map' && plot.kind !== 'bars') throw new Error(`${plot.kind} is not expected`);
  return plot.counts.flat().reduce((a, b) => a + b, 0);
}

test('draws latency over size', async () => {
  const { exitCode, stdout } = await hdrscope(['ceph', 'heatmap', '-'], { stdin: OSD_DUMP });
  expect(exitCode).toBe(0);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 2)).toEqual([`${WRITES} of standard input`, '62,049 values since the daemon began']);
  expect(lines[2]).toMatch(/^Latency +total$/);
  expect(stdout).toMatch(/ 400 µs │/);
  expect(stdout).toContain('4 KiB');
  expect(stdout).toMatch(/\n +Request size\n/);
  expect(stdout).toMatch(/\nvalues: {2}░ /);
});

test('colours appear on terminals only, and not with NO_COLOR', async () => {
  const coloured = '\u001b[48;2;';
  const args = ['ceph', 'heatmap', '-'];
  const run = async (world: object): Promise<string> =>
    (await hdrscope(args, { stdin: OSD_DUMP, ...world })).stdout;
  expect(await run({ isTerminal: true })).toContain(coloured);
  expect(await run({ isTerminal: true, environment: { NO_COLOR: '1' } })).not.toContain(coloured);
  expect(await run({})).not.toContain(coloured);
});

test('--earlier draws the values since an earlier dump', async () => {
  const earlier = folder.write('earlier.json', OSD_DUMP);
  const args = ['ceph', 'heatmap', '-', '--earlier', earlier];
  const { stdout } = await hdrscope([...args, '--json'], { stdin: OSD_DUMP_LATER });
  expect(totalOf(stdout)).toBe(83_959 - 62_049);
  const text = await hdrscope(args, { stdin: OSD_DUMP_LATER });
  expect(text.stdout).toContain(`21,910 values since ${earlier}`);
  const reset = await hdrscope(
    ['ceph', 'heatmap', '-', '--earlier', folder.write('later.json', OSD_DUMP_LATER)],
    {
      stdin: OSD_DUMP,
    },
  );
  expect(reset.stdout).toContain('62,049 values');
  expect(reset.stderr).toContain(`${WRITES}: the daemon began anew in between, so all its counts are shown`);
});

test('--interval draws the values of each interval', async () => {
  const socket = await serveDumps(folder.pathOf('osd.0.asok'), [OSD_DUMP, OSD_DUMP_LATER, OSD_DUMP_LATER]);
  const { exitCode, stdout } = await hdrscope([
    'ceph',
    'heatmap',
    socket.path,
    '--interval',
    '10ms',
    '-n',
    '2',
    '--json',
  ]);
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split('\n').map(totalOf)).toEqual([21_910, 0]);
});

test('daemons are added up, or drawn separately with --each', async () => {
  const stdin = `osd.0: ${OSD_DUMP}\nosd.1: ${OSD_DUMP_LATER}\n`;
  const together = await hdrscope(['ceph', 'heatmap', '-'], { stdin });
  expect(together.stdout.split('\n').slice(0, 2)).toEqual([
    `${WRITES} of osd.0, osd.1`,
    '146,008 values since the daemon began',
  ]);
  const each = await hdrscope(['ceph', 'heatmap', '--each', '--json', '-'], { stdin });
  expect(each.stdout.trimEnd().split('\n').map(totalOf)).toEqual([62_049, 83_959]);
});

test('the title of many daemons has their number', async () => {
  const stdin = Array.from({ length: 40 }, (_, osd) => `osd.${osd}: ${dumpOf([0, 1, 0])}`).join('\n');
  const { stdout } = await hdrscope(['ceph', 'heatmap', '-'], { stdin });
  expect(stdout).toMatch(/^osd\.op of 40 daemons\n40 values /);
});

test('refuses to add up daemons whose axes differ', async () => {
  const stdin = `osd.0: ${dumpOf([0, 1, 0])}\nosd.1: ${dumpOf([0, 1, 0], 'op', { quant_size: 4 })}`;
  const { exitCode, stdout, stderr } = await hdrscope(['ceph', 'heatmap', '-'], { stdin });
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'hdrscope: osd.op of osd.0 and of osd.1 cannot be added up: add: the axes must be equal, "Depth" and "Depth" differ in ranges; --each draws each daemon separately\n',
  );
  expect((await hdrscope(['ceph', 'heatmap', '--each', '-'], { stdin })).exitCode).toBe(0);
});

test('draws the counter with the most values, and lists the other counters', async () => {
  const [few, many] = [dumpOf([0, 1, 0], 'few'), dumpOf([0, 1, 8], 'many')];
  const stdin = `${few.slice(0, -2)},${many.slice('{"osd":{'.length)}`;
  const most = await hdrscope(['ceph', 'heatmap', '-'], { stdin });
  expect(most.stdout).toMatch(/^osd\.many of standard input\n/);
  expect(most.stderr).toBe('hdrscope: this is osd.many; --counter chooses another one: osd.few (1)\n');
  const chosen = await hdrscope(['ceph', 'heatmap', '-', '--counter', 'few'], { stdin });
  expect([chosen.stdout.split('\n')[0], chosen.stderr]).toEqual(['osd.few of standard input', '']);
});

test('a histogram of one axis is drawn as bars, even with a second axis of a single slot', async () => {
  const all = '{"name":"All","min":0,"quant_size":1,"buckets":1,"scale_type":"linear"}';
  const two = dumpOf([0, 4, 2]).replace('}],"values":[0,4,2]', `},${all}],"values":[[0],[4],[2]]`);
  for (const stdin of [dumpOf([0, 4, 2]), two]) {
    const { stdout } = await hdrscope(['ceph', 'heatmap', '--ascii', '-'], { stdin });
    const [, subtitle, first, second] = stdout.split('\n');
    expect(subtitle).toBe('6 values since the daemon began, by Depth');
    expect(first).toMatch(/ 4 \|#{20,}/);
    expect(second).toMatch(/ 2 \|#{10,}/);
  }
});

test('--x and --y choose the axes', async () => {
  const { stdout } = await hdrscope(['ceph', 'heatmap', '-', '--x', 'latency', '--json'], {
    stdin: OSD_DUMP,
  });
  const plot = plotFromJson(stdout);
  expect(plot).toMatchObject({
    x: { name: 'Latency', unit: 'ns' },
    y: { name: 'Request size', unit: 'bytes' },
  });
  expect(totalOf(stdout)).toBe(62_049);
});

test('a third axis is added up', async () => {
  const axis = (name: string): string =>
    `{"name":"${name}","min":0,"quant_size":1,"buckets":2,"scale_type":"linear"}`;
  const stdin = `{"l":{"c":{"axes":[${['a', 'b', 'c'].map(axis)}],"values":[[[1,2],[4,8]],[[16,32],[64,128]]]}}}`;
  const countsOf = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await hdrscope(['ceph', 'heatmap', '-', '--json', ...args], { stdin })).stdout).counts;
  // counts[y][x]
  expect(await countsOf()).toEqual([
    [1 + 2, 4 + 8],
    [16 + 32, 64 + 128],
  ]);
  expect(await countsOf('--x', 'a', '--y', 'c')).toEqual([
    [1 + 4, 16 + 64],
    [2 + 8, 32 + 128],
  ]);
  expect(await countsOf('--y', 'b')).toEqual([
    [1 + 2, 16 + 32],
    [4 + 8, 64 + 128],
  ]);
});

test.each([
  [['--x', 'age'], `--x must be one of "Latency (usec)", "Request size (bytes)", got 'age'`],
  [
    ['--x', 'size', '--y', 'size'],
    '--x and --y must be two of the axes "Latency (usec)", "Request size (bytes)"',
  ],
  [['-n', '2'], '--intervals needs --interval'],
  [['--interval', '1s'], '--interval needs admin sockets, and standard input is not one'],
  [['--interval', '1s', '--earlier', 'x'], '--interval and --earlier cannot be combined'],
  [['--earlier', 'x', 'nope'], 'no such file: nope'],
])('refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await hdrscope(['ceph', 'heatmap', '-', ...args], { stdin: OSD_DUMP });
  expect([exitCode > 0, stdout]).toEqual([true, '']);
  expect(stderr).toContain(message);
});
