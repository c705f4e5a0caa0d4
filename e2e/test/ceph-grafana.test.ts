import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type HistogramLogger,
  histogramReplies,
  PerfHistogram,
  type PerfNumber,
  type RunningAdminSocket,
  serveAdminSocket,
} from '@hdrscope/ceph';
import { describeWithPeers } from '@hdrscope/testing';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { createFolder, startPeer, stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, type Sample, startPrometheus } from './support/prometheus.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');

// The dashboard of Ceph, asked of a real Prometheus that scrapes `hdrscope ceph serve`.

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly refId: string }[];
  }[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly definition?: string;
      readonly options?: readonly { readonly value: string }[];
    }[];
  };
}

const text = readFileSync(join(import.meta.dirname, '../../examples/grafana/ceph.json'), 'utf8');
const { panels, templating } = JSON.parse(text) as Dashboard;
const kinds = templating.list.find(({ name }) => name === 'kind')!.options!.map(({ value }) => value);

/** The choices of a person above the panels. */
const CHOSEN: Readonly<Record<string, string>> = {
  job: '.*',
  instance: '.*',
  daemon: '.*',
  datasource: 'any',
  __rate_interval: '20s',
};

const queries = kinds.flatMap((kind) =>
  panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, refId }) => ({
      kind,
      query: `${title}, ${refId}`,
      expression: expr.replace(/\$\{?(\w+)\}?/g, (_, name: string) =>
        name === 'kind' ? kind : CHOSEN[name]!,
      ),
    })),
  ),
);

test('the dashboard uses the variables that it has, and those of Grafana', () => {
  const names = templating.list.map(({ name }) => name);
  const used = [...text.matchAll(/\$\{?(\w+)\}?/g)].map(([, name]) => name!);

  expect(new Set(used.filter((name) => !name.startsWith('__')))).toEqual(new Set(names));
});

/** An OSD whose operations all have one latency and one size. */
class SteadyOsd {
  readonly #histograms = new Map(kinds.map((kind) => [kind, new PerfHistogram([LATENCY, SIZE])]));
  #count = 0;
  readonly latencyNs: number;
  readonly bytes: number;

  constructor(latencyNs: number, bytes: number) {
    this.latencyNs = latencyNs;
    this.bytes = bytes;
  }

  operate(times: number): void {
    for (const histogram of this.#histograms.values())
      for (let i = 0; i < times; i++) histogram.record(this.latencyNs, this.bytes);
    this.#count += times;
  }

  serve(path: string): Promise<RunningAdminSocket> {
    const loggers = (): HistogramLogger[] => [
      {
        name: 'osd',
        counters: [...this.#histograms].map(([kind, histogram]) => ({
          name: `${kind}_histogram`,
          histogram,
        })),
      },
    ];
    const numbers = (): Record<string, Record<string, PerfNumber>> => {
      const own = kinds.flatMap((kind): [string, PerfNumber][] => {
        const [, ops, way] = /^(op_\w+)_latency_(in|out)_bytes$/.exec(kind)!;
        const count = this.#count;
        return [
          [ops!, { kind: 'counter', value: count }],
          [`${ops}_${way}_bytes`, { kind: 'counter', value: count * this.bytes }],
          [`${ops}_latency`, { kind: 'average', real: true, count, sum: (count * this.latencyNs) / 1e9 }],
        ];
      });
      return { osd: Object.fromEntries(own) };
    };
    return serveAdminSocket({ path, histograms: histogramReplies(loggers), numbers });
  }
}

describeWithPeers(['prometheus-3'])('the dashboard of Ceph for Grafana, asked of a real Prometheus', () => {
  const osds = { 'osd.0': new SteadyOsd(1_500_000, 4096), 'osd.1': new SteadyOsd(9_000_000, 65_536) };
  const answers = new Map<string, readonly Sample[]>();
  let prometheus: Prometheus;
  const sockets: RunningAdminSocket[] = [];
  let folder: string;

  beforeAll(async () => {
    folder = await createFolder();
    for (const [name, osd] of Object.entries(osds))
      sockets.push(await osd.serve(join(folder, `ceph-${name}.asok`)));
    const ADDRESS = /http:\/\/(\S+)\/metrics/;
    const { output } = await startPeer(
      process.execPath,
      [COMMAND, 'ceph', 'serve', folder, '--port', '0', '--buckets', 'classic'],
      { folder: await createFolder(), isReady: (printed) => ADDRESS.test(printed) },
    );
    prometheus = await startPrometheus('prometheus-3', [ADDRESS.exec(output())![1]!]);
    for (const { kind, query, expression } of queries) {
      const answer = await waitFor(
        async () => {
          for (const osd of Object.values(osds)) osd.operate(10);
          const samples = await prometheus.queryNow(expression);
          return samples.length > 0 && samples.every(({ value }) => Number.isFinite(value)) && samples;
        },
        { what: expression },
      );
      answers.set(`${kind}: ${query}`, answer);
    }
  });

  afterAll(async () => {
    await stopPeers();
    await Promise.all(sockets.map((socket) => socket.close()));
    rmSync(folder, { recursive: true });
  });

  /** The values of a panel, by OSD. */
  const byDaemon = (kind: string, query: string): Record<string, number> =>
    Object.fromEntries(
      answers.get(`${kind}: ${query}`)!.map(({ labels, value }) => [labels.ceph_daemon, value!]),
    );

  test.each(queries)('$kind: $query has an answer', ({ kind, query }) => {
    expect(answers.get(`${kind}: ${query}`)).not.toEqual([]);
  });

  test.each(kinds)(
    '%s: the mean of each OSD is exact, and its p99 is in the slot of its operations',
    (kind) => {
      const means = byDaemon(kind, 'Mean latency by OSD, A');
      expect(means).toEqual({ 'osd.0': expect.closeTo(0.0015, 6), 'osd.1': expect.closeTo(0.009, 6) });
      const p99 = byDaemon(kind, 'Slowest OSDs: p99, A');
      expect([p99['osd.0']! > 0.0008, p99['osd.0']! < 0.0016]).toEqual([true, true]);
      expect([p99['osd.1']! > 0.0064, p99['osd.1']! < 0.0128]).toEqual([true, true]);
    },
  );

  test.each(kinds)('%s: bytes per operation are those of the OSD', (kind) => {
    const [rates, bytes] = [byDaemon(kind, 'Operations by OSD, A'), byDaemon(kind, 'Throughput by OSD, A')];
    for (const [name, osd] of Object.entries(osds)) {
      // The two queries are not of one moment.
      expect(bytes[name]! / rates[name]! / osd.bytes).toBeGreaterThan(0.2);
      expect(bytes[name]! / rates[name]! / osd.bytes).toBeLessThan(5);
    }
  });

  test('its variables offer the job and the OSDs', async () => {
    for (const [name, label, values] of [
      ['job', 'job', ['test']],
      ['daemon', 'ceph_daemon', ['osd.0', 'osd.1']],
    ] as const) {
      const { definition } = templating.list.find((one) => one.name === name)!;
      const [, selector] = /^label_values\((.*), \w+\)$/.exec(definition!)!;
      const selected = selector!.replace(/\$(\w+)/g, (_, variable: string) => CHOSEN[variable]!);
      const samples = await prometheus.queryNow(`count by (${label}) (${selected})`);
      expect(samples.map(({ labels }) => labels[label]).sort()).toEqual(values);
    }
  });
});
