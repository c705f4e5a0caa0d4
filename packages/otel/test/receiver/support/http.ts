import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/** The answer of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Reuses connections. @default each request opens a connection */
  readonly agent?: Agent | false;
}

export const PROTOBUF = { 'content-type': 'application/x-protobuf' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** One request. */
export function ask(
  port: number,
  { path = '/v1/metrics', method = 'POST', headers = {}, body = '', agent = false }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent }, async (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(response, 'end');
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends bytes that may be part of a request and ends the connection. Resolves when it is closed. */
export function sendRaw(port: number, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', reject).on('close', () => resolve());
    socket.resume();
  });
}
