import { reasonOf, Slices, TimeoutError, within } from '@hdrscope/kit';
import { wantsGzip } from './accept-encoding.ts';
import { type Body, type BodySink, gzipped, sendBody } from './body.ts';
import { deadlineOf } from './deadline.ts';
import { report } from './diagnostics.ts';
import type { Exposition } from './exposition.ts';
import { lengthOf } from './kept-bytes.ts';
import type { LazyFamily } from './lazy-family.ts';
import { negotiate } from './negotiation.ts';
import { contentTypeOf } from './render.ts';

/** The part of a request that a scrape needs: any `http.IncomingMessage`, or an object like it. */
export interface ScrapeRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The part of a response that a scrape needs: any `http.ServerResponse`, or an object like it. */
export interface ScrapeResponse extends BodySink {
  statusCode: number;
  readonly headersSent?: boolean;
  readonly destroyed?: boolean;
  setHeader(name: string, value: string | number): unknown;
}

/** Returns the families to expose now. After `timeoutMs` it leaves out sources that have not finished, as far as it can. */
export type Collect = (timeoutMs: number) => Promise<readonly LazyFamily[]>;

/** Options for answering scrapes. */
export interface ScrapeOptions {
  /** The time limit for a scraper that does not send its own, in milliseconds. Above 0. @default 10_000 */
  readonly timeoutMs?: number | undefined;
}

/** Prometheus's own `scrape_timeout`. */
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Answers one scrape, in the format and the encoding that the scraper prefers. A failure becomes an answer with the reason:
 * 405 for a method other than GET and HEAD, 503 when time is up, else 500. Never rejects.
 */
export async function answerScrape(
  request: ScrapeRequest,
  response: ScrapeResponse,
  collect: Collect,
  exposition: Exposition,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: ScrapeOptions = {},
): Promise<void> {
  try {
    const method = request?.method ?? 'GET';
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      answerText(response, 405, `metrics are read by GET or HEAD, got ${method}`);
      return;
    }
    const answer = await answerOf(request, collect, exposition, timeoutMs);
    // The client has gone, or the host has answered.
    if (response.destroyed || response.headersSent) return;
    sendHead(response, answer);
    if (method === 'HEAD') response.end();
    else await sendBody(response, answer.body);
  } catch (error) {
    report('warn', `a scrape could not be answered: ${reasonOf(error)}`, error);
  }
}

/** Sends an answer of one line of text. */
export function answerText(response: ScrapeResponse, status: number, line: string): void {
  const answer = textAnswer(status, line);
  sendHead(response, answer);
  response.end(...answer.body);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

async function answerOf(
  request: ScrapeRequest,
  collect: Collect,
  exposition: Exposition,
  timeoutMs: number,
): Promise<Answer> {
  const header = (name: string): string | undefined => request?.headers?.[name]?.toString();
  try {
    const { softMs, hardMs } = deadlineOf(header('x-prometheus-scrape-timeout-seconds'), timeoutMs);
    const families = await within(collect(softMs), hardMs);
    const format = negotiate(header('accept'));
    const plain = await exposition.render(families, format, new Slices());
    const headers = { 'content-type': contentTypeOf(format), vary: 'Accept, Accept-Encoding' };
    if (!wantsGzip(header('accept-encoding'))) return { status: 200, headers, body: plain };
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: await gzipped(plain) };
  } catch (error) {
    report('error', `metrics could not be exported: ${reasonOf(error)}`, error);
    return textAnswer(
      error instanceof TimeoutError ? 503 : 500,
      `metrics could not be exported: ${reasonOf(error)}`,
    );
  }
}

function textAnswer(status: number, line: string): Answer {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status, headers, body: [Buffer.from(`${line}\n`)] };
}

function sendHead(response: ScrapeResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', lengthOf(body));
}
