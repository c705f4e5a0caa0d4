import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { type Fate, listFates, type Meaning, type RequestEnd, STATUSES } from '@hdrscope/testing/fates';
import { PLAIN, pointsIn } from './fates.ts';
import { endCall } from './support.ts';

/** The real time of the first request. */
const START_MS = 1_800_000_000_000;
export const SECOND = 1000;
export const HOUR = 3_600_000;

/** A status of HTTP, a code of gRPC, a page of HTML, or an end of the connection. */
export type Reply = number | `gRPC ${number}` | 'page' | 'cut' | 'cut before' | 'silence';
export type Protocol = 'http/protobuf' | 'grpc';
export type Temporality = 'delta' | 'cumulative';

const CODES: typeof STATUSES = {
  success: [0],
  doubt: [1, 2, 4, 8, 10, 13, 14, 15, 17],
  unread: [5, 7, 12, 16],
  verdict: [3, 6, 9, 11],
};
/** Answers of proxies that do not speak gRPC. */
const FOREIGN: Readonly<Partial<typeof STATUSES>> = {
  doubt: [302, 408, 429, 500, 502, 503, 504],
  unread: [400, 401, 403, 404],
};

export function listFatesOver(protocol: Protocol): Fate<Reply>[] {
  const replies: [Reply, Meaning][] = [];
  for (const meaning of ['success', 'doubt', 'unread', 'verdict'] as const) {
    const isHttp = protocol === 'http/protobuf';
    if (!isHttp) for (const code of CODES[meaning]) replies.push([`gRPC ${code}`, meaning]);
    for (const status of (isHttp ? STATUSES : FOREIGN)[meaning] ?? []) replies.push([status, meaning]);
  }
  for (const reply of ['page', 'cut', 'silence'] as const) replies.push([reply, 'doubt']);
  return [{ reply: 'cut before', meaning: 'doubt', isTaken: false }, ...listFates(replies)];
}

/** A receiver with two ledgers, for one cell. */
class Ledger {
  /** The ends of the next requests. A request without one is taken. */
  readonly fates: RequestEnd<Reply>[] = [];
  readonly bodies: Buffer[] = [];
  /** The end of the newest points that it has taken. */
  latestMs = 0;
  /** The counts by series, start and end: a point that comes again counts once. */
  readonly #known = new Map<string, number>();
  /** The newest end of each series. */
  readonly #newest = new Map<string, bigint>();
  /** New points that end no later than others of their series. Some receivers drop them. */
  late = 0;
  /** All counts that came, also those that came again. */
  all = 0;
  /** Real time. */
  nowMs = START_MS;

  readonly #temporality: Temporality;
  readonly #isStrict: boolean;

  /** @param isStrict Whether times of the future are refused. */
  constructor(temporality: Temporality, isStrict: boolean) {
    this.#temporality = temporality;
    this.#isStrict = isStrict;
  }

