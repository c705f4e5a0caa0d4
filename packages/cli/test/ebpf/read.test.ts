import { readFileSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { explicitKernelLayout, framesSource, type KernelSource, logLinear8Layout } from '@hdrscope/ebpf';
import { command as read } from '../../src/commands/ebpf/read.ts';
import { fakeKernel, frameOf, runWith } from '../support/fake-kernel.ts';

const TWO_CPUS = [1000, 500, 700, 400, 200, 15, 5, 1, 200, 480, 700, 400, 200, 15, 5, 0];

test('shows bars, the total, and percentiles by their slots', async () => {
  const ground = 'its slots are gadget_histogram_slot__u64, as of Inspektor Gadget';
  const kernel = fakeKernel({ frames: [{ ...frameOf(TWO_CPUS), ground }] });
  const { exitCode, stdout, stderr } = await runWith(read, ['/sys/fs/bpf/queue_hist'], kernel);
  expect([exitCode, stderr]).toEqual([
    0,
    `hdrscope: the layout of /sys/fs/bpf/queue_hist is known because ${ground}; --layout sets another one\n`,
  ]);
  expect(stdout).toBe(`queue_hist
0     1200 |██████████████████████████████████▎     |
1      980 |████████████████████████████            |
2-4   1400 |████████████████████████████████████████|
5-8    800 |██████████████████████▉                 |
9-16   400 |███████████▍                            |
17-32   30 |▉                                       |
33-64   10 |▎                                       |
65+      1 |▏                                       |
total 4,821; p50 2 to 4; p90 5 to 8; p99 9 to 16; p99.9 33 to 64
`);
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`$ hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth\n${stdout}`);
});

