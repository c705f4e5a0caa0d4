import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type KernelHistogram, kernelQuantile, logLinear8Layout, sumCpus } from '@hdrscope/ebpf';
import { type KernelProgram, type KernelProgramName, openKernelProgram } from '@hdrscope/ebpf/loader';
import { describeUnless, lackByTrial, testUnless } from '@hdrscope/testing';
import { lackOfKernel } from './support/bpffs.ts';
import { type BpftraceCounts, lackOfTracing, trace } from './support/bpftrace.ts';

const ATTEMPTS = 10;

const noProgram =
  (await lackOfKernel()) ??
  lackOfTracing() ??
  (await lackByTrial('kernel', async () => (await openKernelProgram('runqueue')).close()));
const describePeer = describeUnless(noProgram);
const testDevice = testUnless(noProgram ?? (await lackByTrial('kernel', () => loopDevice().remove())));

/** What both have counted about one load: by any keys. */
interface Both {
  readonly ours: Readonly<Record<string, number>>;
  readonly theirs: Readonly<Record<string, number>>;
}

/** One load that a program of ours and a script of bpftrace have seen from its beginning to its end. */
interface Comparison<Facts> {
  readonly program: KernelProgramName;
  readonly by: string;
  readonly script: string;
  load(): Promise<Facts>;
  ours(histograms: readonly KernelHistogram[], facts: Facts): Record<string, number>;
  theirs(counts: BpftraceCounts, facts: Facts): Record<string, number>;
}

/**
 * Counts the same load with both until they agree. The kernel skips a script of bpftrace while the same CPU is inside a call
 * about maps, so bpftrace may have counted less at times, and never more.
 */
async function compare<Facts>(
  comparison: Comparison<Facts>,
): Promise<{ both: Both; facts: Facts; last: Last }> {
  for (let attempt = 1; ; attempt++) {
    const program = await openKernelProgram(comparison.program, { by: comparison.by, maxKeys: 10_000 });
    try {
      const tracing = await trace(comparison.script);
      const facts = await comparison.load();
      const counts = await tracing.end();
      const { histograms, missed } = await program.source.read();
      const ours = comparison.ours(histograms, facts);
      const theirs = comparison.theirs(counts, facts);
      for (const [key, count] of Object.entries(theirs)) {
        expect([key, ours[key] ?? 0]).toEqual([key, expect.any(Number)]);
        expect(ours[key] ?? 0).toBeGreaterThanOrEqual(count);
      }
      const isEqual = JSON.stringify(sorted(ours)) === JSON.stringify(sorted(theirs));
      if (isEqual || attempt === ATTEMPTS) {
        return { both: { ours, theirs }, facts, last: { histograms, missed: missed!, program } };
      }
    } finally {
      program.close();
    }
  }
}

interface Last {
  readonly histograms: readonly KernelHistogram[];
  readonly missed: number;
  readonly program: KernelProgram;
}

function sorted(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}

function named(
  histograms: readonly KernelHistogram[],
  name: string,
  attributes: object,
): KernelHistogram | undefined {
  return histograms.find(
    (histogram) =>
      histogram.name === name && JSON.stringify(histogram.attributes) === JSON.stringify(attributes),
  );
}

const totalOf = (histogram: KernelHistogram | undefined): number =>
  histogram === undefined ? 0 : sumCpus(histogram).counts.total;

