import { createHdr } from '@hdrscope/otel';
import { type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { type Collector, startCollector } from './support/collector.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';

const SERIES = 10_000;
const BUCKETS = 160;
/** Values of one bucket each at scale 3. */
const VALUES = Array.from({ length: BUCKETS }, (_, i) => 2 ** ((i + 0.5) / 8));

/** A registry with 10,000 series that have 160 buckets each, and how many values they have. */
function manyBuckets(): { registry: Registry; recorded: number } {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'job.duration', unit: 'ms', cardinalityLimit: SERIES });
  let recorded = 0;
  for (let i = 0; i < SERIES; i++) {
    const series = family.with({
      'k8s.pod.name': `shop-6f9d7c5b8-${i}`,
      'http.route': `/orders/{id}/items/${i % 40}`,
      'http.request.method': 'GET',
      'http.response.status_code': 200 + (i % 4),
      'server.address': 'shop.example.test',
      'k8s.namespace.name': 'production',
      'k8s.node.name': `ip-10-0-${i % 256}-17.eu-central-1.compute.internal`,
      'network.protocol.version': '1.1',
      'url.scheme': 'https',
    });
    for (const value of VALUES) series.record(value);
    recorded += VALUES.length;
  }
  return { registry, recorded };
}

/** What a Collector has received: points, values, buckets, and the points that came more than once. */
function receivedBy(collector: Collector) {
  const seen = new Set<string>();
  let points = 0;
  let values = 0;
  let buckets = 0;
  for (const { resourceMetrics } of collector.received()) {
    for (const { scopeMetrics } of resourceMetrics) {
      for (const { exponentialHistogram } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
        for (const point of exponentialHistogram?.dataPoints ?? []) {
          seen.add(JSON.stringify(point.attributes));
          points++;
          values += Number(point.count);
          buckets += point.positive?.bucketCounts?.length ?? 0;
        }
      }
    }
  }
  return { points, values, buckets, twice: points - seen.size };
}

/** The Collector answers and closes at once, so a connection may break before its answer is read. */
const BROKEN = /the request has failed: (?:read|write) (?:ECONNRESET|EPIPE)/;

const ALL = { points: SERIES, buckets: SERIES * BUCKETS, twice: 0 };

describeWithPeers(['collector'])('requests of a size that a Collector takes', () => {
  const { registry, recorded } = manyBuckets();

  afterEach(stopPeers);

  async function send(collector: Collector, options: Pick<OtlpSenderOptions, 'protocol' | 'compression'>) {
    const url = options.protocol === 'grpc' ? collector.grpcUrl : `${collector.httpUrl}/v1/metrics`;
    const warned: string[] = [];
    const failed: string[] = [];
    const sender = sendOtlp(registry, {
      url,
      temporality: 'delta',
      timeoutMs: 60_000,
      observer: {
        warned: (message) => warned.push(message),
        failed: ({ message }) => failed.push(message),
      },
      ...options,
    });
    let broken = 0;
    for (let isTaken = false; !isTaken; ) {
      try {
        await sender.flush();
        isTaken = true;
      } catch (error) {
        if (!BROKEN.test((error as Error).message) || ++broken > 10) throw error;
      }
    }
    await sender.close();
    await waitFor(() => receivedBy(collector).points >= SERIES, {
      what: 'all points in the file',
      timeoutMs: 20_000,
    });
    expect(failed.filter((message) => !BROKEN.test(message))).toEqual([]);
    expect(receivedBy(collector)).toEqual({ ...ALL, values: recorded });
    return { ...sender.health, warned, broken };
  }

  test('the exporter of the SDK sends them in one request over gRPC, which the Collector refuses', async () => {
    const collector = await startCollector();
    const exporter = new OTLPMetricExporter({ url: collector.grpcUrl });
    const { resourceMetrics } = await createHdr({ views: [], registry }).producer().collect();
    const metrics = { ...resourceMetrics, resource: { attributes: {} } } as unknown as ResourceMetrics;
    const { error } = await new Promise<{ error?: Error }>((done) => exporter.export(metrics, done));
    expect(error?.message).toMatch(/RESOURCE_EXHAUSTED.*larger than max/);
    await exporter.shutdown();
    expect(collector.received()).toEqual([]);
  });

  test.each([
    ['grpc', 'gzip'],
    ['grpc', 'none'],
    ['http/protobuf', 'gzip'],
    ['http/json', 'gzip'],
  ] as const)(
    '10,000 series of 160 buckets over %s, %s, with its default limits',
    async (protocol, compression) => {
      const { requests, failedRequests, warned, broken } = await send(await startCollector(), {
        protocol,
        compression,
      });
      expect({ failedRequests, warned, broken }).toEqual({ failedRequests: 0, warned: [], broken: 0 });
      expect(requests).toBeGreaterThan(1);
    },
  );

  test.each([
    ['grpc', 'gzip', /received message after decompression larger than max/],
    ['grpc', 'none', /received message larger than max/],
    ['http/protobuf', 'gzip', /request body too large/],
    ['http/protobuf', 'none', /request body too large/],
    ['http/json', 'none', /request body too large/],
  ] as const)('a limit of 1 MiB is found by halving: %s, %s', async (protocol, compression, message) => {
    const collector = await startCollector(undefined, {
      http: { max_request_body_size: 1024 * 1024 },
      grpc: { max_recv_msg_size_mib: 1 },
    });
    const options = { protocol, compression };
    const { failedRequests, tooLargePoints, warned, broken } = await send(collector, options);
    expect(warned).toHaveLength(1);
    expect(BROKEN.test(warned[0]!) ? 'cut off' : warned[0]).toMatch(new RegExp(`${message.source}|cut off`));
    expect(failedRequests).toBeLessThan(4 + broken);
    expect(tooLargePoints).toBe(0);
  });
});
