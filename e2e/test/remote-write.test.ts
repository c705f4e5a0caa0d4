import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseConfig, startAgent } from '@hdrscope/agent';
import { type MetricFamily, servePrometheus } from '@hdrscope/prometheus';
import { type RemoteWriteHealth, sendRemoteWrite } from '@hdrscope/prometheus/remote-write';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { durations as randomDurations } from './support/sampling.ts';

const SERIES = 10_000;
const RESTARTS = 100;

describeWithPeers(['prometheus-3'])('Prometheus 3 that takes remote write', () => {
  let prometheus: Prometheus;
  let stopServer: () => Promise<void>;
  let registry: Registry;

  const send = async (from: Registry, more: object = {}): Promise<RemoteWriteHealth> => {
    const writer = sendRemoteWrite(from, { url: `${prometheus.url}/api/v1/write`, ...more });
    await writer.close();
    return writer.health;
  };

  beforeAll(async () => {
    registry = createRegistry();
    const durations = registry.histogram({
      name: 'http.server.request.duration',
      unit: 's',
      cardinalityLimit: SERIES,
    });
    for (let i = 0; i < SERIES; i++) {
      const series = durations.with({ route: `/orders/${i}`, le: 'x' });
      for (const value of randomDurations(30, i)) series.record(value);
    }
    const server = await servePrometheus(registry, { port: 0 });
    stopServer = () => server.close();
    prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${server.port}`], {
      jobs: [{ job_name: 'scraped', scrape_interval: '5s', scrape_timeout: '5s' }],
      args: ['--web.enable-remote-write-receiver', '--enable-feature=created-timestamp-zero-ingestion'],
    });
  });

  afterAll(async () => {
    await stopPeers();
    await stopServer?.();
  });

  test('has the same histograms of 10,000 series as by a scrape', async () => {
    const health = await send(registry, { labels: { job: 'written' } });
    expect(health).toMatchObject({
      requests: 5,
      failedRequests: 0,
      writtenHistograms: SERIES,
      rejectedSamples: 0,
    });
    const histogramsOf = (job: string) =>
      waitFor(
        async () => {
          const samples = await prometheus.queryNow(`http_server_request_duration_seconds{job="${job}"}`);
          return (
            samples.length === SERIES && new Map(samples.map((one) => [one.labels.route, one.histogram]))
          );
        },
        { what: `${SERIES} series of ${job}` },
      );
    const [written, scraped] = [await histogramsOf('written'), await histogramsOf('scraped')];
    expect(written).toEqual(scraped);
  });

  test.each<[title: string, boundaries: number[]]>([
    ['a kernel map', [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]],
    ['an axis of Ceph', [0.000_099_999, 0.000_199_999, 0.000_399_999, 0.000_799_999, 0.051_199_999]],
    ['uneven boundaries', [0.1, 0.25, 0.3, 1, 2.5, 1000]],
  ])('has exact counts at the boundaries of %s', async (title, boundaries) => {
    const own = createRegistry();
    const series = own.histogram({ name: 'explicit', boundaries, resolution: 1e-9 }).with({ title });
    const expected: { lower: number; upper: number; count: number }[] = [];
    for (const [i, upper] of boundaries.entries()) {
      // On the boundary, and just above it.
      series.record(upper);
      if (i < boundaries.length - 1) series.record(upper + 1e-9);
      const lower = i === 0 ? Number.NEGATIVE_INFINITY : boundaries[i - 1]!;
      expected.push({ lower, upper, count: i === 0 ? 1 : 2 });
    }
    series.record(boundaries.at(-1)! * 2);
    expected.push({ lower: boundaries.at(-1)!, upper: Number.POSITIVE_INFINITY, count: 1 });
    await send(own, { buckets: 'custom' });
    const [{ histogram }] = await prometheus.query(`explicit{title="${title}"}`);
    expect(histogram!.count).toBe(2 * boundaries.length);
    // The first bucket of custom ones begins at 0 when its boundary is positive, and at -Inf otherwise.
    expect(histogram!.buckets.map(({ upper, count }) => [upper, count])).toEqual(
      expected.map(({ upper, count }) => [upper, count]),
    );
    expect(histogram!.buckets.slice(1).map(({ lower }) => lower)).toEqual(
      expected.slice(1).map(({ lower }) => lower),
    );
  });

  test('does not show a series any more from the moment at which its end is written', async () => {
    const own = createRegistry();
    const native = own.histogram({ name: 'ending.native' });
    const custom = own.histogram({ name: 'ending.custom', boundaries: [1, 2] });
    for (const family of [native, custom]) for (const i of ['1', '2']) family.with({ i }).record(1);
    let numbers = [1, 2];
    const source = (): MetricFamily[] => [
      {
        ...{ name: 'ending_jobs', help: '', unit: '', type: 'counter' },
        metrics: numbers.map((i) => ({ labels: [['i', `${i}`]], value: { kind: 'number', value: i } })),
      },
    ];
    const writer = sendRemoteWrite(own, {
      url: `${prometheus.url}/api/v1/write`,
      buckets: 'custom',
      sources: [source],
    });
    const shown = async (): Promise<string[]> => {
      const samples = await prometheus.queryNow('{__name__=~"ending_.*"}');
      return samples.map(({ labels }) => `${labels.__name__} ${labels.i}`).sort();
    };
    const names = ['ending_custom', 'ending_jobs_total', 'ending_native'];
    await writer.flush();
    expect(await shown()).toEqual(names.flatMap((name) => [`${name} 1`, `${name} 2`]));
    for (const family of [native, custom]) family.remove({ i: '1' });
    numbers = [2];
    await writer.flush();
    expect(await shown()).toEqual(names.map((name) => `${name} 2`));
    expect(writer.health).toMatchObject({ writtenHistograms: 8, writtenSamples: 4, rejectedSamples: 0 });
    // One of them begins again.
    native.with({ i: '1' }).record(1);
    await writer.flush();
    expect(await shown()).toEqual([...names.map((name) => `${name} 2`), 'ending_native 1'].sort());
    await writer.close();
    expect(await shown()).toHaveLength(4);
  });

  test('has every count once although answers are lost and requests fail', async () => {
    let requests = 0;
    let isTroubled = true;
    // Passes requests on. Of four, one does not arrive, and the answer to another one is lost.
    const proxy = createServer(async (request, response) => {
      const kind = isTroubled ? requests++ % 4 : 0;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (kind === 1) {
        response.destroy();
        return;
      }
      const { 'content-type': type = '', 'x-prometheus-remote-write-version': version = '' } =
        request.headers;
      const answer = await fetch(`${prometheus.url}${request.url}`, {
        method: 'POST',
        headers: {
          'content-type': type,
          'content-encoding': 'snappy',
          'x-prometheus-remote-write-version': String(version),
        },
        body: Buffer.concat(chunks),
      });
      if (kind === 2) response.destroy();
      else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const own = createRegistry();
    const family = own.histogram({ name: 'troubled' });
    const writer = sendRemoteWrite(own, {
      url: `http://127.0.0.1:${port}/api/v1/write`,
      maxSeriesPerRequest: 3,
    });
    let recorded = 0;
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < 10; i++) family.with({ i }).record(round);
      recorded += 10;
      await writer.flush().catch(() => {});
    }
    isTroubled = false;
    await writer.close();
    proxy.closeAllConnections();
    proxy.close();
    expect(writer.health.failedRequests).toBeGreaterThan(20);
    expect(writer.health.rejectedSamples).toBe(0);
    expect(await prometheus.queryNumber('sum(histogram_count(troubled))')).toBe(recorded);
    expect(await prometheus.queryNumber('sum(resets(troubled[1h]))')).toBe(0);
  });

  test('has explicit histograms that an agent takes by OTLP and passes on, with their own boundaries', async () => {
    const lines: string[] = [];
    const { config } = parseConfig(`sources: [{ type: otlp, listen: '127.0.0.1:0' }]
sinks: [{ type: remote-write, url: '${prometheus.url}/api/v1/write', labels: { instance: here } }]`);
    const agent = await startAgent(config!, { log: (line) => lines.push(line) });
    const [, url] = /^source otlp has started: (http\S+)$/m.exec(lines.join('\n'))!;
    const startMs = Date.now() - 5000;
    const point = {
      startTimeUnixNano: `${startMs}000000`,
      timeUnixNano: `${startMs + 4000}000000`,
      count: '10',
      sum: 33,
      explicitBounds: [0.3, 1, 2.5],
      bucketCounts: ['4', '0', '5', '1'],
    };
    const metric = {
      name: 'job.duration',
      unit: 's',
      histogram: { aggregationTemporality: 2, dataPoints: [point] },
    };
    const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url!, { method: 'POST', headers, body })).status).toBe(200);
    expect(await agent.stop()).toEqual([]);
    const [{ labels, histogram }] = await prometheus.query('job_duration_seconds');
    expect(labels).toMatchObject({ job: 'hdrscope', instance: 'here' });
    expect(histogram!.buckets.map(({ upper, count }) => [upper, count])).toEqual([
      [0.3, 4],
      [2.5, 5],
      [Number.POSITIVE_INFINITY, 1],
    ]);
    expect(
      await prometheus.queryNumber('hdrscope_agent_up{type="remote-write",instance="here"}'),
    ).toBeDefined();
  });

  test('has neither more nor fewer counts after 100 restarts, each with the same counts', async () => {
    let recorded = 0;
    // Long enough ago that no time is in the future.
    let nowMs = Date.now() - RESTARTS * 3000 - 10_000;
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    for (let start = 0; start < RESTARTS; start++) {
      nowMs += 1000;
      const own = createRegistry({ clock });
      const series = own.histogram({ name: 'restarted', unit: 's' }).with({});
      const values = randomDurations(10, 1);
      for (const value of values) series.record(value);
      recorded += values.length;
      nowMs += 1000;
      const writer = sendRemoteWrite(own, { url: `${prometheus.url}/api/v1/write` });
      await writer.flush();
      for (const value of values) series.record(value);
      recorded += values.length;
      nowMs += 1000;
      await writer.close();
      expect(writer.health).toMatchObject({ writtenHistograms: 2, rejectedSamples: 0 });
    }
    const query = new URLSearchParams({ query: 'restarted_seconds[1h]' });
    const response = await fetch(`${prometheus.url}/api/v1/query?${query}`);
    const { data } = (await response.json()) as {
      data: { result: [{ histograms: [time: number, value: { count: string }][] }] };
    };
    const counts = data.result[0].histograms.map(([, { count }]) => Number(count));
    expect(counts).toEqual(Array.from({ length: RESTARTS }, () => [0, 10, 20]).flat());
    let counted = 0;
    for (const [i, count] of counts.entries()) counted += Math.max(0, count - (counts[i - 1] ?? 0));
    expect(counted).toBe(recorded);
    const resets = await prometheus.queryNumber('resets(restarted_seconds[1h])');
    expect(resets).toBe(RESTARTS - 1);
  });
});
