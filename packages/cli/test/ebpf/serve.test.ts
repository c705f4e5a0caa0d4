import { HdrscopeError } from '@hdrscope/core';
import { type Frame, framesSource, type KernelMapOptions, logLinear8Layout } from '@hdrscope/ebpf';
import { Termination } from '../../src/command.ts';
import type { Kernel } from '../../src/commands/ebpf/map.ts';
import { parseServedMap, command as serve } from '../../src/commands/ebpf/serve.ts';
import { fakeKernel, frameOf, QUEUE_HIST, runWith } from '../support/fake-kernel.ts';

type Frames = Readonly<Record<string, readonly (Frame | Error)[]>>;

/** A kernel with several maps. Each read of a map returns its next frame, and after the last one the last one again. */
function kernelOf(frames: Frames, answers: Partial<Kernel> = {}): Kernel {
  const sources = new Map(Object.entries(frames).map(([map, all]) => [map, framesSource(all)]));
  const open = ({ path, name }: KernelMapOptions) => ({ ...sources.get(path ?? name!)!, close() {} });
  return fakeKernel({ open, ...answers });
}

/** The pages of so many scrapes of a served command line, and its messages. */
async function scraped(
  args: readonly string[],
  kernel: Kernel,
  scrapes = 1,
): Promise<{ pages: string[]; notes: string[] }> {
  const pages: string[] = [];
  const ending = new AbortController();
  let stderr = '';
  const onOutput = async (url: string): Promise<void> => {
    try {
      for (let i = 0; i < scrapes; i++) {
        // Later than the gather that scrapes share.
        await new Promise((resolve) => setTimeout(resolve, 150));
        pages.push(await (await fetch(url.trim())).text());
      }
    } finally {
      ending.abort(new Termination('SIGINT', 130));
    }
  };
  const serving = runWith(serve, [...args, '--port', '0'], kernel, {
    onOutput,
    signal: ending.signal,
    onNote: (text) => {
      stderr += text;
    },
  });
  await expect(serving).rejects.toMatchObject({ name: 'AbortError' });
  return { pages, notes: stderr.split('\n').slice(0, -1) };
}

const DEPTHS = frameOf([5, 4, 1, 0, 0, 0, 0, 2]);
const WAITS = frameOf(new Array(496).fill(0).fill(7, 48, 49), {
  layout: logLinear8Layout(),
  name: 'wait_ns',
  sums: [1820],
});
const LAYOUT = ['--layout', 'queue-depth'];

test('each of several maps has its own slots, unit, name, description and labels', async () => {
  const kernel = kernelOf({
    '/pin/queue': [DEPTHS],
    waits: [WAITS],
    sizes: [{ ...DEPTHS, origin: 'an eBPF map' }],
  });
  const { pages, notes } = await scraped(
    [
      '/pin/queue,layout=queue-depth,metric=run.queue.depth,description=Tasks, by CPU,attributes.pool=a,attributes.k8s.zone=b',
      'name:waits,unit=ns,layout=log-linear-8',
      'name:sizes,layout=0,1,4,8,16,32,64,unit=KiB,metric=sizes',
    ],
    kernel,
  );
  const [page = ''] = pages;
  expect(notes).toEqual([]);
  expect(page).toContain('# HELP run_queue_depth Tasks, by CPU\n# TYPE run_queue_depth histogram\n');
  expect(page).toContain('run_queue_depth_bucket{pool="a",k8s_zone="b",le="4"} 10\n');
  expect(page).toContain('# HELP wait_seconds Values in wait_ns; slots: log-linear-8, counted in ns\n');
  expect(page).toContain('\nwait_seconds_count 7\nwait_seconds_sum 0.00000182\n');
  expect(page).toContain(
    '# HELP sizes_bytes Values in queue_hist, an eBPF map; slots: queue-depth, counted in KiB\n',
  );
  expect(page).toContain('sizes_bytes_bucket{le="4096"} 10\n');
  for (const map of ['/pin/queue', 'name:waits', 'name:sizes']) {
    expect(page).toContain(`hdrscope_ebpf_map_up{map="${map}"} 1\n`);
  }
  expect(page).not.toContain('hdrscope_ebpf_map_problem');
});

const MISSING = new HdrscopeError('ERR_KERNEL', 'nothing is pinned there', { details: { errno: 'ENOENT' } });
const REFUSED = new HdrscopeError('ERR_KERNEL', 'EACCES; the pin has mode 0600', {
  details: { errno: 'EACCES' },
});

test('serves a map when it comes, and says once why it is not served', async () => {
  const other = frameOf([3, 0, 0, 0, 0, 0, 0, 0], { generation: 'map 43' });
  // The first two reads are at the start.
  const frames = [MISSING, MISSING, MISSING, DEPTHS, REFUSED, REFUSED, other, MISSING];
  const { pages, notes } = await scraped(['/pin', ...LAYOUT], kernelOf({ '/pin': frames }), 6);
  const state = pages.map((page) => ({
    count: /^queue_hist_count (\d+)$/m.exec(page)?.[1],
    up: /^hdrscope_ebpf_map_up\{map="\/pin"\} (\d)$/m.exec(page)?.[1],
    reason: /^hdrscope_ebpf_map_problem\{map="\/pin",reason="(.*)"\} 1$/m.exec(page)?.[1],
  }));
  expect(state).toEqual([
    { count: undefined, up: '0', reason: 'nothing is pinned there' },
    { count: '12', up: '1', reason: undefined },
    { count: '12', up: '0', reason: 'EACCES; the pin has mode 0600' },
    { count: '12', up: '0', reason: 'EACCES; the pin has mode 0600' },
    { count: '15', up: '1', reason: undefined },
    { count: '15', up: '0', reason: 'nothing is pinned there' },
  ]);
  expect(notes).toEqual([
    'hdrscope: waits for /pin: nothing is pinned there',
    'hdrscope: /pin is there now, and its counts are added',
    'hdrscope: EACCES; the pin has mode 0600',
    'hdrscope: /pin is another map now, and its counts are added',
    'hdrscope: /pin has gone; waits until it comes back',
  ]);
});

