import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import {
  callback,
  custom,
  flag,
  type OptionRules,
  object,
  optional,
  optionsIn,
  type RulesFor,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { noteConnection } from '../slices.ts';
import { ACCESS_RULES, Access, type AccessOptions } from './access.ts';
import { Connections } from './connections.ts';
import { limitsOf, type ServerLimits } from './limits.ts';
import { host as listenHost } from './listen-at.ts';
import { countError, noRefusals, REFUSAL_REASONS, type ServerRefusals } from './refusals.ts';
import { Room } from './room.ts';
import { createTlsServer, type TlsFiles } from './tls.ts';

/**
 * Answers a request.
 *
 * @param signal Is aborted when the client has gone, or the server gives up: work for the answer is useless then.
 */
export type GuardedHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
) => void;

/** The protection of a server: options of all servers of hdrscope. */
export interface GuardOptions extends AccessOptions {
  /** The limits of the server. @default `SERVER_LIMITS` */
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Files of a certificate and its key, for HTTPS. They are read again when they change. @default plain HTTP */
  readonly tls?: TlsFiles | undefined;
  /** Counts of refusals, which the server raises. Servers that follow each other may share them. @default counts of its own */
  readonly refusals?: ServerRefusals | undefined;
}

/** The rules of `GuardOptions`. `limitsOf` checks the limits. */
export const GUARD_RULES: RulesFor<GuardOptions, keyof GuardOptions> = {
  ...ACCESS_RULES,
  limits: optional(object()),
  tls: optional(optionsIn<TlsFiles>({ name: 'tls', rules: { certFile: text, keyFile: text } })),
  refusals: optional(
    custom('counts of refusals', (counts) =>
      REFUSAL_REASONS.every((reason) => Number.isInteger((counts as ServerRefusals)[reason])),
    ),
  ),
};

/** The options of a guarded server. */
export interface GuardedServerOptions extends GuardOptions {
  /** Where the server will listen: a name or an address. */
  readonly host: string;
  /** Whether the server lets the process end. @default false */
  readonly unref?: boolean;
  /** Whether the handler decides itself who may use the server. @default false */
  readonly ownAccess?: boolean;
  /** Gets problems that no client sees, such as a certificate that cannot be read. @default they are ignored */
  readonly onProblem?: (problem: Error) => void;
}

/** Answers 200 while the event loop turns, without a token and also when there are too many requests. */
export const HEALTH_PATH = '/healthz';

export const LONGEST_HEADERS = 16_384;
const PAYLOAD_TOO_LARGE = 413;
const CHECK_INTERVAL_MS = 1000;
const KEEP_ALIVE_MS = 5000;

/**
 * Makes an HTTP server that cannot be locked up by its clients: it limits their number, their time and the bytes that it holds for them,
 * answers one request of a connection at a time, refuses requests of other sites, and answers at `/healthz` in any case. Each refusal
 * raises a count of
 * `refusals`. It does not listen yet.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is not as stated on it, or the files of `tls` are not a certificate and its
 *   key. The system's error when one of them cannot be read.
 * @example
 * ```ts
 * import { createGuardedServer, listenAt } from '@hdrscope/kit/server';
 * import { closeServer } from '@hdrscope/kit';
 *
 * const server = createGuardedServer((_request, response) => response.end('hello'), { host: '127.0.0.1' });
 * const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
 * const answers = await Promise.all(['/', '/healthz'].map((path) => fetch(`http://127.0.0.1:${port}${path}`)));
 * await Promise.all(answers.map((answer) => answer.text())); //=> ['hello', 'ok\n']
 * await closeServer(server);
 * ```
 */
