import { FakeClock } from '@hdrscope/testing/fake-clock';
import { expectRefused } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import { createRegistry, type FamilyOptions, type Snapshot } from '../src/index.ts';
import { readShown } from '../src/registry.ts';
import { isLive } from '../src/shown.ts';
import { heapBytes } from './support/heap.ts';

function setUp(options: Partial<FamilyOptions> = {}) {
  const clock = new FakeClock(1000);
  const registry = createRegistry({ clock });
  const family = registry.histogram({ name: 'x', resolution: 1, ...options });
  return { clock, registry, family };
}

/** The counts of the series of a snapshot, by their attribute `at`. */
function countsOf(snapshot: Snapshot): Record<string, number> {
  const series = snapshot.families.flatMap((family) => family.series);
  return Object.fromEntries(series.map(({ attributes, counts }) => [String(attributes.at), counts.total]));
}

describe('a series that is removed', () => {
  test('is in no later snapshot, and stays in those that were taken', async () => {
    const { registry, family } = setUp();
    for (const at of ['a', 'b', 'c']) family.with({ at }).record(1);
    const before = await registry.gather();
    expect([family.remove({ at: 'b' }), family.remove({ at: 'b' }), family.remove({ at: 'z' })]).toEqual([
      true,
      false,
      false,
    ]);
    family.with({ at: 'c' }).record(1);
    expect([countsOf(before), countsOf(await registry.gather())]).toEqual([
      { a: 1, b: 1, c: 1 },
      { a: 1, c: 2 },
    ]);
  });

  test('gives its last counts to the next difference, once', async () => {
    const { registry, family } = setUp();
    family.with({ at: 'a' }).record(1);
    const first = await registry.gather();
    family.with({ at: 'a' }).record(5);
    family.with({ at: 'young' }).record(7);
    family.clear();
    const second = await registry.gather();
    const third = await registry.gather();
    expect(countsOf(second)).toEqual({});
    expect(countsOf(second.since(first))).toEqual({ a: 1, young: 1 });
    expect(countsOf(third.since(first))).toEqual({ a: 1, young: 1 });
    expect(countsOf(third.since(second))).toEqual({});
    const [difference] = second.since(first).families[0]!.series;
    expect([difference!.min, difference!.max, difference!.sum]).toEqual([5, 5, 5]);
  });

  test('is in the difference from an empty snapshot that was taken before its end', async () => {
    const { registry, family } = setUp();
    const [before, family2] = [registry.emptySnapshot(), registry.histogram({ name: 'y', resolution: 1 })];
    for (const one of [family, family2]) {
      one.with({ at: one.name }).record(1);
      one.clear();
    }
    const now = await registry.gather();
    expect(countsOf(now.since(before))).toEqual({ x: 1, y: 1 });
    expect(countsOf((await registry.gather()).since(registry.emptySnapshot()))).toEqual({});
  });

  test('begins anew with a later start when it is recorded into, also through a handle', async () => {
    const { registry, family } = setUp();
    const handle = family.with({ at: 'a' });
    handle.record(3);
    const first = await registry.gather();
    family.remove({ at: 'a' });
    const without = await registry.gather();
    handle.record(9);
    const again = await registry.gather();
    expect([countsOf(first), countsOf(without), countsOf(again)]).toEqual([{ a: 1 }, {}, { a: 1 }]);
    const [before, after] = [first, again].map(({ families }) => families[0]!.series[0]);
    expect(after!.startTimeMs).toBeGreaterThan(before!.startTimeMs);
    expect([after!.min, after!.max, after!.sum]).toEqual([9, 9, 9]);
    expect(family.with({ at: 'a' })).toBe(handle);
    expect(countsOf(again.since(first))).toEqual({ a: 1 });
  });

  test('leaves its values to another series of the same attributes, whoever holds the old handle', async () => {
    const { registry, family } = setUp();
    const old = family.with({ at: 'a' });
    old.record(1);
    family.remove({ at: 'a' });
    const heir = family.with({ at: 'a' });
    heir.record(2);
    expect([old.record(3), old.record(4), old.record(-1)]).toEqual([true, true, false]);
    old.add(heir.snapshot());
    old.offerExemplar({ value: 3, timeMs: 0, attributes: {} });
    const [series] = (await registry.gather()).families[0]!.series;
    expect([series!.counts.total, series!.rejected.negative, series!.exemplars.length]).toEqual([6, 1, 1]);
  });

  test('leaves what it rejected to its family', async () => {
    const { registry, family } = setUp();
    const none = await registry.gather();
    for (const value of [1, -1, -1, Number.NaN]) family.with({ at: 'a' }).record(value);
    const first = await registry.gather();
    family.remove({ at: 'a' });
    family.with({ at: 'b' }).record(-1);
    family.remove({ at: 'b' });
    const last = await registry.gather();
    const ended = [none, first, last].map(({ families }) => families[0]!.endedRejected);
    expect(ended.map(({ negative, notANumber }) => [negative, notANumber])).toEqual([
      [0, 0],
      [0, 0],
      [3, 1],
    ]);
    // In a difference, the series that have ended are still there.
    const [difference] = last.since(first).families;
    expect(difference!.endedRejected.negative).toBe(0);
    expect(difference!.series.map(({ rejected }) => rejected.negative)).toEqual([1]);
  });

  test('frees its place under the cardinality limit', async () => {
    const { registry, family } = setUp({ cardinalityLimit: 1 });
    const first = family.with({ at: 'a' });
    first.record(1);
    family.with({ at: 'b' }).record(1);
    family.remove({ at: 'a' });
    family.with({ at: 'b' }).record(1);
    // The place is taken, so the old handle counts where all others do.
    first.record(1);
    expect(countsOf(await registry.gather())).toEqual({ b: 1, undefined: 2 });
    family.remove({ 'otel.metric.overflow': true });
    expect(countsOf(await registry.gather())).toEqual({ b: 1 });
  });

  test('loses nothing when another overflow series begins before the next difference', async () => {
    const { registry, family } = setUp({ cardinalityLimit: 1 });
    family.with({ at: 'a' }).record(1);
    const over = () => family.with({ at: 'b' });
    over().record(1);
    const first = await registry.gather();
    over().record(1);
    over().record(1);
    family.remove({ 'otel.metric.overflow': true });
    await registry.gather();
    over().record(1);
    const last = await registry.gather();
    const counts = last.since(first).families[0]!.series.map((one) => one.counts.total);
    expect(counts.sort()).toEqual([1, 2]);
  });

  test('begins anew with its attributes in any order', () => {
    const { family } = setUp();
    const orders = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ];
    const ended = orders.map((attributes) => family.with(attributes));
    for (let i = 0; i < 9; i++) family.with({ other: i }).record(1);
    family.remove({ b: 2, a: 1 });
    const next = orders.map((attributes) => family.with(attributes));
    expect([ended[0] === ended[1], next[0] === next[1], next[0] === ended[0]]).toEqual([true, true, false]);
    expect(family.with({ other: 3 }).snapshot().counts.total).toBe(1);
  });

  test('is forgotten by the memory when nobody holds an older snapshot', async () => {
    const { registry, family } = setUp();
    const ended: WeakRef<object>[] = [];
    for (let i = 0; i < 50; i++) {
      const series = family.with({ at: i });
      series.record(1);
      ended.push(new WeakRef(series));
      family.remove({ at: i });
    }
    await registry.gather();
    // What is held weakly stays until the end of the turn.
    await new Promise((resolve) => setTimeout(resolve, 10));
    heapBytes();
    expect(ended.filter((one) => one.deref() !== undefined).length).toBeLessThan(5);
  });

  test('is garbage also where readers take the current states, and nobody makes a snapshot', async () => {
    const { registry, family } = setUp();
    const ended: WeakRef<object>[] = [];
    for (let i = 0; i < 100; i++) {
      family.with({ at: i }).record(1);
      for (const { series } of (await readShown(registry)).families) {
        for (const one of series.filter(isLive)) {
          ended.push(new WeakRef(one.current().attributes));
          one.markRead();
        }
      }
      family.remove({ at: i });
    }
    await readShown(registry);
    // What is held weakly stays until the end of the turn.
    await new Promise((resolve) => setTimeout(resolve, 10));
    heapBytes();
    expect(ended.filter((one) => one.deref() !== undefined).length).toBeLessThan(5);
  });
});

