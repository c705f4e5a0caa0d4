import { createRegistry, type Registry } from '../../src/index.ts';
import { RemoteStates } from '../../src/remote/remote-states.ts';
import { ServedRegistry } from '../../src/remote/served-registry.ts';
import { collectMessage, readChanges } from '../../src/remote/wire.ts';
import { countOf } from '../support/totals.ts';

const SERIES = 2000;
const family = { name: 'x', unit: 's', cardinalityLimit: SERIES } as const;

function recordInAll(registry: Registry): void {
  const own = registry.histogram(family);
  for (let user = 0; user < SERIES; user++) {
    const series = own.with({ user });
    for (let i = 0; i < 10; i++) series.record(user * 0.001 + i * i);
  }
}

// The clock of the slices: each look at it takes a tenth of a slice, however fast the machine is.
const { now } = performance;
beforeAll(() => {
  let nowMs = 0;
  performance.now = () => (nowMs += 0.2);
});
afterAll(() => {
  performance.now = now;
});

/** How often the event loop turned while work was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return turns;
}

test('answers of many series are made, and taken, in slices between which the event loop turns', async () => {
  const [main, remote] = [createRegistry(), createRegistry()];
  const [states, served] = [new RemoteStates(main), new ServedRegistry(remote)];
  // The first answer has the definitions of all series, the second one has their counts only.
  for (const known of [undefined, served.instance]) {
    recordInAll(remote);
    // The gather of the answer finds no changes, and does not turn the loop.
    await remote.gather();
    const question = { request: 1, timeoutMs: 60_000, asker: states.asker };
    const asked = collectMessage({ ...question, known: known === undefined ? known : states.known(known) });
    let answer: unknown;
    const whileMade = await turnsDuring(async () => {
      answer = await served.answer(asked, { isLast: false, isText: false });
    });
    const problems: unknown[] = [];
    const whileTaken = await turnsDuring(
      () =>
        new Promise<void>((resolve) => {
          states.inTurn(async () => {
            problems.push(...(await states.take(readChanges(answer)!, {})));
            resolve();
          });
        }),
    );
    expect(problems).toEqual([]);
    expect(Math.min(whileMade, whileTaken)).toBeGreaterThan(3);
  }
  expect(countOf(await main.gather())).toBe(SERIES * 20);
});
