import type { Registry } from '@hdrscope/registry';
import { addressOf, type ListenOptions } from './address.ts';
import { type HandlerOptions, prometheusHandler } from './handler.ts';
import { MetricsServer } from './server.ts';

/** How and where a registry is served. */
export interface ServeOptions extends HandlerOptions, ListenOptions {}

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** Answers the scrapes that are under way, within a second, then closes all connections. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Serves a registry to Prometheus, on a server of its own that keeps no process alive. Rejects when that cannot listen.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`.
 * @example
 * ```ts
 * import { servePrometheus } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const server = await servePrometheus(createRegistry(), { port: 0 });
 * const response = await fetch(`http://localhost:${server.port}/metrics`);
 * [response.status, response.headers.get('content-type')];
 * //=> [200, 'text/plain; version=0.0.4; charset=utf-8']
 * await server.stop();
 * ```
 */
export async function servePrometheus(
  registry: Registry,
  options: ServeOptions = {},
): Promise<RunningServer> {
  const server = new MetricsServer(addressOf(options, process.env), prometheusHandler(registry, options));
  await server.start();
  return { port: server.port!, stop: () => server.stop() };
}
