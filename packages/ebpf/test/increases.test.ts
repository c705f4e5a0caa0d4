import fc from 'fast-check';
import { explicitKernelLayout, type Frame, type KernelHistogram } from '../src/index.ts';
import { type KernelIncrease, KernelIncreases } from '../src/internal.ts';

const LAYOUT = explicitKernelLayout([0, 4]);

function histogram(
  counts: number[],
  { name = 'depth', key = 'a', sums }: { name?: string; key?: string; sums?: number[] } = {},
): KernelHistogram {
  return {
    name,
    attributes: { key },
    layout: LAYOUT,
    counts: Float64Array.from(counts),
    sums: sums && Float64Array.from(sums),
  };
}

function frame(histograms: KernelHistogram[], more: Partial<Frame> = {}): Frame {
  return { generation: '1', cpuCount: 2, counterBits: 64, histograms, ...more };
}

/** The increases of a frame: counts, then sums when there are any. */
function increasesOf(increases: KernelIncreases, next: Frame): number[][] {
  return increases.next(next).map(({ counts, sums }) => [...counts, ...(sums ?? [])]);
}

/** Whether any histogram of a frame was reset. */
function hasReset(increases: KernelIncreases, next: Frame): boolean {
  return increases.next(next).some(({ isReset }) => isReset);
}

