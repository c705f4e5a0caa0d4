import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Attributes, Histogram } from '@opentelemetry/api';
import { findRoute, type Reply, type Route } from './routes.ts';

/** The service under load. */
export interface Service {
  /** Not yet listening. */
  readonly server: Server;
  /** Answers to others than the load, by status code. */
  readonly answersToOthers: ReadonlyMap<number, number>;
}

/** What the service is made of. */
export interface ServiceOptions {
  readonly routes: readonly Route[];
  /** `http.server.request.duration`, in seconds. */
  readonly duration: Histogram;
  /** Requests of any other user agent are tallied apart. */
  readonly loadUserAgent: string;
  readonly monotonicMs: () => number;
}

/**
 * Makes a service that measures its requests as the semantic conventions for HTTP servers ask.
 *
 * A request is counted when its answer has been handed to the operating system. So whoever has an answer has been
 * counted, at the latest when the server has closed; and what is cut off before is not.
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

// The conventions name these; any other is one that a caller could make up.
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
