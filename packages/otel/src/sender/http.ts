import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { causeOf, otlpError, quoted } from '../errors.ts';
import {
  type Answer,
  isAboutRepetition,
  isAboutSize,
  partialSuccessIn,
  partialSuccessInJson,
  retryAfterMs,
  type Send,
  statusIn,
} from './answer.ts';
import { type SenderTlsFiles, tlsOptionsOf } from './tls.ts';

/** Where requests go. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: SenderTlsFiles;
  /** The longest time for connecting, sending and the answer together. */
  readonly timeoutMs: number;
}

/** Answers are small. The rest of a larger one is not read. */
export const MOST_ANSWER_BYTES = 65_536;

// https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
const REFUSED_FOR_NOW = new Set([429, 503]);
const OF_PROXIES = new Set([502, 504]);

/** Sends by OTLP over HTTP, with a connection for each request. */
export function sendHttp({ url, headers, tls, timeoutMs }: Endpoint, contentType: string): Send {
  const isSecure = url.protocol === 'https:';
  return ({ bytes, isGzip }, signal) =>
    new Promise<Answer>((resolve) => {
      let isConnected = false;
      let answered: IncomingMessage | undefined;
      const chunks: Buffer[] = [];
      let length = 0;
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
        request.destroy();
      };
      const failed = (error: Error): void => {
        // The status decides: whatever happens to the rest of the answer, the receiver has judged the request.
        if (answered !== undefined) end(answerOf(answered, Buffer.concat(chunks)));
        else end(isConnected ? { kind: 'unknown', error } : { kind: 'refused', error, isFinal: false });
      };
      const onAbort = (): void =>
        failed(otlpError('the request was cut off, because the sender has stopped'));
      const onBroken = (cause: unknown): void =>
        failed(otlpError(`the request has failed: ${causeOf(cause)}`, cause));
      const request = (isSecure ? requestHttps : requestHttp)(url, {
        method: 'POST',
        agent: false,
        headers: {
          ...headers,
          'content-type': contentType,
          'content-length': bytes.length,
          ...(isGzip && { 'content-encoding': 'gzip' }),
        },
        ...(isSecure && tlsOptionsOf(tls)),
      });
      const timer = setTimeout(
        () => failed(otlpError(`the receiver has not answered within ${timeoutMs} ms`)),
        timeoutMs,
      );
      signal.addEventListener('abort', onAbort);
      request.on('socket', (socket: Socket) => {
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isConnected = true;
        });
      });
      request.on('error', onBroken);
      request.on('response', (response) => {
        answered = response;
        response.on('error', onBroken);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > MOST_ANSWER_BYTES) end(answerOf(response, Buffer.concat(chunks)));
        });
        response.on('end', () => end(answerOf(response, Buffer.concat(chunks))));
      });
      request.end(bytes);
      if (signal.aborted) onAbort();
    }).catch((cause: unknown) => ({
      kind: 'refused',
      error: otlpError(`the request cannot be made: ${causeOf(cause)}`, cause),
      isFinal: false,
    }));
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  if (statusCode >= 200 && statusCode < 300) {
    return {
      kind: 'taken',
      partial: isJson ? partialSuccessInJson(body.toString()) : partialSuccessIn(body),
    };
  }
  const isProtobuf = headers['content-type']?.startsWith('application/x-protobuf') ?? false;
  const said = isProtobuf ? statusIn(body).message : body.toString();
  const message = quoted(said);
  const error = otlpError(`the receiver has answered ${statusCode}${message === '' ? '' : `: ${message}`}`);
  const after = retryAfterMs(headers['retry-after'], Date.now());
  if (REFUSED_FOR_NOW.has(statusCode)) return { kind: 'refused', error, isFinal: false, retryAfterMs: after };
  // The Collector answers 400.
  if (statusCode === 413 || (statusCode === 400 && isAboutSize(said)))
    return { kind: 'refused', error, isFinal: true, isTooLarge: true };
  if (statusCode === 400 && isAboutRepetition(said))
    return { kind: 'refused', error, isFinal: true, isKnown: true };
  if (statusCode < 500) return { kind: 'refused', error, isFinal: true, retryAfterMs: after };
  // A server that fails, or one behind a proxy, may have the request.
  return { kind: 'unknown', error, isFinal: !OF_PROXIES.has(statusCode), retryAfterMs: after };
}
