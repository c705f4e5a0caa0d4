import {
  constants,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { ClosableServer } from '../close-server.ts';
import { noteConnection } from '../slices.ts';
import { Access } from './access.ts';
import { Connections } from './connections.ts';
import {
  type GuardedServerOptions,
  HEALTH_PATH,
  LONGEST_HEADERS,
  readServerOptions,
} from './guarded-server.ts';
import { limitsOf } from './limits.ts';
import { countError, noRefusals, type RefusalReason } from './refusals.ts';
import { Room } from './room.ts';
import { createTlsServer } from './tls.ts';

/** Why a stream is refused before its handler has begun an answer. */
export interface StreamRefusal {
  /** The counter of `ServerRefusals` that the refusal belongs to. */
  readonly code: RefusalReason & ('token' | 'host' | 'origin' | 'requests' | 'timeout');
  /** For people. */
  readonly reason: string;
}

/** What answers the streams of a server. */
export interface StreamHandlers {
  /** Answers a stream. */
  handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /** Answers a stream that is refused. Its answer has not begun. */
  refuse(stream: ServerHttp2Stream, refusal: StreamRefusal): void;
}

/** A server of HTTP/2. `closeServer` closes it. */
export interface GuardedHttp2Server extends ClosableServer {
  /** Listens. It takes connections, with TLS where there is a certificate. */
  readonly listener: Server;
}

/** How every connection of HTTP/2 begins: https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const MOST_STREAMS = 100;
/** An answer that no client takes ends after so many times the limit of the answer. */
const LONGEST_ANSWERS = 2;

/**
 * Makes a server of HTTP/2 with the limits and the access of `createGuardedServer`: streams of a connection run side by side, at most 100 of
 * them. A client of HTTP/1 gets one sentence.
 *
 * @param hint Ends the sentence: what this port is for.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is not as stated on it. The system's error when a file of `tls` cannot be read.
 */
export function createGuardedHttp2Server(
  handlers: StreamHandlers,
  hint: string,
  options: GuardedServerOptions,
): GuardedHttp2Server {
  const { host, token, allowedHosts, tls, unref, onProblem, ...settings } = readServerOptions(options);
  const { refusals = noRefusals() } = settings;
  const limits = limitsOf(settings.limits);
  const access = new Access(host, { token, allowedHosts });
  const room = new Room(limits, refusals);
  const connections = new Connections(limits, room, refusals);
  /** Each open connection, and its session once it has sent the preface. */
  const sessions = new Map<Socket, ServerHttp2Session | undefined>();
  let isClosing = false;

  const refuse = (stream: ServerHttp2Stream, refusal: StreamRefusal): void => {
    if (stream.destroyed || stream.headersSent) return;
    refusals[refusal.code]++;
    handlers.refuse(stream, refusal);
  };

  const answer = (socket: Socket, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    if (headers[':path'] === HEALTH_PATH) {
      stream.respond({ ':status': 200, 'content-type': 'text/plain; charset=utf-8' });
      stream.end('ok\n');
      return;
    }
    const refusal = access.refusalOf({
      headers: { ...headers, host: headers[':authority'] ?? headers.host },
    });
    if (refusal !== undefined) {
      refuse(stream, refusal);
      return;
    }
    const request = {
      socket,
      get complete() {
        return stream.readableEnded;
      },
    };
    const { requestMs, answerMs } = limits;
    const timers = [
      setTimeout(() => {
        if (!room.isWaiting(stream) && !request.complete)
          refuse(stream, { code: 'timeout', reason: `the request has not come within ${requestMs} ms` });
      }, requestMs),
      setTimeout(() => {
        refuse(
          stream,
          room.isWaiting(stream)
            ? { code: 'requests', reason: `there was no room for this request within ${answerMs} ms` }
            : { code: 'timeout', reason: `there was no answer within ${answerMs} ms` },
        );
      }, answerMs),
      setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), LONGEST_ANSWERS * answerMs),
    ];
    stream.once('close', () => {
      for (const timer of timers) clearTimeout(timer);
    });
    for (const timer of timers) timer.unref();
    room.enter(request, stream, () => handlers.handle(stream, headers));
  };

  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams: MOST_STREAMS, maxHeaderListSize: LONGEST_HEADERS, enablePush: false },
  });
  // It closes the session.
  http2.on('sessionError', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'ERR_HTTP2_ERROR') refusals.malformed++;
  });

  const openSession = (socket: Socket): void => {
    const onSession = (session: ServerHttp2Session): void => {
      let streams = 0;
      sessions.set(socket, session);
      session.on('stream', (stream, headers) => {
        // A client may go away before its answer is complete.
        stream.on('error', () => {});
        if (streams++ === 0) connections.begin(socket, () => {});
        stream.once('close', () => {
          if (--streams === 0) connections.end(socket);
        });
        answer(socket, stream, headers);
      });
      session.setTimeout(limits.idleMs, () => {
        // Clients may keep a connection between two requests: its end is not a refusal.
        if (streams > 0) refusals.timeout++;
        if (streams > 0 || session.closed) socket.destroy();
        else session.close();
      });
      if (isClosing) session.close();
    };
    // It is emitted before `emit` returns.
    http2.once('session', onSession);
    http2.emit('connection', socket);
    http2.off('session', onSession);
  };

  const take = (socket: Socket): void => {
    sessions.set(socket, undefined);
    connections.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sessions.delete(socket));
    readPreface(socket, limits.headersMs, (isHttp2) => {
      if (isHttp2) {
        openSession(socket);
        return;
      }
      refusals.malformed++;
      refuseHttp1(socket, hint);
    });
  };

  const listener =
    tls === undefined
      ? createServer(take)
      : createTlsServer(
          tls,
          (content) =>
            createSecureServer(
              // A client of HTTP/1 is answered, too.
              { ...content, ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: limits.headersMs },
              take,
            ),
          onProblem,
        );
  // Connections that have not agreed on keys yet are in no list of ours.
  listener.maxConnections = 4 * limits.connections;
  listener.on('connection', noteConnection);
  listener.on('drop', () => refusals.connections++);
  listener.on('tlsClientError', (error: Error) => countError(refusals, error));
  if (unref) listener.unref().on('connection', (socket: Socket) => socket.unref());

  const endIdle = (): void => {
    for (const [socket, session] of sessions) {
      if (session === undefined) socket.destroy();
      // Sends GOAWAY. The streams under way end.
      else if (!session.closed) session.close();
    }
  };
  return {
    listener,
    close(callback) {
      isClosing = true;
      listener.close(callback);
    },
    closeIdleConnections: endIdle,
    closeAllConnections() {
      for (const socket of sessions.keys()) socket.destroy();
    },
  };
}

/** Says whether a connection begins as HTTP/2 does. What it has sent can be read again then. Closes one that does not say it in time. */
function readPreface(socket: Socket, withinMs: number, then: (isHttp2: boolean) => void): void {
  let seen = Buffer.alloc(0);
  const timer = setTimeout(() => {
    // The end of a connection that has a timeout is counted with the others.
    socket.emit('timeout');
    socket.destroy();
  }, withinMs).unref();
  const onReadable = (): void => {
    for (let part = socket.read(); part !== null; part = socket.read()) seen = Buffer.concat([seen, part]);
    const length = Math.min(seen.length, PREFACE.length);
    const isLike = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (length === 0 || (isLike && length < PREFACE.length)) return;
    clearTimeout(timer);
    socket.off('readable', onReadable);
    if (isLike) socket.unshift(seen);
    then(isLike);
  };
  socket.on('readable', onReadable);
  socket.once('close', () => clearTimeout(timer));
}

const REFUSAL_MS = 1000;

function refuseHttp1(socket: Socket, hint: string): void {
  const body = `this port speaks HTTP/2 only: ${hint}\n`;
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Reading on lets the client read the answer.
  socket.resume();
  setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
}
