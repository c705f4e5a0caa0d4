import { createServer, type Server } from 'node:http';
import { createHdr, type Hdr } from '@hdrscope/otel';
import { HdrPrometheusExporter } from '@hdrscope/prometheus';
import { type Histogram, metrics } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** The metrics pipeline of the demo. */
export interface Telemetry {
  readonly hdr: Hdr;
  /** Serves `/metrics`: native histograms to a Prometheus that asks for them. Not yet listening. */
  readonly server: Server;
  shutdown(): Promise<void>;
}

export const DURATION_METRIC = 'http.server.request.duration';

/** Sets OpenTelemetry up and registers it globally, so before any instrument is made. */
export function startTelemetry(): Telemetry {
  // The page that says where the metrics are is ours, so the server is, too.
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

/** The instrument of the service: OpenTelemetry's API alone, as in any instrumented application. */
export function createDurationHistogram(): Histogram {
  return metrics.getMeter('hdrscope-demo').createHistogram(DURATION_METRIC, {
    description: 'Duration of HTTP server requests.',
    unit: 's',
  });
}

/** The counts that a page of metrics shows, by status code: what a Prometheus server would have read. */
export function countsInMetricsText(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [, labels, value] of text.matchAll(/^http_server_request_duration_count\{(.*)\} (\d+)/gm)) {
    const status = Number(/http_response_status_code="(\d+)"/.exec(labels!)?.[1]);
    counts.set(status, (counts.get(status) ?? 0) + Number(value));
  }
  return counts;
}