export function createGuardedServer(handler: GuardedHandler, options: GuardedServerOptions): Server {
  const { host, token, allowedHosts, tls, unref, ownAccess, onProblem, ...settings } =
    readServerOptions(options);
  const { refusals = noRefusals() } = settings;
  const limits = limitsOf(settings.limits);
  const access = new Access(host, { token, allowedHosts });
  const room = new Room(limits, refusals);
  const connections = new Connections(limits, room, refusals);

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = ownAccess ? undefined : access.refusalOf(request);
    if (refusal !== undefined) {
      refusals[refusal.code]++;
      refuse(response, refusal.status, refusal.reason);
    } else {
      const signal = signalOf(response, limits.answerMs, () => {
        if (!room.isWaiting(response)) {
          refusals.timeout++;
          return `there was no answer within ${limits.answerMs} ms`;
        }
        refusals.requests++;
        response.setHeader('retry-after', '1');
        return `there was no room for this request within ${limits.answerMs} ms`;
      });
      room.enter(request, response, () => handler(request, response, signal));
    }
  };

  // Node.js calls the listener for each request that has come, and sends the answers one after the other.
  const inTurn = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    // A client may go away before its answer is complete.
    response.on('error', () => {});
    response.once('close', () => {
      if (response.statusCode === PAYLOAD_TOO_LARGE && response.headersSent) refusals.body++;
      connections.end(socket);
    });
    connections.begin(socket, () => {
      if (socket.destroyed) response.destroy();
      else if (request.url === HEALTH_PATH) answerHealth(response);
      else answer(request, response);
    });
  };

  const times = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: LONGEST_HEADERS,
  };
  const server: Server =
    tls === undefined
      ? createServer(times, inTurn)
      : createTlsServer(
          tls,
          (content) =>
            createHttpsServer({ ...times, ...content, handshakeTimeout: limits.headersMs }, inTurn),
          onProblem,
        );
  // OpenTelemetry's instrumentation patches the prototype of servers: requests of this one are not requests of the service.
  server.emit = EventEmitter.prototype.emit;
  server.timeout = limits.idleMs;
  const closeIdleConnections = server.closeIdleConnections.bind(server);
  // Node.js takes a connection without a request for busy. Browsers and others open such ones ahead.
  server.closeIdleConnections = () => {
    closeIdleConnections();
    connections.closeUnused();
  };
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
    connections.add(socket),
  );
  // Connections that have not agreed on keys yet are in no list of ours, and many may come within a turn of the event loop.
  server.maxConnections = 4 * limits.connections;
  server.on('connection', noteConnection);
  server.on('drop', () => refusals.connections++);
  server.on('tlsClientError', (error: Error) => countError(refusals, error));
  if (unref) server.unref().on('connection', (socket) => socket.unref());
  return server;
}

const GUARDED_SERVER = {
  name: 'createGuardedServer',
  rules: {
    ...GUARD_RULES,
    host: listenHost,
    unref: withDefault(flag, false),
    ownAccess: withDefault(flag, false),
    onProblem: withDefault(callback(), () => {}),
  } satisfies OptionRules<GuardedServerOptions>,
};

/** The options of a server with their defaults. @throws HdrscopeError `ERR_INVALID_OPTION` when one is not as stated on it. */
export function readServerOptions(
  options: GuardedServerOptions,
): GuardOptions & Required<Omit<GuardedServerOptions, keyof GuardOptions>> {
  return readOptions(options, GUARDED_SERVER);
}

/** Answers with an HTTP status and a line of text. Has no effect once an answer has begun. */
export function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.destroyed || response.headersSent) return;
  const body = `${reason}\n`;
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  response.writeHead(status, headers).end(body);
}

function answerHealth(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': 3 }).end('ok\n');
}

/** @param onLate Returns the reason for which an answer that has not begun in time is refused. */
function signalOf(response: ServerResponse, answerMs: number, onLate: () => string): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    if (response.headersSent) return;
    controller.abort();
    refuse(response, 503, onLate());
  }, answerMs).unref();
  response.once('close', () => {
    clearTimeout(timer);
    controller.abort();
  });
  return controller.signal;
}
