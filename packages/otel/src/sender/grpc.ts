import { type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import {
  causeOf,
  isAboutFuture,
  MOST_ANSWER_BYTES,
  mayBeTaken,
  quoted,
  tlsOptionsOf,
} from '@hdrscope/kit/delivery';
import { otlpError } from '../errors.ts';
import { type Answer, isAboutSize, partialSuccessIn, type Send, statusIn } from './answer.ts';
import type { Endpoint } from './http.ts';

const PATH = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

/** A frame begins with a byte that says whether it is compressed, and its length in four bytes. */
const FRAME_HEADER_BYTES = 5;

// https://grpc.io/docs/guides/status-codes
const OK = 0;
const RESOURCE_EXHAUSTED = 8;
const OUT_OF_RANGE = 11;
/** The codes with which a receiver judges the points, and does not take them. */
const REFUSED = new Set([3, 6, 9, 11]);
/** Codes about the sender or the address: nobody has judged the points. */
const NOT_OF_POINTS = new Set([5, 7, 12, 16]);
/** Codes that OTLP does not count among the passing ones, though the receiver may have the request. */
const FINAL = new Set([2, 13]);

/**
 * Sends by OTLP over gRPC, with a connection for each request.
 * Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function sendGrpc({ url, headers, tls, timeoutMs }: Endpoint): Send {
  return ({ bytes, isGzip }, signal) =>
    new Promise<Answer>((resolve) => {
      let isConnected = false;
      let answered: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      let length = 0;
      const session = connect(url.origin, url.protocol === 'https:' ? tlsOptionsOf(tls) : {});
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
        session.destroy();
      };
      const failed = (error: Error, isUnread = !isConnected): void =>
        end({ kind: isUnread ? 'unread' : 'unknown', error });
      const onAbort = (): void => failed(otlpError('the request was cut off, because the sender was closed'));
      const timer = setTimeout(
        () => failed(otlpError(`the receiver has not answered within ${timeoutMs} ms`)),
        timeoutMs,
      );
      signal.addEventListener('abort', onAbort);
      session.on('error', (cause) => failed(otlpError(`the request has failed: ${causeOf(cause)}`, cause)));
      session.once('connect', () => {
        isConnected = true;
      });
      let stream: ClientHttp2Stream;
      try {
        stream = session.request({
          ...headers,
          ':method': 'POST',
          ':path': PATH,
          'content-type': 'application/grpc+proto',
          te: 'trailers',
          'grpc-timeout': timeoutText(timeoutMs),
          ...(isGzip && { 'grpc-encoding': 'gzip' }),
        });
      } catch (cause) {
        // The name of a header is not valid, for example. The timer and the connection must not outlive the request.
        end(impossible(cause));
        return;
      }
      stream.on('response', (response) => {
        answered = { ...answered, ...response };
      });
      stream.on('trailers', (trailers) => {
        answered = { ...answered, ...trailers };
      });
      stream.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= MOST_ANSWER_BYTES) chunks.push(chunk);
      });
      stream.on('error', (cause) =>
        failed(
          otlpError(`the request has failed: ${causeOf(cause)}`, cause),
          !isConnected || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM,
        ),
      );
      stream.on('close', () => end(answerOf(answered, Buffer.concat(chunks))));
      stream.end(framed(bytes, isGzip));
      if (signal.aborted) onAbort();
    }).catch(impossible);
}

/** The answer to a request that was never made. */
function impossible(cause: unknown): Answer {
  const error = otlpError(`the request cannot be made: ${causeOf(cause)}`, cause);
  return { kind: 'unread', error };
}

/** A limit of time has at most 8 digits: about 27 hours in milliseconds. */
function timeoutText(ms: number): string {
  return ms < 1e8 - 1 ? `${Math.ceil(ms)}m` : `${Math.ceil(ms / 1000)}S`;
}

function framed(bytes: Uint8Array, isGzip: boolean): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header[0] = isGzip ? 1 : 0;
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

function answerOf(headers: IncomingHttpHeaders, body: Buffer): Answer {
  const status = textOf(headers['grpc-status']);
  if (status === undefined) return withoutStatus(headers);
  const code = Number(status);
  // The receiver was not offered a compression that it could choose.
  if (code === OK) return { kind: 'taken', partial: partialSuccessIn(body.subarray(FRAME_HEADER_BYTES)) };
  const said = percentDecoded(textOf(headers['grpc-message']) ?? '');
  const message = quoted(said);
  const error = otlpError(
    `the receiver has answered with gRPC status ${code}${message === '' ? '' : `: ${message}`}`,
  );
  const details = statusIn(Buffer.from(textOf(headers['grpc-status-details-bin']) ?? '', 'base64'));
  const pushback = textOf(headers['grpc-retry-pushback-ms']);
  const {
    retryAfterMs = pushback !== undefined && /^\d{1,9}$/.test(pushback) ? Number(pushback) : undefined,
  } = details;
  // Rust refuses a message that is too large as out of range.
  if ((code === RESOURCE_EXHAUSTED || code === OUT_OF_RANGE) && isAboutSize(said))
    return { kind: 'refused', error, isFinal: true, isTooLarge: true };
  if (REFUSED.has(code))
    return { kind: 'refused', error, isFinal: true, isAhead: isAboutFuture(said), retryAfterMs };
  if (NOT_OF_POINTS.has(code)) return { kind: 'unread', error, isFinal: true, retryAfterMs };
  return { kind: 'unknown', error, isFinal: FINAL.has(code), retryAfterMs };
}

/** An answer that no gRPC server gives. */
function withoutStatus(headers: IncomingHttpHeaders): Answer {
  const status = Number(headers[':status'] ?? 0);
  if (status === 0)
    return { kind: 'unknown', error: otlpError('the connection has ended without an answer') };
  const error = otlpError(`the receiver has answered ${status}, without a status of gRPC`);
  // A proxy that does not speak gRPC has not judged the points.
  return mayBeTaken(status) ? { kind: 'unknown', error } : { kind: 'unread', error, isFinal: true };
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
