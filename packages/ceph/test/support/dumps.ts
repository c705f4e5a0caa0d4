import { readFileSync } from 'node:fs';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');

export const COUNTER = 'op_w_latency_in_bytes_histogram';

/** What an OSD of Ceph 16.2.15 answered after 62,049 writes of 4 KiB, one counter of it. */
export const OSD_DUMP: string = fixture('osd-op-w.16.2.15.dump.json');

/** The same after more of them, some of 64 KiB. */
export const OSD_DUMP_LATER: string = fixture('osd-op-w-later.16.2.15.dump.json');

interface AxisFields {
  readonly [field: string]: unknown;
}

export const LINEAR: AxisFields = {
  name: 'Items',
  min: 0,
  quant_size: 10,
  buckets: 3,
  scale_type: 'linear',
  ranges: [{ max: -1 }, { min: 0, max: 9 }, { min: 10 }],
};

/** A dump of one histogram, as text. */
export function dumpOf(values: unknown, axes: readonly AxisFields[] = [LINEAR], more: object = {}): string {
  return JSON.stringify({ osd: { items: { axes, ...more, values } } });
}
