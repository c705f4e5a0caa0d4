import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import {
  CLOCK_NAMES,
  CLOCKS,
  type ClockName,
  type Fate,
  listFates,
  listRequests,
  type Meaning,
  type RequestEnd,
  runCells,
  STATUSES,
} from '@hdrscope/testing/fates';
import fc from 'fast-check';
import { type RemoteWriteOptions, type RemoteWriter, sendRemoteWrite } from '../../src/remote-write/index.ts';
import { decodeRequest, type WrittenSeries } from '../support/remote-write.ts';

/** A status without the numbers of remote write, a page of HTML, or an end of the connection. */
type Reply = number | 'written' | 'page' | 'cut' | 'cut before' | 'silence';

// A success without numbers is that of a receiver of another version, and a series that it may have is sent again.
const MEANINGS = (['success', 'doubt', 'unread', 'verdict'] as const).map(
  (meaning) => [meaning, meaning === 'success' ? 'doubt' : meaning] as const,
);
const FATES: readonly Fate<Reply>[] = [
  { reply: 'cut before', meaning: 'doubt', isTaken: false },
  ...listFates<Reply>([
    ['written', 'success'],
    ...MEANINGS.flatMap(([of, meaning]) => STATUSES[of].map((status): [Reply, Meaning] => [status, meaning])),
    ...(['page', 'cut', 'silence'] as const).map((reply): [Reply, Meaning] => [reply, 'doubt']),
  ]),
];

/** A receiver for one cell, which writes what is newer than what it has, as Prometheus does. */
class Receiver {
  /** The ends of the next requests. A request without one is written. */
  readonly fates: RequestEnd<Reply>[] = [];
  /** The last samples of all series. */
  readonly #last = new Map<string, { timeMs: number; count: number }>();
  /** Samples that it did not write, because it has a newer one. */
  late = 0;
  /** Real time. */
  nowMs = 1_800_000_000_000;
  readonly #isStrict: boolean;