test('every value is in exactly one difference, in any order of records, removals, restarts and snapshots', async () => {
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ record: fc.nat(3), byHandle: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
    { weight: 2, arbitrary: fc.record({ reader: fc.nat(1) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const { registry, family } = setUp({ cardinalityLimit: 3 });
      const handles = [0, 1, 2, 3].map((at) => family.with({ at }));
      const readers = [registry.emptySnapshot(), registry.emptySnapshot()];
      const seen = [0, 0];
      let recorded = 0;
      const read = async (reader: number): Promise<void> => {
        const now = await registry.gather();
        for (const { series } of now.changesSince(readers[reader]!)) {
          for (const { counts } of series) seen[reader]! += counts.total;
        }
        readers[reader] = now;
      };
      for (const one of actions) {
        if (one === 'clear') family.clear();
        else if ('remove' in one) family.remove({ at: one.remove });
        else if ('reader' in one) await read(one.reader);
        else {
          const series = one.byHandle ? handles[one.record]! : family.with({ at: one.record });
          series.record(1 + one.record);
          recorded++;
        }
      }
      await read(0);
      await read(1);
      expect(seen).toEqual([recorded, recorded]);
    }),
  );
});

describe('series that expire', () => {
  test('end when they have counted nothing for so long, at a gather', async () => {
    const { clock, registry, family } = setUp({ expireAfterMs: 1000 });
    for (const at of ['quiet', 'busy']) family.with({ at }).record(1);
    await registry.gather();
    clock.advance(1000);
    family.with({ at: 'busy' }).record(1);
    expect(countsOf(await registry.gather())).toEqual({ quiet: 1, busy: 2 });
    clock.advance(1);
    expect(countsOf(await registry.gather())).toEqual({ busy: 2 });
    clock.advance(1000);
    expect(countsOf(await registry.gather())).toEqual({});
    family.with({ at: 'quiet' }).record(1);
    expect(countsOf(await registry.gather())).toEqual({ quiet: 1 });
  });

  test('end so too where a reader takes the current states, which makes no snapshots', async () => {
    const { clock, registry, family } = setUp({ expireAfterMs: 1000 });
    const read = async (): Promise<Record<string, number>> => {
      const { families } = await readShown(registry);
      const counts: Record<string, number> = {};
      for (const series of families[0]!.series.filter(isLive)) {
        const { attributes, counts: now } = series.current();
        counts[attributes.at as string] = now.total;
        series.markRead();
      }
      return counts;
    };
    for (const at of ['quiet', 'busy']) family.with({ at }).record(1);
    expect(await read()).toEqual({ quiet: 1, busy: 1 });
    clock.advance(1000);
    family.with({ at: 'busy' }).record(1);
    expect(await read()).toEqual({ quiet: 1, busy: 2 });
    clock.advance(1);
    expect(await read()).toEqual({ busy: 2 });
    clock.advance(1000);
    expect(await read()).toEqual({});
    family.with({ at: 'quiet' }).record(1);
    expect(await read()).toEqual({ quiet: 1 });
  });

  test('end under the cardinality limit too, which then has room', async () => {
    const { clock, registry, family } = setUp({ expireAfterMs: 1000, cardinalityLimit: 1 });
    family.with({ at: 'a' }).record(1);
    family.with({ at: 'b' }).record(1);
    await registry.gather();
    clock.advance(1001);
    await registry.gather();
    family.with({ at: 'b' }).record(1);
    expect(countsOf(await registry.gather())).toEqual({ b: 1 });
  });

  test.each([0, -1, Number.NaN])('do not do so after %d ms', (expireAfterMs) => {
    expectRefused(() => setUp({ expireAfterMs }), 'ERR_INVALID_OPTION');
  });
});
