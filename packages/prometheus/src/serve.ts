import { type OptionRules, readOptions } from '@hdrscope/core/internal';
import {
  GUARD_RULES,
  type GuardOptions,
  limitsOf,
  noRefusals,
  type ServerRefusals,
} from '@hdrscope/kit/server';
import type { Registry } from '@hdrscope/registry';
import { addressOf, LISTEN_RULES, type ListenOptions } from './address.ts';
import { HANDLER_RULES, type PrometheusHandlerOptions, prometheusHandler } from './handler.ts';
import { refusalFamilies } from './refusal-families.ts';
import { MetricsServer } from './server.ts';

/** Options of `servePrometheus`. */
export interface ServePrometheusOptions extends PrometheusHandlerOptions, ListenOptions, GuardOptions {}

const SERVE_PROMETHEUS = {
  name: 'servePrometheus',
  rules: { ...HANDLER_RULES, ...LISTEN_RULES, ...GUARD_RULES } satisfies OptionRules<ServePrometheusOptions>,
  call: 'servePrometheus(registry, { port: 9464 })',
};

/** A listening server. */
export interface RunningPrometheus {
  /** The port that the server listens on. */
  readonly port: number;
  /** How many requests and connections it has refused, by reason. */
  readonly refusals: Readonly<ServerRefusals>;
  /** Answers running scrapes, within a second, then closes all connections. Never rejects. */
  close(): Promise<void>;
}

/**
 * Starts a server that serves a registry to Prometheus: see `prometheusHandler`. The server does not keep the process alive. On
 * loopback it answers requests whose `Host` is a loopback name or one of `allowedHosts`, or which have the token. It refuses requests
 * of pages of other sites. At `/healthz` it answers 200 to everybody. Refusals show in its metrics as the counter
 * `hdrscope_server_refusals_total`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range. When the server cannot
 *   listen, the promise rejects with the system's own error, such as `EADDRINUSE`, and when a file of `tls` cannot be read too.
 * @example
 * ```ts
 * import { servePrometheus } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const server = await servePrometheus(createRegistry(), { port: 0 });
 * const response = await fetch(`http://localhost:${server.port}/metrics`);
 * [response.status, response.headers.get('content-type')];
 * //=> [200, 'text/plain; version=0.0.4; charset=utf-8']
 * await server.close();
 * ```
 */
export async function servePrometheus(
  registry: Registry,
  options: ServePrometheusOptions = {},
): Promise<RunningPrometheus> {
  const {
    host,
    port,
    endpoint,
    token,
    allowedHosts,
    limits,
    tls,
    refusals = noRefusals(),
    ...shown
  } = readOptions(options, SERVE_PROMETHEUS);
  const address = addressOf({ host, port, endpoint }, process.env);
  const guard = { token, allowedHosts, limits: limitsOf(limits), tls, refusals };
  const sources = [() => refusalFamilies(refusals), ...shown.sources];
  const server = new MetricsServer(address, prometheusHandler(registry, { ...shown, sources }), guard);
  await server.start();
  return { port: server.port!, refusals, close: () => server.stop() };
}