test('shows each CPU separately, and a percentile above the last bound', async () => {
  const kernel = fakeKernel({ frames: [frameOf(TWO_CPUS)] });
  const args = ['id:42', '--per-cpu', '--percentiles', '100', '--layout', 'queue-depth'];
  const { stdout, stderr } = await runWith(read, args, kernel);
  expect(stderr).toBe('');
  expect(stdout.match(/^\S+\{.*/gm)).toEqual(['queue_hist{cpu=0}', 'queue_hist{cpu=1}']);
  expect(stdout.match(/total.*/g)).toEqual(['total 2,821; max 65 or more', 'total 2,000; max 33 to 64']);
});

test('prints JSON', async () => {
  const kernel = fakeKernel({ frames: [frameOf([0, 3, 0, 0, 0, 0, 0, 1], { sums: [73] })] });
  const { stdout } = await runWith(read, ['name:queue_hist', '--json', '--percentiles', '50,99.9'], kernel);
  expect(JSON.parse(stdout)).toEqual({
    generation: 'map 42',
    histograms: [
      {
        name: 'queue_hist',
        attributes: {},
        layout: 'queue-depth',
        unit: 'none',
        count: 4,
        min: { lower: 1, upper: 1, value: 1 },
        mean: { value: 18.25, lower: 18.25, upper: 18.25 },
        max: { lower: 65, upper: null, value: null },
        sum: 73,
        percentiles: [
          { percentile: 50, lower: 1, upper: 1, value: 1, inclusive: 1, exclusive: 1.66667 },
          { percentile: 99.9, lower: 65, upper: null, value: null, inclusive: 65, exclusive: 2 },
        ],
        slots: [
          { lower: 1, upper: 1, count: 3 },
          { lower: 65, upper: null, count: 1 },
        ],
      },
    ],
  });
});

test.each([
  ['inclusive', 'total=4821  p50=2.3  p99=15.9'],
  ['exclusive', 'total=4821  p50=2.5  p99=16.8'],
])('--text %s shows counts, shares and interpolated percentiles', async (interpolation, head) => {
  const kernel = fakeKernel({ frames: [frameOf(TWO_CPUS)] });
  const args = ['/sys/fs/bpf/queue_hist', '--layout', 'queue-depth', '--text', interpolation];
  const { stdout } = await runWith(read, [...args, '--percentiles', '50,99'], kernel);
  expect(stdout.split('\n').slice(0, 3)).toEqual(['queue_hist', head, '  0:     1200   25%']);
});

test('merges the slots of a power of two when there are many slots', async () => {
  const layout = logLinear8Layout();
  const counts = new Array(496).fill(0).fill(1, 8, 80);
  const kernel = fakeKernel({ frames: [frameOf(counts, { layout })] });
  const { stdout } = await runWith(read, ['/pin', '--layout', 'log-linear-8'], kernel);
  expect(stdout.match(/^\d\S* +\d+/gm)).toEqual([
    ...['8-15      8', '16-31     8', '32-63     8', '64-127    8', '128-255   8'],
    ...['256-511   8', '512-1023  8', '1024-2047 8', '2048-4095 8'],
  ]);
});

test('merges the slots of a power of two above 2^53 too', async () => {
  const layout = logLinear8Layout();
  // Eight slots for each power of two, from 2^54 to 2^60.
  const counts = new Array(496).fill(0).fill(1, 416, 464);
  const kernel = fakeKernel({ frames: [frameOf(counts, { layout })] });
  const { stdout } = await runWith(read, ['/pin', '--layout', 'log-linear-8'], kernel);
  expect(stdout.match(/^\d\S* +\d+/gm)?.map((row) => row.replace(/-\S* +/, ' '))).toEqual(
    [54, 55, 56, 57, 58, 59].map((octave) => `${String(2 ** octave)} 8`),
  );
});

test.each([
  ['ns', 'p50 2 to 4 ns; max 65 ns or more'],
  ['us', 'p50 2 to 4 µs; max 65 µs or more'],
  ['s', 'p50 2 to 4 s; max 65 s or more'],
])('shows percentiles as times in %s', async (unit, shown) => {
  const kernel = fakeKernel({ frames: [frameOf([0, 0, 3, 0, 0, 0, 0, 1], { sums: [73] })] });
  const { stdout } = await runWith(read, ['id:42', '--unit', unit, '--percentiles', '50,100'], kernel);
  expect(stdout.split('\n')[0]).toBe('queue_hist');
  expect(stdout).toMatch(new RegExp(`^2 to 4 ${unit.replace('u', 'µ')} +\\d`, 'm'));
  expect(stdout).toContain(shown);
  expect(stdout).toContain(`mean 18.3 ${unit.replace('u', 'µ')};`);
});

function barLines(text: string): string[] {
  return text.split('\n').filter((line) => line.endsWith('|'));
}

test.each([
  ['a terminal of 40 columns', { columns: 40 }, 40],
  ['a terminal of 120 columns', { columns: 120 }, 120],
  ['COLUMNS, before the terminal', { columns: 120, environment: { COLUMNS: '60' } }, 60],
  ['COLUMNS of a pipe', { environment: { COLUMNS: '72' } }, 72],
  ['COLUMNS that is no number', { columns: 50, environment: { COLUMNS: '0x20' } }, 50],
])('draws as wide as %s', async (_, surroundings, width) => {
  const kernel = fakeKernel({ frames: [frameOf(TWO_CPUS)] });
  const { stdout } = await runWith(read, ['id:42', '--unit', 'us'], kernel, surroundings);
  const bars = barLines(stdout);
  expect(bars.map(({ length }) => length)).toEqual(bars.map(() => width));
  expect(bars[2]).toContain(`|${'█'.repeat(width - '65 µs or more 1400 ||'.length)}|`);
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(width);
});

test.each([
  [['--ascii'], {}],
  [[], { LC_ALL: 'C' }],
  [[], { LC_ALL: '', LANG: 'POSIX' }],
  [[], { LC_CTYPE: 'de_DE.ISO-8859-1', LANG: 'de_DE.UTF-8' }],
])('draws in ASCII alone with %j and %j', async (args, environment) => {
  const kernel = fakeKernel({ frames: [frameOf(TWO_CPUS)] });
  const { stdout } = await runWith(read, ['id:42', '--unit', 'us', ...args], kernel, { environment });
  expect(stdout).toMatch(/^[\n -~]*$/);
  expect(stdout).toContain(`\n2 to 4 us     1400 |${'#'.repeat(40)}|\n`);
});

test.each([{ LC_ALL: 'C.UTF-8' }, { LC_ALL: 'en_US.utf8', LANG: 'C' }, {}])(
  'draws blocks with %j',
  async (environment) => {
    const kernel = fakeKernel({ frames: [frameOf(TWO_CPUS)] });
    const { stdout } = await runWith(read, ['id:42'], kernel, { environment });
    expect(barLines(stdout)[2]).toBe(`2-4   1400 |${'█'.repeat(40)}|`);
  },
);

test('shows sizes', async () => {
  const layout = explicitKernelLayout([1023, 4095, 1_048_575]);
  const kernel = fakeKernel({ frames: [frameOf([0, 3, 1, 1], { layout })] });
  const { stdout } = await runWith(read, ['id:42', '--unit', 'bytes', '--layout', 'bcc'], kernel);
  expect(stdout).toMatch(/^1 to 4 KiB .*\n4 KiB to 1 MiB .*\n1 MiB or more .*\ntotal 5; p50 1 to 4 KiB;/m);
});

test('reports that nothing was counted', async () => {
  const zeros = fakeKernel({ frames: [frameOf(new Array(8).fill(0))] });
  expect((await runWith(read, ['id:42'], zeros)).stdout).toBe('queue_hist\nnothing was counted\n');
  const none = fakeKernel({ frames: [{ ...frameOf([]), histograms: [] }] });
  expect((await runWith(read, ['id:42'], none)).stdout).toBe('nothing was counted\n');
});

test.each([
  [['id:0'], "the map must be the path of a pin, id:N or name:X, got 'id:0'"],
  [['name:'], "the map must be the path of a pin, id:N or name:X, got 'name:'"],
  [['id:42', '--layout', 'log2'], '--layout must be queue-depth, libbpf-tools'],
  [['id:42', '--layout', 'libbpf-tools:1'], 'slots must be an integer from 2 to'],
  [['id:42', '--layout', 'bpftrace-lhist:0:100'], '--layout must be queue-depth, libbpf-tools'],
  [['id:42', '--shape', 'u32 slots[26]'], '--shape must be C structs'],
  [['id:42', '--shape', 'value { float f; }'], 'a field of the shape must be a type and a name'],
  [['/pin', '--bpftool'], '--bpftool needs --layout'],
])('refuses %j', async (args, message) => {
  await expect(runWith(read, args, fakeKernel({}))).rejects.toThrow(message);
});

test('shows the question of a map that does not show its layout, and closes it', async () => {
  let closed = 0;
  const question = new HdrscopeError('ERR_KERNEL', 'the layout of map 42 (dist) is unknown');
  const source: KernelSource = {
    name: 'the map',
    read: () => Promise.reject(question),
    close: () => void closed++,
  };
  await expect(runWith(read, ['id:42'], fakeKernel({ open: () => source }))).rejects.toBe(question);
  expect(closed).toBe(1);
});

test('passes shape and sum to the map', async () => {
  const opened: object[] = [];
  const open = (options: object): KernelSource => {
    opened.push(options);
    return framesSource([frameOf(TWO_CPUS)]);
  };
  const shape = ['--shape', 'value { u64 latency; u32 slots[26]; }'];
  for (const args of [
    [...shape, '--sum', 'latency'],
    ['--layout', 'bcc', '--sum', '64'],
    ['--sum', 'after-last'],
  ]) {
    await runWith(read, ['id:42', ...args], fakeKernel({ open }));
  }
  expect(opened).toMatchObject([
    {
      id: 42,
      shape: {
        value: [
          { name: 'latency', type: 'u64', offset: 0 },
          { name: 'slots', type: 'u32', offset: 8, length: 26 },
        ],
        valueSize: 112,
        sum: 'latency',
      },
    },
    { layout: { name: 'bcc' }, shape: { sum: 64 } },
    { shape: { sum: 'after-last' } },
  ]);
});

test.each([
  '0,1,4',
  'bcc',
  'inspektor-gadget:27',
  'bpftrace-hist:3',
  'bpftrace-hist:0:66',
  'bpftrace-lhist:0:100:10',
  'exporter-exp2:26',
  'exporter-exp2zero',
  'exporter-linear',
])('takes the layout %s', async (layout) => {
  const opened: object[] = [];
  const kernel = fakeKernel({
    open: (options) => {
      opened.push(options.layout!);
      throw new Error('opened');
    },
  });
  await expect(runWith(read, ['id:42', '--layout', layout], kernel)).rejects.toThrow('opened');
  expect(opened).toMatchObject([{ slots: { kind: 'explicit' } }]);
});
