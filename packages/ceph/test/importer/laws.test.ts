import { caseCount } from '@hdrscope/testing/case-count';
import { COUNTER, LATENCY, SIZE } from '@hdrscope/testing/osd';
import fc from 'fast-check';
import {
  type AskDaemon,
  askHistograms,
  dumpIncrease,
  formatHistogramDump,
  type ImportedHistogram,
  PerfHistogram,
  parseHistogramDump,
} from '../../src/index.ts';
import { measureAxis } from '../../src/internal.ts';
import { FakeOsd } from '../support/fake-osd.ts';

/** An operation as an OSD sees it. */
type Operation = readonly [latencyNs: bigint, bytes: bigint];

/** What the counters and the histogram of an OSD have counted. The counters of a right one have all operations of the histogram. */
interface State {
  readonly inHistogram: readonly Operation[];
  readonly inCounters: readonly Operation[];
}

/** An OSD that is asked at moments: its answers are made of these states, the last one again and again. */
function osdOf(...states: readonly State[]): AskDaemon & { asked: number } {
  const ask = async (prefix: string): Promise<string> => {
    const { inHistogram, inCounters } = states[Math.min(ask.asked++, states.length - 1)]!;
    if (prefix === 'perf dump') {
      const ns = inCounters.reduce((sum, [latency]) => sum + latency, 0n);
      const bytes = inCounters.reduce((sum, [, size]) => sum + size, 0n);
      // As Ceph prints it, with nine decimals.
      const sum = `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, '0')}`;
      const count = inCounters.length;
      return `{"osd":{"op_w":${count},"op_w_in_bytes":${bytes},"op_w_latency":{"avgcount":${count},"sum":${sum},"avgtime":0.000000000}}}`;
    }
    const histogram = new PerfHistogram([LATENCY, SIZE]);
    for (const [latency, bytes] of inHistogram) histogram.record(Number(latency), Number(bytes));
    return formatHistogramDump([{ name: 'osd', counters: [{ name: COUNTER, histogram }] }], {
      format: 'json',
    });
  };
  ask.asked = 0;
  return ask;
}

const resting = (operations: readonly Operation[]): State => ({
  inHistogram: operations,
  inCounters: operations,
});

const first = async (ask: AskDaemon): Promise<ImportedHistogram> => (await askHistograms(ask))[0]!;

const operation = fc.tuple(
  fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 10n }), fc.bigInt({ min: 0n, max: 2n ** 53n - 1n })),
  fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 22n }), fc.constantFrom(0n, 512n, 4096n, 65_536n)),
);
const operations = fc.array(operation, { minLength: 1, maxLength: 12 });

test('sums of an OSD that rests are exact integers, also beyond 2^53, and so are those of increases', async () => {
  await fc.assert(
    fc.asyncProperty(operations, operations, async (early, late) => {
      const all = [...early, ...late];
      const [before, after] = [await first(osdOf(resting(early))), await first(osdOf(resting(all)))];
      const [increase] = dumpIncrease([before], [after]);
      for (const [imported, counted] of [
        [before, early],
        [after, all],
        [increase!, late],
      ] as const) {
        for (const axis of [0, 1]) {
          const sum = counted.reduce((total, one) => total + one[axis as 0 | 1], 0n);
          const known = measureAxis(imported, axis, []);
          expect([BigInt(known.sum.lower), BigInt(known.sum.upper), known.sumSource]).toEqual([
            sum,
            sum,
            'perf dump',
          ]);
          // Decimal-clean: a number where a double is exact, and a bigint elsewhere.
          expect(typeof known.sum.lower).toBe(sum <= 2n ** 53n - 1n ? 'number' : 'bigint');
        }
      }
    }),
    { numRuns: caseCount(60, 1000) },
  );
});

test('sums by slots are exact integers, and contain the sum of the values', () => {
  fc.assert(
    fc.property(operations, fc.integer({ min: 1, max: 2 ** 40 }), (counted, times) => {
      const histogram = new PerfHistogram([LATENCY, SIZE]);
      for (const [latency, bytes] of counted) histogram.record(Number(latency), Number(bytes));
      histogram.addCells(histogram.cells.map((count) => count * BigInt(times - 1)));
      const { sum } = measureAxis({ histogram, sums: undefined }, 1, []);
      const total = counted.reduce((all, [, bytes]) => all + bytes, 0n) * BigInt(times);
      expect([sum.lower <= total, total <= sum.upper]).toEqual([true, true]);
      for (const bound of [sum.lower, sum.upper]) expect(BigInt(bound) % 512n).toBe(0n);
    }),
    { numRuns: caseCount(200, 5000) },
  );
  // Beyond 2^53: bigints.
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  histogram.addAt([13, 30], 2 ** 40 + 1);
  expect(measureAxis({ histogram, sums: undefined }, 1, []).sum).toEqual({
    lower: (2n ** 40n + 1n) * 2n ** 37n,
    upper: (2n ** 40n + 1n) * 2n ** 38n,
  });
});

