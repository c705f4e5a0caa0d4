import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ingestKernel, type KernelIngestion, kernelMap, queueDepthLayout } from '@hdrscope/ebpf';
import { type KernelCounter, openKernelCounter } from '@hdrscope/ebpf/loader';
import { convertSnapshot, render } from '@hdrscope/prometheus';
import { createRegistry, type Registry } from '@hdrscope/registry';
import {
  BuiltPackages,
  describeUnless,
  lackOfNobody,
  spawnNodeAsNobody,
  testUnless,
} from '@hdrscope/testing';
import { readHistogram } from './prometheus-text.ts';
import { type Bpffs, lackOfKernel, mountBpffs } from './support/bpffs.ts';
import { exportedByOtlp } from './support/otlp-receiver.ts';

const support = join(import.meta.dirname, 'support');

/** The counts of 4,821 queue depths by slot, and the depths in each slot. */
const COUNTS = [1200, 980, 1400, 800, 400, 30, 10, 1];
const DEPTHS = [[0], [1], [2, 3, 4], [5, 8], [9, 16], [17, 32], [33, 64], [65, 2 ** 31]];
const BOUNDARIES = [0, 1, 4, 8, 16, 32, 64];

function feed(counter: KernelCounter): void {
  for (const [slot, count] of COUNTS.entries()) {
    const depths = DEPTHS[slot]!;
    for (let i = 0; i < count; i++) counter.record(depths[i % depths.length]!);
  }
}

const noKernel = await lackOfKernel();
const describeKernel = describeUnless(noKernel);
const testAsNobody = testUnless(noKernel ?? lackOfNobody());

describeKernel('4,821 queue depths that the kernel counted on all CPUs in turn', () => {
  let bpffs: Bpffs;
  let counter: KernelCounter;
  let path: string;

  beforeEach(async () => {
    bpffs = mountBpffs();
    path = bpffs.path('queue_hist');
    counter = await openKernelCounter({ name: 'queue_hist' });
    counter.pin(path, 0o444);
    feed(counter);
  });

  afterEach(() => {
    counter.close();
    bpffs.unmount();
  });

  test('are read exactly from the pinned map by another process', () => {
    const args = [join(support, 'ebpf-reader.mjs'), path];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ uid: process.getuid!(), totals: COUNTS });
  });

  testAsNobody('are read exactly from the pinned map by a process without privileges', () => {
    // Other users may not enter the folder of the workspace.
    const built = new BuiltPackages(['ebpf']);
    try {
      const script = built.script('reader', readFileSync(join(support, 'ebpf-reader.mjs'), 'utf8'));
      built.openToEveryone();
      const { stdout, stderr } = spawnNodeAsNobody([script, path]);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ uid: 65534, totals: COUNTS });
    } finally {
      built.remove();
    }
  });

  describe('in a registry', () => {
    let registry: Registry;
    let kernel: KernelIngestion;

    beforeEach(() => {
      registry = createRegistry();
      const source = kernelMap({ path, layout: queueDepthLayout() });
      kernel = ingestKernel(registry, source, {
        name: 'runqueue.depth',
        unit: '{thread}',
        attributes: { host: 'here' },
      });
    });

    afterEach(() => kernel.close());

    async function scraped() {
      const page = new TextDecoder().decode(render(convertSnapshot(await registry.gather()), 'text'));
      const [, name] = /^# TYPE (\S+) histogram$/m.exec(page) ?? [];
      const [series] = readHistogram(page, name!);
      return series!;
    }

    test('become a Prometheus histogram with the buckets of the kernel', async () => {
      const { labels, count, buckets } = await scraped();

      expect(labels).toBe('host=here');
      expect(count).toBe(4821);
      let sum = 0;
      expect(buckets).toEqual(
        [...BOUNDARIES, Number.POSITIVE_INFINITY].map((bound, slot) => {
          sum += COUNTS[slot]!;
          return [bound, sum];
        }),
      );
    });

    test('are exported by OTLP in the same buckets', async () => {
      const [point] = await exportedByOtlp(registry);

      expect(point).toMatchObject({
        name: 'runqueue.depth',
        unit: '{thread}',
        attributes: { host: 'here' },
        isDelta: false,
        count: 4821,
        buckets: { boundaries: BOUNDARIES, counts: COUNTS },
      });
    });

    test('keep growing when the map is cleared and when another map replaces it', async () => {
      expect((await scraped()).count).toBe(4821);

      counter.reset();
      for (let i = 0; i < 100; i++) counter.record(3);
      expect((await scraped()).count).toBe(4921);
      expect(kernel.health).toMatchObject({ generations: 1, readErrors: 0 });
      expect(kernel.health.resets).toBeGreaterThan(0);

      counter.close();
      await scraped();
      expect(kernel.health.readErrors).toBe(1);

      counter = await openKernelCounter({ name: 'queue_hist' });
      counter.pin(path, 0o444);
      for (let i = 0; i < 50; i++) counter.record(100);
      const { count, buckets } = await scraped();
      expect(count).toBe(4971);
      expect(buckets.at(-2)).toEqual([64, 4920]);
      expect(kernel.health).toMatchObject({ generations: 2, readErrors: 1 });
    });
  });
});

describeKernel('a process that counts run queues', () => {
  let child: ChildProcess | undefined;

  afterEach(() => child?.kill('SIGKILL'));

  test('leaves nothing in the kernel when it is killed', async () => {
    child = spawn(process.execPath, [join(support, 'ebpf-loader.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout! }), 'line'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`the process ended with ${code} before it had loaded its program`);
      }),
    ])) as [string];
    // Maps live as long as a program that uses them.
    const ids = JSON.parse(line) as number[];
    expect(await existing(ids)).toEqual(ids);

    child.kill('SIGKILL');
    await once(child, 'exit');

    for (let i = 0; i < 1000 && (await existing(ids)).length > 0; i++) await sleep(20);
    expect(await existing(ids)).toEqual([]);
  });
});

async function existing(ids: readonly number[]): Promise<number[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const source = kernelMap({ id, layout: queueDepthLayout() });
      const isThere = await Promise.resolve()
        .then(() => source.read())
        .then(
          () => true,
          // A map that exists is refused for its shape.
          (error: Error) => !/ENOENT/.test(error.message),
        );
      await source.close();
      return isThere ? [id] : [];
    }),
  );
  return found.flat();
}