describe('the increase in a frame', () => {
  test('is the difference of each slot on each CPU', () => {
    const increases = new KernelIncreases();
    expect(increasesOf(increases, frame([histogram([100, 0, 0, 50, 0, 0])]))).toEqual([
      [100, 0, 0, 50, 0, 0],
    ]);
    // The difference of the sums over CPUs would be 33, and hide the reset of the first CPU.
    expect(increasesOf(increases, frame([histogram([3, 0, 0, 180, 0, 0])]))).toEqual([[3, 0, 0, 130, 0, 0]]);
  });

  test('is empty when counts are the same', () => {
    const increases = new KernelIncreases();
    increasesOf(increases, frame([histogram([1, 0, 0, 0, 0, 0])]));
    expect(increasesOf(increases, frame([histogram([1, 0, 0, 0, 0, 0])]))).toEqual([]);
  });

  test('is the whole frame in another generation', () => {
    const increases = new KernelIncreases();
    increasesOf(increases, frame([histogram([5, 0, 0, 0, 0, 0])]));
    const next = frame([histogram([7, 0, 0, 0, 0, 0])], { generation: '2' });
    expect(increasesOf(increases, next)).toEqual([[7, 0, 0, 0, 0, 0]]);
  });

  test('is the whole of a histogram whose counters were replaced apart from the others', () => {
    const increases = new KernelIncreases();
    const of = (generation: string, count: number) => ({
      ...histogram([count, 0, 0, 0, 0, 0], { key: 'inner' }),
      generation,
    });
    increasesOf(increases, frame([histogram([5, 0, 0, 0, 0, 0]), of('map 8', 5)]));
    expect(increasesOf(increases, frame([histogram([7, 0, 0, 0, 0, 0]), of('map 9', 7)]))).toEqual([
      [2, 0, 0, 0, 0, 0],
      [7, 0, 0, 0, 0, 0],
    ]);
    expect(increasesOf(increases, frame([of('map 9', 8)]))).toEqual([[1, 0, 0, 0, 0, 0]]);
  });

  test('is the whole of a histogram that disappeared and came back', () => {
    const increases = new KernelIncreases();
    increasesOf(
      increases,
      frame([histogram([5, 0, 0, 0, 0, 0]), histogram([1, 0, 0, 0, 0, 0], { key: 'b' })]),
    );
    expect(increasesOf(increases, frame([histogram([1, 0, 0, 0, 0, 0], { key: 'b' })]))).toEqual([]);
    const back = frame([histogram([6, 0, 0, 0, 0, 0]), histogram([1, 0, 0, 0, 0, 0], { key: 'b' })]);
    expect(increasesOf(increases, back)).toEqual([[6, 0, 0, 0, 0, 0]]);
  });

  test('continues when a counter of 32 bits passes its largest value', () => {
    const increases = new KernelIncreases();
    increasesOf(increases, frame([histogram([2 ** 32 - 1, 0, 0, 0, 0, 0])], { counterBits: 32 }));
    const next = frame([histogram([1, 0, 0, 0, 0, 0])], { counterBits: 32 });
    expect(increasesOf(increases, next)).toEqual([[2, 0, 0, 0, 0, 0]]);
  });

  test.each([
    ['a reset, when the time permits no more events', 1200, 3_000_000_000, [5, 0, 0], [0, true]],
    ['neither, when the time permits a turn too', 1200, 2 ** 32 - 100, undefined, [1, false]],
  ])('takes a fall of a counter of 32 bits for %s', (_, elapsedMs, before, expected, facts) => {
    const increases = new KernelIncreases();
    const bits = { counterBits: 32, cpuCount: 2 } as const;
    increases.next(frame([histogram([0, 0, 0, before, 7, 0], { sums: [0, 9] })], bits), {
      ...{ beganMs: 1000, endedMs: 1500 },
    });
    const next = frame([histogram([0, 0, 0, 5, 7, 0], { sums: [0, 12] })], bits);
    const [one] = increases.next(next, { beganMs: 1900, endedMs: 1000 + elapsedMs });
    expect([...one!.counts].slice(3)).toEqual(expected ?? [0, 0, 0]);
    expect([one!.uncertain, one!.isReset]).toEqual(facts);
    expect(one!.sums).toEqual(expected && Float64Array.of(0, 3));
  });

  test.each([
    ['grew', [0, 0, 5, 0, 0, 0], 1e12, 1e12 - 5],
    ['came', [1, 0, 0, 0, 0, 0], 1e12, 1e12],
    ['fell', [0, 0, 2e12, 0, 0, 0], 1e12, 1e12],
  ])(
    'a counter that %s by more than time permits is an error, and what comes later counts',
    (_, before, now, grown) => {
      const increases = new KernelIncreases();
      const other = (count: number): KernelHistogram =>
        histogram([count, 0, 0, 0, 0, 0], { name: 'other', sums: [0, 0] });
      increases.next(frame([histogram(before), other(1)]), { beganMs: 1000, endedMs: 1500 });
      const next = frame([histogram([1, 0, now, 0, 0, 0]), other(2)]);
      expect(() => increases.next(next, { beganMs: 1900, endedMs: 2000 })).toThrow(
        expect.objectContaining({
          code: 'ERR_KERNEL',
          message: `depth: counts must grow by at most 200000000, got ${grown} in slot 2: do its values hold counts?`,
          details: { name: 'depth' },
        }),
      );
      // Two CPUs count at most 2 · 10^8 in a second, each in its own counter.
      const last = frame([histogram([1, 0, now + 2e8, 0, 0, 0]), other(5)]);
      const counted = increases.next(last, { beganMs: 2500, endedMs: 2900 });
      expect(counted.map(({ counts }) => [...counts].slice(0, 3))).toEqual([
        [0, 0, 2e8],
        [3, 0, 0],
      ]);
    },
  );

  test('two reads at one moment of a coarse clock are a millisecond apart', () => {
    const next = (count: number): KernelIncrease[] => {
      const increases = new KernelIncreases();
      const time = { beganMs: 5, endedMs: 5 };
      increases.next(frame([histogram([1, 0, 0, 0, 0, 0])]), time);
      return increases.next(frame([histogram([count, 0, 0, 0, 0, 0])]), time);
    };
    expect(next(200_001)[0]!.counts[0]).toBe(200_000);
    expect(() => next(200_002)).toThrow('at most 200000,');
  });

  test('counts that a program has printed may be of any time', () => {
    const increases = new KernelIncreases();
    const printed = { isPrinted: true };
    increases.next(frame([histogram([1, 0, 0, 0, 0, 0])], printed), { beganMs: 1000, endedMs: 1000 });
    const next = frame([histogram([1e10, 0, 0, 0, 0, 0])], printed);
    expect(increases.next(next, { beganMs: 1001, endedMs: 1001 })).toHaveLength(1);
  });

  test('has the sums of the program', () => {
    const increases = new KernelIncreases();
    increasesOf(increases, frame([histogram([1, 0, 0, 1, 0, 0], { sums: [10, 20] })]));
    const next = frame([histogram([1, 1, 0, 0, 1, 0], { sums: [13, 4] })]);
    expect(increasesOf(increases, next)).toEqual([[0, 1, 0, 0, 1, 0, 3, 4]]);
    // Slots and sum of the second CPU were reset together.
    expect(hasReset(increases, frame([histogram([1, 1, 0, 0, 0, 1], { sums: [13, 1] })]))).toBe(true);
  });

  test('has sums of 64 bits beside slots of 32', () => {
    const increases = new KernelIncreases();
    const bits = { counterBits: 32, cpuCount: 1 } as const;
    increasesOf(increases, frame([histogram([9, 0, 0], { sums: [2 ** 40] })], bits));
    expect(increasesOf(increases, frame([histogram([1, 0, 0], { sums: [7] })], bits))).toEqual([
      [1, 0, 0, 7],
    ]);
    increasesOf(increases, frame([histogram([2, 0, 0], { sums: [2 ** 32 - 1] })], bits));
    expect(increasesOf(increases, frame([histogram([3, 0, 0], { sums: [6] })], bits))).toEqual([
      [1, 0, 0, 7],
    ]);
  });
});

test('a layout that has grown keeps the counters of its slots', () => {
  const increases = new KernelIncreases();
  const one = { cpuCount: 1 };
  increasesOf(increases, frame([histogram([1, 2, 0])], one));
  const longer = {
    ...histogram([]),
    layout: explicitKernelLayout([0, 4, 8]),
    counts: Float64Array.of(1, 3, 5, 0),
  };
  expect(increasesOf(increases, frame([longer], one))).toEqual([[0, 1, 5, 0]]);
});

