import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** The answer of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The bytes on the wire. */
  readonly bytes: Buffer;
  /** Decompressed if necessary. */
  readonly text: string;
}

export interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request on a new connection, with exactly the given headers. */
export function ask(
  port: number,
  { path = '/metrics', method = 'GET', headers = {} }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: 'localhost', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const isZipped = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          bytes,
          text: (isZipped ? gunzipSync(bytes) : bytes).toString(),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Sends bytes that may be an invalid request. Returns the answer as text. */
export function askRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, 'localhost', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

export const PROTOBUF =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
export const OPENMETRICS = 'application/openmetrics-text;version=1.0.0';
export const OPENMETRICS_2 = 'application/openmetrics-text;version=2.0.0';
