import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KernelLayout, logLinear8Layout, queueDepthLayout } from '@hdrscope/ebpf';
import { type KernelCounter, openKernelCounter } from '@hdrscope/ebpf/loader';
import { describeUnless, isInstalled, lack, testUnless } from '@hdrscope/testing';
import { type Bpffs, lackOfKernel, mountBpffs } from './support/bpffs.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';

const BIN = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const noKernel = await lackOfKernel();
const describeKernel = describeUnless(noKernel);

/** A running command. */
interface Running {
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const running: Running[] = [];
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())));

function hdrscope(args: readonly string[]): Running {
  const child: ChildProcess = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const command: Running = {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    signal: (name) => void child.kill(name),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  running.push(command);
  return command;
}

/** Waits for a text of a running command. */
async function until({ stdout, stderr }: Running, pattern: RegExp): Promise<RegExpExecArray> {
  const found = () => pattern.exec(stdout()) ?? pattern.exec(stderr()) ?? undefined;
  try {
    return await waitFor(found, { what: String(pattern) });
  } catch (error) {
    throw new Error(`${error}\n${stdout()}\n${stderr()}`);
  }
}

/** Waits for a text that follows a scrape. Where no Prometheus is installed, nobody else asks. */
async function untilAsked(target: string, { stderr }: Running, pattern: RegExp): Promise<void> {
  const found = async () => {
    await pageOf(target);
    return pattern.test(stderr()) || undefined;
  };
  await waitFor(found, { what: String(pattern) });
}

/** Cumulative counts of values by the upper bounds of all slots, in a unit that is a factor of that of the layout. */
function bucketsOf(values: readonly number[], { slots }: KernelLayout): (bound: number) => number {
  const uppers = values.map((value) => slots.upper(slots.slotOf(value)));
  return (bound) => uppers.filter((upper) => upper <= bound).length;
}

const DEPTHS = [0, 0, 1, 2, 3, 4, 5, 8, 9, 33, 64, 65, 100_000];
const WAITS_NS = [0, 1, 7, 8, 900, 1000, 1023, 1024, 5_000_000, 5_000_001, 2_000_000_000];
const LATE = [1, 1, 1, 17];

describeKernel('maps that hdrscope ebpf serve shows to Prometheus', () => {
  const servers = new Map<string, Prometheus>();
  let bpffs: Bpffs;
  let depth: KernelCounter;
  let wait: KernelCounter;
  let late: KernelCounter | undefined;

  beforeAll(async () => {
    bpffs = mountBpffs();
    depth = await openKernelCounter({ name: 'e2e_depth' });
    depth.pin(bpffs.path('depth'), 0o444);
    wait = await openKernelCounter({ name: 'e2e_wait_ns', layout: logLinear8Layout(320) });
    wait.pin(bpffs.path('wait'), 0o444);
    for (const value of DEPTHS) depth.record(value);
    for (const value of WAITS_NS) wait.record(value);
  });

  afterAll(async () => {
    await stopPeers();
    for (const counter of [depth, wait, late]) counter?.close();
    bpffs?.unmount();
  });

  test('have their own names, units, slots, help and labels, wait for their pins, and have every count', async () => {
    const path = bpffs.path('late');
    const serve = hdrscope([
      ...['ebpf', 'serve', '--port', '0'],
      `${bpffs.path('depth')},layout=queue-depth,metric=run.queue.depth,description=Tasks in a queue, by CPU,attributes.pool=a`,
      `${bpffs.path('wait')},layout=log-linear-8:320,unit=ns`,
      `${path},layout=queue-depth,metric=late`,
    ]);
    const [, target] = await until(serve, /^http:\/\/(\S+)\/metrics$/m);
    await Promise.all(
      (['prometheus-2', 'prometheus-3'] as const).filter(isInstalled).map(async (name) => {
        servers.set(name, await startPrometheus(name, [target!], { isNative: false }));
      }),
    );
    expect(await pageOf(target!)).toMatch(
      new RegExp(`^hdrscope_ebpf_map_problem\\{map="${path}",reason="[^"]*ENOENT[^"]*"\\} 1$`, 'm'),
    );
    expect(serve.stderr().match(/waits for/g)).toHaveLength(1);
    for (const server of servers.values()) {
      await server.query(`hdrscope_ebpf_map_up{map="${path}"} == 0`);
      await expectBuckets(server, 'run_queue_depth', DEPTHS, queueDepthLayout(), 1);
      await expectBuckets(server, 'e2e_wait_seconds', WAITS_NS, logLinear8Layout(320), 1e9);
      const [sample] = await server.query('run_queue_depth_count');
      expect(sample.labels).toMatchObject({ pool: 'a' });
      expect(await metadataOf(server, 'run_queue_depth')).toMatchObject({
        type: 'histogram',
        help: 'Tasks in a queue, by CPU',
      });
      expect(await metadataOf(server, 'e2e_wait_seconds')).toMatchObject({
        type: 'histogram',
        help: 'Values in e2e_wait_ns, an eBPF map of the program e2e_wait_ns; slots: log-linear-8, counted in ns',
      });
    }

    late = await openKernelCounter({ name: 'e2e_late' });
    for (const value of LATE) late.record(value);
    late.pin(path, 0o444);
    for (const server of servers.values()) {
      await server.query(`hdrscope_ebpf_map_up{map="${path}"} == 1`);
      await expectBuckets(server, 'late', LATE, queueDepthLayout(), 1);
    }
    await untilAsked(target!, serve, /late is there now, and its counts are added\n/);

    late.close();
    for (const server of servers.values()) {
      await server.query(`hdrscope_ebpf_map_up{map="${path}"} == 0`);
      await expectBuckets(server, 'late', LATE, queueDepthLayout(), 1);
    }
    await untilAsked(target!, serve, /late has gone; waits until it comes back\n/);
    expect(serve.stderr().trimEnd().split('\n')).toHaveLength(3);
  });
});

/** Waits until Prometheus has all values, and compares the buckets. */
async function expectBuckets(
  server: Prometheus,
  metric: string,
  values: readonly number[],
  layout: KernelLayout,
  perUnit: number,
): Promise<void> {
  await server.query(`${metric}_count == ${values.length}`);
  const upTo = bucketsOf(values, layout);
  const buckets = await server.query(`${metric}_bucket`);
  expect(buckets.length).toBeGreaterThan(7);
  for (const { labels, value } of buckets) {
    const bound = Number(labels.le!.replace('+Inf', 'Infinity')) * perUnit;
    expect({ metric, bound, value }).toEqual({ metric, bound, value: upTo(Number(bound.toPrecision(15))) });
  }
}

async function pageOf(target: string): Promise<string> {
  return (await fetch(`http://${target}/metrics`)).text();
}

/** What Prometheus knows of a metric besides its values. */
async function metadataOf({ url }: Prometheus, metric: string): Promise<unknown> {
  return waitFor(
    async () => {
      const response = await fetch(`${url}/api/v1/metadata?metric=${metric}`);
      const { data } = (await response.json()) as { data: Record<string, readonly unknown[]> };
      return data[metric]?.[0];
    },
    { what: `metadata of ${metric}` },
  );
}

describeKernel('hdrscope ebpf watch', () => {
  let bpffs: Bpffs;
  const counters: KernelCounter[] = [];

  beforeEach(() => {
    bpffs = mountBpffs();
  });

  afterEach(() => {
    for (const counter of counters.splice(0)) counter.close();
    bpffs.unmount();
  });

  async function counterOf(values: number): Promise<KernelCounter> {
    const counter = await openKernelCounter({ name: 'e2e_watch' });
    counters.push(counter);
    for (let i = 0; i < values; i++) counter.record(3);
    return counter;
  }

  /** The counts of all lines so far. */
  function countsOf({ stdout }: Running): number[] {
    const lines = stdout().split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { count: number }).count);
  }

  test('waits for a map, shows all counts of a new one, and none of an old one', async () => {
    const old = await counterOf(1000);
    const path = bpffs.path('watched');
    const args = ['--layout', 'queue-depth', '--interval', '200ms', '--json'];
    const watch = hdrscope(['ebpf', 'watch', path, ...args]);
    await until(watch, /waits for .*watched: .*\n/);
    const fresh = await counterOf(7);
    fresh.pin(path);
    await until(watch, /watched is there now, and counts from 0\n/);
    await waitFor(() => countsOf(watch).length > 0, { what: 'counts' });

    fresh.close();
    await until(watch, /watched has gone; waits until it comes back\n/);
    old.pin(path);
    await until(watch, /watched is another map now, and only what it counts from now on is shown\n/);
    old.record(3);
    await waitFor(() => countsOf(watch).length > 1, { what: 'the count after that' });

    expect(countsOf(watch)).toEqual([7, 1]);
    expect(watch.stderr().split('\n')).toHaveLength(5);
  });
});

