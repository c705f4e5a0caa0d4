import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { reasonOf, TimeoutError, within } from '@hdrscope/kit';
import { wantsGzip } from './accept-encoding.ts';
import { deadlineOf } from './deadline.ts';
import { report } from './diagnostics.ts';
import type { MetricFamily } from './families.ts';
import { negotiate } from './negotiation.ts';
import { contentTypeOf, render } from './render.ts';

/** The part of a request that a scrape needs: any `http.IncomingMessage`, or an object like it. */
export interface ScrapeRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The part of a response that a scrape needs: any `http.ServerResponse`, or an object like it. */
export interface ScrapeResponse {
  statusCode: number;
  readonly headersSent?: boolean;
  readonly destroyed?: boolean;
  setHeader(name: string, value: string | number): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: streams differ in the bodies that they accept besides bytes
  end(body?: any): unknown;
}

/** Returns the families to expose now. After `timeoutMs` it leaves out sources that have not finished, as far as it can. */
export type Collect = (timeoutMs: number) => Promise<readonly MetricFamily[]>;

/** Options for answering scrapes. */
export interface ScrapeOptions {
  /** The time limit for a scraper that does not send its own, in milliseconds. Above 0. @default 10_000 */
  readonly timeoutMs?: number | undefined;
}

/** Prometheus's own `scrape_timeout`. */
const DEFAULT_TIMEOUT_MS = 10_000;

const compress = /* @__PURE__ */ promisify(gzip);

/**
 * Answers one scrape, in the format and the encoding that the scraper prefers. A failure becomes an answer with the reason:
 * 405 for a method other than GET and HEAD, 503 when time is up, else 500. Never rejects.
 */
export async function answerScrape(
  request: ScrapeRequest,
  response: ScrapeResponse,
  collect: Collect,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: ScrapeOptions = {},
): Promise<void> {
  try {
    const method = request?.method ?? 'GET';
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      answerText(response, 405, `metrics are read by GET or HEAD, got ${method}`);
      return;
    }
    const answer = await answerOf(request, collect, timeoutMs);
    // The client has gone, or the host has answered.
    if (response.destroyed || response.headersSent) return;
    send(response, answer, method);
  } catch (error) {
    report('warn', `a scrape could not be answered: ${reasonOf(error)}`, error);
  }
}

/** Sends an answer of one line of text. */
export function answerText(response: ScrapeResponse, status: number, line: string): void {
  send(response, textAnswer(status, line), 'GET');
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function answerOf(request: ScrapeRequest, collect: Collect, timeoutMs: number): Promise<Answer> {
  const header = (name: string): string | undefined => request?.headers?.[name]?.toString();
  try {
    const { softMs, hardMs } = deadlineOf(header('x-prometheus-scrape-timeout-seconds'), timeoutMs);
    const families = await within(collect(softMs), hardMs);
    const format = negotiate(header('accept'));
    const bytes = render(families, format);
    // A Buffer of the same memory: a host that converts the body to a string gets its text.
    const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const headers = { 'content-type': contentTypeOf(format), vary: 'Accept, Accept-Encoding' };
    if (!wantsGzip(header('accept-encoding'))) return { status: 200, headers, body: plain };
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(plain) };
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
  return { status, headers, body: Buffer.from(`${line}\n`) };
}

function send(response: ScrapeResponse, { status, headers, body }: Answer, method: string): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', body.byteLength);
  if (method === 'HEAD') response.end();
  else response.end(body);
}
