import { optional, type RulesFor, text } from '@hdrscope/core/internal';
import { port as portRule } from '@hdrscope/kit/server';
import { report } from './diagnostics.ts';
import type { ServerAddress } from './server.ts';

/** Where a server listens for scrapes. */
export interface ListenOptions {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. @default OTEL_EXPORTER_PROMETHEUS_HOST, else 'localhost' */
  readonly host?: string | undefined;
  /** An integer from 0 to 65535; 0 takes a free port. @default OTEL_EXPORTER_PROMETHEUS_PORT, else 9464 */
  readonly port?: number | undefined;
  /** The path of the metrics. A missing slash at its beginning is added. @default '/metrics' */
  readonly endpoint?: string | undefined;
}

/** The rules of `ListenOptions`. */
export const LISTEN_RULES: RulesFor<ListenOptions, keyof ListenOptions> = {
  host: optional(text),
  port: optional(portRule),
  endpoint: optional(text),
};

/** Loopback, and the port registered for OpenTelemetry's exporter. */
export const DEFAULT_ADDRESS: ServerAddress = { host: 'localhost', port: 9464, endpoint: '/metrics' };

/**
 * The address to listen on: from the options, else the environment, else the defaults. A wrong value in the environment
 * is ignored with a warning.
 */
export function addressOf(
  { host, port, endpoint }: ListenOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ServerAddress {
  return {
    host: host || environment.OTEL_EXPORTER_PROMETHEUS_HOST?.trim() || DEFAULT_ADDRESS.host,
    port: port ?? portOf(environment.OTEL_EXPORTER_PROMETHEUS_PORT?.trim()) ?? DEFAULT_ADDRESS.port,
    endpoint: (endpoint || DEFAULT_ADDRESS.endpoint).replace(/^(?!\/)/, '/'),
  };
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (portRule.accepts(port)) return port;
  report('warn', `OTEL_EXPORTER_PROMETHEUS_PORT must be ${portRule.allowed}, got "${text}": ignored`);
  return undefined;
}