describeKernel('hdrscope ebpf heatmap', () => {
  test('has every count of the kernel in its slot', async () => {
    const bpffs = mountBpffs();
    const path = bpffs.path('drawn');
    let counter: KernelCounter | undefined;
    try {
      const args = ['--layout', 'queue-depth', '--interval', '100ms', '-n', '1000', '--json'];
      const heatmap = hdrscope(['ebpf', 'heatmap', path, ...args]);
      await until(heatmap, /waits for .*drawn: .*\n/);
      counter = await openKernelCounter({ name: 'e2e_heatmap' });
      for (const value of DEPTHS) counter.record(value);
      counter.pin(path);
      await until(heatmap, /drawn is there now, and counts from 0\n/);

      heatmap.signal('SIGINT');
      const [json] = await until(heatmap, /^\{\n[\s\S]*\n\}\n/);

      const { counts } = JSON.parse(json) as { counts: number[][] };
      const { slots } = queueDepthLayout();
      const expected = slots.bounds.map(
        (_, slot) => DEPTHS.filter((depth) => slots.slotOf(depth) === slot).length,
      );
      expect(counts.map((row) => row.reduce((sum, count) => sum + count, 0)).slice(0, -1)).toEqual(expected);
    } finally {
      counter?.close();
      bpffs.unmount();
    }
  });
});

