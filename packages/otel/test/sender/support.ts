import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type OtlpReceiver, serveOtlp } from '@hdrscope/otel/receiver';
import { createRegistry } from '@hdrscope/registry';

let ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

/** Does something when the test ends. What was begun last ends first. */
export function atEnd(end: () => unknown): void {
  ends.push(end);
}

/** A receiver that can fail. It ends with the test. */
export interface Endpoint {
  readonly url: string;
  /** The times of its requests, also of those that failed. */
  readonly requests: number[];
  /** The bodies, as they came. */
  readonly bodies: Buffer[];
  /** The values that it has taken. */
  values(): Promise<number>;
  readonly health: OtlpReceiver['health'];
  /** Stops listening, until `open`. */
  shut(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** What an endpoint does with a request: it may pass it on to the receiver. */
export type Misbehave = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  take: () => Promise<void>,
) => unknown;

async function listen(server: Server | Http2Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const valuesIn = async (registry: ReturnType<typeof createRegistry>): Promise<number> => {
  const { families } = await registry.gather();
  return families
    .flatMap(({ series }) => series)
    .reduce((sum, { histogram }) => sum + histogram.totalCount, 0);
};

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** An endpoint for HTTP. `misbehave` returns how it fails now, and `undefined` when it works. */
export async function startEndpoint(misbehave: () => Misbehave | undefined): Promise<Endpoint> {
  const registry = createRegistry();
  const inner = await serveOtlp(registry, { host: '127.0.0.1', port: 0 });
  const requests: number[] = [];
  const bodies: Buffer[] = [];
  const post = async (body: Buffer, { headers }: IncomingMessage): Promise<Response> => {
    const { 'content-type': type = '', 'content-encoding': encoding } = headers;
    return fetch(`http://127.0.0.1:${inner.port}/v1/metrics`, {
      method: 'POST',
      headers: { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) },
      body: new Uint8Array(body),
    });
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(performance.now());
    const fails = misbehave();
    const body = await bodyOf(request);
    bodies.push(body);
    const pass = async (): Promise<Response> => post(body, request);
    if (fails !== undefined) {
      await fails(request, response, body, async () => void (await pass()));
      return;
    }
    const answer = await pass();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const make = (): Server =>
    createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  let server = make();
  const port = await listen(server, 0);
  const shut = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const close = async (): Promise<void> => {
    if (server.listening) await shut();
    await inner.close();
  };
  atEnd(close);
  return {
    url: `http://127.0.0.1:${port}/v1/metrics`,
    requests,
    bodies,
    values: () => valuesIn(registry),
    get health() {
      return inner.health as OtlpReceiver['health'];
    },
    shut,
    async open() {
      server = make();
      await listen(server, port);
    },
    close,
  };
}

/** What a gRPC endpoint does with a call: it may pass the message on to the receiver. */
export type GrpcMisbehave = (
  stream: ServerHttp2Stream,
  take: () => Promise<void>,
  message: Uint8Array,
) => unknown;

/** Answers a call with a status, and with headers of gRPC. */
export function endCall(
  stream: ServerHttp2Stream,
  status: number,
  trailers: Record<string, string> = {},
  message = Buffer.alloc(0),
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': `${status}`, ...trailers }));
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([header, message]));
}

export async function startGrpcEndpoint(
  misbehave: () => GrpcMisbehave | undefined,
): Promise<Omit<Endpoint, 'shut' | 'open'> & { headers: Record<string, unknown>[] }> {
  const registry = createRegistry();
  const inner = await serveOtlp(registry, { host: '127.0.0.1', port: 0 });
  const requests: number[] = [];
  const bodies: Buffer[] = [];
  const headers: Record<string, unknown>[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2();
  server.on('session', (session) => sessions.add(session).size);
  server.on('stream', async (stream, given) => {
    try {
      stream.on('error', () => {});
      requests.push(performance.now());
      headers.push(given);
      const fails = misbehave();
      const frame = await bodyOf(stream);
      bodies.push(frame);
      const length = frame.readUInt32BE(1);
      if (length !== frame.length - 5) throw new Error('the frame has another length');
      const message = frame[0] === 1 ? gunzipSync(frame.subarray(5)) : frame.subarray(5);
      const take = async (): Promise<void> => {
        const answer = await fetch(`http://127.0.0.1:${inner.port}/v1/metrics`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-protobuf' },
          body: new Uint8Array(message),
        });
        if (!answer.ok) throw new Error(await answer.text());
      };
      if (fails !== undefined) return void (await fails(stream, take, message));
      await take();
      endCall(stream, 0);
    } catch {
      stream.destroy();
    }
  });
  const port = await listen(server, 0);
  const close = async (): Promise<void> => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
    await inner.close();
  };
  atEnd(close);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    bodies,
    headers,
    values: () => valuesIn(registry),
    get health() {
      return inner.health as OtlpReceiver['health'];
    },
    close,
  };
}
