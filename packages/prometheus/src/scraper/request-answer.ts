import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HdrscopeError } from '@hdrscope/core';
import { Budget } from '@hdrscope/kit';
import { causeOf, quoted, type SenderTlsFiles, tlsOptionsOf } from '@hdrscope/kit/delivery';
import type { ScrapeErrorCode } from '../errors.ts';

/** A request and its limits. */
export interface AnswerRequest {
  readonly url: URL;
  /** What is sent by POST; left out, the request is a GET. */
  readonly body?: Uint8Array;
  /** Besides those for compression. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: SenderTlsFiles;
  /** The longest time for connecting, the request and the whole answer. */
  readonly timeoutMs: number;
  /** The most bytes of the answer, on the wire and decompressed. */
  readonly maxBytes: number;
  /** Cuts the request off. */
  readonly signal: AbortSignal | undefined;
  /** The beginning of the message of an error: `the target cannot be scraped`. */
  readonly failure: string;
}

/** An answer with status 200. */
export interface GotAnswer {
  readonly contentType: string | undefined;
  /** The body, decompressed. */
  readonly bytes: Uint8Array;
}

/**
 * Sends a request with a connection of its own, and follows no redirect. A body that is compressed with Snappy is handed over as it is.
 *
 * @throws HdrscopeError `ERR_SCRAPE` when there is no whole answer in time, or one with another status than 200; `ERR_TOO_LARGE` when it
 *   has more than `maxBytes`.
 */
export async function requestAnswer(request: AnswerRequest): Promise<GotAnswer> {
  const { timeoutMs, signal, maxBytes, failure } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signals = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  try {
    const answer = await send(request, signals);
    try {
      const { statusCode, headers } = answer;
      if (statusCode !== 200) throw new Error(await describeStatus(answer, request.body !== undefined));
      const bytes = await readBody(answer, maxBytes, request.body !== undefined);
      return { contentType: headers['content-type'], bytes };
    } finally {
      answer.destroy();
    }
  } catch (cause) {
    if (cause instanceof HdrscopeError) throw cause;
    const isCutOff = signal?.aborted === true;
    const problem = timeout.aborted
      ? `it has not answered within ${timeoutMs} ms`
      : isCutOff
        ? 'the request was cut off'
        : causeOf(cause);
    throw scrapeError(`${failure}: ${problem}`, cause);
  }
}

function send({ url, body, headers, tls }: AnswerRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      // An idle connection that the server closes just now would fail the request.
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'accept-encoding': 'gzip', 'user-agent': 'hdrscope', ...headers },
      signal,
      ...(isSecure && tlsOptionsOf(tls)),
    });
    request.on('error', reject);
    request.on('response', resolve);
    request.end(body);
  });
}

/** @param hasReason Whether the first line of the body is a reason, and no page for people. */
async function describeStatus(answer: IncomingMessage, hasReason: boolean): Promise<string> {
  const { location } = answer.headers;
  const where =
    location === undefined
      ? ''
      : `, with the location ${quoted(location)}: the URL must be the one that answers`;
  const reason = hasReason && location === undefined ? await readReason(answer) : '';
  return `it answers with status ${answer.statusCode}${where}${reason}`;
}

const LONGEST_REASON = 500;

async function readReason(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) {
    text += piece;
    if (text.length >= LONGEST_REASON || text.includes('\n')) break;
  }
  const [line = ''] = text.split('\n');
  return line === '' ? '' : `: ${quoted(line.slice(0, LONGEST_REASON))}`;
}

async function readBody(
  answer: IncomingMessage,
  maxBytes: number,
  mayBeSnappy: boolean,
): Promise<Uint8Array> {
  const encoding = answer.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const wire = new Budget('the answer', { bytes: maxBytes });
  if (encoding === 'identity' || (mayBeSnappy && encoding === 'snappy')) return readAll(answer, wire);
  if (encoding !== 'gzip')
    throw new Error(`it answers with the encoding ${quoted(encoding)}, and only gzip was asked for`);
  const gunzip = createGunzip();
  // `pipe` hands on no failures.
  answer.on('error', (error) => gunzip.destroy(error));
  answer.on('data', (piece: Buffer) => {
    try {
      wire.takeBytes(piece.length);
    } catch (error) {
      gunzip.destroy(error as Error);
    }
  });
  try {
    return await readAll(answer.pipe(gunzip), new Budget('the answer', { bytes: maxBytes }));
  } catch (cause) {
    const isDamaged = (cause as NodeJS.ErrnoException).code?.startsWith('Z_') === true;
    throw isDamaged ? new Error(`its answer is not gzip: ${causeOf(cause)}`, { cause }) : cause;
  }
}

async function readAll(stream: Readable, budget: Budget): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    budget.takeBytes(piece.length);
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

export function scrapeError(message: string, cause?: unknown): HdrscopeError<ScrapeErrorCode> {
  return new HdrscopeError('ERR_SCRAPE', message, cause === undefined ? {} : { cause });
}

/** A path of the API of Prometheus below the URL of a server, which may have a path of its own. */
export function apiUrl(base: string | URL, path: string): URL {
  const whole = new URL(base);
  whole.pathname = `${whole.pathname.replace(/\/$/, '')}/api/v1/${path}`;
  return whole;
}
