import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { closeServer } from '@hdrscope/kit';
import type { Registry } from '@hdrscope/registry';
import { type OtlpReceiverOptions, RECEIVER_NAMES } from './options.ts';
import { type OtlpReceiver, otlpReceiver } from './receiver.ts';

/** Options of a receiver, and where its server listens. */
export interface ServeOtlpOptions extends OtlpReceiverOptions {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. @default 'localhost' */
  readonly host?: string;
  /** An integer from 0 to 65535; 0 takes a free port. @default 4318, the port of OTLP */
  readonly port?: number;
  /** Whether the server lets the process end. @default true */
  readonly unref?: boolean;
}

/** A receiver with its own server. */
export interface RunningOtlp extends Pick<OtlpReceiver, 'health' | 'memory'> {
  readonly host: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** Answers the open requests, within a second, then closes all connections. Never rejects. */
  close(): Promise<void>;
}

// https://opentelemetry.io/docs/specs/otlp/#otlphttp-default-port
const DEFAULT_PORT = 4318;
// Exporters give up after 10 seconds by default.
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 5000;

const SERVE_OTLP: OptionsOwner<ServeOtlpOptions> = {
  name: 'serveOtlp',
  names: { ...RECEIVER_NAMES, host: true, port: true, unref: true },
  call: 'serveOtlp(registry, { port: 4318 })',
};

/**
 * Starts a server with a receiver of OTLP over HTTP: see `otlpReceiver`. It cuts off a client that takes longer than 30
 * seconds to send a request, or 10 seconds for the headers.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range. When the server cannot
 *   listen, the promise rejects with the system's own error, such as `EADDRINUSE`.
 * @example
 * ```ts
 * import { serveOtlp } from '@hdrscope/otel/receiver';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const otlp = await serveOtlp(createRegistry(), { host: '127.0.0.1', port: 0 });
 * const response = await fetch(`http://127.0.0.1:${otlp.port}/v1/traces`, { method: 'POST' });
 * [response.status, await response.json()]; //=> [404, { message: 'metrics are accepted at /v1/metrics only' }]
 * otlp.health.failedRequests; //=> 1
 * await otlp.close();
 * ```
 */
export async function serveOtlp(registry: Registry, options: ServeOtlpOptions = {}): Promise<RunningOtlp> {
  assertOptions(options, SERVE_OTLP);
  const { host = 'localhost', port = DEFAULT_PORT, unref = true, ...received } = options;
  if (typeof host !== 'string' || host === '') {
    throw mustBe('ERR_INVALID_OPTION', 'host', 'a name or an address', host);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw mustBe('ERR_INVALID_OPTION', 'port', 'an integer from 0 to 65535', port);
  }
  const receiver = otlpReceiver(registry, received);
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
    (request, response) => void receiver.handle(request, response),
  );
  if (unref) server.unref().on('connection', (socket) => socket.unref());
  await listening(server, host, port);
  let closed: Promise<void> | undefined;
  return {
    host,
    port: (server.address() as AddressInfo).port,
    memory: receiver.memory,
    get health() {
      return receiver.health;
    },
    close() {
      closed ??= closeServer(server);
      return closed;
    },
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      // A connection that cannot be accepted fails at its client, which notices.
      server.on('error', () => {});
      resolve();
    });
  });
}
