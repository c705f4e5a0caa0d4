import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { ProtobufWriter } from '@hdrscope/kit';
import {
  HttpRefusal,
  type ServerRefusals,
  type StreamHandlers,
  type StreamRefusal,
} from '@hdrscope/kit/server';
import {
  ANY_TYPE,
  ANY_VALUE,
  RETRY_DELAY,
  SECONDS,
  STATUS_CODE,
  STATUS_DETAIL,
  STATUS_MESSAGE,
} from '../google-status.ts';
import { encodeSuccess } from './answer.ts';
import { encodeFrame, UnaryMessage } from './grpc-message.ts';
import { type CallReceiver, isGzipped, type ReceiverCall } from './receiver.ts';

// OTLP over gRPC: https://opentelemetry.io/docs/specs/otlp/#otlpgrpc
// gRPC over HTTP/2: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md

const PATH = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

/** What the port is for, for clients of HTTP/1. */
export const GRPC_HINT =
  'send metrics of OTLP over gRPC, or over HTTP to a receiver of its own (port 4318 by default)';

// https://grpc.io/docs/guides/status-codes
const OK = 0;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;
const INTERNAL = 13;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** The status of a call that fails as this one does over HTTP. */
const STATUSES: Readonly<Record<number, number>> = {
  400: INVALID_ARGUMENT,
  404: UNIMPLEMENTED,
  413: RESOURCE_EXHAUSTED,
  415: UNIMPLEMENTED,
  503: RESOURCE_EXHAUSTED,
};

const REFUSALS: Readonly<Record<StreamRefusal['code'], number>> = {
  token: UNAUTHENTICATED,
  host: PERMISSION_DENIED,
  origin: PERMISSION_DENIED,
  requests: UNAVAILABLE,
  timeout: DEADLINE_EXCEEDED,
};

/** What answers the calls of a server. */
export function grpcHandlers(
  receiver: CallReceiver,
  maxBytes: number,
  refusals: ServerRefusals,
): StreamHandlers {
  return {
    handle(stream, headers) {
      void receiver.answer(grpcCall(stream, headers, maxBytes, refusals));
    },
    refuse(stream, { code, reason }) {
      fail(stream, REFUSALS[code], reason, code === 'requests');
    },
  };
}

function isGrpc(headers: IncomingHttpHeaders): boolean {
  return (
    headers[':method'] === 'POST' &&
    /^application\/grpc(\+proto)?\s*(;|$)/i.test(headers['content-type'] ?? '')
  );
}

function grpcCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  maxBytes: number,
  refusals: ServerRefusals,
): ReceiverCall {
  return {
    async openBody() {
      if (!isGrpc(headers))
        throw new HttpRefusal(415, 'calls are sent by POST, with the content-type application/grpc');
      if (headers[':path'] !== PATH) throw new HttpRefusal(404, `metrics are accepted at ${PATH} only`);
      const timeout = headers['grpc-timeout'];
      if (timeout !== undefined) limitTime(stream, String(timeout));
      const given = headers['grpc-encoding'];
      const isGzip = isGzipped('grpc-encoding', given === undefined ? undefined : String(given));
      const message = new UnaryMessage(stream, maxBytes);
      // A message of a call with an encoding may be plain.
      const isCompressed = await message.isCompressed;
      if (isCompressed && !isGzip) {
        message.destroy();
        throw new HttpRefusal(400, 'the message is compressed, and grpc-encoding does not say how');
      }
      return { source: message, isGzip: isCompressed, holder: stream, encoding: 'protobuf' };
    },
    isOver: () => stream.destroyed || stream.headersSent,
    succeed: (refusals) => {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': 'identity,gzip' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': `${OK}` }));
      stream.end(encodeFrame(encodeSuccess(refusals)));
    },
    fail({ status, message }) {
      if (!isGrpc(headers)) {
        // Its client does not speak gRPC.
        endWith(stream, { ':status': 415, 'accept-post': 'application/grpc' });
        return;
      }
      if (status === 413) refusals.body++;
      // Senders know by these words that a smaller request may be taken.
      const text = status === 413 ? `received message larger than max: ${message}` : message;
      fail(stream, STATUSES[status] ?? INTERNAL, text, status === 503);
    },
  };
}

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Ends a call when its client waits no longer. What has begun to count by then counts.
 *
 * @throws HttpRefusal 400 when it is no time.
 */
function limitTime(stream: ServerHttp2Stream, timeout: string): void {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(timeout) ?? [];
  if (digits === undefined) {
    throw new HttpRefusal(
      400,
      `grpc-timeout must be up to 8 digits and a unit, got ${JSON.stringify(timeout)}`,
    );
  }
  const ms = Math.min(Number(digits) * UNITS[unit!]!, LONGEST_TIMER_MS);
  const timer = setTimeout(() => {
    if (!stream.destroyed && !stream.headersSent)
      fail(stream, DEADLINE_EXCEEDED, `there was no answer within ${timeout}, the time of the client`);
  }, ms).unref();
  stream.once('close', () => clearTimeout(timer));
}

// A client reads some kilobytes of headers.
const LONGEST_MESSAGE = 1000;

function fail(stream: ServerHttp2Stream, code: number, reason: string, isRetryable = false): void {
  const message = reason.slice(0, LONGEST_MESSAGE);
  endWith(stream, {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-accept-encoding': 'identity,gzip',
    'grpc-status': `${code}`,
    'grpc-message': percentEncode(message),
    ...(isRetryable && { 'grpc-status-details-bin': encodeRetry(code, message) }),
  });
}

/** Answers with headers alone. The rest of the request is not read. */
function endWith(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
  stream.respond(headers, { endStream: true });
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** Percent-encodes the bytes of UTF-8 that are not printable characters of ASCII. */
function percentEncode(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  return bytes.replace(
    /[^ -$&-~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** A `google.rpc.Status` with a `RetryInfo` of a second, in base64: without it, a sender gives up what exhausts a budget. */
function encodeRetry(code: number, message: string): string {
  const retry = new ProtobufWriter();
  retry.uint32(RETRY_DELAY).fork();
  retry.uint32(SECONDS).int64(1).join();
  const status = new ProtobufWriter();
  status.uint32(STATUS_CODE).uint32(code);
  status.uint32(STATUS_MESSAGE).string(message);
  status.uint32(STATUS_DETAIL).fork();
  status.uint32(ANY_TYPE).string('type.googleapis.com/google.rpc.RetryInfo');
  status.uint32(ANY_VALUE).bytes(retry.finish()).join();
  return Buffer.from(status.finish()).toString('base64');
}