test('an OSD that counts while it is asked breaks no law, in whatever order its answers come', async () => {
  // Ceph counts an operation in op_w, then its bytes, then its latency, and then in the histogram.
  const step = fc.record({ counted: fc.nat(3), underWay: fc.nat(2) });
  const states = fc.tuple(operations, fc.array(step, { minLength: 9, maxLength: 9 }));
  await fc.assert(
    fc.asyncProperty(states, async ([all, steps]) => {
      let [done, finished] = [0, 0];
      const moments = steps.map(({ counted, underWay }): State => {
        done = Math.min(all.length, done + counted);
        finished = Math.max(finished, done - underWay);
        return { inHistogram: all.slice(0, finished), inCounters: all.slice(0, done) };
      });
      const { histogram, measured } = await first(osdOf(...moments));
      const counted = all.slice(0, histogram.totalCount);
      const ns = counted.reduce((total, [latency]) => total + latency, 0n);
      if (measured === undefined) return;
      expect([measured[0]!.lower <= ns, ns <= measured[0]!.upper]).toEqual([true, true]);
    }),
    { numRuns: caseCount(60, 1000) },
  );
});

test('a histogram with fewer operations than its counter breaks no law: perf reset does not reset both at one moment', async () => {
  const writes: Operation[] = [
    [5000n, 4096n],
    [7000n, 4096n],
  ];
  const { measured, histogram } = await first(osdOf({ inHistogram: writes.slice(1), inCounters: writes }));
  expect([histogram.totalCount, measured]).toEqual([1, undefined]);
});

test('a histogram with more operations than its counter is refused, with both numbers', async () => {
  await fc.assert(
    fc.asyncProperty(operations, operations, async (more, counted) => {
      const ask = osdOf({ inHistogram: [...counted, ...more], inCounters: counted });
      const all = counted.length + more.length;
      await expect(askHistograms(ask)).rejects.toMatchObject({
        code: 'ERR_DECODE',
        message: `osd.${COUNTER}: op_w must be at least ${all}, the operations of the histogram, got ${counted.length}`,
        details: { counter: 'op_w', least: all, got: counted.length, histogram: COUNTER },
      });
      // A reset between the answers can break the law once: it is asked three times.
      expect(ask.asked).toBe(9);
    }),
    { numRuns: caseCount(10, 200) },
  );
});

test.each([
  [0, 'op_w_latency', [[250_000n, 4096n]], [[150_000n, 4096n]], '200000 to 400000 ns', 150_000],
  [1, 'op_w_in_bytes', [[250_000n, 4096n]], [[250_000n, 4095n]], '4096 to 8192 bytes', 4095],
  [1, 'op_w_in_bytes', [[250_000n, 4096n]], [[250_000n, 8193n]], '4096 to 8192 bytes', 8193],
] as const)(
  'a sum outside the slots of axis %i is refused, with its numbers: %s',
  async (_, counter, inHistogram, inCounters, range, got) => {
    const asked = askHistograms(osdOf({ inHistogram, inCounters }));
    await expect(asked).rejects.toMatchObject({
      code: 'ERR_DECODE',
      message: `osd.${COUNTER}: the sum of ${counter} must be from ${range}, as the slots of the histogram have it, got ${got}`,
      details: { counter, got },
    });
  },
);

test('a law that is broken once is not broken: the answers of a later attempt count', async () => {
  const writes: Operation[] = [[5000n, 4096n]];
  const reset = resting([]);
  // The counters are reset between the histogram and them, and have grown again meanwhile.
  const states = [resting([]), resting([...writes, ...writes]), resting(writes)];
  const { histogram, measured } = await first(osdOf(...states));
  expect([histogram.totalCount, measured![0]!.value]).toEqual([1, 5000]);
  expect((await first(osdOf(resting(writes), resting(writes), reset))).histogram.totalCount).toBe(0);
});

test('a sum of a dump that its slots cannot have is not taken for the mean', async () => {
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  for (let i = 0; i < 3; i++) histogram.record(150_000, 4096);
  const factsOf = (bytes: bigint) => measureAxis({ histogram, sums: [450_000n, bytes] }, 1, []);
  // A write that is counted between the sum and the slots: all sizes are lower bounds of their slots.
  expect(factsOf(2n * 4096n)).toMatchObject({
    sum: { lower: 12_288, upper: 24_576 },
    mean: { lower: 4096, upper: 8192 },
    sumSource: 'slots',
  });
  expect(factsOf(3n * 4096n)).toMatchObject({ mean: { lower: 4096, upper: 4096 }, sumSource: 'dump' });
  expect(factsOf(3n * 8192n + 1n).sumSource).toBe('slots');
  const text = (bytes: bigint) =>
    formatHistogramDump([{ name: 'osd', counters: [{ name: 'w', histogram, sums: [450_000n, bytes] }] }], {
      release: 'next',
    });
  const notesOf = (bytes: bigint) => parseHistogramDump(text(bytes))[0]!.notes;
  expect(notesOf(12_288n)).toEqual([]);
  expect(notesOf(12_287n)).toEqual([
    'osd.w.sum[1] is 12287, and its slots have 12288 to 24576: the slots count, as the dump is not of one moment',
  ]);
  // A value beyond the last bound has no bound, so its sum may be anything above.
  histogram.addAt([1, 31], 2n ** 60n);
  expect(notesOf(2n ** 60n)).toHaveLength(1);
  expect(notesOf(2n ** 63n)).toHaveLength(1);
});

test('an OSD of the other tests keeps all laws', async () => {
  const osd = new FakeOsd();
  osd.write(123_456_789, 65_536);
  expect((await askHistograms(osd.ask))[0]!.measured).toHaveLength(2);
});
