import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, parseConfig, startAgent } from '@hdrscope/agent';
import { type KernelCounter, openKernelCounter, openKernelProgram } from '@hdrscope/ebpf/loader';
import { describeUnless, type Lack, lack, lackByTrial, lackOfProgram } from '@hdrscope/testing';
import { type Bpffs, lackOfKernel, mountBpffs } from './support/bpffs.ts';

function lackOfBpftrace(): Lack | undefined {
  const { status, stderr } = spawnSync('bpftrace', ['-e', 'BEGIN { exit(); }'], { encoding: 'utf8' });
  return lack('kernel', status === 0 ? undefined : `bpftrace does not run here: ${stderr.trim()}`);
}

let agent: Agent;
afterEach(() => agent?.stop());

async function start(sources: string, log: (line: string) => void = () => {}): Promise<Agent> {
  const { config, issues } = parseConfig(`${sources}\nsinks: [{ type: prometheus, listen: 'localhost:0' }]`);
  expect(issues).toEqual([]);
  return startAgent(config!, { log });
}

/** The total count of a family. */
async function countOf({ registry }: Agent, name: string): Promise<number> {
  const { families } = await registry.gather();
  const series = families.find((family) => family.name === name)?.series ?? [];
  return series.reduce((sum, { histogram }) => sum + histogram.totalCount, 0);
}

describeUnless(await lackOfKernel())('a map of the kernel', () => {
  let bpffs: Bpffs;
  let counter: KernelCounter;

  beforeEach(async () => {
    bpffs = mountBpffs();
    counter = await openKernelCounter({ name: 'queue_hist' });
    counter.pin(bpffs.path('queue_hist'), 0o444);
  });

  afterEach(async () => {
    await agent?.stop();
    counter.close();
    bpffs.unmount();
  });

  test('is counted across a reload that changes its source, without counting twice', async () => {
    const sources = (attribute: string): string =>
      `sources: [{ type: ebpf-map, map: ${bpffs.path('queue_hist')}, layout: queue-depth, metric: depth, attributes: { a: ${attribute} } }]`;
    for (let i = 0; i < 50; i++) counter.record(3);
    agent = await start(sources('one'));
    expect(await countOf(agent, 'depth')).toBe(50);
    for (let i = 0; i < 7; i++) counter.record(100);
    const { config } = parseConfig(`${sources('two')}\nsinks: [{ type: prometheus, listen: 'localhost:0' }]`);
    await agent.reload(() => config!);
    expect(await countOf(agent, 'depth')).toBe(57);
    counter.record(0);
    expect(await countOf(agent, 'depth')).toBe(58);
    const { families } = await agent.registry.gather();
    const { series, boundaries } = families.find(({ name }) => name === 'depth')!;
    expect(series.map(({ attributes, histogram }) => [attributes.a, histogram.totalCount])).toEqual([
      ['one', 57],
      ['two', 1],
    ]);
    expect(boundaries).toEqual([0, 1, 4, 8, 16, 32, 64]);
  });

  test('is refused with the layouts that fit, when nothing states its layout and its program is gone', async () => {
    for (let i = 0; i < 50; i++) counter.record(3);
    const other = await openKernelCounter({ name: 'depths' });
    other.pin(bpffs.path('first'), 0o444);
    for (let i = 0; i < 7; i++) other.record(3);
    // Two other pins of the map, which keep it. Its program would show the layout.
    for (const name of ['depths', 'again']) linkSync(bpffs.path('first'), bpffs.path(name));
    other.close();
    const described = "layout: queue-depth, shape: 'value { u64 depth; }', sum: none";
    agent = await start(`sources:
  - { type: ebpf-map, name: shown, map: ${bpffs.path('queue_hist')}, metric: shown, layout: queue-depth }
  - { type: ebpf-map, name: asked, map: ${bpffs.path('depths')}, metric: asked }
  - { type: ebpf-map, name: described, map: ${bpffs.path('again')}, metric: described, ${described} }`);
    expect(await countOf(agent, 'shown')).toBe(50);
    expect(await countOf(agent, 'described')).toBe(7);
    const { errors, families } = await agent.registry.gather();
    expect(families.find(({ name }) => name === 'asked')).toBeUndefined();
    expect(errors.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/no loaded program uses it.* its numbers fit queue-depth, libbpf-tools:8/),
    ]);
  });
});

describeUnless(
  await lackOfKernel(),
  await lackByTrial('kernel', async () => (await openKernelProgram('runqueue')).close()),
)('programs of hdrscope', () => {
  test('count in the kernel, in series of their own, until the agent stops', async () => {
    agent = await start(`sources:
  - { type: ebpf-program, name: queues, program: runqueue, by: task, attributes: { zone: a } }
  - { type: ebpf-program, name: disks, program: blockio }`);
    const endMs = Date.now() + 60_000;
    // This process waits for its CPU again and again.
    const mine = async () => {
      const { families } = await agent.registry.gather();
      const family = families.find(({ name }) => name === 'linux.runqueue.latency');
      return family?.series.find(({ attributes }) => attributes.tid === process.pid);
    };
    while (((await mine())?.histogram.totalCount ?? 0) < 20) {
      if (Date.now() > endMs) throw new Error(JSON.stringify(agent.health, undefined, 1));
      await sleep(20);
    }
    expect((await mine())!.attributes).toMatchObject({ pid: process.pid, zone: 'a' });
    const { families } = await agent.registry.gather();
    expect(families.find(({ name }) => name === 'linux.runqueue.depth')).toMatchObject({ unit: '{task}' });
    expect(agent.health.entries.slice(0, 2)).toMatchObject([
      { name: 'queues', state: 'running', missed: expect.any(Number) },
      { name: 'disks', state: 'running', missed: expect.any(Number) },
    ]);
  });
});

