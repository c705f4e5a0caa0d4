import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonFamilies } from '@hdrscope/agent/internal';
import {
  type CephDaemon,
  type CephRelease,
  daemonsAt,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramLogger,
  ingestCephByTell,
  ingestCephDaemons,
  PerfHistogram,
  type PerfReplies,
  registryReplies,
  serveAdminSocket,
  snapshotLoggers,
} from '@hdrscope/ceph';
import { CEPH_RELEASES } from '@hdrscope/ceph/internal';
import { createRegistry } from '@hdrscope/registry';
import { ExitCode, type Io, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { addressOptions, GUARD, guardOf, serveMetrics, untilAborted } from '../../serving.ts';
import { assertSockets, daemonsToTell, openInputs, sizesOption, TELL } from './histograms.ts';

const DESCRIPTION = `Serves the histograms of daemons to Prometheus, at /metrics, until Ctrl-C. Each scrape reads the daemons; those
of a folder may come and go. The label ceph_daemon names them as ceph-exporter does. Sums come from the
daemon's own counters; where they are estimates, HELP says so. A metric never falls, even when a daemon
restarts. An OSD that hangs delays one scrape by a second, and the others go on.

Classic buckets have the bounds of Ceph. Native ones have bounds of Prometheus, unless it makes them of
classic ones: --buckets classic here, and convert_classic_histograms_to_nhcb there.

With --socket it serves histograms of this process on an admin socket instead, as a daemon of Ceph does. Try
the ceph command and this one with it when there is no cluster. These histograms are real: times of reading
blocks of a file and of hashing them. Only this user can connect.`;

const OPTIONS = defineOptions({
  ...addressOptions(9436),
  merged: { help: 'serves all daemons together, too' },
  sizes: sizesOption('divides latencies by the size of requests, '),
  buckets: {
    value: '<kind>',
    help: 'the buckets of histograms for a Prometheus that takes native ones',
    choices: ['native', 'classic', 'both'],
    default: 'native',
  },
  ...TELL,
  socket: { value: '<path>', help: 'the path of a socket to serve: at most 107 bytes, and unused' },
  release: {
    value: '<name>',
    help: 'with --socket, the release of Ceph whose dumps it sends; next is a proposal',
    choices: CEPH_RELEASES,
    default: 'tentacle',
  },
  ...GUARD,
});

export const command = defineCommand({
  path: 'hdrscope ceph serve',
  description: DESCRIPTION,
  examples: [
    'hdrscope ceph serve /var/run/ceph --merged',
    'hdrscope ceph serve /var/run/ceph/ceph-osd.0.asok --sizes 4KiB,64KiB --port 9436',
    "hdrscope ceph serve --tell 'osd.*' --buckets classic",
    'hdrscope ceph serve --socket ./demo.asok',
  ],
  operands: { '[socket|folder...]': 'admin sockets of daemons, and folders of sockets' },
  options: OPTIONS,
  async run({ options, operands }, io) {
    const { socket, release, tell } = options;
    const ways = [operands.length > 0, tell !== undefined, socket !== undefined].filter(Boolean).length;
    if (ways !== 1) {
      throw new UsageError(
        'hdrscope ceph serve needs sockets of daemons, or a folder of them, or --tell, or --socket for one of its own',
      );
    }
    return socket === undefined ? serveDaemons(operands, options, io) : serveDemo(socket, release, io);
  },
});

const SIZE_AXIS = 'Request size (bytes)';
const ANSWER_MS = 5000;

async function serveDaemons(
  operands: readonly string[],
  options: OptionsOf<typeof OPTIONS>,
  io: Io,
): Promise<number> {
  const { port, host, buckets, merged = false, sizes, tell, ceph } = options;
  const guard = await guardOf(options, io);
  if (tell === undefined) assertSockets(await openInputs(operands, io), 'hdrscope ceph serve');
  const list = async (): Promise<CephDaemon[]> => {
    const daemons = await Promise.all(operands.map((path) => daemonsAt(path, { timeoutMs: ANSWER_MS })));
    return daemons.flat();
  };
  const registry = createRegistry();
  const shown = { merged, ...(sizes !== undefined && { classes: { axis: SIZE_AXIS, bounds: sizes } }) };
  const daemons =
    tell === undefined
      ? ingestCephDaemons(registry, list, shown)
      : ingestCephByTell(registry, { ...shown, target: daemonsToTell(tell), program: ceph });
  try {
    const sources = [() => daemonFamilies([daemons])];
    return await serveMetrics(registry, { ...guard, port, host, buckets, sources }, io);
  } finally {
    await daemons.close();
  }
}

async function serveDemo(path: string, release: CephRelease, io: Io): Promise<number> {
  const demo = await startDemo(release);
  try {
    const server = await serveAdminSocket({ path, ...demo.replies });
    try {
      // The ceph command reads a word without a slash as the name of a daemon.
      const named = path.includes('/') ? path : `./${path}`;
      await io.stdout.write(`serving ${path}. In another terminal:
  hdrscope ceph dump ${path}
  hdrscope ceph heatmap ${path} --interval 5s
  ceph --admin-daemon ${named} perf histogram dump
  ceph --admin-daemon ${named} help
`);
      await untilAborted(io.signal);
      return ExitCode.done;
    } finally {
      await server.close();
    }
  } finally {
    await demo.stop();
  }
}

/** Work that goes on until it is stopped, and histograms of it. */
interface Demo {
  readonly replies: PerfReplies;
  stop(): Promise<void>;
}

const PAUSE_MS = 20;
const SMALLEST_BYTES = 512;
/** Sizes are from 512 bytes to 512 KiB. */
const DOUBLINGS = 10;

/** Reads blocks of Node.js's executable, of different sizes and at random places, and hashes them. */
export async function startDemo(release: CephRelease): Promise<Demo> {
  const registry = createRegistry();
  const hashing = registry
    .histogram({ name: 'hash.duration', description: 'Time for hashing a block', unit: 's' })
    .with({});
  const sizes = registry
    .histogram({ name: 'read.size', description: 'Size of the blocks', unit: 'By' })
    .with({});
  const reads = new PerfHistogram([
    { name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 1024, buckets: 32, unit: 'ns' },
    { name: 'Request size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 16, unit: 'bytes' },
  ]);
  const file = await open(process.execPath);
  const stopping = new AbortController();
  const work = (async (): Promise<void> => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const { bytes, latencyNs, hashSec } = await readBlock(
        file,
        SMALLEST_BYTES * 2 ** (turn % (DOUBLINGS + 1)),
      );
      reads.record(latencyNs, bytes);
      sizes.record(bytes);
      hashing.record(hashSec);
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  // `stop` reports the error that ended it.
  work.catch(() => {});

  const readLogger: HistogramLogger = {
    name: 'reads',
    counters: [
      {
        name: 'op_r_latency_out_bytes_histogram',
        description: 'Histogram of read latency + data read',
        histogram: reads,
      },
    ],
  };
  const loggers = async (): Promise<HistogramLogger[]> => [
    ...snapshotLoggers(await registry.gather(), { release }),
    readLogger,
  ];
  return {
    replies: {
      ...registryReplies(registry, { release }),
      histograms: {
        schema: async (format) => formatHistogramSchema(await loggers(), { format }),
        dump: async (filter, format) => formatHistogramDump(await loggers(), { ...filter, release, format }),
      },
    },
    stop: async () => {
      stopping.abort();
      try {
        await work;
      } finally {
        await file.close();
      }
    },
  };
}

async function readBlock(
  file: FileHandle,
  size: number,
): Promise<{ bytes: number; latencyNs: number; hashSec: number }> {
  const { size: fileSize } = await file.stat();
  const position = Math.floor(Math.random() * Math.max(0, fileSize - size));
  const start = process.hrtime.bigint();
  const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, position);
  const between = process.hrtime.bigint();
  createHash('sha256').update(buffer.subarray(0, bytesRead)).digest();
  const end = process.hrtime.bigint();
  return { bytes: bytesRead, latencyNs: Number(between - start), hashSec: Number(end - between) / 1e9 };
}
