import { HdrscopeError } from '@hdrscope/core';
import { Termination } from '../../src/command.ts';
import * as watch from '../../src/ebpf/watch.ts';
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
      total: 3,
      percentiles: { 50: { lower: 2, upper: 4 } },
      slots: [
        { lower: 0, upper: 0, count: 1 },
        { lower: 2, upper: 4, count: 2 },
      ],
    },
    { total: 5, slots: [{ lower: 65, upper: null, count: 5 }] },
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