describeUnless(lackOfProgram('bpftrace') ?? lackOfBpftrace())('a bpftrace script', () => {
  test('runs and is counted, each map as a metric of its own', async () => {
    const script = 'interval:ms:20 { @ticks_us[comm] = hist(5); @sizes = hist(9); }';
    agent = await start(
      `sources: [{ type: bpftrace, script: '${script}', printEvery: 250ms, unit: us, keys: { '@ticks_us': [comm] }, maps: { '@sizes': { unit: KiB, metric: job.size, description: Sizes of jobs, attributes: { pool: a } } } }]`,
    );
    const endMs = Date.now() + 60_000;
    while (agent.health.entries[0]!.values < 5 || (await countOf(agent, 'job.size')) === 0) {
      if (Date.now() > endMs) throw new Error(JSON.stringify(agent.health, undefined, 1));
      await agent.registry.gather();
      await sleep(50);
    }
    expect(agent.health.entries[0]).toMatchObject({ name: 'bpftrace', state: 'running' });
    const { families } = await agent.registry.gather();
    const familyOf = (metric: string) => families.find(({ name }) => name === metric);
    expect(familyOf('ticks')).toMatchObject({
      unit: 's',
      description: 'Values in @ticks_us, a map of a bpftrace script; slots: bpftrace-hist, counted in us',
    });
    expect(Object.keys(familyOf('ticks')!.series[0]!.attributes)).toEqual(['comm']);
    expect(familyOf('job.size')).toMatchObject({ unit: 'By', description: 'Sizes of jobs' });
    expect(familyOf('job.size')!.series[0]!.attributes).toEqual({ pool: 'a' });
  });
});

describeUnless(lackOfProgram('bpftrace') ?? lackOfBpftrace())('all maps of the machine', () => {
  test('are exported without configuration, when they show their layouts', async () => {
    // Another program runs it: the agent knows nothing of it.
    const script = 'interval:ms:20 { @e2e_ticks = hist(5); @e2e_sizes = hist(9); @e2e_times = count(); }';
    const bpftrace = spawn('bpftrace', ['-e', script], { stdio: 'ignore' });
    try {
      agent = await start(
        'sources: [{ type: ebpf-maps, allow: ["AT_e2e_*"], deny: ["*_sizes"], refresh: 100ms }]',
      );
      const endMs = Date.now() + 60_000;
      while ((await countOf(agent, 'e2e_ticks')) < 5) {
        if (Date.now() > endMs) throw new Error(JSON.stringify(agent.health, undefined, 1));
        await sleep(50);
      }
      const { families } = await agent.registry.gather();
      const [found, ...others] = families.filter(({ name }) => name.includes('e2e_'));
      expect([found!.name, others]).toEqual(['e2e_ticks', []]);
      const { attributes, histogram } = found!.series[0]!;
      expect(Object.keys(attributes)).toEqual(['program']);
      // A slot of hist() that has 5.
      expect([histogram.min, histogram.max].every((value) => value >= 4 && value < 8)).toBe(true);
    } finally {
      bpftrace.kill('SIGINT');
      await once(bpftrace, 'exit');
    }
    const before = await countOf(agent, 'e2e_ticks');
    await sleep(500);
    expect([await countOf(agent, 'e2e_ticks'), agent.health.entries[0]!.state]).toEqual([before, 'running']);
  });

  test('are left to the sources that read one of them, so that no value counts twice', async () => {
    const script = 'interval:ms:20 { @e2e_ticks = hist(5); @e2e_sizes = hist(9); }';
    // A script of another process: those of its children are the agent's own.
    const stranger = spawn('sh', ['-c', 'bpftrace -e "$0" & wait', script], {
      stdio: 'ignore',
      detached: true,
    });
    const lines: string[] = [];
    try {
      agent = await start(
        `sources:
- { type: ebpf-maps, refresh: 100ms }
- { type: ebpf-map, map: 'name:AT_e2e_ticks', metric: mine }
- { type: ebpf-program, program: runqueue }
- { type: bpftrace, script: 'interval:ms:20 { @e2e_own = hist(7); }', printEvery: 250ms }`,
        (line) => lines.push(line),
      );
      const names = ['mine', 'e2e_sizes', 'e2e_own', 'linux.runqueue.latency'];
      const endMs = Date.now() + 60_000;
      const isLeft = (name: string) =>
        lines.some((line) => line.includes(`is left to the source ${name}, which reads it`));
      const isDone = async () =>
        (await Promise.all(names.map((name) => countOf(agent, name)))).every((count) => count > 0) &&
        ['ebpf-map', 'ebpf-program', 'bpftrace'].every(isLeft);
      while (!(await isDone())) {
        if (Date.now() > endMs) throw new Error(JSON.stringify([lines, agent.health], undefined, 1));
        await sleep(50);
      }
      const { families } = await agent.registry.gather();
      // Series of all maps have the program as an attribute.
      const ofAllMaps = families.filter(({ series }) =>
        series.some(({ attributes }) => 'program' in attributes),
      );
      const found = ofAllMaps
        .map(({ name }) => name)
        .filter((name) => /^(?:e2e_|mine|linux|queue)/.test(name));
      expect(found).toEqual(['e2e_sizes']);
    } finally {
      process.kill(-stranger.pid!, 'SIGTERM');
      await once(stranger, 'exit');
    }
  });
});
