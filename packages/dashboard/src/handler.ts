import type { IncomingMessage, ServerResponse } from 'node:http';
import { custom, mustBe, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';
import { wantsGzip } from '@hdrscope/kit';
import { noRefusals, type ServerRefusals, writeParts } from '@hdrscope/kit/server';
import { isFromThePage, PageAccess } from './access.ts';
import { Broadcast } from './broadcast.ts';
import type { DashboardData } from './feed.ts';
import { FileOpener } from './open-file.ts';
import { type DashboardOptions, type DashboardSettings, PAGE_RULES } from './options.ts';
import { questionOf } from './question.ts';
import { StaticFiles } from './static-files.ts';

/** The options of the page, and the path at which it is mounted. */
export interface DashboardHandlerOptions extends DashboardOptions {
  /** The beginning of the paths of all its requests. It begins and ends with a slash. @default '/' */
  readonly path?: string | undefined;
}

const DASHBOARD_HANDLER = {
  name: 'dashboardHandler',
  rules: {
    ...PAGE_RULES,
    path: withDefault(
      custom<string>(
        'a path that begins and ends with a slash',
        (path) => typeof path === 'string' && path.startsWith('/') && path.endsWith('/'),
      ),
      '/',
    ),
  } satisfies OptionRules<DashboardHandlerOptions>,
  call: "dashboardHandler(registry, { path: '/latency/' })",
};

/** A page over a registry, for an existing server. */
export interface DashboardHandler {
  /** Answers a request. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Ends all connections of the page and stops gathering the registry. Resolves when the last interval is written to `historyFolder`, or 5
   * seconds later. Never rejects.
   */
  close(): Promise<void>;
}

/**
 * The page loads its own files only, runs no other scripts, and cannot be framed: https://www.w3.org/TR/CSP3/. Tooltips of
 * charts need style attributes, which run nothing.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; style-src-attr 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Makes a page over a registry for an existing server. The page gathers the registry until it is closed, and does not keep
 * the process alive.
 *
 * Without a token it answers this machine only: other machines, and requests whose `Host` is not a loopback name, get 403.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { once } from 'node:events';
 * import { createServer } from 'node:http';
 * import { dashboardHandler } from '@hdrscope/dashboard';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const dashboard = dashboardHandler(createRegistry(), { path: '/latency/' });
 * const server = createServer((request, response) => {
 *   if (request.url?.startsWith('/latency/')) dashboard.handle(request, response);
 *   else response.end('hello');
 * });
 * await once(server.listen(0, 'localhost'), 'listening');
 * const { port } = server.address() as { port: number };
 * const events = await fetch(`http://localhost:${port}/latency/events`);
 * events.headers.get('content-type'); //=> 'text/event-stream; charset=utf-8'
 * await events.body?.cancel();
 * dashboard.close();
 * server.close();
 * ```
 */
export function dashboardHandler(
  shown: DashboardData,
  options: DashboardHandlerOptions = {},
): DashboardHandler {
  const { path, ...settings } = readOptions(options, DASHBOARD_HANDLER);
  return handlerOf(shown, path, settings);
}

/** What the server of a page adds to it. */
interface PageServer {
  /** The longest time that a stream of events may be silent. @default 15 seconds */
  readonly beatMs?: number;
  /** Counts of refusals: the handler raises those of access. @default counts of the handler alone */
  readonly refusals?: ServerRefusals;
}

/** Makes the handler of checked options. */
export function handlerOf(
  shown: DashboardData,
  path: string,
  settings: DashboardSettings,
  { beatMs, refusals = noRefusals() }: PageServer = {},
): DashboardHandler {
  if (typeof shown !== 'object' || shown === null || !('gather' in shown || Symbol.asyncIterator in shown)) {
    throw mustBe('ERR_INVALID_OPTION', 'shown', 'a registry, or an async iterable of snapshots', shown);
  }
  const parts = {
    path,
    access: new PageAccess(settings.token, settings.allowedHosts),
    refusals,
    broadcast: new Broadcast(shown, settings, refusals, beatMs),
    opener: new FileOpener(settings.openFile),
    files: new StaticFiles(settings.title),
  };
  return {
    handle(request, response) {
      // A client may go away before its answer is complete.
      response.on('error', () => {});
      answer(request, response, parts).catch(() => {
        if (response.headersSent) response.destroy();
        else answerText(response, 500, 'the request could not be answered');
      });
    },
    close: () => parts.broadcast.close(),
  };
}

interface Parts {
  readonly path: string;
  readonly refusals: ServerRefusals;
  readonly access: PageAccess;
  readonly broadcast: Broadcast;
  readonly opener: FileOpener;
  readonly files: StaticFiles;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const url = urlOf(request.url);
  if (url === undefined || !url.pathname.startsWith(parts.path)) {
    return answerText(response, url === undefined ? 400 : 404, `the page is at ${parts.path}`);
  }
  const verdict = parts.access.judge(request, url);
  if (verdict.kind === 'refused') {
    parts.refusals[verdict.code]++;
    if (verdict.status === 401) response.setHeader('www-authenticate', 'Bearer');
    return answerText(response, verdict.status, verdict.reason);
  }
  if (verdict.kind === 'redirected') {
    response.writeHead(303, { location: verdict.location, 'set-cookie': verdict.cookie }).end();
    return;
  }
  const name = url.pathname.slice(parts.path.length);
  if (name === 'open') return open(request, response, parts, url);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return answerText(response, 405, 'the page answers GET and HEAD only');
  }
  if (name === 'events') return subscribe(request, response, parts, url);
  if (name === 'export') return sendExport(request, response, parts, url);
  return sendFile(request, response, parts, name);
}