test('a source may reuse its arrays', () => {
  const increases = new KernelIncreases();
  const reused = histogram([1, 0, 0, 0, 0, 0]);
  increasesOf(increases, frame([reused]));
  reused.counts[0] = 4;
  expect(increasesOf(increases, frame([reused]))).toEqual([[3, 0, 0, 0, 0, 0]]);
});

test.each([
  ['too few counts', frame([histogram([1])]), 'the counts of depth must be 6, 2 CPUs, got 1'],
  [
    'too few sums',
    frame([histogram([1, 0, 0, 0, 0, 0], { sums: [1] })]),
    'the sums of depth must be 2, one for each CPU, got 1',
  ],
  [
    'a histogram twice',
    frame([histogram([1, 0, 0, 0, 0, 0]), histogram([1, 0, 0, 0, 0, 0])]),
    'depth must have each set of attributes once, got ["depth",[["key","a"]]] twice',
  ],
])('a frame with %s is refused, and changes nothing', (_, wrong, message) => {
  const increases = new KernelIncreases();
  expect(() => increasesOf(increases, wrong)).toThrow(
    expect.objectContaining({ code: 'ERR_KERNEL', message }),
  );
  // All of the next frame is new.
  expect(increasesOf(increases, frame([histogram([2, 0, 0, 0, 0, 0])]))).toEqual([[2, 0, 0, 0, 0, 0]]);
});

describe('increases against a model of the kernel', () => {
  const KEYS = ['a', 'b'];
  const CPUS = 2;
  const SLOTS = LAYOUT.slots.slotCount;

  type Step =
    | { kind: 'events'; key: string; counter: number; count: number }
    | { kind: 'read' }
    | { kind: 'reset' | 'evict'; key: string }
    | { kind: 'replace' };

  const key = fc.constantFrom(...KEYS);
  const counter = fc.nat({ max: CPUS * SLOTS - 1 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('events'),
        key,
        counter,
        count: fc.nat({ max: 2 ** 31 - 1 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('read') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reset', 'evict'), key }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace') }) },
  ) as fc.Arbitrary<Step>;

  // A reset shows when a counter has fallen. The model reads right after every step that would hide events from any reader,
  // so all events can be checked.
  test.each([32, 64] as const)('each event is reported once, with counters of %i bits', (counterBits) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const turn = counterBits === 32 ? 2 ** 32 : Number.POSITIVE_INFINITY;
        const increases = new KernelIncreases();
        let generation = 1;
        let counters = new Map<string, number[]>();
        const happened = new Map(KEYS.map((one) => [one, new Array<number>(CPUS * SLOTS).fill(0)]));
        const totals = new Map(KEYS.map((one) => [one, new Array<number>(CPUS * SLOTS).fill(0)]));

        const read = (): void => {
          const histograms = [...counters].map(([one, counts]) => histogram(counts, { key: one }));
          const next = frame(histograms, { generation: String(generation), counterBits });
          for (const { attributes, counts } of increases.next(next)) {
            const total = totals.get(attributes.key as string)!;
            for (const [i, count] of counts.entries()) {
              expect(count).toBeGreaterThanOrEqual(0);
              total[i]! += count;
            }
          }
        };
        const sinceRead = new Map<string, number>();
        for (const one of steps) {
          if (one.kind === 'events') {
            // A counter of 32 bits cannot be followed when it grows by 2^31 or more between two reads.
            const place = `${one.key} ${one.counter}`;
            const pending = (sinceRead.get(place) ?? 0) + one.count;
            if (pending >= 2 ** 31) continue;
            sinceRead.set(place, pending);
            const counts = counters.get(one.key) ?? new Array<number>(CPUS * SLOTS).fill(0);
            counts[one.counter] = (counts[one.counter]! + one.count) % turn;
            counters.set(one.key, counts);
            happened.get(one.key)![one.counter]! += one.count;
          } else if (one.kind === 'read') {
            read();
            sinceRead.clear();
          } else {
            read();
            sinceRead.clear();
            if (one.kind === 'replace') {
              generation++;
              counters = new Map();
            } else if (one.kind === 'evict') {
              counters.delete(one.key);
              read();
            } else if (counters.has(one.key) && counterBits === 64) {
              counters.set(one.key, new Array<number>(CPUS * SLOTS).fill(0));
              read();
            }
          }
        }
        read();
        expect(totals).toEqual(happened);
      }),
    );
  });

  test('missed frames lead to no negative count, and no event is reported twice', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat({ max: 50 }), { minLength: 3, maxLength: 3 })), (gains) => {
        const increases = new KernelIncreases();
        let counters = [0, 0, 0];
        let happened = 0;
        let total = 0;
        for (const [i, gain] of gains.entries()) {
          if (i % 5 === 4) counters = [0, 0, 0];
          counters = counters.map((count, slot) => count + gain[slot]!);
          happened += gain.reduce((left, right) => left + right, 0);
          if (i % 3 !== 0) continue;
          for (const { counts } of increases.next(frame([histogram(counters)], { cpuCount: 1 }))) {
            for (const count of counts) {
              expect(count).toBeGreaterThanOrEqual(0);
              total += count;
            }
          }
          expect(total).toBeLessThanOrEqual(happened);
        }
      }),
    );
  });
});
