import { flag, type OptionRules, oneOf, optional, readOptions, withDefault } from '@hdrscope/core/internal';
import { closeServer } from '@hdrscope/kit';
import {
  createGuardedHttp2Server,
  createGuardedServer,
  GUARD_RULES,
  type GuardOptions,
  host as hostRule,
  listenAt,
  noRefusals,
  port as portRule,
  type ServerRefusals,
  withPendingBytes,
} from '@hdrscope/kit/server';
import type { Registry } from '@hdrscope/registry';
import { GRPC_HINT, grpcHandlers } from './grpc.ts';
import { type OtlpReceiverOptions, RECEIVER_RULES } from './options.ts';
import { createReceiver, type OtlpReceiver, type OtlpReceiverHealth } from './receiver.ts';

/**
 * Options of a receiver, where its server listens, who may use it (`token`, `allowedHosts`), its `limits`, and `tls`: the `observer`
 * hears of a certificate that cannot be read again.
 */
export interface ServeOtlpOptions extends OtlpReceiverOptions, GuardOptions {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. @default 'localhost' */
  readonly host?: string;
  /** An integer from 0 to 65535; 0 takes a free port. @default 4318, the port of OTLP over HTTP; 4317 for `'grpc'` */
  readonly port?: number;
  /** How clients send: `'http'`, in protobuf or in JSON, or `'grpc'`. A server speaks one of them. @default 'http' */
  readonly protocol?: 'http' | 'grpc';
  /** Whether the server lets the process end. @default true */
  readonly unref?: boolean;
}

/** Counters of a receiver and of its server. */
export interface RunningOtlpHealth extends OtlpReceiverHealth {
  /** Requests and connections that the server has refused, by reason. Those that reach the receiver are `failedRequests`, too. */
  readonly refusals: Readonly<ServerRefusals>;
}

/** A receiver with its own server. */
export interface RunningOtlp extends Pick<OtlpReceiver, 'memory'> {
  /** The counters at this moment. */
  readonly health: RunningOtlpHealth;
  /** The host that the server listens on, as it was given. */
  readonly host: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** Answers the open requests, within a second, then closes all connections. Never rejects. */
  close(): Promise<void>;
}

// https://opentelemetry.io/docs/specs/otlp/#otlphttp-default-port and #otlpgrpc-default-port
const PORTS = { http: 4318, grpc: 4317 };

const SERVE_OTLP = {
  name: 'serveOtlp',
  rules: {
    ...RECEIVER_RULES,
    ...GUARD_RULES,
    host: withDefault(hostRule, 'localhost'),
    port: optional(portRule),
    protocol: withDefault(oneOf(['http', 'grpc']), 'http'),
    unref: withDefault(flag, true),
  } satisfies OptionRules<ServeOtlpOptions>,
  call: 'serveOtlp(registry, { port: 4318 })',
};

/**
 * Starts a server with a receiver of OTLP over HTTP, or over gRPC: see `otlpReceiver`. Its `limits` bound the number, the bytes and the time of
 * connections and requests: a client has 10 seconds for the headers and 30 for a request, and a request beyond 128 under way waits. A
 * server on loopback accepts requests with a loopback name in the `Host` header only, or one of `allowedHosts`, unless it has a `token`; no
 * server accepts requests of web pages of other sites. `GET /healthz` gets 200 without a token.
 *
 * Over gRPC, calls have the same limits and count as requests do. One that passes a budget gets `RESOURCE_EXHAUSTED`, and points that are
 * refused are in the partial success of its answer. Clients without TLS send HTTP/2 at once, as all clients of gRPC do.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range. When the server cannot
 *   listen or read the files of `tls`, the promise rejects with the system's own error, such as `EADDRINUSE`.
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
  const { host, protocol, port, unref, ...others } = readOptions(options, SERVE_OTLP);
  const { token, allowedHosts, limits, tls, refusals = noRefusals(), ...received } = others;
  const receiver = createReceiver(registry, withPendingBytes(received));
  const onProblem = (problem: Error): void => received.observer?.failed?.(problem);
  const guard = { host, unref, token, allowedHosts, limits, tls, refusals, onProblem };
  const server =
    protocol === 'grpc'
      ? createGuardedHttp2Server(grpcHandlers(receiver, received.maxBytes, refusals), GRPC_HINT, guard)
      : createGuardedServer((request, response) => void receiver.handle(request, response), guard);
  const listening = await listenAt('listener' in server ? server.listener : server, {
    host,
    port: port ?? PORTS[protocol],
  });
  let closed: Promise<void> | undefined;
  return {
    host,
    port: listening,
    memory: receiver.memory,
    get health() {
      return Object.freeze({ ...receiver.health, refusals: Object.freeze({ ...refusals }) });
    },
    close() {
      closed ??= closeServer(server);
      return closed;
    },
  };
}
