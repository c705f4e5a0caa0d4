import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHdr } from '@hdrscope/otel';
import { otlpReceiver } from '@hdrscope/otel/receiver';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';

// The statements of docs/reliability.md about applications.

/** Sends the histograms of a registry to a URL. Returns what ends that, after the last values were sent. */
type Way = (registry: Registry, url: string) => () => Promise<void>;

// The SDK allows no timeout above the interval, and a busy machine answers late.
const TIMEOUT_MS = 300;
const TIMES = { exportIntervalMillis: TIMEOUT_MS, exportTimeoutMillis: TIMEOUT_MS };

const sdk =
  (temporalityPreference: AggregationTemporality): Way =>
  (registry, url) => {
    const exporter = new OTLPMetricExporter({ url, temporalityPreference, timeoutMillis: TIMEOUT_MS });
    const reader = createHdr({ views: [], registry }).wrapReader(
      new PeriodicExportingMetricReader({ exporter, ...TIMES }),
    );
    const provider = new MeterProvider({ readers: [reader] });
    return () => provider.shutdown();
  };

const sender: Way = (registry, url) => {
  const running = sendOtlp(registry, { url, temporality: 'delta', intervalMs: 100, timeoutMs: 10_000 });
  return () => running.close();
};

/** Records before, during and after an outage, and returns how many values are missing, and how many came in the outage. */
async function missingAfterOutage(way: Way): Promise<{ missing: number; recordedInOutage: number }> {
  const central = createRegistry();
  const receiver = otlpReceiver(central);
  let isDown = false;
  const server = createServer((request, response) => {
    if (isDown) request.resume().on('end', () => response.writeHead(503).end());
    else void receiver.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const registry = createRegistry();
  const series = registry.histogram({ name: 'job.duration', unit: 'ms' }).with({});
  const end = way(registry, `http://127.0.0.1:${port}/v1/metrics`);
  let recorded = 0;
  const recordFor = async (ms: number): Promise<number> => {
    const before = recorded;
    for (const endMs = performance.now() + ms; performance.now() < endMs; recorded++) {
      series.record(recorded % 90);
      await sleep(2);
    }
    return recorded - before;
  };
  try {
    await recordFor(400);
    isDown = true;
    const recordedInOutage = await recordFor(2000);
    isDown = false;
    await recordFor(400);
    await end();
    const { families } = await central.gather();
    const received = families[0]!.series.reduce((sum, { histogram }) => sum + histogram.totalCount, 0);
    return { missing: recorded - received, recordedInOutage };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a delta reader of the SDK loses the values of an outage', async () => {
  const { missing, recordedInOutage } = await missingAfterOutage(sdk(AggregationTemporality.DELTA));
  // It drops each interval that its exporter cannot deliver: all but those at the ends.
  expect(missing / recordedInOutage).toBeGreaterThan(0.5);
});

test('a cumulative reader of the SDK loses nothing', async () => {
  const { missing } = await missingAfterOutage(sdk(AggregationTemporality.CUMULATIVE));
  expect(missing).toBe(0);
});

test('sendOtlp loses nothing, in deltas', async () => {
  const { missing } = await missingAfterOutage(sender);
  expect(missing).toBe(0);
});