  /** Takes a message, or says why not. */
  take(message: Buffer): string | undefined {
    const points = [...pointsIn(message)];
    const ends = points.map(([id]) => Number(JSON.parse(id)[3]) / 1e6);
    if (this.#isStrict && ends.some((end) => end > this.nowMs + 10 * 60 * SECOND))
      return 'out of bounds: timestamp is too far in the future';
    this.latestMs = Math.max(this.latestMs, ...ends);
    for (const [id, count] of points) {
      const [name, attributes, , end] = JSON.parse(id);
      const series = JSON.stringify([name, attributes]);
      const newest = this.#newest.get(series) ?? 0n;
      if (!this.#known.has(id) && BigInt(end) <= newest) this.late++;
      if (BigInt(end) > newest) this.#newest.set(series, BigInt(end));
      this.all += count;
      this.#known.set(id, count);
    }
    return undefined;
  }

  /** The values of all series: all points of deltas, and the last cumulative point of each start. */
  get values(): number {
    if (this.#temporality === 'delta')
      return [...this.#known.values()].reduce((sum, count) => sum + count, 0);
    const newest = new Map<string, { end: bigint; count: number }>();
    for (const [id, count] of this.#known) {
      const [name, attributes, start, end] = JSON.parse(id);
      const key = JSON.stringify([name, attributes, start]);
      if ((newest.get(key)?.end ?? 0n) < BigInt(end)) newest.set(key, { end: BigInt(end), count });
    }
    return [...newest.values()].reduce((sum, { count }) => sum + count, 0);
  }
}

const ledgers = new Map<string, Ledger>();
const sessions = new Set<ServerHttp2Session>();
const PAGE = '<!doctype html><title>Sign in</title>';

const http = createServer(async (request, response) => {
  const ledger = ledgers.get(request.headers['x-cell'] as string)!;
  const fate = ledger.fates.shift();
  if (fate?.reply === 'cut before') return request.socket.destroy();
  const body = await buffer(request);
  ledger.bodies.push(body);
  if (fate === undefined) {
    const refusal = ledger.take(body);
    return response.writeHead(refusal === undefined ? 200 : 400).end(refusal);
  }
  if (fate.isTaken) {
    const refusal = ledger.take(body);
    if (refusal !== undefined) return response.writeHead(400).end(refusal);
  }
  const { reply } = fate;
  if (reply === 'cut') return request.socket.destroy();
  if (reply === 'page')
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  return reply === 'silence' ? undefined : response.writeHead(reply as number).end();
});

const grpc = createHttp2()
  .on('session', (session) => sessions.add(session))
  .on('stream', async (stream, headers) => {
    stream.on('error', () => {});
    const ledger = ledgers.get(headers['x-cell'] as string)!;
    const fate = ledger.fates.shift();
    if (fate?.reply === 'cut before') return stream.session!.destroy();
    const body = await buffer(stream);
    ledger.bodies.push(body);
    const message = body.subarray(5);
    if (fate === undefined) {
      const refusal = ledger.take(message);
      return endCall(stream, refusal === undefined ? 0 : 3, refusal ? { 'grpc-message': refusal } : {});
    }
    if (fate.isTaken) ledger.take(message);
    const { reply } = fate;
    if (reply === 'cut') return stream.session!.destroy();
    if (typeof reply === 'string' && reply.startsWith('gRPC')) return endCall(stream, Number(reply.slice(5)));
    const isPage = reply === 'page';
    if (!isPage && typeof reply !== 'number') return undefined;
    stream.respond({ ':status': isPage ? 200 : reply, ...(isPage && { 'content-type': 'text/html' }) });
    return stream.end(isPage ? PAGE : '');
  });

beforeAll(async () => {
  for (const server of [http, grpc]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  http.closeAllConnections();
  for (const session of sessions) session.destroy();
  http.close();
  grpc.close();
});

const endpointUrl = (protocol: Protocol): string =>
  `http://127.0.0.1:${((protocol === 'grpc' ? grpc : http).address() as AddressInfo).port}/v1/metrics`;

/**
 * Starts a sender to a new ledger, with a clock that a test moves away from real time.
 *
 * @param isStrict Whether the ledger refuses times of the future.
 * @returns With `restart`, which starts the sender of another process to the same ledger.
 */
export function startCell(
  cell: string,
  isStrict: boolean,
  options: Partial<OtlpSenderOptions> & { readonly protocol: Protocol; readonly temporality: Temporality },
) {
  const ledger = new Ledger(options.temporality, isStrict);
  ledgers.set(cell, ledger);
  const clock = { offsetMs: 0, nowMs: () => ledger.nowMs + clock.offsetMs, monotonicMs: () => ledger.nowMs };
  const url = endpointUrl(options.protocol);
  const restart = (more: Partial<OtlpSenderOptions> = {}) => {
    const registry = createRegistry({ clock });
    const sender = sendOtlp(registry, { ...PLAIN, url, headers: { 'x-cell': cell }, ...options, ...more });
    return { family: registry.histogram({ name: 'job.duration', unit: 'ms' }), sender };
  };
  return { ledger, clock, restart, ...restart() };
}
