import {
  formatHistogramDump,
  PerfHistogram,
  type RunningAdminSocket,
  serveAdminSocket,
} from '@hdrscope/ceph';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';

const KINDS = {
  r: { counter: 'op_r_latency_out_bytes_histogram', bytes: 'op_r_out_bytes' },
  w: { counter: 'op_w_latency_in_bytes_histogram', bytes: 'op_w_in_bytes' },
  rw: { counter: 'op_rw_latency_in_bytes_histogram', bytes: 'op_rw_in_bytes' },
} as const;
type Kind = keyof typeof KINDS;

/** An OSD that counts operations in histograms and in plain counters, as a real one does. */
export class FakeOsd {
  readonly #kinds = new Map<Kind, { histogram: PerfHistogram; ns: number; bytes: number; count: number }>();

  constructor() {
    this.restart();
  }

  restart(): void {
    for (const kind of Object.keys(KINDS) as Kind[]) {
      this.#kinds.set(kind, { histogram: new PerfHistogram([LATENCY, SIZE]), ns: 0, bytes: 0, count: 0 });
    }
  }

  operate(kind: Kind, latencyNs: number, bytes: number, count = 1): void {
    const own = this.#kinds.get(kind)!;
    for (let i = 0; i < count; i++) own.histogram.record(latencyNs, bytes);
    own.ns += latencyNs * count;
    own.bytes += bytes * count;
    own.count += count;
  }

  dump(): string {
    const counters = [...this.#kinds].map(([kind, { histogram }]) => ({
      name: KINDS[kind].counter,
      histogram,
    }));
    return formatHistogramDump([{ name: 'osd', counters }], { format: 'json' });
  }

  numbers(): Record<string, number | { avgcount: number; sum: number }> {
    return Object.fromEntries(
      [...this.#kinds].flatMap(([kind, { count, bytes, ns }]) => [
        [`op_${kind}`, count],
        [KINDS[kind].bytes, bytes],
        [`op_${kind}_latency`, { avgcount: count, sum: ns / 1e9 }],
      ]),
    );
  }

  /** Serves it on an admin socket. `onAsked` runs before each dump of histograms. */
  serve(path: string, onAsked: () => void = () => {}): Promise<RunningAdminSocket> {
    return serveAdminSocket({
      path,
      histograms: {
        schema: () => ({}),
        dump: () => {
          onAsked();
          return this.dump();
        },
      },
      commands: [],
      numbers: () => ({
        osd: Object.fromEntries(
          Object.entries(this.numbers()).map(([name, value]) => [
            name,
            typeof value === 'number'
              ? { kind: 'counter', value }
              : { kind: 'average', real: true, count: value.avgcount, sum: value.sum },
          ]),
        ),
      }),
    });
  }
}
