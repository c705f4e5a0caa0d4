import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';

export const EXPORT = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

/** The answer to a call. */
export interface GrpcAnswer {
  /** The status of gRPC. It is `undefined` when the server has answered without one. */
  readonly status: number | undefined;
  readonly message: string;
  /** Headers and trailers. */
  readonly headers: IncomingHttpHeaders;
  /** Without its frame. */
  readonly body: Buffer;
}

/** A message in its frame. */
export function frame(message: Uint8Array, flag = 0, length = message.length): Buffer {
  const header = Buffer.alloc(5);
  header[0] = flag;
  header.writeUInt32BE(length, 1);
  return Buffer.concat([header, message]);
}

/** A connection without TLS. Errors are those of its calls. */
export function connectGrpc(port: number): ClientHttp2Session {
  return connect(`http://127.0.0.1:${port}`).on('error', () => {});
}

/** Sends bytes as the body of a call. */
export async function callOn(
  session: ClientHttp2Session,
  bytes: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<GrpcAnswer> {
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': EXPORT,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    },
    { endStream: false },
  );
  let answered: IncomingHttpHeaders = {};
  const chunks: Buffer[] = [];
  stream.on('response', (given) => {
    answered = { ...answered, ...given };
  });
  stream.on('trailers', (given) => {
    answered = { ...answered, ...given };
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end(bytes);
  await once(stream, 'close');
  const status = answered['grpc-status'];
  return {
    status: status === undefined ? undefined : Number(status),
    message: decodeURIComponent(String(answered['grpc-message'] ?? '')),
    headers: answered,
    body: Buffer.concat(chunks).subarray(5),
  };
}

/** A call on a connection of its own. */
export async function call(
  port: number,
  bytes: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<GrpcAnswer> {
  const session = connectGrpc(port);
  try {
    return await callOn(session, bytes, headers);
  } finally {
    session.destroy();
  }
}
