import { FakeClock } from '@hdrscope/testing/fake-clock';
import fc from 'fast-check';
import {
  type Attributes,
  createRegistry,
  EMPTY_SNAPSHOT,
  type Registry,
  type SeriesSnapshot,
  type Snapshot,
} from '../src/index.ts';
import { canonicalText, snapshotAt } from '../src/internal.ts';
import { attributes, ticks } from './support/arbitraries.ts';
import { familyIn, onlySeries, slotsOf } from './support/state.ts';

type Recording = readonly [family: string, attributes: Attributes, ticks: number];

const recordings: fc.Arbitrary<Recording[]> = fc.array(
  fc.tuple(fc.constantFrom('x', 'y'), attributes, fc.oneof(ticks, fc.constant(-1))),
  { maxLength: 30 },
);

function play(registry: Registry, played: readonly Recording[]): void {
  for (const [name, set, value] of played) {
    registry.histogram({ name, resolution: 1 }).with(set).record(value);
  }
}

/** Counts and rejections by family and attributes, of series that have any. */
function countsOf(snapshot: Snapshot): Map<string, unknown> {
  const counts = new Map<string, unknown>();
  for (const { name, series } of snapshot.families) {
    for (const one of series) {
      const { negative } = one.rejected;
      if (one.histogram.totalCount + negative === 0) continue;
      counts.set(`${name} ${canonicalText(one.attributes)}`, [slotsOf(one.histogram), negative]);
    }
  }
  return counts;
}

function allSeries(snapshot: Snapshot): SeriesSnapshot[] {
  return snapshot.families.flatMap(({ series }) => series);
}

