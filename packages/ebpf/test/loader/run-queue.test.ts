import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import type { KernelHistogram } from '../../src/index.ts';
import { type KernelProgram, openKernelProgram } from '../../src/loader/index.ts';
import { onlineCpus, possibleCpus } from '../../src/system-files.ts';
import { expectGone, lackOfLoader, makeBusy } from '../support/loaded.ts';

const why = await lackOfLoader();
const testLoader = testUnless(why);
const testBpftool = testUnless(why ?? lackOfProgram('bpftool'));

let runQueue: KernelProgram;

afterEach(() => runQueue?.close());

async function histogramOf(name: 'depth' | 'latency'): Promise<KernelHistogram> {
  const { histograms } = await runQueue.source.read();
  return histograms.find((histogram) => histogram.name === `linux.runqueue.${name}`)!;
}

const sumOf = (numbers: Float64Array): number => numbers.reduce((sum, number) => sum + number, 0);

/** The counts of all CPUs, slot by slot. */
function totalsOf({ counts, layout }: KernelHistogram): readonly number[] {
  const slots = layout.slots.slotCount;
  return Array.from({ length: slots }, (_, slot) =>
    sumOf(counts.filter((_count, index) => index % slots === slot)),
  );
}

testLoader('counts depth and latency of a busy machine, and never falls', async () => {
  runQueue = await openKernelProgram('runqueue');
  const processes = onlineCpus().length + 2;
  const busy = makeBusy(processes, 1800);
  const reads: { depth: readonly number[]; latency: readonly number[]; sums: Float64Array }[] = [];
  for (let i = 0; i < 5; i++) {
    await sleep(400);
    // The kernel counts on between the two reads. Each wait that the first read sees has its depth in the second.
    const latency = await histogramOf('latency');
    const depth = await histogramOf('depth');
    expect(depth.counts).toHaveLength(possibleCpus().length * 8);
    reads.push({ depth: totalsOf(depth), latency: totalsOf(latency), sums: latency.sums! });
  }
  await busy;

  for (const [earlier, later] of reads.slice(1).map((read, i) => [reads[i]!, read] as const)) {
    expect(later.depth.every((count, slot) => count >= earlier.depth[slot]!)).toBe(true);
    expect(later.latency.every((count, slot) => count >= earlier.latency[slot]!)).toBe(true);
    expect(later.sums.every((sum, cpu) => sum >= earlier.sums[cpu]!)).toBe(true);
  }
  const { depth, latency, sums } = reads.at(-1)!;
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  // More than one task for each CPU, and not hundreds of them.
  expect(depth[2]! + depth[3]!).toBeGreaterThan(0);
  expect(depth[7]).toBe(0);
  expect(total(latency)).toBeGreaterThan(10);
  // Switches to the idle task have a depth and no wait.
  expect(total(depth)).toBeGreaterThanOrEqual(total(latency));
  // Some task waited for milliseconds, and no task waited longer than the test took with every process in the queue.
  expect(sumOf(sums)).toBeGreaterThan(1e6);
  expect(sumOf(sums)).toBeLessThan(60e9 * processes);
  expect((await runQueue.source.read()).missed).toBeLessThan(total(latency) / 2);
});

testLoader('counts one depth for each switch of the kernel', async () => {
  runQueue = await openKernelProgram('runqueue');
  const counted = async () => sumOf((await histogramOf('depth')).counts);
  await counted();
  const outerStart = switches();
  const start = await counted();
  const innerStart = switches();
  await makeBusy(4, 500);
  const innerEnd = switches();
  const depths = (await counted()) - start;

  expect(depths).toBeLessThanOrEqual(switches() - outerStart);
  // The kernel does not trace all switches: a few each second were missing.
  expect(depths).toBeGreaterThan((innerEnd - innerStart) * 0.8);
});

/** Number of switches between tasks on all CPUs. */
function switches(): number {
  return Number(/^ctxt (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))![1]);
}

testLoader('its latency sum is within the bounds of its slots', async () => {
  runQueue = await openKernelProgram('runqueue');
  await makeBusy(3, 300);
  const histogram = await histogramOf('latency');
  const { slots } = histogram.layout;
  const counts = totalsOf(histogram);
  const bound = (edge: (slot: number) => number) =>
    counts.reduce((sum, count, slot) => sum + (count === 0 ? 0 : count * edge(slot)), 0);

  // A CPU may be between the two increments of a wait. No wait was longer than this.
  const longest = slots.upper(counts.findLastIndex((count) => count > 0));
  const slack = longest * possibleCpus().length;
  expect(sumOf(histogram.sums!)).toBeGreaterThanOrEqual(bound(slots.lower) - slack);
  expect(sumOf(histogram.sums!)).toBeLessThanOrEqual(bound(slots.upper) + slack);
});

testBpftool('bpftool reads the same from the same map', async () => {
  runQueue = await openKernelProgram('runqueue');
  await makeBusy(2, 300);
  const { id } = runQueue.program.maps.get('queue_hist')!;
  const before = totalsOf(await histogramOf('depth'));
  const { stdout } = spawnSync('bpftool', ['-j', 'map', 'dump', 'id', `${id}`], { encoding: 'utf8' });
  const after = totalsOf(await histogramOf('depth'));

  const entries = JSON.parse(stdout) as { formatted: { values: { value: number }[] } }[];
  const read = entries.map(({ formatted }) => formatted.values.reduce((sum, { value }) => sum + value, 0));
  expect(read).toHaveLength(8);
  for (const [slot, count] of read.entries()) {
    expect(count).toBeGreaterThanOrEqual(before[slot]!);
    expect(count).toBeLessThanOrEqual(after[slot]!);
  }
});

testLoader('leaves nothing when it is closed, once or twice', async () => {
  runQueue = await openKernelProgram('runqueue');
  const { program } = runQueue;
  const ids = {
    maps: [...program.maps.values()].map(({ id }) => id),
    programs: program.programs.map(({ id }) => id),
  };
  expect(program.programs.map(({ section }) => section).sort()).toEqual([
    'tp_btf/sched_switch',
    'tp_btf/sched_wakeup',
    'tp_btf/sched_wakeup_new',
  ]);

  runQueue.close();
  runQueue.close();

  await expectGone(ids);
  await expect(runQueue.source.read()).rejects.toThrow('the program runqueue is closed');
});
