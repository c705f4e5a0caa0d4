import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { Histogram, Registry as PromClientRegistry, Summary } from 'prom-client';

/** Two targets that count the same values. */
export interface Targets {
  /** Each is a host and a port. */
  readonly targets: readonly string[];
  record(route: string, values: readonly number[]): void;
  /** The client of Node.js counts from 0 again. */
  restartClient(): void;
  stop(): Promise<void>;
}

/**
 * Starts our exporter, with the native histogram `hdr_duration_seconds`, and the client of Node.js, with the classic histogram
 * `client_duration_seconds` and a summary.
 */
export async function startTargets(): Promise<Targets> {
  const source = createRegistry();
  const family = source.histogram({ name: 'hdr.duration', unit: 's' });
  const native = await servePrometheus(source, { host: '127.0.0.1', port: 0 });
  const client = new PromClientRegistry();
  const histogram = new Histogram({
    ...{ name: 'client_duration_seconds', help: 'h', labelNames: ['route'], registers: [client] },
    buckets: [0.001, 0.0025, 0.01, 0.05, 0.25, 1],
  });
  const summary = new Summary({ name: 'client_summary_seconds', help: 'h', registers: [client] });
  const server = createServer(async (_, response) => {
    response.setHeader('content-type', client.contentType);
    response.end(await client.metrics());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    targets: [`127.0.0.1:${native.port}`, `127.0.0.1:${(server.address() as AddressInfo).port}`],
    record(route, values) {
      for (const value of values) {
        family.with({ route }).record(value);
        histogram.observe({ route }, value);
        summary.observe(value);
      }
    },
    restartClient: () => client.resetMetrics(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await native.close();
    },
  };
}