function subscribe(request: IncomingMessage, response: ServerResponse, { broadcast }: Parts, url: URL): void {
  const { searchParams } = url;
  if (request.method === 'HEAD') {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end();
  } else if (!broadcast.makeRoom()) {
    answerText(response, 503, 'too many clients watch already: close another page');
  } else {
    const lastId = request.headers['last-event-id']?.toString() ?? searchParams.get('last') ?? undefined;
    const isZipped = wantsGzip(request.headers['accept-encoding']);
    broadcast.add(response, questionOf(searchParams), { lastId, isZipped });
  }
}

async function open(
  request: IncomingMessage,
  response: ServerResponse,
  { opener }: Parts,
  url: URL,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return answerText(response, 405, 'files are sent by POST');
  }
  if (!isFromThePage(request)) return answerText(response, 403, 'only the page itself may send files');
  const { status, body } = await opener.answer(request, url.searchParams.get('name') ?? '');
  // The rest of a refused file is not read.
  if (!request.complete) response.setHeader('connection', 'close');
  sendBytes(response, status, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(body)));
}

async function sendExport(
  request: IncomingMessage,
  response: ServerResponse,
  { broadcast: { answers } }: Parts,
  { searchParams }: URL,
): Promise<void> {
  const question = questionOf(searchParams);
  const format = searchParams.get('format');
  if (format !== 'csv' && format !== 'hgrm') return answerText(response, 400, 'format must be csv or hgrm');
  const file = await (format === 'csv' ? answers.csv(question) : answers.percentileText(question));
  if (file === undefined) return answerText(response, 404, 'pick must be the label of a row');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-disposition', `attachment; filename="${file.name}"`);
  sendBytes(response, 200, file.type, Buffer.from(file.text), request.method === 'HEAD');
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { files }: Parts,
  name: string,
): Promise<void> {
  const file = await files.find(name).catch(() => null);
  if (file === null) return answerText(response, 503, 'the page is not built: run "npm run build"');
  if (file === undefined) return answerText(response, 404, 'the page has no file of this name');
  response.setHeader('etag', file.etag);
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('vary', 'accept-encoding');
  const known = request.headers['if-none-match']?.split(',').map((etag) => etag.trim().replace(/^W\//, ''));
  if (known?.includes(file.etag)) {
    response.writeHead(304).end();
    return;
  }
  const isZipped = wantsGzip(request.headers['accept-encoding']);
  if (isZipped) response.setHeader('content-encoding', 'gzip');
  sendBytes(response, 200, file.type, isZipped ? file.zipped : file.body, request.method === 'HEAD');
}

function answerText(response: ServerResponse, status: number, line: string): void {
  sendBytes(response, status, 'text/plain; charset=utf-8', Buffer.from(`${line}\n`));
}

function sendBytes(
  response: ServerResponse,
  status: number,
  type: string,
  body: Buffer,
  isHead = false,
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length });
  if (isHead || body.length <= PART_BYTES) response.end(isHead ? undefined : body);
  else writeParts(response, partsOf(body)).catch(() => {});
}

// Short beside what a client takes at once, and long beside the cost of a write.
const PART_BYTES = 65_536;

function* partsOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES);
}

function urlOf(url = ''): URL | undefined {
  // `//host/path` would be read as the address of another host.
  const text = `http://localhost/${url.replace(/^\/+/, '')}`;
  return url.startsWith('/') && URL.canParse(text) ? new URL(text) : undefined;
}
