import { mustBe, type OptionNames } from '@hdrscope/core/internal';
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

/** The names of `ListenOptions`. */
export const LISTEN_NAMES: OptionNames<ListenOptions> = { host: true, port: true, endpoint: true };

/** Loopback, and the port registered for OpenTelemetry's exporter. */
export const DEFAULT_ADDRESS: ServerAddress = { host: 'localhost', port: 9464, endpoint: '/metrics' };

const HIGHEST_PORT = 65_535;

/**
 * The address to listen on: from the options, else the environment, else the defaults. A wrong value in the environment
 * is ignored with a warning.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the option `port` is out of range.
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
