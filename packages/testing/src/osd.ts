import { readFileSync } from 'node:fs';

/** The axes of the perf histograms of an OSD, as Ceph configures them. */
export const LATENCY = {
  name: 'Latency (usec)',
  scale: 'log2',
  min: 0,
  quantSize: 100_000,
  buckets: 32,
  unit: 'ns',
} as const;
export const SIZE = {
  name: 'Request size (bytes)',
  scale: 'log2',
  min: 0,
  quantSize: 512,
  buckets: 32,
  unit: 'bytes',
} as const;

/** The counter of writes. */
export const COUNTER = 'op_w_latency_in_bytes_histogram';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');

/** One counter of the dump of an OSD of Ceph 16.2.15 after 62,049 writes of 4 KiB, without spaces. */
export const OSD_DUMP: string = fixture('osd-op-w.16.2.15.dump.json');
/** The same counter of the same OSD after more writes, some of 64 KiB. */
export const OSD_DUMP_LATER: string = fixture('osd-op-w-later.16.2.15.dump.json');
/** The schema of the same OSD, as it answered. */
export const OSD_SCHEMA: string = fixture('osd.16.2.15.schema.json');
