import { flag, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';
import { closeServer } from '@hdrscope/kit';
import {
  createGuardedServer,
  GUARD_RULES,
  type GuardOptions,
  host as hostRule,
  listenAt,
  noRefusals,
  port as portRule,
  type ServerRefusals,
} from '@hdrscope/kit/server';
import type { Registry } from '@hdrscope/registry';
import { type OtlpReceiverOptions, RECEIVER_RULES, withPendingBytes } from './options.ts';
import { createReceiver, type OtlpReceiver, type OtlpReceiverHealth } from './receiver.ts';

/**
 * Options of a receiver, where its server listens, who may use it (`token`, `allowedHosts`), its `limits`, and `tls`: the `observer`
 * hears of a certificate that cannot be read again.
 */
export interface ServeOtlpOptions extends OtlpReceiverOptions, GuardOptions {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. @default 'localhost' */
  readonly host?: string;
  /** An integer from 0 to 65535; 0 takes a free port. @default 4318, the port of OTLP */
  readonly port?: number;
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

const SERVE_OTLP = {
  name: 'serveOtlp',
  rules: {
    ...RECEIVER_RULES,
    ...GUARD_RULES,
    host: withDefault(hostRule, 'localhost'),
    // https://opentelemetry.io/docs/specs/otlp/#otlphttp-default-port
    port: withDefault(portRule, 4318),
    unref: withDefault(flag, true),
  } satisfies OptionRules<ServeOtlpOptions>,
  call: 'serveOtlp(registry, { port: 4318 })',
};

/**
 * Starts a server with a receiver of OTLP over HTTP: see `otlpReceiver`. Its `limits` bound the number, the bytes and the time of
 * connections and requests: a client has 10 seconds for the headers and 30 for a request, and a request beyond 128 under way waits. A
 * server on loopback accepts requests with a loopback name in the `Host` header only, or one of `allowedHosts`, unless it has a `token`; no
 * server accepts requests of web pages of other sites. `GET /healthz` gets 200 without a token.
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
  const { host, port, unref, ...others } = readOptions(options, SERVE_OTLP);
  const { token, allowedHosts, limits, tls, refusals = noRefusals(), ...received } = others;
  const receiver = createReceiver(registry, withPendingBytes(received));
  const onProblem = (problem: Error): void => received.observer?.failed?.(problem);
  const server = createGuardedServer((request, response) => void receiver.handle(request, response), {
    host,
    unref,
    token,
    allowedHosts,
    limits,
    tls,
    refusals,
    onProblem,
  });
  const listening = await listenAt(server, { host, port });
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
