import { someCells } from '@hdrscope/testing/case-count';
import {
  CLOCK_NAMES,
  CLOCKS,
  type ClockName,
  type Fate,
  listRequests,
  runCells,
} from '@hdrscope/testing/fates';
import { listFatesOver, type Protocol, type Reply, SECOND, startCell, type Temporality } from './cells.ts';
import { untilDelivered } from './fates.ts';
import { copyOf, newFolder } from './folders.ts';

/** Where deltas wait for the receiver: in a queue, what a killed process has left is delivered by the next one. */
type Store = 'memory' | 'queue' | 'queue of a process that is killed after the fate';

/**
 * Delivers values before, while and after a fate meets a request, and compares the ledgers.
 *
 * @param isSecond Whether the fate meets the second request of a delivery, whose first one was taken.
 */
async function runCell(
  protocol: Protocol,
  temporality: Temporality,
  clockName: ClockName,
  fate: Fate<Reply>,
  { isSecond = false, store = 'memory' }: { readonly isSecond?: boolean; readonly store?: Store } = {},
): Promise<void> {
  const { reply, meaning, isTaken } = fate;
  const taken = isTaken ? 'taken' : 'not taken';
  const cell = [protocol, temporality, clockName, reply, taken, isSecond, store].join(', ');
  const folder = store === 'memory' ? undefined : await newFolder();
  const isStrict = !isTaken && !isSecond;
  const started = startCell(cell, isStrict, {
    ...{ protocol, temporality },
    ...(folder !== undefined && { queue: { folder } }),
    ...(isSecond && { maxRequestBytes: 1 }),
    timeoutMs: reply === 'silence' ? 1000 : 10_000,
  });
  const { ledger, clock, restart } = started;
  let { family, sender } = started;
  let recorded = 0;
  const record = (job: string, count: number): void => {
    for (let i = 0; i < count; i++) family.with({ job }).record(1 + i);
    recorded += count;
    ledger.nowMs += 10 * SECOND;
  };
  record('a', 3);
  await untilDelivered(sender);
  const [atFateMs, afterMs] = CLOCKS[clockName];
  clock.offsetMs = atFateMs;
  record('a', 5);
  record('b', 7);
  const [success, lost]: readonly [Reply, Reply] = protocol === 'grpc' ? ['gRPC 0', 'gRPC 14'] : [200, 503];
  if (isSecond) ledger.fates.push({ reply: success, isTaken: true });
  ledger.fates.push(...listRequests(fate, lost));
  const first = ledger.bodies.length + (isSecond ? 1 : 0);
  while (ledger.fates.length > 0) await sender.flush().catch(() => {});
  clock.offsetMs = afterMs;
  const isKilled = store === 'queue of a process that is killed after the fate';
  if (isKilled) {
    ({ family, sender } = restart({ queue: { folder: await copyOf(folder!) } }));
  }
  record('a', 11);
  record('c', 13);
  await untilDelivered(sender);
  record('b', 17);
  await untilDelivered(sender);
  record('a', 0);
  await sender.close();
  const { pendingValues, givenUpValues, rejectedPoints } = sender.health;
  const counters = { pendingValues, givenUpValues, rejectedPoints };
  // A process that has left nothing has not left its times either.
  const late = isKilled && meaning === 'success' ? 0 : ledger.late;
  expect({ cell, values: ledger.values, late, ...counters }).toEqual({
    ...{ cell, values: recorded, late: 0 },
    ...{ pendingValues: 0, givenUpValues: 0, rejectedPoints: 0 },
  });
  const isWrongForNow = atFateMs > afterMs;
  // Where nothing of the future was taken, nothing of the future is sent any more.
  if (isStrict && afterMs === 0)
    expect([cell, ledger.latestMs]).toEqual([
      cell,
      temporality === 'delta' ? clock.nowMs() - 10 * SECOND : clock.nowMs(),
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
  const fates = listFatesOver(protocol);
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
const LATER = new Set<Reply>([
  ...(['cut', 'page', 200, 302, 400, 401, 408, 422, 429, 500, 503] as const),
  ...(['gRPC 0', 'gRPC 1', 'gRPC 4', 'gRPC 5', 'gRPC 8', 'gRPC 12', 'gRPC 13', 'gRPC 14'] as const),
]);

const PLACES = (['http/protobuf', 'grpc'] as const).flatMap((protocol) =>
  (
    [
      ['the second', 'memory'],
      ['the first', 'queue'],
      ['the first', 'queue of a process that is killed after the fate'],
      ['the second', 'queue'],
      ['the second', 'queue of a process that is killed after the fate'],
    ] as const
  ).map(([request, store]) => ({ protocol, request, store })),
);

describe.each(someCells(PLACES, 0))(
  '$protocol, $request request of a delivery meets a fate, with the $store',
  ({ protocol, request, store }) => {
    const fates = listFatesOver(protocol).filter(({ reply }) => LATER.has(reply));
    const isSecond = request === 'the second';
    test.each(CLOCK_NAMES)(
      'points that were taken before it do not come again, and others twice only if it was taken without a success: %s',
      (clock) => runCells(fates, (fate) => runCell(protocol, 'delta', clock, fate, { isSecond, store })),
    );
  },
);
