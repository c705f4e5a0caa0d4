import { mustBe } from '@hdrscope/core';
import { report } from './diagnostics.ts';
import type { ServerAddress } from './server.ts';

/** Where a server listens. */
export interface ListenOptions {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. @default OTEL_EXPORTER_PROMETHEUS_HOST, else 'localhost' */
  readonly host?: string | undefined;
  /** From 0 to 65535; 0 takes a free one. @default OTEL_EXPORTER_PROMETHEUS_PORT, else 9464 */
  readonly port?: number | undefined;
  /** The path of the metrics; a slash is put before it where it lacks one. @default '/metrics' */
  readonly endpoint?: string | undefined;
}

/** Loopback, and the port that is registered for OpenTelemetry's exporter. */
export const DEFAULT_ADDRESS: ServerAddress = { host: 'localhost', port: 9464, endpoint: '/metrics' };

const HIGHEST_PORT = 65_535;

/**
 * Where to listen, by the options, then the environment, then the defaults.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`. What is wrong in the environment is warned of and ignored.
 */
export function addressOf(
  { host, port, endpoint }: ListenOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ServerAddress {
  if (port !== undefined && !isPort(port)) {
    throw mustBe('ERR_INVALID_OPTION', 'port', `an integer from 0 to ${HIGHEST_PORT}`, port);
  }
  return {
    host: host || environment.OTEL_EXPORTER_PROMETHEUS_HOST?.trim() || DEFAULT_ADDRESS.host,
    port: port ?? portOf(environment.OTEL_EXPORTER_PROMETHEUS_PORT?.trim()) ?? DEFAULT_ADDRESS.port,
    endpoint: (endpoint || DEFAULT_ADDRESS.endpoint).replace(/^(?!\/)/, '/'),
  };
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (isPort(port)) return port;
  report(
    'warn',
    `OTEL_EXPORTER_PROMETHEUS_PORT must be an integer from 0 to ${HIGHEST_PORT}, got "${text}": ignored`,
  );
  return undefined;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= HIGHEST_PORT;
}
