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
  withPendingBytes,
} from '@hdrscope/kit/server';
import type { Registry } from '@hdrscope/registry';
import { RECEIVER_RULES, type RemoteWriteReceiverOptions } from './options.ts';
import { createReceiver, type RemoteWriteReceiver, type RemoteWriteReceiverHealth } from './receiver.ts';

/**
 * Options of a receiver, where its server listens, who may use it (`token`, `allowedHosts`), its `limits`, and `tls`: the `observer`
 * hears of a certificate that cannot be read again.
 */
export interface ServeRemoteWriteOptions extends RemoteWriteReceiverOptions, GuardOptions {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. @default 'localhost' */
  readonly host?: string;
  /** An integer from 0 to 65535; 0 takes a free port. @default 9201 */
  readonly port?: number;
  /** Whether the server lets the process end. @default true */
  readonly unref?: boolean;
}

/** Counters of a receiver and of its server. */
export interface RunningRemoteWriteHealth extends RemoteWriteReceiverHealth {
  /** Requests and connections that the server has refused, by reason. Those that reach the receiver are `failedRequests`, too. */
  readonly refusals: Readonly<ServerRefusals>;
}

/** A receiver with its own server. */
export interface RunningRemoteWrite extends Pick<RemoteWriteReceiver, 'memory' | 'settle'> {
  /** The counters at this moment. */
  readonly health: RunningRemoteWriteHealth;
  /** The host that the server listens on, as it was given. */
  readonly host: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** Answers the open requests, within a second, closes all connections, then adds what waits, by `settle`. Never rejects. */
  close(): Promise<void>;
}

/** The port of the example of Prometheus' documentation for a receiver beside it. */
const PORT = 9201;

const SERVE_REMOTE_WRITE = {
  name: 'serveRemoteWrite',
  rules: {
    ...RECEIVER_RULES,
    ...GUARD_RULES,
    host: withDefault(hostRule, 'localhost'),
    port: withDefault(portRule, PORT),
    unref: withDefault(flag, true),
  } satisfies OptionRules<ServeRemoteWriteOptions>,
  call: 'serveRemoteWrite(registry, { port: 9201 })',
};

/**
 * Starts a server with a receiver of remote write at `/api/v1/write`: see `remoteWriteReceiver`. Its `limits` bound the number, the bytes
 * and the time of connections and requests. A server on loopback accepts requests with a loopback name in the `Host` header only, or one
 * of `allowedHosts`, unless it has a `token`; no server accepts requests of web pages of other sites. `GET /healthz` gets 200 without a
 * token.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range. When the server cannot
 *   listen or read the files of `tls`, the promise rejects with the system's own error, such as `EADDRINUSE`.
 * @example
 * ```ts
 * import { serveRemoteWrite } from '@hdrscope/prometheus/receiver';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const server = await serveRemoteWrite(createRegistry(), { host: '127.0.0.1', port: 0 });
 * const url = `http://127.0.0.1:${server.port}/api/v1/write`;
 * const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'text/html' }, body: '<p>' });
 * response.status; //=> 415
 * server.health.failedRequests; //=> 1
 * await server.close();
 * ```
 */
export async function serveRemoteWrite(
  registry: Registry,
  options: ServeRemoteWriteOptions = {},
): Promise<RunningRemoteWrite> {
  const { host, port, unref, ...others } = readOptions(options, SERVE_REMOTE_WRITE);
  const { token, allowedHosts, limits, tls, refusals = noRefusals(), ...received } = others;
  const receiver = createReceiver(registry, withPendingBytes(received));
  const onProblem = (problem: Error): void => received.observer?.failed?.(problem);
  const server = createGuardedServer((request, response) => void receiver.handle(request, response), {
    ...{ host, unref, token, allowedHosts, limits, tls, refusals, onProblem },
  });
  const listening = await listenAt(server, { host, port });
  let closed: Promise<void> | undefined;
  return {
    host,
    port: listening,
    memory: receiver.memory,
    settle: () => receiver.settle(),
    get health() {
      return Object.freeze({ ...receiver.health, refusals: Object.freeze({ ...refusals }) });
    },
    close() {
      closed ??= closeServer(server).then(() => receiver.settle());
      return closed;
    },
  };
}
