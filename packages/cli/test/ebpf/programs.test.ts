import {
  type Frame,
  framesSource,
  type KernelHistogram,
  logLinear8Layout,
  queueDepthLayout,
} from '@hdrscope/ebpf';
import type { KernelProgram, KernelProgramName } from '@hdrscope/ebpf/loader';
import { Termination } from '../../src/command.ts';
import { blockio, runqueue } from '../../src/commands/ebpf/count.ts';
import { command as heatmap } from '../../src/commands/ebpf/heatmap.ts';
import { command as read } from '../../src/commands/ebpf/read.ts';
import { command as serve } from '../../src/commands/ebpf/serve.ts';
import { command as watch } from '../../src/commands/ebpf/watch.ts';
import { fakeKernel, runWith } from '../support/fake-kernel.ts';

const TIMES = logLinear8Layout();

/** Waits of 60 to 63 ns in one slot, and of 80 to 87 ns in another. */
function latency(attributes: KernelHistogram['attributes'], short: number, long: number): KernelHistogram {
  const counts = new Float64Array(TIMES.slots.slotCount);
  counts[TIMES.slots.slotOf(60)] = short;
  counts[TIMES.slots.slotOf(80)] = long;
  const sums = Float64Array.of(short * 61 + long * 84);
  const metric = { kernelUnit: 'ns', description: 'Time that tasks waited for a CPU.' } as const;
  return { name: 'linux.runqueue.latency', attributes, layout: TIMES, counts, sums, metric };
}

function depth(...counts: readonly number[]): KernelHistogram {
  const metric = { unit: '{task}', description: 'Tasks that a CPU had to run.' };
  const layout = queueDepthLayout();
  const name = 'linux.runqueue.depth';
  return { name, attributes: {}, layout, counts: Float64Array.from(counts), sums: undefined, metric };
}

function frame(histograms: readonly KernelHistogram[], missed = 2): Frame {
  return { generation: 'program 7', cpuCount: 1, counterBits: 64, histograms, missed };
}

const TOGETHER = frame([depth(1200, 980, 1400, 800, 400, 30, 10, 1), latency({}, 30, 0)]);

interface Opened {
  readonly name: KernelProgramName;
  readonly by: string | undefined;
  isClosed: boolean;
}

/** A kernel that loads programs with the given frames, and the list of the programs that were loaded. */
function kernelWith(frames: readonly Frame[], facts: Partial<KernelProgram> = {}) {
  const opened: Opened[] = [];
  const kernel = fakeKernel({
    openProgram: async (name, { by } = {}) => {
      const one: Opened = { name, by, isClosed: false };
      opened.push(one);
      const close = () => {
        one.isClosed = true;
      };
      const source = { ...framesSource(frames), close };
      const program = {} as KernelProgram['program'];
      return { name, by: by!, source, note: undefined, program, close, ...facts };
    },
    measureCost: async () => ({
      read: () => [
        { section: 'tp_btf/sched_switch', runs: 4000, runNs: 2_000_000 },
        { section: 'tp_btf/sched_wakeup', runs: 0, runNs: 0 },
      ],
      close() {},
    }),
  });
  return { kernel, opened };
}

/** A clock that goes on by so many milliseconds with each look. */
function clock(stepMs: number): () => number {
  let now = 0;
  return () => {
    now += stepMs;
    return now;
  };
}

const SHORT = ['--duration', '1ms'];

test('shows the depth and the latency of run queues, and the time that it took', async () => {
  const { kernel, opened } = kernelWith([TOGETHER]);
  const { stdout } = await runWith(runqueue, [...SHORT, '--percentiles', '50'], kernel, {
    monotonicMs: clock(2345),
  });
  expect(stdout.split('\n').filter((line) => !line.includes('|'))).toEqual([
    'linux.runqueue.depth',
    'total 4,821; p50 2 to 4',
    '',
    'linux.runqueue.latency',
    'total 30; mean 61 ns; p50 60 to 63 ns',
    '',
    'counted for 2.345 s',
    'waits not measured, because their beginning was not seen: 2',
    '',
  ]);
  expect(opened).toEqual([{ name: 'runqueue', by: 'all', isClosed: true }]);
});

