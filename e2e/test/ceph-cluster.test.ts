import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  askAdminSocket,
  axisRanges,
  type DumpedHistogram,
  dumpIncrease,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramDump,
  type HistogramLogger,
  type HistogramSchema,
  type ImportedHistogram,
  ingestCeph,
  type PerfHistogram,
  parseHistogramDump,
  parseHistogramLoggers,
} from '@hdrscope/ceph';
import type { CephFormat } from '@hdrscope/ceph/internal';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry, type Snapshot } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import { readHistogram } from './prometheus-text.ts';
import { type CephCluster, describeWithCephCluster, startCephCluster } from './support/ceph-cluster.ts';
import { stopPeers } from './support/peer-process.ts';

// A storage daemon of Ceph counts reads and writes twice: in histograms and in plain counters.

/** The histograms of an OSD, and the plain counters of the same operations. */
const COUNTED_BY = {
  op_r_latency_out_bytes_histogram: 'op_r',
  op_w_latency_in_bytes_histogram: 'op_w',
  op_rw_latency_in_bytes_histogram: 'op_rw',
  op_rw_latency_out_bytes_histogram: 'op_rw',
} as const;
type Counter = keyof typeof COUNTED_BY;
const COUNTERS = Object.keys(COUNTED_BY) as Counter[];
const WRITES: Counter = 'op_w_latency_in_bytes_histogram';
/** Sizes in different slots. */
const SIZES = [1, 4096, 100_000, 2_000_000];

interface Mean {
  readonly avgcount: number;
  /** Seconds. */
  readonly sum: number;
}
/** The part of an OSD's `perf dump` that the tests read. */
type Numbers = Readonly<Record<'op' | 'op_r' | 'op_w' | 'op_rw', number>> &
  Readonly<Record<`${'op_r' | 'op_w' | 'op_rw'}_latency`, Mean>>;

let cluster: CephCluster;

const ask = (prefix: string, args: Readonly<Record<string, string>> = {}): Promise<string> =>
  askAdminSocket(cluster.osdSocket, prefix, args);
const dump = async (): Promise<ImportedHistogram[]> => parseHistogramDump(await ask('perf histogram dump'));
const numbers = async (): Promise<Numbers> => JSON.parse(await ask('perf dump', { logger: 'osd' })).osd;

/** Writes objects of several sizes, reads them again, and runs an operation that reads and writes. */
async function load(name: string): Promise<void> {
  for (const size of SIZES) {
    const [object, file] = [`${name}-${size}`, join(cluster.folder, 'object')];
    await writeFile(file, Buffer.alloc(size, name));
    await cluster.rados('put', object, file);
    await cluster.rados('get', object, file);
  }
  await cluster.rados('lock', 'get', `${name}-${SIZES[0]}`, 'lock');
}

/** The number of operations in each histogram, from its cells. */
function totals(dumped: readonly ImportedHistogram[]): Record<string, bigint> {
  return Object.fromEntries(dumped.map(({ counter, histogram }) => [counter, totalOf(histogram)]));
}

function totalOf({ cells }: PerfHistogram): bigint {
  return cells.reduce((sum, count) => sum + count, 0n);
}

/** The number of operations of each kind, from the plain counters. */
function expectedTotals(count: (operation: (typeof COUNTED_BY)[Counter]) => number): Record<string, bigint> {
  return Object.fromEntries(COUNTERS.map((counter) => [counter, BigInt(count(COUNTED_BY[counter]))]));
}

/** The slot of a size. */
function slotAround({ layouts }: PerfHistogram, size: number): { from: number; to: number } {
  const layout = layouts[1]!;
  const slot = layout.slotOf(size);
  return { from: layout.lower(slot), to: layout.upper(slot) };
}

/** The lowest and highest possible mean of an axis, from the bounds of its slots. */
function meanBounds(histogram: PerfHistogram, place: number): { least: number; most: number } {
  const { counts } = histogram.marginal(place);
  let [least, most] = [0, 0];
  for (const [slot, { min = 0n, max }] of axisRanges(histogram.axes[place]!).entries()) {
    const count = counts.at(slot);
    if (count === 0) continue;
    least += count * Number(min);
    most += count * (max === undefined ? Number.POSITIVE_INFINITY : Number(max + 1n));
  }
  return { least: least / counts.total, most: most / counts.total };
}

/** The loggers of a daemon's dump, including those without histograms. */
function loggersOf(text: string): readonly HistogramLogger[] {
  const [imported] = parseHistogramLoggers(text);
  return imported!.loggers;
}

/** Runs `hdrscope` like a user and returns its output. */
async function hdrscope(...args: readonly string[]): Promise<string> {
  const command = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...args], { timeout: 90_000 });
  return stdout;
}

/** The total count of each family of a snapshot, by name. */
function familyTotals({ families }: Snapshot): Record<string, bigint> {
  return Object.fromEntries(
    families.map(({ name, series }) => [
      name,
      series.reduce((sum, { histogram }) => sum + BigInt(histogram.totalCount), 0n),
    ]),
  );
}