describePeer('programs of ours and bpftrace, on the same load', () => {
  test('each segment of a connection counts its round-trip time, which bpftrace reads at the same moment', async () => {
    const [server, client] = ['127.0.0.77', '127.0.0.78'];
    const { slots } = logLinear8Layout();
    const { both, last } = await compare({
      program: 'tcprtt',
      by: 'remote',
      script: [77, 78]
        .map(
          (last) =>
            `tracepoint:tcp:tcp_probe /args->daddr[4] == 127 && args->daddr[7] == ${last}/ { @to${last}[args->srtt] = count(); }`,
        )
        .join(' '),
      load: () => echo(server, client, 300),
      ours: (histograms) =>
        Object.fromEntries(
          [server, client].flatMap((remote) => {
            const histogram = named(histograms, 'linux.tcp.rtt', { remote });
            if (histogram === undefined) return [];
            const { counts } = sumCpus(histogram);
            const used = Array.from({ length: slots.slotCount }, (_, slot) => slot).filter(
              (slot) => counts.at(slot) > 0,
            );
            return used.map((slot) => [`${remote} ${slot}`, counts.at(slot)]);
          }),
        ),
      theirs: (counts) => {
        const inSlots: Record<string, number> = {};
        for (const [remote, map] of [
          [server, '@to77'],
          [client, '@to78'],
        ] as const) {
          for (const [us, count] of Object.entries(counts[map] ?? {})) {
            const key = `${remote} ${slots.slotOf(Number(us))}`;
            inSlots[key] = (inSlots[key] ?? 0) + count;
          }
        }
        return inSlots;
      },
    });

    expect(both.ours).toEqual(both.theirs);
    for (const remote of [server, client]) {
      const histogram = named(last.histograms, 'linux.tcp.rtt', { remote })!;
      // A segment in each direction for each echo.
      expect(totalOf(histogram)).toBeGreaterThanOrEqual(300);
      expect(kernelQuantile(histogram, 1).lower).toBeLessThan(60e6);
    }
  });

  testDevice(
    'each request of a block device counts once, by its operation, as in bpftrace and in the statistics of the kernel',
    async () => {
      const device = loopDevice();
      try {
        const { both, facts, last } = await compare({
          program: 'blockio',
          by: 'device',
          script: `tracepoint:block:block_rq_complete /args->dev == ${device.number}/ { @c[args->rwbs] = count(); }`,
          load: async () => {
            const before = device.statistics();
            const startedMs = Date.now();
            const startNs = process.hrtime.bigint();
            device.copy('read', 200);
            device.copy('write', 120);
            const wallNs = Number(process.hrtime.bigint() - startNs);
            const after = device.statistics();
            return {
              startedMs,
              wallNs,
              reads: after.reads - before.reads,
              writes: after.writes - before.writes,
            };
          },
          ours: (histograms) =>
            Object.fromEntries(
              histograms
                .filter(({ attributes }) => attributes.device === device.name)
                .map((histogram) => [histogram.attributes.operation, totalOf(histogram)]),
            ),
          theirs: ({ '@c': counts = {} }) => {
            const names: Readonly<Record<string, string>> = {
              R: 'read',
              W: 'write',
              D: 'discard',
              F: 'flush',
            };
            const totals: Record<string, number> = {};
            for (const [rwbs, count] of Object.entries(counts)) {
              const name = names[rwbs[0]!]!;
              totals[name] = (totals[name] ?? 0) + count;
            }
            return totals;
          },
        });

        expect(both.ours).toEqual(both.theirs);
        // Other programs, such as udev, may look at a new device, also after its statistics were read.
        const { read = 0, write = 0 } = both.ours;
        expect([facts.reads >= 200, facts.writes >= 120]).toEqual([true, true]);
        expect([read >= facts.reads, write >= facts.writes]).toEqual([true, true]);
        const mine = last.histograms.filter(({ attributes }) => attributes.device === device.name);
        const waitedNs = mine.reduce((sum, histogram) => sum + sumCpus(histogram).sum!, 0);
        // One request at a time: together they took at most the time of the load, and each other one at most all the time.
        const others = mine.reduce((sum, histogram) => sum + totalOf(histogram), 0) - 320;
        expect(waitedNs).toBeGreaterThan(0);
        expect(waitedNs).toBeLessThanOrEqual(facts.wallNs + others * (Date.now() - facts.startedMs) * 1e6);
      } finally {
        device.remove();
      }
    },
  );

  test('each switch to a task counts a depth, and each wait a latency', async () => {
    const { both, facts, last } = await compare({
      program: 'runqueue',
      by: 'task',
      script: 'tracepoint:sched:sched_switch { @c[args->next_pid] = count(); }',
      load: () => sleeper(200),
      ours: (histograms, { pid }) => ({
        [pid]: histograms
          .filter(({ name, attributes }) => name === 'linux.runqueue.depth' && attributes.tid === pid)
          .reduce((sum, histogram) => sum + totalOf(histogram), 0),
      }),
      theirs: ({ '@c': counts = {} }, { pid }) => ({ [pid]: counts[pid] ?? 0 }),
    });

    expect(both.ours).toEqual(both.theirs);
    const depths = both.ours[facts.pid]!;
    expect(depths).toBeGreaterThanOrEqual(200);
    const waits = last.histograms.filter(
      ({ name, attributes }) => name === 'linux.runqueue.latency' && attributes.tid === facts.pid,
    );
    const measured = waits.reduce((sum, histogram) => sum + totalOf(histogram), 0);
    expect(measured).toBeLessThanOrEqual(depths);
    // All other switches are among those that were not measured.
    expect(depths - measured).toBeLessThanOrEqual(last.missed);
    const waitedNs = waits.reduce((sum, histogram) => sum + sumCpus(histogram).sum!, 0);
    expect(waitedNs).toBeGreaterThan(0);
    expect(waitedNs).toBeLessThanOrEqual(facts.lifeNs);
  });
});

