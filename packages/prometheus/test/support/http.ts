import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came over the wire. */
  readonly bytes: Buffer;
  /** After gzip, if any. */
  readonly text: string;
}

export interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request on a connection of its own, with no header that was not asked for. */
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

/** What a server says to bytes that need be no valid request. */
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
