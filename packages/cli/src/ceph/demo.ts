import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CephRelease,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramLogger,
  PerfHistogram,
  type PerfReplies,
  registryReplies,
  snapshotLoggers,
} from '@hdrscope/ceph';
import { createRegistry } from '@hdrscope/registry';

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
