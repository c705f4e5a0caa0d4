import { histogramSince, packedRuns } from '@hdrscope/core/internal';
import type { SeriesSnapshot } from '@hdrscope/registry';
import fc from 'fast-check';
import { placeToMerge } from '../../src/history/coarsening.ts';
import { type PackedInterval, seriesIn } from '../../src/history/packed-interval.ts';
import { START_MS, TimedPage } from '../support-history.ts';

/** The counts of a series in some intervals, by slot. */
function countsIn(intervals: readonly PackedInterval[], id: number, slotCount: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const interval of intervals) {
    const packed = seriesIn(interval, id);
    if (packed === undefined) continue;
    const runs = packedRuns(packed.counts, slotCount);
    for (let length = runs.next(); length > 0; length = runs.next()) {
      for (let i = 0; i < length; i++) {
        counts.set(runs.slots[i]!, (counts.get(runs.slots[i]!) ?? 0) + runs.counts[i]!);
      }
    }
  }
  return new Map([...counts].sort(([a], [b]) => a - b));
}

const steps = fc.array(
  fc.record({
    ms: fc.integer({ min: 100, max: 5000 }),
    values: fc.array(fc.tuple(fc.nat(2), fc.double({ min: 1e-6, max: 100, noNaN: true })), { maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 60 },
);

test('the counts of any intervals are the difference of two states of the registry, however often they were merged', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (all, isFull) => {
      // Without room for anything, only the fewest intervals stay.
      const page = new TimedPage(isFull ? { mostBytes: 0 } : {});
      const family = page.family();
      const states = new Map<number, readonly SeriesSnapshot[]>();
      const note = async () => states.set(page.nowMs, (await page.registry.gather()).families[0]!.series);
      for (const n of [0, 1, 2]) family.with({ n });
      await page.update();
      await note();
      for (const { ms, values } of [...all, ...all]) {
        for (const [n, value] of values) family.with({ n }).record(value);
        await page.pass(ms);
        await note();
      }
      const { intervals } = page.history;
      expect(intervals.length).toBeLessThanOrEqual(isFull ? 60 : 120);
      for (const { facts, family, latest } of page.table.series) {
        const place = states.get(START_MS)!.findIndex(({ attributes }) => attributes === latest.attributes);
        for (const [from, to] of [
          [0, intervals.length - 1],
          [Math.floor(intervals.length / 3), Math.floor(intervals.length / 2)],
        ] as const) {
          const within = intervals.slice(from, to + 1);
          const now = states.get(within.at(-1)!.endMs)![place]!;
          const then = states.get(within[0]!.startMs)![place]!;
          const wanted = [...histogramSince(now, then).recordedValues()].map((step) => [
            family.layout.slotOf(step.valueIteratedTo),
            step.countAtValueIteratedTo,
          ]);
          expect([...countsIn(within, facts.id, family.layout.slotCount)]).toEqual(wanted);
          const sum = within.reduce((total, interval) => total + (seriesIn(interval, facts.id)?.sum ?? 0), 0);
          expect(sum).toBeCloseTo(now.sum - then.sum, 6);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('memory is bounded, old times are coarser than new ones, and nothing is lost', async () => {
  const page = new TimedPage({ spanMs: 1e9, mostBytes: 400_000 });
  const series = Array.from({ length: 20 }, (_, n) => page.family().with({ n }));
  await page.update();
  for (let second = 0; second < 2000; second++) {
    for (const [n, one] of series.entries()) {
      for (let i = 0; i < 5; i++) one.record(0.001 * (1 + n + ((second * 7 + i * 13) % 97)));
    }
    await page.pass(1000);
  }
  const { facts, intervals } = page.history;
  expect(facts.bytes).toBeLessThanOrEqual(400_000);
  expect(facts.bytes).toBe(intervals.reduce((sum, { byteLength }) => sum + byteLength, 0));
  expect(facts.range).toEqual({ fromMs: START_MS, toMs: START_MS + 2_000_000 });
  expect(intervals.length).toBeGreaterThanOrEqual(60);
  expect(facts.finestMs).toBeLessThan(facts.coarsestMs);
  const lengths = intervals.map(({ startMs, endMs }) => endMs - startMs);
  const meanOf = (part: readonly number[]) => part.reduce((sum, ms) => sum + ms, 0) / part.length;
  const third = Math.floor(lengths.length / 3);
  expect(meanOf(lengths.slice(0, third))).toBeGreaterThan(2 * meanOf(lengths.slice(-third)));
  // They follow each other without a gap.
  intervals.forEach(({ endMs }, i) => {
    expect(endMs).toBe(intervals[i + 1]?.startMs ?? page.nowMs);
  });
  const { layout } = page.table.series[0]!.family;
  const counted = [...countsIn(intervals, 0, layout.slotCount).values()].reduce(
    (sum, count) => sum + count,
    0,
  );
  expect(counted).toBe(10_000);
});

test('a record is coarser at all times alike', () => {
  const second = (at: number, length = 1) => ({ startMs: at * 1000, endMs: (at + length) * 1000 });
  const timeline = [second(0, 2), second(2), second(3), second(4, 2), second(6), second(7)];
  expect(placeToMerge(timeline, 'evenly')).toBe(1);
  // In a history that goes on, a longer interval far back loses less than a short one now.
  const long = [second(0, 8), second(8, 8), ...Array.from({ length: 600 }, (_, i) => second(16 + i))];
  expect(placeToMerge(long, 'older')).toBeGreaterThan(1);
  expect(placeToMerge([second(0), second(1), ...long.slice(300)], 'older')).toBe(0);
});

test('what is older than the span is forgotten, and so are series that counted nothing since', async () => {
  const page = new TimedPage({ spanMs: 10_000 });
  await page.update();
  page.family().with({ n: 'old' }).record(1);
  await page.pass(1000);
  for (let second = 0; second < 9; second++) {
    page.family().with({ n: 'new' }).record(1);
    await page.pass(1000);
  }
  expect([...page.history.series].map(({ facts }) => facts.attributes[0])).toEqual(['n=old', 'n=new']);

  page.family().with({ n: 'new' }).record(1);
  await page.pass(1000);

  expect([...page.history.series].map(({ facts }) => facts.attributes[0])).toEqual(['n=new']);
  expect(page.history.facts.range).toEqual({ fromMs: START_MS + 1000, toMs: START_MS + 11_000 });
});

test('the history holds no snapshots', async () => {
  const page = new TimedPage();
  const series = page.family().with({});
  for (let second = 0; second < 3; second++) {
    series.record(1);
    await page.pass(1000);
  }
  const held = [...page.history.series];
  expect(held).toHaveLength(1);
  expect(held[0]).not.toHaveProperty('latest');
  expect(held[0]).not.toHaveProperty('latest');
});