describe('the difference from an earlier snapshot', () => {
  test('is the values that were recorded in between', async () => {
    await fc.assert(
      fc.asyncProperty(recordings, recordings, async (before, between) => {
        const [registry, onlyBetween] = [createRegistry(), createRegistry()];
        play(registry, before);
        const first = await registry.gather();
        play(registry, between);
        play(onlyBetween, between);
        const delta = (await registry.gather()).since(first);

        expect(countsOf(delta)).toEqual(countsOf(await onlyBetween.gather()));
        expect(allSeries(delta)).toHaveLength(countsOf(delta).size);
      }),
    );
  });

  test('gives the later snapshot when it is added to the earlier one', async () => {
    await fc.assert(
      fc.asyncProperty(recordings, recordings, async (before, between) => {
        const [registry, rebuilt] = [createRegistry(), createRegistry()];
        play(registry, before);
        const first = await registry.gather();
        play(registry, between);
        const second = await registry.gather();

        for (const snapshot of [first, second.since(first)]) {
          for (const family of snapshot.families) {
            const target = rebuilt.histogram({ name: family.name, resolution: 1 });
            for (const one of family.series) {
              target.with(one.attributes).add(one.histogram);
              for (let i = 0; i < one.rejected.negative; i++) target.with(one.attributes).record(-1);
            }
          }
        }
        expect(countsOf(await rebuilt.gather())).toEqual(countsOf(second));
      }),
    );
  });

  test('has the minimum and maximum of its values, also when others take snapshots', async () => {
    await fc.assert(
      fc.asyncProperty(recordings, recordings, async (before, between) => {
        const registry = createRegistry();
        play(registry, before);
        const first = await registry.gather();
        const half = Math.floor(between.length / 2);
        play(registry, between.slice(0, half));
        await registry.gather();
        play(registry, between.slice(half));
        const second = await registry.gather();
        for (const family of second.since(first).families) {
          for (const one of family.series) {
            const values = between
              .filter(
                ([name, set]) => name === family.name && canonicalText(set) === canonicalText(one.attributes),
              )
              .map(([, , value]) => value)
              .filter((value) => value >= 0);
            if (values.length === 0) continue;
            expect([one.min, one.max]).toEqual([Math.min(...values), Math.max(...values)]);
          }
        }
      }),
    );
  });

  test('is nothing when nothing was recorded', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    const first = await registry.gather();
    const delta = (await registry.gather()).since(first);
    expect(delta.families.map(({ name, series }) => [name, series])).toEqual([['x', []]]);
  });

  test('leaves out series without new values, and has new series from their start', async () => {
    const clock = new FakeClock(1000);
    const registry = createRegistry({ clock });
    const family = registry.histogram({ name: 'x' });
    const [quiet, busy] = [family.with({ is: 'quiet' }), family.with({ is: 'busy' })];
    quiet.record(1);
    busy.record(1);
    clock.advance(10_000);
    const first = await registry.gather();
    clock.advance(500);
    family.with({ is: 'new' }).record(3);
    family.with({ is: 'new and empty' });
    busy.record(2);
    busy.record(2);
    clock.advance(9500);
    const second = await registry.gather();

    const delta = familyIn(second.since(first), 'x').series;
    expect(
      delta.map((one) => [one.attributes.is, one.startTimeMs, one.histogram.totalCount, one.sum]),
    ).toEqual([
      ['busy', 11_000, 2, 4],
      ['new', 11_500, 1, 3],
    ]);
  });

  test('begins where the earlier snapshot ends, also for a series that was quiet for long', async () => {
    const clock = new FakeClock(0);
    const registry = createRegistry({ clock });
    const series = registry.histogram({ name: 'x' }).with({});
    const snapshots: Snapshot[] = [];
    for (const records of [1, 0, 2]) {
      for (let i = 0; i < records; i++) series.record(1);
      clock.advance(1000);
      snapshots.push(await registry.gather());
    }
    const delta = onlySeries(familyIn(snapshots[2]!.since(snapshots[1]!), 'x'));
    expect([delta.startTimeMs, delta.histogram.totalCount]).toEqual([2000, 2]);
    expect(snapshots[2]!.since(snapshots[1]!).timeMs).toBe(3000);
  });

  test('begins at another time when the earlier snapshot is moved there, also with series that have ended', async () => {
    const clock = new FakeClock();
    const registry = createRegistry({ clock });
    const family = registry.histogram({ name: 'x' });
    family.with({ i: 0 }).record(1);
    const before = await registry.gather();
    const moved = snapshotAt(before, before.timeMs - 5);
    clock.advance(1000);
    family.with({ i: 0 }).record(2);
    family.with({ i: 1 }).record(3);
    family.remove({ i: 1 });
    const now = await registry.gather();
    const changes = (base: Snapshot) =>
      [...now.changesSince(base)].flatMap(({ series }) =>
        [...series].map(({ attributes: { i }, startTimeMs, counts }) => [i, startTimeMs, counts.total]),
      );
    expect(changes(moved)).toEqual([
      [1, now.timeMs, 1],
      [0, before.timeMs - 5, 1],
    ]);
    expect(changes(before)).toEqual([
      [1, now.timeMs, 1],
      [0, before.timeMs, 1],
    ]);
  });

  test('has a series with a new rejection, and without a new value', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'x', unit: 's' }).with({});
    series.record(5);
    for (const value of [-1, Number.NaN, 1e9]) series.record(value);
    const first = await registry.gather();
    for (const value of [-1, -1, Number.NaN]) series.record(value);
    const delta = onlySeries(familyIn((await registry.gather()).since(first), 'x'));
    expect(delta.rejected).toEqual({ notANumber: 1, negative: 2, tooLarge: 0, largest: 0, overflowing: 0 });
    expect(delta.histogram.totalCount).toBe(0);
    expect([delta.sum, delta.min, delta.max]).toEqual([0, 0, 0]);
  });

  test('has the largest value that was too large', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'x', unit: 's' }).with({});
    series.record(1e9);
    const first = await registry.gather();
    series.record(3e9);
    const delta = onlySeries(familyIn((await registry.gather()).since(first), 'x'));
    expect(delta.rejected).toMatchObject({ tooLarge: 1, largest: 3e9 });
  });

  test('is the whole series when the series began anew', async () => {
    const clock = new FakeClock(1000);
    const before = createRegistry({ clock });
    for (let i = 0; i < 5; i++) before.histogram({ name: 'x' }).with({}).record(1);
    const first = await before.gather();
    clock.advance(1000);
    // A restart: the same name and attributes, and counts from zero.
    const after = createRegistry({ clock });
    after.histogram({ name: 'x' }).with({}).record(7);
    clock.advance(1000);
    const delta = onlySeries(familyIn((await after.gather()).since(first), 'x'));
    expect([delta.startTimeMs, delta.histogram.totalCount, delta.sum]).toEqual([2000, 1, 7]);
  });

  test('is the whole family when the family is new', async () => {
    const registry = createRegistry();
    const first = await registry.gather();
    registry.histogram({ name: 'x' }).with({}).record(1);
    const second = await registry.gather();
    expect(onlySeries(familyIn(second.since(first), 'x'))).toBe(onlySeries(familyIn(second, 'x')));
  });

  test('is everything, from the start of each series, when nothing came before', async () => {
    const clock = new FakeClock(1000);
    const registry = createRegistry({ clock });
    registry.histogram({ name: 'x' }).with({}).record(1);
    clock.advance(500);
    registry.histogram({ name: 'y' }).with({}).record(2);
    registry.histogram({ name: 'y' }).with({ is: 'empty' });
    const first = await registry.gather();
    expect(countsOf(first.since(EMPTY_SNAPSHOT))).toEqual(countsOf(first));
    expect(allSeries(first.since(EMPTY_SNAPSHOT)).map(({ startTimeMs }) => startTimeMs)).toEqual([
      1000, 1500,
    ]);
  });

  test('keeps families of the same name in different scopes apart', async () => {
    const registry = createRegistry();
    const [a, b] = ['a', 'b'].map((name) => registry.histogram({ name: 'x', scope: { name } }).with({}));
    a!.record(1);
    const first = await registry.gather();
    b!.record(1);
    const delta = (await registry.gather()).since(first);
    expect(delta.families.map(({ scope, series }) => [scope?.name, series.length])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
  });

  test('keeps the errors of the later snapshot', async () => {
    const registry = createRegistry();
    const first = await registry.gather();
    registry.add({ name: 'broken', collect: () => Promise.reject(new Error('broken')) });
    const second = await registry.gather();
    expect(second.since(first).errors).toEqual(second.errors);
    expect(first.since(first).errors).toEqual([]);
  });

  test('changes neither snapshot', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'x' }).with({});
    series.record(1);
    const first = await registry.gather();
    series.record(2);
    const second = await registry.gather();
    const before = [countsOf(first), countsOf(second)];
    second.since(first);
    second.since(first);
    expect([countsOf(first), countsOf(second)]).toEqual(before);
  });

  test('is the same for any number of readers, each with its own earlier snapshot', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'x' }).with({});
    const snapshots = [await registry.gather()];
    for (let round = 1; round <= 4; round++) {
      for (let i = 0; i < round; i++) series.record(1);
      snapshots.push(await registry.gather());
    }
    const counted = (later: number, earlier: number): number =>
      onlySeries(familyIn(snapshots[later]!.since(snapshots[earlier]!), 'x')).histogram.totalCount;
    expect([1, 2, 3, 4].map((round) => counted(round, round - 1))).toEqual([1, 2, 3, 4]);
    expect([counted(4, 0), counted(4, 2), counted(2, 0)]).toEqual([10, 7, 3]);
  });
});
