import { countBytes, reasonOf, TimeoutError, wantsGzip } from '@hdrscope/kit';
import { type Body, type BodySink, sendBody } from './body.ts';
import { deadlineOf } from './deadline.ts';
import { report } from './diagnostics.ts';
import { negotiate } from './negotiation.ts';
import { formatContentType } from './render.ts';
import type { Scrapes } from './scrapes.ts';

/** The part of a request that a scrape needs: any `http.IncomingMessage`, or an object like it. */
export interface ScrapeRequest {
  /** The HTTP method: `GET` and `HEAD` read metrics, others get 405. @default 'GET' */
  readonly method?: string | undefined;
  /** The headers by their names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The part of a response that a scrape needs: any `http.ServerResponse`, or an object like it. */
export interface ScrapeResponse extends BodySink {
  /** The HTTP status that the answer begins with. */
  statusCode: number;
  /** Whether the answer has begun, so that its status cannot change any more. */
  readonly headersSent?: boolean;
  /** `null` until the answers to earlier requests of the connection are sent. */
  readonly socket?: unknown;
  /** Sets a header of the answer. `content-length` is a number of bytes. */
  setHeader(name: string, value: string | number): unknown;
}

/** Options for answering scrapes. */
export interface ScrapeOptions {
  /** The time limit for a scraper that does not send its own, in milliseconds. Above 0. @default 10_000 */
  readonly timeoutMs?: number | undefined;
}

/** Prometheus's own `scrape_timeout`. */
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Answers one scrape, in the format and the encoding that the scraper prefers. A failure becomes an answer with the reason:
 * 405 for a method other than GET and HEAD, 503 when time is up, else 500. The work ends when the client goes away. Never rejects.
 */
export async function answerScrape(
  request: ScrapeRequest,
  response: ScrapeResponse,
  scrapes: Scrapes,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: ScrapeOptions = {},
): Promise<void> {
  try {
    const method = request?.method ?? 'GET';
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      answerText(response, 405, `metrics are read by GET or HEAD, got ${method}`);
      return;
    }
    await turnOf(response);
    const signal = signalOf(response);
    const answer = await answerOf(request, scrapes, timeoutMs, signal);
    // The client has gone, or the host has answered.
    if (signal.aborted || response.destroyed || response.headersSent) return;
    sendHead(response, answer);
    if (method === 'HEAD') response.end();
    else await sendBody(response, answer.body);
  } catch (error) {
    report('warn', `a scrape could not be answered: ${reasonOf(error)}`, error);
  }
}

/** Waits until the answers to the requests are sent that came before on the same connection. */
async function turnOf(response: ScrapeResponse): Promise<void> {
  if (response.socket !== null || response.destroyed || response.on === undefined) return;
  await new Promise<void>((resolve) => response.on!('socket', resolve));
}

/** Is aborted when the client goes away, or the answer is complete. */
function signalOf(response: ScrapeResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.on?.('close', () => controller.abort());
  return controller.signal;
}

/** Sends an answer of one line of text. */
export function answerText(response: ScrapeResponse, status: number, line: string): void {
  const answer = textAnswer(status, line);
  sendHead(response, answer);
  // Bounded: a line is one part.
  response.end(...answer.body);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

async function answerOf(
  request: ScrapeRequest,
  scrapes: Scrapes,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const header = (name: string): string | undefined => request?.headers?.[name]?.toString();
  try {
    const deadline = deadlineOf(header('x-prometheus-scrape-timeout-seconds'), timeoutMs);
    const wanted = negotiate(header('accept'));
    const isZipped = wantsGzip(header('accept-encoding'));
    const body = await scrapes.bodyOf({ ...wanted, isZipped, deadline, signal });
    const type = formatContentType(wanted.format, wanted.escaping);
    const headers = { 'content-type': type, vary: 'Accept, Accept-Encoding' };
    return { status: 200, headers: isZipped ? { ...headers, 'content-encoding': 'gzip' } : headers, body };
  } catch (error) {
    const line = `metrics could not be exported: ${reasonOf(error)}`;
    if (!signal.aborted) report('error', line, error);
    return textAnswer(error instanceof TimeoutError ? 503 : 500, line);
  }
}

function textAnswer(status: number, line: string): Answer {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status, headers, body: [Buffer.from(`${line}\n`)] };
}

function sendHead(response: ScrapeResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', countBytes(body));
}
