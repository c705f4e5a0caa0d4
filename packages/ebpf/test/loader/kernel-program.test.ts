import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRegistry } from '@hdrscope/registry';
import { testUnless } from '@hdrscope/testing';
import { ingestKernel, logLinear8Layout, sumCpus } from '../../src/index.ts';
import { KERNEL_PROGRAMS } from '../../src/internal.ts';
import {
  type KernelProgram,
  type KernelProgramName,
  measureCost,
  openKernelProgram,
} from '../../src/loader/index.ts';
import { programSource } from '../../src/loader/program-source.ts';
import { possibleCpus } from '../../src/system-files.ts';
import { expectGone, lackOfLoader } from '../support/loaded.ts';

const testLoader = testUnless(await lackOfLoader());

let program: KernelProgram | undefined;
afterEach(() => program?.close());

const WAYS = Object.fromEntries(
  Object.entries(KERNEL_PROGRAMS).map(([name, { by }]) => [name, Object.keys(by)]),
);
const ALL = Object.entries(WAYS).flatMap(([name, bys]) => bys.map((by) => [name, by] as const));

testLoader.each(ALL)('%s counts by %s, and knows its units', async (name, by) => {
  program = await openKernelProgram(name as KernelProgramName, { by });
  const { cpuCount, histograms, missed } = await program.source.read();

  expect([program.name, program.by, program.note]).toEqual([name, by, undefined]);
  expect(missed).toBeGreaterThanOrEqual(0);
  if (by !== 'all') expect(cpuCount).toBe(1);
  for (const { metric } of histograms) expect(metric?.description).toMatch(/\.$/);
});

test('counts by its first key when none is given, and refuses other ones', async () => {
  expect(WAYS).toEqual({
    runqueue: ['all', 'task', 'cgroup'],
    blockio: ['device', 'all'],
    tcprtt: ['all', 'remote'],
  });
  await expect(openKernelProgram('runq' as never)).rejects.toThrow(
    "name must be 'runqueue', 'blockio' or 'tcprtt', got \"runq\"",
  );
  await expect(openKernelProgram('blockio', { by: 'task' })).rejects.toThrow(
    "by must be 'device' or 'all', got \"task\"",
  );
  for (const maxKeys of [0, 1.5, 10_001]) {
    await expect(openKernelProgram('blockio', { maxKeys })).rejects.toThrow(
      'maxKeys must be an integer from 1',
    );
  }
});

const LATENCY = {
  name: 'latency',
  layout: logLinear8Layout(),
  map: 'latency_hist',
  hasSum: true,
  at: 0,
  metric: {},
};

/** Number of values in the copies of all CPUs, by a second reader of the same map. */
async function countedTogether({ program }: KernelProgram): Promise<number> {
  const { histograms } = await programSource('all', program, [LATENCY]).read();
  return sumCpus(histograms[0]!).counts.total;
}

/** The cgroup of this process; `undefined` when its path is not below the mount point. */
function ownCgroup(): string | undefined {
  const [, path] = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  return path?.startsWith('/..') ? undefined : path;
}

testLoader('names the cgroup of this process', async () => {
  program = await openKernelProgram('runqueue', { by: 'cgroup' });
  const cgroups = async () => {
    const { histograms } = await program!.source.read();
    return histograms.map(({ attributes }) => attributes.cgroup);
  };
  // It waits for its CPU when a process that it has started ends.
  await once(spawn('true'), 'exit');
  const own = ownCgroup();
  expect(await cgroups()).toContainEqual(own ?? expect.any(String));
});

testLoader('has all values in all series, when more tasks come and go than it has room for', async () => {
  program = await openKernelProgram('runqueue', { by: 'task', maxKeys: 8 });
  const registry = createRegistry();
  const kernel = ingestKernel(registry, program.source);
  const counted = async () => {
    const { families } = await registry.gather();
    const { series } = families.find(({ name }) => name === 'linux.runqueue.latency')!;
    return {
      total: series.reduce((sum, { histogram }) => sum + histogram.totalCount, 0),
      others: series.find(({ attributes }) => attributes['otel.metric.overflow'])?.histogram.totalCount ?? 0,
      series: series.length,
    };
  };
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 8 }, () => once(spawn('true'), 'exit')));
    const before = await countedTogether(program);
    const { total, others, series } = await counted();
    const after = await countedTogether(program);

    expect(total).toBeGreaterThanOrEqual(before);
    // A CPU may be between the entry of a key and the counts of all keys.
    expect(total).toBeLessThanOrEqual(after + possibleCpus().length);
    if (round < 3) continue;
    expect(others).toBeGreaterThan(0);
    // Keys that had room in one of the readings, and the others.
    expect(series).toBeLessThanOrEqual(4 * 8 + 1);
  }
  await kernel.close();
});

testLoader('closing its source ends it, and measuring it ends with the meter', async () => {
  program = await openKernelProgram('runqueue');
  const meter = await measureCost(program.program);
  const ids = {
    maps: [...program.program.maps.values()].map(({ id }) => id),
    programs: program.program.programs.map(({ id }) => id),
  };
  await once(spawn('true'), 'exit');
  const [wakeUps, ...others] = meter.read();
  expect(wakeUps!.section).toBe('tp_btf/sched_wakeup');
  for (const { runs, runNs } of [wakeUps!, ...others]) {
    expect(runs).toBeGreaterThan(0);
    expect(runNs).toBeGreaterThan(0);
  }
  meter.close();
  meter.close();

  await program.source.close();
  await expectGone(ids);
});