const canUnshare = spawnSync('unshare', ['--mount', 'true']).status === 0;
const noNamespace = lack('kernel', canUnshare ? undefined : 'no mounts of its own can be made here');

testUnless(noKernel ?? noNamespace)('a kernel without types is the first thing that messages say', () => {
  const run = (args: string): string => {
    // A container runtime hides files in this way.
    const script = `mount --bind /dev/null /sys/kernel/btf/vmlinux && exec "$0" "$1" ebpf ${args}`;
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-c', script, process.execPath, BIN],
      { encoding: 'utf8' },
    );
    return stdout + stderr;
  };
  const reason = '/sys/kernel/btf/vmlinux is empty';

  expect(run('doctor')).toMatch(
    new RegExp(`^cannot +BTF of the kernel +${reason}\n +something else, such as the mask`, 'm'),
  );
  const [first] = run('runqueue --duration 1s').split('\n');
  expect(first).toMatch(
    new RegExp(`^hdrscope: .*cannot be loaded: it needs the types of the kernel \\(BTF\\), and ${reason}: `),
  );
  expect(first).not.toContain('ESRCH');
});

testUnless(noKernel ?? noNamespace)('a masked list of CPUs takes no counts away', async () => {
  const counter = await openKernelCounter({ name: 'e2e_masked' });
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-masked-'));
  try {
    for (const value of DEPTHS) counter.record(value);
    const possible = join(folder, 'possible');
    writeFileSync(possible, '0\n');
    const read = `ebpf read id:${counter.map.id} --layout queue-depth --json`;
    const script = `mount --bind "$2" /sys/devices/system/cpu/possible && exec "$0" "$1" ${read}`;
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-c', script, process.execPath, BIN, possible],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).histograms).toMatchObject([{ count: DEPTHS.length }]);
  } finally {
    counter.close();
    rmSync(folder, { recursive: true });
  }
});
