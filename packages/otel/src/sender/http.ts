import { type PostOutcome, post, quoted, retryAfterMs, type SenderTlsFiles } from '@hdrscope/kit/delivery';
import { otlpError } from '../errors.ts';
import {
  type Answer,
  isAboutRepetition,
  isAboutSize,
  messageInJson,
  partialSuccessIn,
  partialSuccessInJson,
  type Send,
  statusIn,
} from './answer.ts';

/** Where requests go. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: SenderTlsFiles;
  /** The longest time for connecting, sending and the answer together. */
  readonly timeoutMs: number;
}

// https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
const REFUSED_FOR_NOW = new Set([429, 503]);
const OF_PROXIES = new Set([502, 504]);

/** Sends by OTLP over HTTP, with a connection for each request. */
export function sendHttp({ url, headers, tls, timeoutMs }: Endpoint, contentType: string): Send {
  return async ({ bytes, isGzip }, signal) =>
    answerOf(
      await post({
        url,
        tls,
        timeoutMs,
        headers: { ...headers, 'content-type': contentType, ...(isGzip && { 'content-encoding': 'gzip' }) },
        bytes,
        signal,
      }),
    );
}

function answerOf(outcome: PostOutcome): Answer {
  if (outcome.kind !== 'answered') {
    const error = otlpError(outcome.reason, outcome.cause);
    return outcome.kind === 'refused'
      ? { kind: 'refused', error, isFinal: false, isCut: outcome.isCut === true }
      : { kind: 'unknown', error };
  }
  const { status, headers, body } = outcome;
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  if (status >= 200 && status < 300) {
    return {
      kind: 'taken',
      partial: isJson ? partialSuccessInJson(body.toString()) : partialSuccessIn(body),
    };
  }
  const isProtobuf = headers['content-type']?.startsWith('application/x-protobuf') ?? false;
  const text = isProtobuf ? statusIn(body).message : body.toString();
  const said = isJson ? messageInJson(text) : text;
  const message = quoted(said);
  const error = otlpError(`the receiver has answered ${status}${message === '' ? '' : `: ${message}`}`);
  const after = retryAfterMs(headers['retry-after'], Date.now());
  if (REFUSED_FOR_NOW.has(status)) return { kind: 'refused', error, isFinal: false, retryAfterMs: after };
  // The Collector answers 400.
  if (status === 413 || (status === 400 && isAboutSize(said)))
    return { kind: 'refused', error, isFinal: true, isTooLarge: true };
  if (status === 400 && isAboutRepetition(said))
    return { kind: 'refused', error, isFinal: true, isKnown: true };
  if (status < 500) return { kind: 'refused', error, isFinal: true, retryAfterMs: after };
  // A server that fails, or one behind a proxy, may have the request.
  return { kind: 'unknown', error, isFinal: !OF_PROXIES.has(status), retryAfterMs: after };
}
