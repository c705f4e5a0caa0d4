import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeWithPeers, isInstalled, lackOfPeer, programOf, testUnless } from '@hdrscope/testing';

const SERVICE = fileURLToPath(new URL('node-sdk-service.cjs', import.meta.url));
const EXPONENTIAL = 1;
const SUM = 3;

async function run(args: readonly string[], environment: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SERVICE, ...args], {
    timeout: 100_000,
    env: {
      ...process.env,
      // Where CommonJS finds the packages of the peers.
      NODE_PATH: (['node-services', 'opentelemetry-3'] as const)
        .filter(isInstalled)
        .map(programOf)
        .join(delimiter),
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'http',
      ...environment,
    },
  });
  return stdout;
}

interface Summary {
  readonly name: string;
  readonly unit: string;
  readonly dataPointType: number;
  readonly count: number;
  /** The keys of the attributes. */
  readonly keys: readonly string[];
}

async function expectHdrDurations(line: string): Promise<void> {
  const metrics = JSON.parse(await run([line], { OTEL_METRICS_EXPORTER: 'none' })) as Summary[];
  const named = new Map(metrics.map((metric) => [metric.name, metric]));
  for (const name of ['http.server.request.duration', 'http.client.request.duration']) {
    expect(named.get(name)).toMatchObject({ name, unit: 's', dataPointType: EXPONENTIAL, count: 5 });
  }
  // A view that NodeSDK was given denies the user.
  expect(named.get('app.basket')).toMatchObject({ dataPointType: EXPONENTIAL, count: 1, keys: ['kind'] });
  expect(named.get('orders')).toMatchObject({ dataPointType: SUM, count: 2 });
}

const TITLE = 'a service under NodeSDK %s has its request durations as HDR histograms';
const testServices = testUnless(lackOfPeer('node-services'));
testServices.each(['0.203', '0.223'])(TITLE, expectHdrDurations);
describeWithPeers(['opentelemetry-3'])('OpenTelemetry 3', () => {
  test.each(['0.301'])(TITLE, expectHdrDurations);
});

testServices.each([
  ['base2_exponential_bucket_histogram', 'exponentialHistogram'],
  ['explicit_bucket_histogram', 'histogram'],
] as const)('readers from the environment send the preferred aggregation: %s', async (aggregation, kind) => {
  const bodies: string[] = [];
  const sink = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    sink.listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = sink.address() as AddressInfo;
    await run(['0.223', 'env'], {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `http://127.0.0.1:${port}/v1/metrics`,
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
      OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: aggregation,
    });
  } finally {
    sink.close();
  }
  const sent = bodies.flatMap((body) => metricsIn(JSON.parse(body)));
  const duration = sent.find(({ name }) => name === 'http.server.request.duration');
  expect(duration?.[kind]).toMatchObject({ aggregationTemporality: 1 });
  expect(duration?.[kind]?.dataPoints[0]?.count).toBe(5);
});

testServices(
  'an exporter that is configured in code is known to the live page, and the hosts of other requests are none',
  async () => {
    const sink = createServer((request, response) => {
      request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
    });
    await new Promise<void>((resolve) => {
      sink.listen(0, '127.0.0.1', resolve);
    });
    try {
      const address = `127.0.0.1:${(sink.address() as AddressInfo).port}`;
      const text = await run(['0.223', `http://${address}/v1/metrics`], { OTEL_METRICS_EXPORTER: 'none' });
      const { exporters, addresses } = JSON.parse(text) as Record<'exporters' | 'addresses', string[]>;
      expect(exporters).toEqual([address]);
      // The service has called itself, too.
      expect(addresses).toHaveLength(2);
      expect(addresses).toContain(address);
    } finally {
      sink.close();
    }
  },
);

interface SentHistogram {
  readonly dataPoints: readonly { readonly count: number }[];
}

interface Sent {
  readonly name: string;
  readonly histogram?: SentHistogram;
  readonly exponentialHistogram?: SentHistogram;
}

function metricsIn(body: { resourceMetrics: { scopeMetrics: { metrics: Sent[] }[] }[] }): Sent[] {
  return body.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
}
