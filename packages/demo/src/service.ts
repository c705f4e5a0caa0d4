import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Attributes, Histogram } from '@opentelemetry/api';
import { findRoute, type Reply, type Route } from './routes.ts';

/** The service under load. */
export interface Service {
  /** Does not listen yet. */
  readonly server: Server;
  /** Answers to clients other than the load, by status code. */
  readonly answersToOthers: ReadonlyMap<number, number>;
}

/** The parts of the service. */
export interface ServiceOptions {
  readonly routes: readonly Route[];
  /** `http.server.request.duration`, in seconds. */
  readonly duration: Histogram;
  /** The user agent of the load. `answersToOthers` counts requests of all others. */
  readonly loadUserAgent: string;
  readonly monotonicMs: () => number;
}

/**
 * Makes a service that measures its requests by the semantic conventions for HTTP servers.
 *
 * A request counts when its whole answer has been handed to the operating system. So every request that got an answer has
 * been counted by the time that the server has closed, and a request that was cut off has not.
 */
export function createService({ routes, duration, loadUserAgent, monotonicMs }: ServiceOptions): Service {
  const answersToOthers = new Map<number, number>();

  const server = createServer((request, response) => {
    const startMs = monotonicMs();
    const [path, query] = splitUrl(request.url ?? '/');
    const found = findRoute(routes, request.method ?? '', path);
    response.once('finish', () => {
      duration.record((monotonicMs() - startMs) / 1000, attributesOf(request, response, found?.route));
      if (request.headers['user-agent'] === loadUserAgent) return;
      answersToOthers.set(response.statusCode, (answersToOthers.get(response.statusCode) ?? 0) + 1);
    });
    const answer = found === undefined ? NOT_FOUND : answerOf(found, query, request);
    Promise.resolve(answer).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.writeHead(500).end(),
    );
  });
  return { server, answersToOthers };
}

const NOT_FOUND: Reply = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no such route\n' };

async function answerOf(
  { route, parameter }: { readonly route: Route; readonly parameter: string },
  query: string,
  request: IncomingMessage,
): Promise<Reply> {
  const body = Buffer.concat(await request.toArray());
  return route.handle({ parameter, query: new URLSearchParams(query), body });
}

// The methods that the conventions list. A caller could make up any other.
const KNOWN_METHODS = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

// https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration
function attributesOf(
  request: IncomingMessage,
  response: ServerResponse,
  route: Route | undefined,
): Attributes {
  const { method = '' } = request;
  const { statusCode } = response;
  return {
    'http.request.method': KNOWN_METHODS.has(method) ? method : '_OTHER',
    'http.response.status_code': statusCode,
    'url.scheme': 'http',
    ...(route !== undefined && { 'http.route': route.template }),
    ...(statusCode >= 500 && { 'error.type': String(statusCode) }),
  };
}

function splitUrl(url: string): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}