/** Sends so many messages to an echo server, one after the other, and resolves when both ends are closed. */
async function echo(serverAddress: string, clientAddress: string, messages: number): Promise<void> {
  const server = createServer((socket) => socket.pipe(socket));
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  server.listen(0, serverAddress);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: serverAddress, localAddress: clientAddress, noDelay: true });
  await once(client, 'connect');
  for (let i = 0; i < messages; i++) {
    client.write('x');
    await once(client, 'data');
  }
  const [socket] = await accepted;
  const ends = [once(client, 'close'), once(socket, 'close')];
  client.end();
  await Promise.all(ends);
  server.close();
  await once(server, 'close');
}

/** Runs a process that sleeps so many times, and resolves when it has ended. */
async function sleeper(times: number): Promise<{ pid: number; lifeNs: number }> {
  const startNs = process.hrtime.bigint();
  const memory = 'new Int32Array(new SharedArrayBuffer(4))';
  const loop = `for (let i = 0; i < ${times}; i++) Atomics.wait(${memory}, 0, 0, 1);`;
  const child = spawn(process.execPath, ['-e', loop]);
  await once(child, 'exit');
  return { pid: child.pid!, lifeNs: Number(process.hrtime.bigint() - startNs) };
}

/** A block device of its own: a file in a temporary folder. */
function loopDevice() {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-loop-'));
  const file = join(folder, 'disk');
  const call = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program}: ${stderr || error?.message}`);
    return stdout.trim();
  };
  let path: string;
  try {
    call('truncate', '-s', '16M', file);
    path = call('losetup', '--find', '--show', file);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  const name = basename(path);
  const [major, minor] = readFileSync(`/sys/block/${name}/dev`, 'utf8').trim().split(':').map(Number);
  return {
    name,
    number: major! * 2 ** 20 + minor!,
    statistics: () => {
      const [reads, , , , writes] = readFileSync(`/sys/block/${name}/stat`, 'utf8')
        .trim()
        .split(/\s+/)
        .map(Number);
      return { reads: reads!, writes: writes! };
    },
    copy: (operation: 'read' | 'write', count: number) => {
      const [from, to] = operation === 'read' ? [path, '/dev/null'] : ['/dev/zero', path];
      const direct = operation === 'read' ? 'iflag=direct' : 'oflag=direct';
      call('dd', `if=${from}`, `of=${to}`, 'bs=4k', `count=${count}`, direct);
    },
    remove: () => {
      spawnSync('losetup', ['--detach', path]);
      rmSync(folder, { recursive: true });
    },
  };
}
