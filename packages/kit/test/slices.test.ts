import { noteConnection, Slices } from '../src/slices.ts';

function busyMs(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('long work lets a timer run that is due', async () => {
  const order: string[] = [];
  setTimeout(() => order.push('timer'), 1);
  const slices = new Slices(2);
  for (let piece = 0; piece < 40; piece++) {
    busyMs(0.25);
    if (slices.isOver()) await slices.next();
  }
  order.push('end of the work');
  expect(order).toEqual(['timer', 'end of the work']);
});

test('work shorter than a slice is not cut', () => {
  const slices = new Slices(1000);
  for (let piece = 0; piece < 100; piece++) expect(slices.isOver()).toBe(false);
});

describe('in a busy process', () => {
  const { now } = performance;
  let nowMs = 0;
  beforeEach(() => {
    performance.now = () => nowMs;
  });
  afterEach(() => {
    performance.now = now;
  });

  /** The length of the slice that goes on, in whole milliseconds. */
  function lengthOf(slices: Slices): number {
    const beganMs = nowMs;
    for (;;) {
      for (let piece = 0; piece < 7; piece++) expect(slices.isOver()).toBe(false);
      if (slices.isOver()) return nowMs - beganMs;
      nowMs++;
    }
  }

  test.each([
    [0, 2, undefined],
    [8, 2, undefined],
    [40, 10, undefined],
    [400, 25, undefined],
    [40, 5, 5],
    [400, 5, 5],
  ])(
    'a slice after %d ms of other work takes %d ms, where it may take %s',
    async (othersMs, sliceMs, longestMs) => {
      const slices = new Slices(undefined, longestMs);
      const next = slices.next();
      nowMs += othersMs;
      await next;
      expect(lengthOf(slices)).toBe(sliceMs);
    },
  );

  test('the slices of others are no other work: they do not make each other longer', async () => {
    const [slices, others] = [new Slices(), new Slices()];
    const next = slices.next();
    nowMs += 40;
    await others.next();
    await next;
    expect(lengthOf(slices)).toBe(2);
  });
});

test('a slice begins when connections have stopped to come, or after 16 turns of the event loop', async () => {
  const turnsOf = async (connections: number): Promise<number> => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      if (isOver) return;
      if (turns++ < connections) noteConnection();
      setImmediate(turn);
    };
    const slices = new Slices();
    setImmediate(turn);
    await slices.next();
    isOver = true;
    return turns;
  };
  expect([await turnsOf(0), await turnsOf(5), await turnsOf(1000)]).toEqual([1, 6, 16]);
});
