import type { ServerResponse } from 'node:http';
import { ProtobufWriter } from '@hdrscope/kit';
import type { PointRefusals } from './refusals.ts';
import { delimited, varint } from './wire.ts';

/** The encoding of a request and of its answer. */
export type Encoding = 'protobuf' | 'json';

export const CONTENT_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/collector/metrics/v1/metrics_service.proto
const RESPONSE_PARTIAL_SUCCESS = delimited(1);
const PARTIAL_REJECTED = varint(1);
const PARTIAL_MESSAGE = delimited(2);

// https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto
const STATUS_MESSAGE = delimited(2);

/**
 * Answers an accepted request with an `ExportMetricsServiceResponse`.
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 */
export function answerSuccess(
  response: ServerResponse,
  encoding: Encoding,
  { pointCount, message }: PointRefusals,
): void {
  if (encoding === 'json') {
    const partial = { partialSuccess: { rejectedDataPoints: `${pointCount}`, errorMessage: message } };
    send(response, 200, encoding, JSON.stringify(pointCount === 0 ? {} : partial));
    return;
  }
  send(response, 200, encoding, encodeSuccess({ pointCount, message }));
}

/** An `ExportMetricsServiceResponse` in protobuf. */
export function encodeSuccess({ pointCount, message }: PointRefusals): Uint8Array {
  const writer = new ProtobufWriter();
  if (pointCount > 0) {
    writer.uint32(RESPONSE_PARTIAL_SUCCESS).fork();
    writer.uint32(PARTIAL_REJECTED).int64(pointCount);
    writer.uint32(PARTIAL_MESSAGE).string(message).join();
  }
  return writer.finish();
}

/**
 * Answers a failed request with a `google.rpc.Status`. OTLP over HTTP does not use its code. After 503 a sender sends
 * the request again.
 * Source: https://opentelemetry.io/docs/specs/otlp/#failures-1
 */
export function answerFailure(
  response: ServerResponse,
  encoding: Encoding,
  status: number,
  message: string,
): void {
  const body =
    encoding === 'json'
      ? JSON.stringify({ message })
      : new ProtobufWriter().uint32(STATUS_MESSAGE).string(message).finish();
  if (status === 503) response.setHeader('retry-after', '1');
  // The rest of the request will not be read.
  if (!response.req.complete) response.setHeader('connection', 'close');
  send(response, status, encoding, body);
}

function send(response: ServerResponse, status: number, encoding: Encoding, body: Uint8Array | string): void {
  response.statusCode = status;
  response.setHeader('content-type', CONTENT_TYPES[encoding]);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
