import { createServer, type Server } from 'node:http';
import { createHdr, type Hdr } from '@hdrscope/otel';
import { HdrPrometheusExporter } from '@hdrscope/prometheus';
import { type Histogram, metrics } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** The metrics pipeline of the demo. */
export interface Telemetry {
  readonly hdr: Hdr;
  /** Serves `/metrics`, with native histograms for a Prometheus that requests them. Does not listen yet. */
  readonly server: Server;
  shutdown(): Promise<void>;
}

export const DURATION_METRIC = 'http.server.request.duration';

/** Sets OpenTelemetry up and registers it globally. Call it before any instrument is made. */
export function startTelemetry(): Telemetry {
  // The demo has its own server, which shows where the metrics are at any other path.
  const exporter = new HdrPrometheusExporter({ preventServerStart: true });

  // These two lines are all of the HDR view.
  const hdr = createHdr({ views: [{ instrumentName: 'http.*.duration', significantDigits: 3 }] });
  const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(exporter)] }));

  metrics.setGlobalMeterProvider(provider);
  return {
    hdr,
    server: createServer((request, response) => {
      if (request.url?.split('?', 1)[0] === '/metrics') exporter.getMetricsRequestHandler(request, response);
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('metrics are at /metrics\n');
    }),
    shutdown: () => provider.shutdown(),
  };
}

/** Makes the instrument of the service with OpenTelemetry's API alone, as any instrumented application does. */
export function createDurationHistogram(): Histogram {
  return metrics.getMeter('hdrscope-demo').createHistogram(DURATION_METRIC, {
    description: 'Duration of HTTP server requests.',
    unit: 's',
  });
}

/** The counts in a text of metrics, by status code, as a Prometheus server reads them. */
export function countsInMetricsText(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [, labels, value] of text.matchAll(
    /^http_server_request_duration_seconds_count\{(.*)\} (\d+)/gm,
  )) {
    const status = Number(/http_response_status_code="(\d+)"/.exec(labels!)?.[1]);
    counts.set(status, (counts.get(status) ?? 0) + Number(value));
  }
  return counts;
}
