import { HdrscopeError } from '@hdrscope/core';
import { type Frame, logLinear8Layout } from '@hdrscope/ebpf';
import { Termination } from '../../src/command.ts';
import { command as watch } from '../../src/commands/ebpf/watch.ts';
import { fakeKernel, frameOf, runWith } from '../support/fake-kernel.ts';

const ARGS = [
  '/sys/fs/bpf/queue_hist',
  '--layout',
  'queue-depth',
  '--interval',
  '10ms',
  '--percentiles',
  '50,99',
];
const BEFORE = [100, 0, 0, 0, 0, 0, 0, 0];

function rows(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
}

test('shows the counts of each interval', async () => {
  const kernel = fakeKernel({
    frames: [
      frameOf(BEFORE),
      frameOf([101, 0, 2, 0, 0, 0, 0, 0]),
      frameOf([101, 0, 2, 0, 0, 0, 0, 0]),
      frameOf([101, 0, 2, 0, 0, 0, 0, 5]),
    ],
  });
  const { exitCode, stdout, stderr } = await runWith(watch, [...ARGS, '--intervals', '3'], kernel);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(rows(stdout)).toEqual([
    ['count', 'rate/s', 'p50', 'p99', 'histogram'],
    ['3', '300.0', '2 to 4', '2 to 4', 'queue_hist'],
    ['0', '0.0', '-', '-'],
    ['5', '500.0', '65 or more', '65 or more', 'queue_hist'],
  ]);
});

test('prints the counts of each interval as a line of JSON', async () => {
  const kernel = fakeKernel({
    frames: [
      frameOf(BEFORE),
      frameOf([101, 0, 2, 0, 0, 0, 0, 0]),
      frameOf([101, 0, 2, 0, 0, 0, 0, 0]),
      frameOf([101, 0, 2, 0, 0, 0, 0, 5]),
    ],
  });
  const { stdout } = await runWith(watch, [...ARGS, '--intervals', '3', '--json'], kernel);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      seconds: 0.01,
      ratePerSec: 300,
      isReset: false,
      name: 'queue_hist',
      count: 3,
      percentiles: [
        { percentile: 50, lower: 2, upper: 4, value: 4 },
        { percentile: 99, lower: 2, upper: 4, value: 4 },
      ],
      slots: [
        { lower: 0, upper: 0, count: 1 },
        { lower: 2, upper: 4, count: 2 },
      ],
    },
    { count: 5, slots: [{ lower: 65, upper: null, count: 5 }] },
  ]);
});

test('reports resets, replaced maps and failures', async () => {
  const kernel = fakeKernel({
    frames: [
      frameOf(BEFORE),
      frameOf([7, 0, 0, 0, 0, 0, 0, 0]),
      new HdrscopeError('ERR_KERNEL', 'the map is gone'),
      frameOf([0, 9, 0, 0, 0, 0, 0, 0], { generation: 'map 43' }),
    ],
  });
  const { stdout, stderr } = await runWith(watch, [...ARGS, '-n', '3'], kernel);
  expect(rows(stdout).slice(1)).toEqual([
    ['7', '700.0', '0', '0', 'queue_hist'],
    ['9', '900.0', '1', '1', 'queue_hist'],
  ]);
  expect(stderr.split('\n')).toEqual([
    'hdrscope: queue_hist: counters were reset',
    'hdrscope: the map is gone',
    'hdrscope: /sys/fs/bpf/queue_hist is another map now, and counts from 0',
    '',
  ]);
});

test('says that a counter of 32 bits has turned or was reset, and shows none of its counts', async () => {
  const narrow = (count: number) => ({ ...frameOf([count, 3, 0, 0, 0, 0, 0, 0]), counterBits: 32 as const });
  const turned = [narrow(2 ** 32 - 3), narrow(5)];
  const reset = [narrow(3_000_000_000), narrow(5)];
  const run = (frames: Frame[], ...more: string[]) => {
    let nowMs = 0;
    const monotonicMs = () => (nowMs += 10);
    return runWith(watch, [...ARGS, '-n', '1', ...more], fakeKernel({ frames }), { monotonicMs });
  };
  const { stdout, stderr } = await run(turned);
  expect(rows(stdout).slice(1)).toEqual([['0', '0.0', '-', '-', 'queue_hist']]);
  expect(stderr).toMatch(/queue_hist: counters of 32 bits passed 2\^32 − 1 or were set to 0.* 1 of them/);
  expect(JSON.parse((await run(turned, '--json')).stdout)).toMatchObject({ count: 0, uncertain: 1 });
  const after = await run(reset);
  expect(rows(after.stdout)[1]![0]).toBe('5');
  expect(after.stderr).toBe('hdrscope: queue_hist: counters were reset\n');
});

test('says that a counter grew faster than events come, shows none of its counts, and goes on', async () => {
  const frames = [3, 2 ** 40, 2 ** 40 + 7].map((count) => frameOf([count, 3, 0, 0, 0, 0, 0, 0]));
  let nowMs = 0;
  const monotonicMs = () => (nowMs += 10);
  const { exitCode, stdout, stderr } = await runWith(watch, [...ARGS, '-n', '2'], fakeKernel({ frames }), {
    monotonicMs,
  });
  expect(
    rows(stdout)
      .slice(1)
      .map(([count]) => count),
  ).toEqual(['7']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^hdrscope: queue_hist: counts must grow by at most [\d.]+, got 1099511627773 in slot 0: do its values hold counts\?$/m,
  );
});

const MISSING = new HdrscopeError('ERR_KERNEL', 'nothing is pinned there', { details: { errno: 'ENOENT' } });
const NEW = { generation: 'map 43' };

