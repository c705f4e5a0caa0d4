import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHdr } from '@hdrscope/otel';
import type { Registry } from '@hdrscope/registry';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { type HistogramPoint, type OtlpMetrics, pointsReceived } from './otlp-json.ts';

/** Exports a registry with explicit buckets through the SDK, and returns the points that arrive by OTLP over HTTP. */
export async function exportedByOtlp(registry: Registry): Promise<HistogramPoint[]> {
  const requests: OtlpMetrics[] = [];
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    requests.push(JSON.parse(Buffer.concat(body).toString()));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const producer: unknown = createHdr({ registry, views: [] }).producer({ format: 'explicit' });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `http://127.0.0.1:${port}/v1/metrics` }),
    // The producer's type allows any version of the SDK, so its resource has no precise type.
    metricProducers: [producer as MetricProducer],
  });
  const provider = new MeterProvider({ readers: [reader] });
  try {
    await provider.forceFlush();
    return pointsReceived(requests);
  } finally {
    await provider.shutdown();
    server.close();
    server.closeAllConnections();
  }
}