  /** @param isStrict Whether times of the future are refused. */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  /** Writes what can be written. */
  take(all: readonly WrittenSeries[]): { written: number; refusal: string | undefined } {
    let written = 0;
    let refusal: string | undefined;
    for (const { labels, histograms } of all) {
      const key = JSON.stringify(labels);
      const { timeMs, count } = histograms[0]!;
      if (this.#isStrict && timeMs > this.nowMs + 600_000)
        refusal = 'out of bounds: timestamp is too far in the future';
      else if (timeMs <= (this.#last.get(key)?.timeMs ?? 0)) {
        refusal = 'out of order sample';
        this.late++;
      } else {
        this.#last.set(key, { timeMs, count });
        written++;
      }
    }
    return { written, refusal };
  }

  get values(): number {
    return [...this.#last.values()].reduce((sum, { count }) => sum + count, 0);
  }

  get latestMs(): number {
    return Math.max(...[...this.#last.values()].map(({ timeMs }) => timeMs));
  }
}

const receivers = new Map<string, Receiver>();
const server = createServer(async (request, response) => {
  const receiver = receivers.get(request.headers['x-cell'] as string)!;
  const fate = receiver.fates.shift();
  if (fate?.reply === 'cut before') return request.socket.destroy();
  const series = decodeRequest(await buffer(request));
  const { written, refusal } = fate?.isTaken === false ? { written: 0 } : receiver.take(series);
  // A judge that refuses a request cannot be the one that has written it.
  const reply = refusal === undefined ? (fate?.reply ?? 'written') : 'written';
  if (reply === 'cut') return request.socket.destroy();
  if (reply === 'page')
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Sign in</title>');
  if (reply === 'silence') return undefined;
  if (reply !== 'written') return response.writeHead(reply as number).end();
  const numbers = { 'x-prometheus-remote-write-histograms-written': `${written}` };
  return response.writeHead(refusal === undefined ? 204 : 400, numbers).end(refusal);
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function untilDelivered(writer: RemoteWriter): Promise<void> {
  for (let left = 5; left > 0; left--) {
    const isDelivered = await writer.flush().then(
      () => true,
      () => false,
    );
    if (isDelivered) return;
  }
  throw new Error('nothing is delivered');
}

/** Starts a writer to a new receiver, with a clock that a test moves away from real time. */
function startCell(cell: string, isStrict: boolean, options: Partial<RemoteWriteOptions>) {
  const receiver = new Receiver(isStrict);
  receivers.set(cell, receiver);
  const clock = {
    offsetMs: 0,
    nowMs: () => receiver.nowMs + clock.offsetMs,
    monotonicMs: () => receiver.nowMs,
  };
  const registry = createRegistry({ clock });
  const { port } = server.address() as AddressInfo;
  const writer = sendRemoteWrite(registry, {
    ...{ url: `http://127.0.0.1:${port}/`, headers: { 'x-cell': cell }, intervalMs: 3_600_000 },
    ...options,
  });
  return { receiver, clock, family: registry.histogram({ name: 'x' }), writer };
}

/** Delivers counts before, while and after a fate meets a request, and compares the ledgers. */
async function runCell(clockName: ClockName, fate: Fate<Reply>): Promise<void> {
  const { reply, isTaken } = fate;
  const cell = [clockName, reply, isTaken ? 'taken' : 'not taken'].join(', ');
  const timeoutMs = reply === 'silence' ? 1000 : 10_000;
  const { receiver, clock, family, writer } = startCell(cell, !isTaken, { timeoutMs });
  let recorded = 0;
  const record = (job: string, count: number): void => {
    for (let i = 0; i < count; i++) family.with({ job }).record(1 + i);
    recorded += count;
    receiver.nowMs += 10_000;
  };
  record('a', 3);
  await untilDelivered(writer);
  const [atFateMs, afterMs] = CLOCKS[clockName];
  clock.offsetMs = atFateMs;
  record('a', 5);
  record('b', 7);
  receiver.fates.push(...listRequests(fate, 503));
  while (receiver.fates.length > 0) await writer.flush().catch(() => {});
  clock.offsetMs = afterMs;
  record('a', 11);
  record('c', 13);
  await untilDelivered(writer);
  record('b', 17);
  await writer.close();
  const { values, late } = receiver;
  expect({ cell, values, late }).toEqual({ cell, values: recorded, late: 0 });
  // Where nothing of the future was written, nothing of the future is sent any more.
  if (!isTaken && afterMs === 0) expect([cell, receiver.latestMs]).toEqual([cell, clock.nowMs() + 1]);
}

describe(`${FATES.length} fates of a request at ${CLOCK_NAMES.length} clocks`, () => {
  test.each(CLOCK_NAMES)('the receiver has all counts, by samples that never go back: %s', (clock) =>
    runCells(FATES, (fate) => runCell(clock, fate)),
  );
});

const IN_A_ROW: readonly RequestEnd<Reply>[] = [
  ...[204, 302, 429, 500, 503, 'page' as const, 'cut' as const].flatMap((reply) => [
    { reply, isTaken: true },
    { reply, isTaken: false },
  ]),
  ...[400, 401, 413, 'cut before' as const].map((reply) => ({ reply, isTaken: false })),
  { reply: 'written', isTaken: true },
];

test('whatever happens to requests and to the clock, the receiver has all counts', async () => {
  const step = fc.record({
    fates: fc.array(fc.constantFrom(...IN_A_ROW), { maxLength: 3 }),
    offsetMs: fc.constantFrom(0, 0, 86_400_000, -3_600_000, 1),
    series: fc.array(fc.nat({ max: 4 }), { maxLength: 4 }),
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 10 }),
      fc.constantFrom(1, 2, 2000),
      fc.boolean(),
      async (steps, maxSeriesPerRequest, isStrict) => {
        const cell = `in a row ${runs++}`;
        const { receiver, clock, family, writer } = startCell(cell, isStrict, { maxSeriesPerRequest });
        let recorded = 0;
        for (const { fates, offsetMs, series } of steps) {
          clock.offsetMs = offsetMs;
          for (const i of series) family.with({ i }).record(i);
          recorded += series.length;
          receiver.nowMs += 1000;
          receiver.fates.push(...fates);
          await writer.flush().catch(() => {});
        }
        receiver.fates.length = 0;
        clock.offsetMs = 0;
        receiver.nowMs += 1000;
        await untilDelivered(writer);
        await writer.close();
        expect(receiver.values).toBe(recorded);
      },
    ),
    { numRuns: caseCount(30, 400) },
  );
});