test('waits for a map that is not there yet, and shows all that a new map has counted', async () => {
  // The first look is before the map is made.
  const ids = [42];
  const kernel = fakeKernel({
    frames: [MISSING, MISSING, MISSING, frameOf([9, 0, 0, 0, 0, 0, 0, 0], NEW)],
    newestMapId: async () => ids.shift() ?? 43,
  });
  const { exitCode, stdout, stderr } = await runWith(watch, [...ARGS, '-n', '3'], kernel);
  expect([exitCode, rows(stdout).slice(1)]).toEqual([0, [['9', '900.0', '0', '0', 'queue_hist']]]);
  expect(stderr.split('\n')).toEqual([
    'hdrscope: waits for /sys/fs/bpf/queue_hist: nothing is pinned there',
    'hdrscope: /sys/fs/bpf/queue_hist is there now, and counts from 0',
    '',
  ]);
});

test('reports once that a map has gone, and shows what it has counted until it is there again', async () => {
  const kernel = fakeKernel({
    frames: [frameOf(BEFORE), MISSING, MISSING, frameOf([104, 0, 0, 0, 0, 0, 0, 0])],
  });
  const { stdout, stderr } = await runWith(watch, [...ARGS, '-n', '3'], kernel);
  expect(rows(stdout).slice(1)).toEqual([['4', '400.0', '0', '0', 'queue_hist']]);
  expect(stderr.split('\n')).toEqual([
    'hdrscope: /sys/fs/bpf/queue_hist has gone; waits until it comes back',
    'hdrscope: /sys/fs/bpf/queue_hist is there again',
    '',
  ]);
});

const OLD = /and only what it counts from now on is shown/;

test.each([
  ['older than the first look', { generation: 'map 41' }, {}],
  ['of an unknown age', NEW, { newestMapId: async () => undefined }],
])('never shows the counts of a map that is %s', async (_, map, answers) => {
  for (const first of [MISSING, frameOf(BEFORE)]) {
    const old = frameOf([1e6, 0, 0, 0, 0, 0, 0, 0], map);
    const later = frameOf([1e6 + 2, 0, 0, 0, 0, 0, 0, 0], map);
    const kernel = fakeKernel({ frames: [first, old, later], ...answers });
    const { stdout, stderr } = await runWith(watch, [...ARGS, '-n', '2'], kernel);
    expect(rows(stdout).slice(1)).toEqual([['2', '200.0', '0', '0', 'queue_hist']]);
    expect(stderr).toMatch(OLD);
  }
});

test('never shows counts again when an earlier map comes back', async () => {
  const frames = [
    frameOf(BEFORE),
    frameOf([3, 0, 0, 0, 0, 0, 0, 0], NEW),
    frameOf([101, 0, 0, 0, 0, 0, 0, 0]),
  ];
  const { stdout, stderr } = await runWith(watch, [...ARGS, '-n', '2'], fakeKernel({ frames }));
  expect(rows(stdout).slice(1)).toEqual([['3', '300.0', '0', '0', 'queue_hist']]);
  expect(stderr).toMatch(OLD);
});

test('shows what shows the layout of another map', async () => {
  const layout = logLinear8Layout();
  const counts = (slot: number): number[] => new Array(496).fill(0).fill(5, slot, slot + 1);
  const frames = [
    { ...frameOf(BEFORE), ground: 'its slots are gadget_histogram_slot__u64' },
    { ...frameOf(counts(30), { ...NEW, layout }), ground: 'its slots are gadget_histogram_slot__u32' },
  ];
  const args = ['/sys/fs/bpf/queue_hist', '--interval', '10ms', '-n', '1', '--percentiles', '50'];
  const { stdout, stderr } = await runWith(watch, args, fakeKernel({ frames }));
  expect(rows(stdout).slice(1)).toEqual([['5', '500.0', '56 to 59', 'queue_hist']]);
  expect(stderr.match(/gadget_histogram_slot__u\d+/g)).toEqual([
    'gadget_histogram_slot__u64',
    'gadget_histogram_slot__u32',
  ]);
});

test.each([
  [['id:42'], new HdrscopeError('ERR_KERNEL', 'no map 42', { details: { errno: 'ENOENT' } }), 'no map 42'],
  [['/pin'], new HdrscopeError('ERR_KERNEL', 'EACCES', { details: { errno: 'EACCES' } }), 'EACCES'],
])('does not wait for %j, which no time mends', async ([which], error, message) => {
  const kernel = fakeKernel({ frames: [error] });
  await expect(runWith(watch, [which!, ...ARGS.slice(1)], kernel)).rejects.toThrow(message);
});

test('ends with the map of an id, because no other map gets the id', async () => {
  const ended = new HdrscopeError('ERR_KERNEL', 'no map 42', { details: { errno: 'ENOENT' } });
  const kernel = fakeKernel({ frames: [frameOf(BEFORE), ended] });
  await expect(runWith(watch, ['id:42', ...ARGS.slice(1)], kernel)).rejects.toThrow('no map 42');
});

test('ends when it is interrupted', async () => {
  const kernel = fakeKernel({ frames: [frameOf(BEFORE)] });
  const onOutput = (_: string, end: (reason: Termination) => void) => end(new Termination('SIGINT', 130));
  await expect(runWith(watch, ARGS, kernel, { onOutput })).rejects.toMatchObject({ name: 'AbortError' });
});

test('refuses an invalid number of intervals', async () => {
  await expect(runWith(watch, [...ARGS, '-n', '0'], fakeKernel({}))).rejects.toThrow(
    "--intervals must be an integer of at least 1, got '0'",
  );
});