/** The expected families, one for each axis, with the totals of their histograms. */
function expectedFamilies(histogramTotals: Record<string, bigint>): Record<string, bigint> {
  return Object.fromEntries(
    Object.entries(histogramTotals).flatMap(([counter, total]) =>
      ['latency', 'request_size_bytes'].map((axis) => [
        `ceph.osd.${counter.replace('_histogram', '')}.${axis}`,
        total,
      ]),
    ),
  );
}

describeWithCephCluster('a storage daemon of Ceph', () => {
  beforeAll(async () => {
    cluster = await startCephCluster();
    await load('first');
    await cluster.rados('bench', '1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
    await cluster.rados('bench', '1', 'seq', '-t', '4');
  });

  afterAll(stopPeers);

  test('its histograms hold as many operations as its plain counters', async () => {
    const [dumped, { op_r, op_w, op_rw, op }] = [await dump(), await numbers()];
    console.log(`operations of the daemon: ${op_w} written, ${op_r} read, ${op_rw} both`);

    expect(totals(dumped)).toEqual(expectedTotals((name) => ({ op_r, op_w, op_rw })[name]));
    expect(Math.min(op_r, op_w)).toBeGreaterThan(SIZES.length);
    expect(op_rw).toBeGreaterThan(0);
    expect(op).toBe(op_r + op_w + op_rw);
  });

  test('its latencies are nanoseconds, whatever unit it names', async () => {
    const [dumped, means] = [await dump(), await numbers()];

    for (const { counter, histogram, unitSources } of dumped) {
      const { avgcount, sum } = means[`${COUNTED_BY[counter as Counter]}_latency`];
      const meanNs = (sum / avgcount) * 1e9;
      expect(BigInt(avgcount)).toBe(totalOf(histogram));
      const { least, most } = meanBounds(histogram, 0);
      console.log(
        `${counter}: mean ${meanNs.toFixed(0)} ns, by its slots ${least.toFixed(0)} to ${most.toFixed(0)}`,
      );
      expect(histogram.axes[0]).toMatchObject({ name: 'Latency (usec)', unit: 'ns' });
      expect(unitSources).toEqual(['known-mislabel', 'name']);
      expect(meanNs).toBeGreaterThanOrEqual(least);
      expect(meanNs).toBeLessThanOrEqual(most);
    }
    // In microseconds, the mean of writes would be below the range of their slots.
    const writes = dumped.find(({ counter }) => counter === WRITES)!;
    const { avgcount, sum } = means.op_w_latency;
    expect((sum / avgcount) * 1e6).toBeLessThan(meanBounds(writes.histogram, 0).least);
  });

  test('its dump is read and written again byte for byte', async () => {
    const text = await ask('perf histogram dump');
    const loggers = loggersOf(text);

    expect(loggers.length).toBeGreaterThan(1);
    for (const format of ['json', 'json-pretty', 'xml', 'xml-pretty'] satisfies CephFormat[]) {
      expect(formatHistogramDump(loggers, { format })).toBe(await ask('perf histogram dump', { format }));
    }
    const filter = { logger: 'osd', counter: COUNTERS[0]! };
    expect(formatHistogramDump(loggers, filter)).toBe(await ask('perf histogram dump', filter));
  });

  test('the ranges of its axes match their configuration', async () => {
    const text = await ask('perf histogram dump');
    const dumped = JSON.parse(text) as HistogramDump;

    for (const { logger, counter, histogram, notes } of parseHistogramDump(text)) {
      const { axes } = dumped[logger]![counter] as DumpedHistogram;
      const ours = histogram.axes.map((axis) =>
        axisRanges(axis).map((range) =>
          Object.fromEntries(Object.entries(range).map(([key, value]) => [key, Number(value)])),
        ),
      );
      expect(ours).toEqual(axes.map(({ ranges }) => ranges));
      expect(histogram.axes.map(({ scale }) => scale)).toEqual(['log2', 'log2']);
      expect(notes).toEqual([]);
    }
  });

  test('its schema is written as the daemon writes it', async () => {
    const schema = JSON.parse(await ask('perf histogram schema')) as HistogramSchema;
    const described = loggersOf(await ask('perf histogram dump')).map(({ name, counters }) => ({
      name,
      counters: counters.map((one) => {
        const { description, nick, priority } = schema[name]![one.name]!;
        return { ...one, description, nick, priority };
      }),
    }));

    expect(schema.osd![COUNTERS[0]!]).toMatchObject({ type: 26, value_type: 'integer-2d-histogram' });
    for (const format of ['json', 'json-pretty', 'xml', 'xml-pretty'] satisfies CephFormat[]) {
      expect(formatHistogramSchema(described, { format })).toBe(
        await ask('perf histogram schema', { format }),
      );
    }
  });

  test('the increase between two dumps equals the operations between them, and a reset is detected', async () => {
    const [before, then] = [await dump(), await numbers()];
    await load('second');
    const [after, now] = [await dump(), await numbers()];
    const increase = dumpIncrease(before, after);

    expect(totals(increase)).toEqual(expectedTotals((name) => now[name] - then[name]));
    expect([now.op_w - then.op_w, now.op_rw - then.op_rw]).toEqual([SIZES.length, 1]);
    const writes = increase.find(({ counter }) => counter === WRITES)!.histogram;
    for (const size of SIZES) {
      const like = { axis: 'Request size (bytes)', ...slotAround(writes, size) };
      expect({ size, count: totalOf(writes.slice(like)) }).toEqual({ size, count: 1n });
    }
    expect(increase.map(({ isReset }) => isReset)).toEqual(COUNTERS.map(() => false));

    await ask('perf reset', { var: 'all' });
    await cluster.rados('rm', `second-${SIZES[1]}`);
    const [anew, since] = [await dump(), await numbers()];
    const afterReset = dumpIncrease(after, anew);

    expect(afterReset.map(({ isReset }) => isReset)).toEqual(COUNTERS.map(() => true));
    expect(totals(afterReset)).toEqual(expectedTotals((name) => since[name]));
    expect(since.op_w).toBe(1);
  });

  test('a registry keeps counting across a reset, and Prometheus shows the same counts', async () => {
    await load('third');
    const fetchDump = (): Promise<string> => ask('perf histogram dump');
    const registry = createRegistry();
    const source = ingestCeph(registry, fetchDump, { attributes: { ceph_daemon: 'osd.0' } });
    const first = await registry.gather();
    const atFirst = totals(await dump());
    await load('fourth');
    const second = await registry.gather();
    const atSecond = totals(await dump());

    expect([first.errors, second.errors]).toEqual([[], []]);
    expect(familyTotals(first)).toEqual(expectedFamilies(atFirst));
    expect(familyTotals(second)).toEqual(expectedFamilies(atSecond));
    expect(
      atSecond.op_w_latency_in_bytes_histogram! - atFirst.op_w_latency_in_bytes_histogram!,
    ).toBeGreaterThanOrEqual(BigInt(SIZES.length));

    await ask('perf reset', { var: 'all' });
    await cluster.rados('rm', `fourth-${SIZES[1]}`);
    const server = await servePrometheus(registry, { host: '127.0.0.1', port: 0 });
    try {
      // A scrape may show what another reader has asked for within this time.
      await sleep(SHARED_GATHER_MS + 100);
      const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      const since = totals(await dump());
      for (const counter of COUNTERS) {
        const name = `ceph_osd_${counter.replace('_histogram', '')}_latency_seconds`;
        const expected = Number(atSecond[counter]! + since[counter]!);
        const [series] = readHistogram(page, name);
        expect({ name, count: series!.count }).toEqual({ name, count: expected });
        expect(series!.buckets.at(-1)).toEqual([Number.POSITIVE_INFINITY, expected]);
      }
      expect(source.health).toMatchObject({ resets: COUNTERS.length, readErrors: 0 });
    } finally {
      await server.close();
    }
  });

  test('the output of the ceph command is read too, with the name of the daemon', async () => {
    const one = parseHistogramDump(await cluster.ceph('tell', 'osd.0', 'perf', 'histogram', 'dump'));
    const all = parseHistogramDump(await cluster.ceph('tell', 'osd.*', 'perf', 'histogram', 'dump'));
    const of = (name: string): ImportedHistogram[] => all.filter(({ daemon }) => daemon === name);
    const expected = totals(await dump());

    expect(totals(one)).toEqual(expected);
    expect(totals(of('osd.0'))).toEqual(expected);
    expect(totals(of('osd.1'))).toEqual(expectedTotals(() => 0));
    expect(all).toHaveLength(2 * COUNTERS.length);
  });

  test('the hdrscope command prints as many operations, and the dump of the daemon', async () => {
    const listed = JSON.parse(await hdrscope('ceph', 'dump', cluster.osdSocket, '--json')) as {
      counter: string;
      count: number;
    }[];

    expect(Object.fromEntries(listed.map(({ counter, count }) => [counter, BigInt(count)]))).toEqual(
      totals(await dump()),
    );
    expect(await hdrscope('ceph', 'dump', cluster.osdSocket, '--raw')).toBe(await ask('perf histogram dump'));
  });

  test('it answers other commands, and a refused command is an error', async () => {
    const { version, release } = JSON.parse(await ask('version'));
    const descriptions = await ask('get_command_descriptions');

    expect({ version, release }).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      release: 'pacific',
    });
    expect(descriptions.length).toBeGreaterThan(10_000);
    expect(Object.keys(JSON.parse(descriptions)).length).toBeGreaterThan(50);
    await expect(ask('nonesuch')).rejects.toMatchObject({
      code: 'ERR_ADMIN_SOCKET',
      message: expect.stringContaining("refuses 'nonesuch'"),
      details: { command: 'nonesuch', errno: 22 },
    });
  });

  test('the dump of a monitor has loggers and no histograms', async () => {
    const text = await askAdminSocket(cluster.monSocket, 'perf histogram dump');

    expect(Object.keys(JSON.parse(text))).toContain('mon');
    expect(parseHistogramDump(text)).toEqual([]);
  });
});
