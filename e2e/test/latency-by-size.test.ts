import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askAdminSocket, type PerfHistogram, parseCounters, parseHistogramDump } from '@hdrscope/ceph';
import type { JointHistogram } from '@hdrscope/core/joint';
import { readHistogram } from './prometheus-text.ts';
import { createFolder, stopPeers } from './support/peer-process.ts';

// The example of a service that counts the duration and the size of each answer together, under real traffic.

/** How many answers of each size a client asks for. */
const TRAFFIC = [
  [100, 40],
  [4096, 30],
  [4097, 20],
  [65_536, 15],
  [500_000, 12],
  [1_048_577, 6],
  [4_000_000, 3],
] as const;
const CLASSES = { '4k': 70, '64k': 35, '1m': 12, more: 9 };
const ANSWERS = 126;
const BYTES = TRAFFIC.reduce((sum, [size, count]) => sum + size * count, 0);

interface Service {
  readonly answers: JointHistogram;
  readonly perf: PerfHistogram;
  readonly url: string;
  readonly metricsUrl: string;
  close(): Promise<void>;
}

/** The slowness of the answers of one class of sizes. */
interface Slowness {
  readonly to: number | undefined;
  readonly count: number;
  readonly p99: readonly [number, number];
  readonly mean: number;
}

/** The module of the example. */
interface Example {
  startService(options: { socket: string }): Promise<Service>;
  slowness(answers: JointHistogram): Slowness[];
}

const EXAMPLE = fileURLToPath(new URL('../../examples/latency-by-size/service.js', import.meta.url));

/** Four clients ask at the same time, in an order that mixes the sizes. */
async function sendTraffic({ url }: Service): Promise<void> {
  const sizes = TRAFFIC.flatMap(([size, count]) => new Array<number>(count).fill(size));
  const mixed = sizes.map((_, i) => sizes[(i * 53) % sizes.length]!);
  await Promise.all(
    [0, 1, 2, 3].map(async (client) => {
      for (const size of mixed.filter((_, i) => i % 4 === client)) {
        const response = await fetch(`${url}/bytes/${size}`);
        expect((await response.arrayBuffer()).byteLength).toBe(size);
      }
    }),
  );
}

let example: Example;
let service: Service;
let socket: string;

beforeAll(async () => {
  socket = join(await createFolder(), 'shop.asok');
  example = (await import(EXAMPLE)) as Example;
  service = await example.startService({ socket });
  await sendTraffic(service);
});

afterAll(async () => {
  await service.close();
  await stopPeers();
});

test('knows how slow the answers of each size were', () => {
  const classes = example.slowness(service.answers);
  for (const { to, count, p99, mean } of classes) {
    console.log(
      `up to ${to ?? 'any'} bytes: ${count} answers, p99 ${p99.join(' to ')} ns, mean ${mean.toFixed(0)} ns`,
    );
    expect(p99[1] - p99[0]).toBeLessThanOrEqual(p99[0] / 100);
    expect(mean).toBeGreaterThan(0);
    expect(mean).toBeLessThanOrEqual(service.answers.quantile('duration', 1).upper);
  }
  expect(classes.map(({ count }) => count)).toEqual(Object.values(CLASSES));
  expect(service.answers.totalCount).toBe(ANSWERS);
  expect(service.answers.sum('size')).toBe(BYTES);
  // The figure in the example.
  expect(Math.round(service.answers.byteLength / 1000)).toBe(154);
});

test('shows Prometheus a series for each class, with exact bounds and sums', async () => {
  const page = await (await fetch(service.metricsUrl)).text();
  const durations = readHistogram(page, 'http_server_request_duration_seconds');
  const sizes = readHistogram(page, 'http_server_response_body_size_bytes');

  const counts = durations.map(({ labels, count }) => [/size=(\S+)/.exec(labels)?.[1], count]);
  expect(Object.fromEntries(counts)).toEqual(CLASSES);
  const measured = service.answers.sum('duration')! / 1e9;
  expect(durations.reduce((total, { sum }) => total + sum, 0)).toBeCloseTo(measured, 9);
  expect(sizes).toHaveLength(1);
  expect(sizes[0]!.sum).toBe(BYTES);
  expect(sizes[0]!.buckets).toEqual([
    [4096, 70],
    [65_536, 105],
    [1_048_576, 117],
    [Number.POSITIVE_INFINITY, ANSWERS],
  ]);
});

test('answers the tools of Ceph with both axes, and with percentiles by class', async () => {
  const [read] = parseHistogramDump(await askAdminSocket(socket, 'perf histogram dump'));
  expect([read!.logger, read!.counter, read!.histogram.totalCount]).toEqual(['shop', 'answers', ANSWERS]);
  expect(read!.histogram.cells).toEqual(service.perf.cells);
  const large = [{ axis: 'Size (bytes)', from: 1_048_576 }];
  expect(read!.histogram.marginal('Latency (nsec)', large).totalCount).toBe(9);

  const counters = parseCounters(await askAdminSocket(socket, 'counter dump'));
  const byClass = counters.map(({ labels, counters: all }) => [
    labels.size,
    all.get('http.server.request.duration'),
  ]);
  expect(Object.fromEntries(byClass.filter(([size]) => size !== undefined))).toEqual(
    Object.fromEntries(
      Object.entries(CLASSES).map(([size, count]) => [size, { count, sum: expect.any(Number) }]),
    ),
  );
});

test('draws a heat map', async () => {
  const text = await (await fetch(`${service.url}/heat-map`)).text();
  expect(text).toContain('Latency');
  expect(text).toContain('Size');
});
