/** Senders of requests of OTLP in protobuf. */
import { once } from 'node:events';
import { connect } from 'node:http2';

/** @typedef {'http' | 'grpc'} Protocol */

/** The bytes of a partial success without refusals. */
const EMPTY_ANSWER = 2;

/** Ways to send a request to a receiver on the loopback interface, which must refuse nothing. @type {Record<Protocol, (port: number) => (body: Buffer) => Promise<void>>} */
export const SENDERS = {
  http: (port) => async (body) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/metrics`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      body,
    });
    const answer = await response.arrayBuffer();
    // Nothing may be refused.
    if (!response.ok || answer.byteLength > EMPTY_ANSWER)
      throw new Error(`${response.status} ${Buffer.from(answer)}`);
  },
  grpc: (port) => {
    const session = connect(`http://127.0.0.1:${port}`);
    // A connection that rests must not keep the process alive.
    session.unref();
    return async (body) => {
      session.ref();
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(body.length, 1);
      const stream = session.request({
        ':method': 'POST',
        ':path': '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const trailers = once(stream, 'trailers');
      stream.write(frame);
      stream.end(body);
      let bytes = 0;
      for await (const chunk of stream) bytes += chunk.length;
      const [{ 'grpc-status': status, 'grpc-message': reason }] = await trailers;
      session.unref();
      if (status !== '0' || bytes > frame.length + EMPTY_ANSWER)
        throw new Error(`${status} ${reason}, ${bytes} bytes`);
    };
  },
};
