import { noteConnection, type Patience, Slices, type SlicesOptions } from '../src/slices.ts';

function busyMs(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('long work lets a timer run that is due', async () => {
  const order: string[] = [];
  setTimeout(() => order.push('timer'), 1);
  const slices = new Slices({ lengthMs: 2 });
  for (let piece = 0; piece < 40; piece++) {
    busyMs(0.25);
    if (slices.isOver()) await slices.next();
  }
  order.push('end of the work');
  expect(order).toEqual(['timer', 'end of the work']);
});

describe('by a clock of its own', () => {
  const real = {
    now: performance.now,
    eventLoopUtilization: performance.eventLoopUtilization,
    setTimeout: globalThis.setTimeout,
  };
  const PIECE_MS = 1 / 16;
  let nowMs = 0;
  let activeMs = 0;
  /** The rests since the test began. */
  let rests: number[] = [];
  /** The share of the time that other work takes during rests. */
  let othersShare = 0;

  beforeEach(() => {
    // Far behind the time of the tests before: nothing is known of this process.
    [nowMs, rests, othersShare] = [nowMs + 1e6, [], 0];
    performance.now = () => nowMs;
    performance.eventLoopUtilization = () => ({ idle: 0, active: activeMs, utilization: 0 });
    globalThis.setTimeout = ((callback: () => void, ms: number) => {
      // What a test before has left may set a timer of days.
      if (!new Error().stack?.includes('/src/slices.ts')) return real.setTimeout(callback, ms);
      rests.push(ms);
      nowMs += ms;
      activeMs += othersShare * ms;
      callback();
    }) as typeof setTimeout;
  });
  afterEach(() => {
    performance.now = real.now;
    performance.eventLoopUtilization = real.eventLoopUtilization;
    globalThis.setTimeout = real.setTimeout;
  });

  function work(ms: number): void {
    nowMs += ms;
    activeMs += ms;
  }

  /** Other work for so many milliseconds beside a slice: from its end on, the process is known to be busy, or not to be. */
  async function letOthersWork(ms: number): Promise<void> {
    const slices = new Slices();
    work(20);
    const next = slices.next();
    nowMs += 20;
    activeMs += ms;
    await next;
    await slices.next();
  }

  /** The length of the slice that goes on. */
  function measureSlice(slices: Slices): number {
    const beganMs = nowMs;
    do work(PIECE_MS);
    while (!slices.isOver());
    return nowMs - beganMs;
  }

  async function doWork(ms: number, options: SlicesOptions): Promise<void> {
    const slices = new Slices(options);
    for (let piece = 0; piece < ms / PIECE_MS; piece++) {
      work(PIECE_MS);
      if (slices.isOver()) await slices.next();
    }
  }

  test('work shorter than a slice is not cut', async () => {
    await letOthersWork(0);
    const slices = new Slices({ lengthMs: 1000 });
    for (let piece = 0; piece < 100; piece++) expect(slices.isOver()).toBe(false);
  });

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
      await letOthersWork(0);
      const slices = new Slices(longestMs === undefined ? {} : { longestMs });
      const next = slices.next();
      nowMs += othersMs;
      await next;
      expect(measureSlice(slices)).toBe(sliceMs);
    },
  );

  test.each([
    [10, 0.5],
    [0.9, 2],
  ])('beside %d ms of other work in 20, a slice takes %d ms', async (othersMs, sliceMs) => {
    await letOthersWork(othersMs);
    expect(measureSlice(new Slices())).toBe(sliceMs);
  });

  test('short works that begin beside it do not hide the load from a long one', async () => {
    await letOthersWork(0);
    const slices = new Slices();
    const next = slices.next();
    for (let ms = 0; ms < 40; ms += 10) {
      nowMs += 10;
      activeMs += 5;
      // The work of somebody else.
      void new Slices();
    }
    await next;
    await slices.next();
    expect(measureSlice(slices)).toBe(0.5);
  });

  test('a long piece of work ends its slice', async () => {
    await letOthersWork(0);
    const slices = new Slices();
    const looks = () => {
      work(1);
      return slices.isOver();
    };
    for (let piece = 0; piece < 7; piece++) expect(looks()).toBe(false);
    expect(looks()).toBe(true);
    await slices.next();
    expect([looks(), looks(), looks()]).toEqual([false, true, true]);
  });

  test('the slices of others are no other work: they do not make each other longer', async () => {
    await letOthersWork(0);
    const [slices, others] = [new Slices(), new Slices()];
    const next = slices.next();
    nowMs += 40;
    await others.next();
    await next;
    expect(measureSlice(slices)).toBe(2);
  });

  test('the work has taken what its slices took, whatever ran between them', async () => {
    await letOthersWork(0);
    const slices = new Slices();
    for (const othersMs of [40, 0, 400]) {
      work(3);
      const next = slices.next();
      nowMs += othersMs;
      await next;
    }
    work(1);
    expect(slices.workedMs).toBe(10);
  });

  test('a slice waits for a turn of the event loop without other work, at most 8 ms', async () => {
    const wait = async (turnMs: number, turns: number): Promise<number> => {
      const startMs = nowMs;
      let left = turns;
      const turn = (): void => {
        if (left-- <= 0) return;
        nowMs += turnMs;
        setImmediate(turn);
      };
      setImmediate(turn);
      await new Slices().next();
      left = 0;
      return nowMs - startMs;
    };
    expect(await wait(1, 0)).toBe(0);
    expect(await wait(1, 5)).toBe(5);
    expect(await wait(1, 1000)).toBe(9);
    expect(await wait(50, 1000)).toBe(50);
  });

  test('a slice begins when connections have stopped to come, or after 16 turns of the event loop', async () => {
    const countTurns = async (connections: number): Promise<number> => {
      let turns = 0;
      let isOver = false;
      const turn = (): void => {
        if (isOver) return;
        if (turns++ < connections) noteConnection();
        setImmediate(turn);
      };
      setImmediate(turn);
      await new Slices().next();
      isOver = true;
      return turns;
    };
    expect([await countTurns(0), await countTurns(5), await countTurns(1000)]).toEqual([1, 6, 16]);
  });

  describe('patient work', () => {
    test('rests nineteen times as long as its slices at first, and is done before its time is up', async () => {
      await letOthersWork(10);
      othersShare = 0.5;
      const startMs = nowMs;
      await doWork(60, { patience: { untilMs: startMs + 4000 } });
      expect(rests[0]).toBeCloseTo(0.5 * 19, 1);
      expect(rests.slice(1)).toEqual(rests.slice(1).toSorted((a, b) => b - a));
      expect(nowMs - startMs).toBeGreaterThan(10 * 60);
      expect(nowMs - startMs).toBeLessThan(0.5 * 4000);
    });

    test.each([
      ['that is too much for its time', 10_000],
      ['that has no time', 0],
    ])('%s goes on without rests', async (_, ms) => {
      await letOthersWork(10);
      othersShare = 0.5;
      const startMs = nowMs;
      await doWork(ms || 60, { patience: { untilMs: ms === 0 ? 0 : startMs + 4000 } });
      // What rests take away is no more than the time that the work had.
      expect(nowMs - startMs - (ms || 60)).toBeLessThanOrEqual(ms === 0 ? 0 : 4000);
    });

    test('goes on without rests as soon as somebody waits for it', async () => {
      await letOthersWork(10);
      othersShare = 0.5;
      const patience: Patience = { untilMs: nowMs + 4000 };
      const slices = new Slices({ patience });
      for (let slice = 0; slice < 3; slice++) {
        measureSlice(slices);
        await slices.next();
      }
      expect(rests).toHaveLength(3);
      patience.untilMs = 0;
      for (let slice = 0; slice < 3; slice++) {
        measureSlice(slices);
        await slices.next();
      }
      expect(rests).toHaveLength(3);
    });

    test('does not rest in a process that has nothing else to do, and stops when others have', async () => {
      await letOthersWork(0);
      await doWork(60, { patience: { untilMs: nowMs + 4000 } });
      expect(rests).toEqual([]);
      await letOthersWork(10);
      // Nothing else is done any more: 20 ms show it.
      await doWork(60, { patience: { untilMs: nowMs + 4000 } });
      expect(rests.length).toBeLessThanOrEqual(3);
    });
  });
});
