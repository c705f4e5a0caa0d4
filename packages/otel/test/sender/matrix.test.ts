import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import {
  CLOCK_NAMES,
  CLOCKS,
  type ClockName,
  type Fate,
  fatesOf,
  type Meaning,
  runCells,
  STATUSES,
} from '@hdrscope/testing/fates';
import { pointsIn, untilDelivered } from './fates.ts';
import { endCall } from './support.ts';

/** The real time of the first request. */
const START_MS = 1_800_000_000_000;
const SECOND = 1000;
const HOUR = 3_600_000;

/** A status of HTTP, a code of gRPC, a page of HTML, or an end of the connection. */
type Reply = number | `gRPC ${number}` | 'page' | 'cut' | 'cut before' | 'silence';
type Protocol = 'http/protobuf' | 'grpc';
type Temporality = 'delta' | 'cumulative';

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

function fatesOver(protocol: Protocol): Fate<Reply>[] {
  const replies: [Reply, Meaning][] = [];
  for (const meaning of ['success', 'doubt', 'unread', 'verdict'] as const) {
    const isHttp = protocol === 'http/protobuf';
    if (!isHttp) for (const code of CODES[meaning]) replies.push([`gRPC ${code}`, meaning]);
    for (const status of (isHttp ? STATUSES : FOREIGN)[meaning] ?? []) replies.push([status, meaning]);
  }
  for (const reply of ['page', 'cut', 'silence'] as const) replies.push([reply, 'doubt']);
  return [{ reply: 'cut before', meaning: 'doubt', isTaken: false }, ...fatesOf(replies)];
}

/** A receiver with two ledgers, for one cell. */
class Ledger {
  /** What becomes of the next requests. */
  readonly fates: Pick<Fate<Reply>, 'reply' | 'isTaken'>[] = [];
  readonly bodies: Buffer[] = [];
  /** The end of the newest points that it has taken. */
  latestMs = 0;
  /** The counts by series, start and end: a point that comes again counts once. */
  readonly #known = new Map<string, number>();
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
      this.all += count;
      this.#known.set(id, count);
    }
    return undefined;
  }

  /** The values of all series: of deltas all points, of cumulative points the last of each start. */
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
  if (fate.isTaken) ledger.take(body);
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

const urlOf = (protocol: Protocol): string =>
  `http://127.0.0.1:${((protocol === 'grpc' ? grpc : http).address() as AddressInfo).port}/v1/metrics`;

/**
 * Delivers values before, while and after a fate meets a request, and compares the ledgers.
 *
 * @param isSecond Whether the fate meets the second request of a delivery, whose first one was taken.
 */
async function runCell(
  protocol: Protocol,
  temporality: Temporality,
  clock: ClockName,
  { reply, meaning, isTaken }: Fate<Reply>,
  isSecond = false,
): Promise<void> {
  const cell = [protocol, temporality, clock, reply, isTaken ? 'taken' : 'not taken', isSecond].join(', ');
  const isStrict = !isTaken && !isSecond;
  const ledger = new Ledger(temporality, isStrict);
  ledgers.set(cell, ledger);
  let offsetMs = 0;
  const nowMs = (): number => ledger.nowMs + offsetMs;
  const registry = createRegistry({ clock: { nowMs, monotonicMs: () => ledger.nowMs } });
  const family = registry.histogram({ name: 'job.duration', unit: 'ms' });
  const sender = sendOtlp(registry, {
    ...{ url: urlOf(protocol), protocol, temporality, compression: 'none', intervalMs: HOUR },
    headers: { 'x-cell': cell },
    ...(isSecond && { maxRequestBytes: 1 }),
    timeoutMs: reply === 'silence' ? 1000 : 10_000,
  });
  let recorded = 0;
  const record = (job: string, count: number): void => {
    for (let i = 0; i < count; i++) family.with({ job }).record(1 + i);
    recorded += count;
    ledger.nowMs += 10 * SECOND;
  };
  record('a', 3);
  await untilDelivered(sender);
  const [atFateMs, afterMs] = CLOCKS[clock];
  offsetMs = atFateMs;
  record('a', 5);
  record('b', 7);
  // A receiver that has taken a request does not refuse it. But the answer may be lost, and something refuse the repetition.
  const isRefused = meaning === 'unread' || meaning === 'verdict';
  if (isSecond) ledger.fates.push({ reply: protocol === 'grpc' ? 'gRPC 0' : 200, isTaken: true });
  if (isTaken && isRefused) ledger.fates.push({ reply: protocol === 'grpc' ? 'gRPC 14' : 503, isTaken });
  ledger.fates.push({ reply, isTaken: isTaken && !isRefused });
  const first = ledger.bodies.length + (isSecond ? 1 : 0);
  while (ledger.fates.length > 0) await sender.flush().catch(() => {});
  offsetMs = afterMs;
  record('a', 11);
  record('c', 13);
  await untilDelivered(sender);
  record('b', 17);
  await untilDelivered(sender);
  record('a', 0);
  await sender.close();
  const { pendingValues, givenUpValues, rejectedPoints } = sender.health;
  const counters = { pendingValues, givenUpValues, rejectedPoints };
  expect({ cell, values: ledger.values, ...counters }).toEqual({
    ...{ cell, values: recorded },
    ...{ pendingValues: 0, givenUpValues: 0, rejectedPoints: 0 },
  });
  const isWrongForNow = atFateMs > afterMs;
  // Where nothing of the future was taken, nothing of the future is sent any more.
  if (isStrict && afterMs === 0)
    expect([cell, ledger.latestMs]).toEqual([
      cell,
      temporality === 'delta' ? nowMs() - 10 * SECOND : nowMs(),
    ]);
  // On a busy machine, other requests of a sender that does not wait long may have no answer in time.
  if (temporality === 'cumulative' || reply === 'silence') return;
  const comesTwice = isTaken && meaning !== 'success';
  expect([cell, ledger.all]).toEqual([cell, recorded + (comesTwice ? (isSecond ? 0 : 5) + 7 : 0)]);
  const isSame =
    isSecond ||
    meaning === 'doubt' ||
    (meaning === 'unread' && (isTaken || !isWrongForNow)) ||
    (meaning === 'verdict' && isTaken && reply !== 413);
  if (isSame && meaning !== 'success' && reply !== 'cut before')
    expect([cell, ledger.bodies[first + 1]?.equals(ledger.bodies[first]!)]).toEqual([cell, true]);
}

describe.each(['http/protobuf', 'grpc'] as const)('%s', (protocol) => {
  const fates = fatesOver(protocol);
  describe.each(['delta', 'cumulative'] as const)(
    `%s, ${fates.length} fates of a request at ${CLOCK_NAMES.length} clocks`,
    (temporality) => {
      test.each(CLOCK_NAMES)(
        'a receiver that knows repetitions has each value once, another one has those twice that it took without a success: %s',
        (clock) => runCells(fates, (fate) => runCell(protocol, temporality, clock, fate)),
      );
    },
  );
});

// A single point that is too large is given up, and a receiver that has taken a point does not refuse its neighbour for its time.
const LATER = fatesOver('http/protobuf').filter(({ reply }) =>
  (['cut', 'page', 200, 302, 400, 401, 408, 422, 429, 500, 503] as Reply[]).includes(reply),
);

describe(`the second request of a delivery meets ${LATER.length} fates at ${CLOCK_NAMES.length} clocks`, () => {
  test.each(CLOCK_NAMES)('points that were taken before it do not come again: %s', (clock) =>
    runCells(LATER, (fate) => runCell('http/protobuf', 'delta', clock, fate, true)),
  );
});