test('JSON has the time that it took when it was interrupted, and both estimates of each percentile', async () => {
  const { kernel, opened } = kernelWith([TOGETHER], { note: 'without CONFIG_X' });
  const { stdout } = await runWith(runqueue, ['--duration', '1h', '--json'], kernel, {
    signal: AbortSignal.timeout(5),
    monotonicMs: clock(50),
  });
  const { histograms, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({
    program: 'runqueue',
    by: 'all',
    seconds: 0.05,
    missed: 2,
    note: 'without CONFIG_X',
  });
  expect(histograms[0]).toMatchObject({ name: 'linux.runqueue.depth', count: 4821 });
  expect(histograms[0].percentiles[2]).toEqual({
    percentile: 99,
    value: 16,
    lower: 9,
    upper: 16,
    inclusive: 15.8775,
    exclusive: 16.84,
  });
  expect(histograms[1]).toMatchObject({ name: 'linux.runqueue.latency', unit: 'ns', count: 30, sum: 1830 });
  expect(opened[0]!.isClosed).toBe(true);
});

test.each([
  ['inclusive', 'total=4821  p50=2.3  p99=15.9'],
  ['exclusive', 'total=4821  p50=2.5  p99=16.8'],
])('--text %s shows counts, shares and interpolated percentiles', async (interpolation, head) => {
  const { kernel } = kernelWith([TOGETHER]);
  const args = [...SHORT, '--text', interpolation, '--percentiles', '50,99'];
  const { stdout } = await runWith(runqueue, args, kernel);
  expect(stdout.split('\n').slice(0, 10)).toEqual([
    'linux.runqueue.depth',
    head,
    '  0:     1200   25%',
    '  1:      980   20%',
    '  2-4:   1400   29%',
    '  5-8:    800   17%',
    '  9-16:   400    8%',
    '  17-32:   30    1%',
    '  33-64:   10    0%',
    '  65+:      1    0%',
  ]);
  expect(stdout).toContain('linux.runqueue.latency\ntotal=30  ');
});

test('a table shows the keys that waited longest, and what had no room', async () => {
  const { kernel, opened } = kernelWith([
    frame([
      latency({ comm: 'node', pid: 7 }, 5, 0),
      latency({ comm: 'osd\u001b[2J', pid: 8 }, 0, 1000),
      latency({ comm: 'idle', pid: 9 }, 0, 0),
      latency({ comm: 'sh', pid: 10 }, 1, 0),
      latency({ 'otel.metric.overflow': true }, 10, 0),
    ]),
  ]);
  const args = [...SHORT, '--by', 'task', '--percentiles', '50', '--top', '3'];
  const { stdout } = await runWith(runqueue, args, kernel);
  expect(stdout.split('\n').slice(0, 6)).toEqual([
    'linux.runqueue.latency',
    'comm        pid  count   total   mean          p50',
    'osd\\x1b[2J  8    1,000   84 µs  84 ns  80 to 87 ns',
    '(others)            10  610 ns  61 ns  60 to 63 ns',
    'node        7        5  305 ns  61 ns  60 to 63 ns',
    '… 1 more',
  ]);
  expect(opened[0]!.by).toBe('task');
});

test('--cost shows how long the program ran', async () => {
  const { kernel } = kernelWith([TOGETHER]);
  const { stdout } = await runWith(runqueue, [...SHORT, '--cost'], kernel, { monotonicMs: clock(1000) });
  expect(stdout).toContain('cost: tp_btf/sched_switch ran 4,000 times, 500 ns each\n');
  expect(stdout).toContain(
    'cost: tp_btf/sched_wakeup ran 0 times, 0 ns each\ncost: 0.20 % of one CPU in all\n',
  );
  const json = await runWith(runqueue, [...SHORT, '--cost', '--json'], kernel);
  expect(JSON.parse(json.stdout).cost[0]).toEqual({
    section: 'tp_btf/sched_switch',
    runs: 4000,
    runNs: 2_000_000,
  });
});

test('--per-cpu takes counts that CPUs do not share', async () => {
  const { kernel, opened } = kernelWith([TOGETHER]);
  expect((await runWith(runqueue, [...SHORT, '--per-cpu'], kernel)).stdout).toContain(
    'linux.runqueue.depth{cpu=0}',
  );
  await expect(runWith(runqueue, ['--by', 'task', '--per-cpu'], kernel)).rejects.toThrow(
    '--per-cpu takes --by all, got --by task',
  );
  await expect(runWith(blockio, ['--per-cpu'], kernel)).rejects.toThrow('--per-cpu takes --by all');
  expect(opened).toHaveLength(1);
});

test('watch shows what a program counts, with its units', async () => {
  const { kernel, opened } = kernelWith([frame([latency({}, 30, 0)]), frame([latency({}, 37, 0)])]);
  const kernelWithIds = { ...kernel, newestMapId: async () => undefined };
  const args = ['program:runqueue', '--interval', '1ms', '-n', '1', '--percentiles', '50'];
  const { stdout, stderr } = await runWith(watch, args, kernelWithIds);
  expect(stdout.split('\n')[1]).toMatch(/^ +7 +\S+ +60 to 63 ns {2}linux\.runqueue\.latency$/);
  expect(stderr).toBe('');
  expect(opened).toEqual([{ name: 'runqueue', by: 'all', isClosed: true }]);
});

test('a heat map shows one histogram of a program, in its unit', async () => {
  const { kernel } = kernelWith([
    frame([depth(5), latency({}, 30, 0)]),
    frame([depth(9), latency({}, 37, 0)]),
  ]);
  const kernelWithIds = { ...kernel, newestMapId: async () => undefined };
  const args = ['program:runqueue/all/latency', '--interval', '1ms', '-n', '1', '--json'];
  const plot = JSON.parse((await runWith(heatmap, args, kernelWithIds)).stdout);
  expect(plot).toMatchObject({ title: 'linux.runqueue.latency', y: { unit: 'ns' } });
  expect(plot.counts.flat().filter((count: number) => count > 0)).toEqual([7]);
  await expect(runWith(heatmap, ['program:runqueue/all/wait'], kernelWithIds)).rejects.toThrow(
    "the histogram of program:runqueue/all/wait must be one of depth, latency, got 'wait'",
  );
});

test('a heat map of several histograms is refused before the program is loaded', async () => {
  const { kernel, opened } = kernelWith([TOGETHER]);
  await expect(runWith(heatmap, ['program:runqueue/task'], kernel)).rejects.toThrow(
    'program:runqueue/task counts several histograms, and a picture shows one: name program:runqueue/task/depth or program:runqueue/task/latency',
  );
  await expect(runWith(heatmap, ['program:runqueue/all/wait'], kernel)).rejects.toThrow(
    'one of depth, latency',
  );
  expect(opened).toEqual([]);
});

test('a histogram that this kernel does not have is refused', async () => {
  const { kernel } = kernelWith([frame([latency({}, 30, 0)])]);
  await expect(runWith(heatmap, ['program:runqueue/all/depth'], kernel)).rejects.toThrow(
    "the histogram of program:runqueue/all/depth must be one of latency, got 'depth'",
  );
});

test.each([
  ['watch', watch, ['--interval', '1ms', '-n', '2']],
  ['heatmap', heatmap, ['--interval', '1ms', '-n', '2']],
  ['serve', serve, ['--port', '0']],
] as const)('%s says once what a program does not count on this kernel', async (_, command, args) => {
  const note = 'the depth of run queues is not counted';
  const { kernel } = kernelWith([frame([latency({}, 30, 0)]), frame([latency({}, 37, 0)])], { note });
  let stderr = '';
  const onNote = (text: string) => {
    stderr += text;
  };
  const onOutput = (_text: string, end: (reason: Termination) => void) =>
    command === serve && end(new Termination('SIGINT', 130));
  const running = runWith(command, ['program:runqueue/all/latency', ...args], kernel, { onNote, onOutput });
  await running.catch((error) => expect(error).toMatchObject({ name: 'AbortError' }));
  expect(stderr).toBe(`hdrscope: program:runqueue/all/latency: ${note}\n`);
});

test('serve shows the metrics of programs, and what they missed', async () => {
  const { kernel, opened } = kernelWith([frame([latency({ cgroup: '/a' }, 30, 0)], 5)]);
  let text: Promise<string> | undefined;
  const onOutput = (url: string, end: (reason: Termination) => void) => {
    text = fetch(url.trim()).then((response) => response.text());
    text.finally(() => end(new Termination('SIGINT', 130)));
  };
  const args = ['program:runqueue/cgroup,attributes.zone=b', '--port', '0'];
  await expect(runWith(serve, args, kernel, { onOutput })).rejects.toMatchObject({ name: 'AbortError' });
  expect((await text)!.split('\n')).toEqual(
    expect.arrayContaining([
      '# HELP linux_runqueue_latency_seconds Time that tasks waited for a CPU.',
      'linux_runqueue_latency_seconds_count{cgroup="/a",zone="b"} 30',
      'hdrscope_ebpf_map_up{map="program:runqueue/cgroup"} 1',
      'hdrscope_ebpf_missed_total{map="program:runqueue/cgroup"} 5',
    ]),
  );
  expect(opened).toEqual([{ name: 'runqueue', by: 'cgroup', isClosed: true }]);
});

test('a program that cannot be loaded ends serve and watch', async () => {
  const kernel = fakeKernel({
    openProgram: async () => {
      throw Object.assign(new Error('EPERM'), { details: { errno: 'EPERM' } });
    },
  });
  await expect(runWith(serve, ['program:tcprtt', '--port', '0'], kernel)).rejects.toThrow('EPERM');
  await expect(runWith(watch, ['program:tcprtt'], kernel)).rejects.toThrow('EPERM');
});

test('read refuses a program, which has counted nothing yet', async () => {
  const { kernel } = kernelWith([TOGETHER]);
  await expect(runWith(read, ['program:runqueue'], kernel)).rejects.toThrow(
    'program:runqueue counts from when it is loaded on: hdrscope ebpf watch shows it',
  );
});

test.each([
  ['program:nothing', [], "the program must be one of runqueue, blockio, tcprtt, got 'nothing'"],
  ['program:runqueue/device', [], "what runqueue counts by must be one of all, task, cgroup, got 'device'"],
  [
    'program:tcprtt',
    ['--layout', 'bcc'],
    'program:tcprtt knows its slots, units and names: leave out layout',
  ],
  ['program:tcprtt,unit=ns', [], 'program:tcprtt knows its slots, units and names: leave out unit'],
  ['program:tcprtt,metric=x', [], 'program:tcprtt knows its slots, units and names: leave out metric'],
  [
    'program:blockio',
    ['--per-cpu'],
    'program:blockio counts all CPUs together: leave out perCpu, or count by all',
  ],
])('serve refuses %s %j', async (operand, args, message) => {
  const { kernel, opened } = kernelWith([TOGETHER]);
  await expect(runWith(serve, [operand, ...args, '--port', '0'], kernel)).rejects.toThrow(message);
  expect(opened).toEqual([]);
});
