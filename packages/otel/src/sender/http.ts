import {
  isAboutFuture,
  mayBeTaken,
  type PostOutcome,
  post,
  quoted,
  retryAfterMs,
  type SenderTlsFiles,
} from '@hdrscope/kit/delivery';
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

/** Statuses of a passing state. */
const PASSING = new Set([408, 429, 502, 503, 504]);
/** Statuses about the sender or the address: nobody has judged the points. */
const NOT_OF_POINTS = new Set([401, 403, 404, 405, 407]);

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
      ? { kind: 'unread', error, isCut: outcome.isCut === true }
      : { kind: 'unknown', error };
  }
  const { status, headers, body } = outcome;
  const type = headers['content-type']?.toLowerCase() ?? '';
  const isJson = type.startsWith('application/json');
  const isTaken = status >= 200 && status < 300;
  if (isTaken && type.startsWith('text/html')) {
    const error = otlpError(
      `the receiver has answered ${status} with a page of HTML: it does not speak OTLP`,
    );
    return { kind: 'unknown', error, isFinal: true };
  }
  if (isTaken) {
    const partial = isJson ? partialSuccessInJson(body.toString()) : partialSuccessIn(body);
    return { kind: 'taken', partial };
  }
  const text = type.startsWith('application/x-protobuf') ? statusIn(body).message : body.toString();
  const said = isJson ? messageInJson(text) : text;
  const message = quoted(said);
  const error = otlpError(`the receiver has answered ${status}${message === '' ? '' : `: ${message}`}`);
  const after = retryAfterMs(headers['retry-after'], Date.now());
  if (mayBeTaken(status))
    return { kind: 'unknown', error, isFinal: !PASSING.has(status), retryAfterMs: after };
  if (NOT_OF_POINTS.has(status)) return { kind: 'unread', error, isFinal: true, retryAfterMs: after };
  // The Collector answers 400.
  if (status === 413 || (status === 400 && isAboutSize(said)))
    return { kind: 'refused', error, isFinal: true, isTooLarge: true };
  const isKnown = status === 400 && isAboutRepetition(said);
  return {
    kind: 'refused',
    error,
    isFinal: true,
    isKnown,
    isAhead: isAboutFuture(said),
    retryAfterMs: after,
  };
}