test('serves the other maps when one is unreadable', async () => {
  const { pages, notes } = await scraped(
    ['/a,layout=queue-depth', '/b,layout=queue-depth,metric=b'],
    kernelOf({ '/a': [REFUSED], '/b': [DEPTHS] }),
  );
  expect(pages[0]).toContain('\nb_count 12\n');
  expect(pages[0]).toContain(
    'hdrscope_ebpf_map_problem{map="/a",reason="EACCES; the pin has mode 0600"} 1\n',
  );
  expect(notes).toEqual(['hdrscope: EACCES; the pin has mode 0600']);
});

test('leaves out what was counted before the start', async () => {
  const later = frameOf([6, 4, 1, 0, 0, 0, 0, 4]);
  const { pages } = await scraped(
    ['/pin,since=now,layout=queue-depth'],
    kernelOf({ '/pin': [DEPTHS, DEPTHS, later] }),
  );
  expect(pages[0]).toContain('\nqueue_hist_count 3\n');
});

test('labels distinguish maps of one name', async () => {
  const kernel = kernelOf({ '/a': [DEPTHS], '/b': [DEPTHS] });
  const { pages } = await scraped(
    ['/a,layout=queue-depth,attributes.side=a', '/b,layout=queue-depth,attributes.side=b'],
    kernel,
  );
  expect(pages[0]!.match(/^queue_hist_count\{.*/gm)).toEqual([
    'queue_hist_count{side="a"} 12',
    'queue_hist_count{side="b"} 12',
  ]);
});

test.each([
  [
    ['/a,layout=queue-depth', '/b,layout=queue-depth'],
    '/a and /b are both the metric queue_hist: add metric=NAME or attributes.NAME=TEXT to one of them, as in /b,metric=queue_hist2',
  ],
  [
    ['/a,layout=queue-depth', '/w,layout=log-linear-8,metric=queue_hist,attributes.a=b'],
    '/a and /w are both the metric queue_hist, with other slots or another unit: add metric=NAME to one of them',
  ],
  [
    ['/a,layout=queue-depth,attributes.a=b', '/b,layout=queue-depth,unit=us'],
    '/a and /b are both the metric queue_hist, with other slots or another unit: add metric=NAME to one of them',
  ],
  [
    ['/a', '/b', '--unit', 'ns'],
    '--unit is for one map, and there are 2: state it behind the maps it is for, as in /a,unit=…',
  ],
  [['/a', '/b', ...LAYOUT], '--layout is for one map, and there are 2'],
  [
    ['/sys/fs/bpf/queue_hist', '--unit', 'ns'],
    'looks like a histogram of numbers of tasks (queue-depth), which are not ns',
  ],
  [['id:42,unit=us'], 'looks like a histogram of numbers of tasks (queue-depth), which are not us'],
  [['id:7,layout=queue-depth'], 'no map 7'],
  [
    ['/a,name=x'],
    "/a: the options of a map are layout, shape, sum, bpftool, unit, perCpu, metric, description, since and attributes.NAME, got 'name'",
  ],
  [['/a,unit=ns,unit=us'], '/a: unit must be stated once'],
  [['/a,unit=days'], "/a: unit must be ns, us, ms, s, bytes, KiB, none, got 'days'"],
  [['/a,layout=bbc'], '/a: layout must be queue-depth, libbpf-tools'],
  [['/a,metric='], '/a: metric must have a value'],
  [['/a,perCpu=yes'], "/a: perCpu must be true or false, got 'yes'"],
  [['/a,since=later'], "/a: since must be beginning, now, got 'later'"],
  [['id:0,unit=ns'], "the map must be the path of a pin, id:N or name:X, got 'id:0'"],
])('refuses %j', async (args, message) => {
  const ended = new HdrscopeError('ERR_KERNEL', 'no map 7', { details: { errno: 'ENOENT' } });
  const sources: Frames = {
    '/a': [DEPTHS],
    '/b': [DEPTHS],
    '/w': [WAITS],
    '/sys/fs/bpf/queue_hist': [DEPTHS],
  };
  const kernel = kernelOf(sources, {
    open: ({ id, path }) => framesSource(id === 7 ? [ended] : (sources[path ?? ''] ?? [DEPTHS])),
    list: async () => ({ maps: [QUEUE_HIST], incomplete: undefined }),
  });
  await expect(runWith(serve, [...args, '--port', '0'], kernel)).rejects.toThrow(message);
});

test.each([
  ['/a/b,c', '/a/b,c', {}],
  ['name:x,layout=0,1,4,unit=ns', 'name:x', { unit: 'ns', layout: { firstIndex: 0 } }],
  ['/a,description=one, two = three,perCpu=true', '/a', { description: 'one, two = three', perCpu: true }],
  ['/a,perCpu=false', '/a', { perCpu: false }],
])('%s is a map with options', (operand, argument, options) => {
  const parsed = parseServedMap(operand, { perCpu: true, unit: 'none' });
  expect(parsed).toMatchObject({ argument, options: { perCpu: true, unit: 'none', ...options } });
});
