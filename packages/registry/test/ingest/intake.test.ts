import { Histogram } from '@hdrscope/core';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import fc from 'fast-check';
import {
  createRegistry,
  EMPTY_SNAPSHOT,
  type Exemplar,
  type IngestOptions,
  ingest,
  type Registry,
  type RejectedCounts,
} from '../../src/index.ts';
import type { CounterState } from '../../src/internal.ts';
import { FAMILY, onlySeriesIn, reading, totalIn } from '../support/readings.ts';
import { familyIn, onlySeries } from '../support/state.ts';

function newIntake(options: IngestOptions = {}) {
  const registry = createRegistry();
  return { registry, ...withTake(registry, options) };
}

function withTake(registry: Registry, options: IngestOptions = {}) {
  const ingestion = ingest(registry, { name: 's' }, options);
  /** Takes a reading whose first slot has this count. */
  const take = (count: number, counter?: CounterState, key = 'a') =>
    ingestion.take([reading([count, 0, 0, 0], { key, counter })]);
  return { ingestion, take };
}

describe('a counter', () => {
  test('that has fallen began anew, and all its values are new', () => {
    const { ingestion } = newIntake();
    ingestion.take([reading([9, 0, 0, 0], { sum: 9, min: 0.5, max: 1 })]);
    ingestion.take([reading([0, 2, 0, 0], { sum: 3, min: 1.5, max: 1.5 })]);
    expect(ingestion.health).toMatchObject({ resets: 1, newLives: 0, values: 11 });
  });

  test('of another epoch counts from 0 and is not a reset', async () => {
    const { registry, ingestion, take } = newIntake();
    for (const epoch of ['1', '2']) take(4, { epoch });
    expect(await totalIn(registry)).toBe(8);
    expect(ingestion.health).toMatchObject({ resets: 0, newLives: 1 });
  });

  test('whose epochs go on side by side is compared within each epoch', async () => {
    const { registry, take } = newIntake({ epochs: 'side by side' });
    take(4, { epoch: '1' });
    take(9, { epoch: '2' });
    take(5, { epoch: '1' });
    take(10, { epoch: '2' });
    expect(await totalIn(registry)).toBe(15);
  });

  test('of deltas adds each reading once, in whatever order the last few come', async () => {
    const { registry, ingestion, take } = newIntake();
    for (const sequence of [10n, 30n, 20n, 10n, 30n, 40n]) take(1, { temporality: 'delta', sequence });
    expect(await totalIn(registry)).toBe(4);
    expect(ingestion.health).toMatchObject({ duplicates: 2, late: 0 });
  });

  test('adds nothing from a repeated reading or a late one', async () => {
    const { registry, ingestion, take } = newIntake();
    const states = [
      [1n, 3],
      [3n, 8],
      [3n, 8],
      [2n, 5],
      [4n, 9],
    ] as const;
    for (const [sequence, count] of states) take(count, { sequence });
    expect(await totalIn(registry)).toBe(9);
    expect(ingestion.health).toMatchObject({ duplicates: 1, late: 1, readings: 5 });
  });

  test('of a key that was missing in a whole answer counts from 0 when it comes back', async () => {
    const { registry, ingestion, take } = newIntake({ isWhole: true });
    take(4);
    ingestion.take([]);
    take(5);
    expect(await totalIn(registry)).toBe(9);
    expect(ingestion.health).toMatchObject({ evicted: 1, resets: 0 });
  });

  test('that began earlier than its series moves the start of the series', async () => {
    const registry = createRegistry({ clock: new FakeClock(5000) });
    withTake(registry).take(1, { startTimeMs: 3000 });
    expect((await onlySeriesIn(registry)).startTimeMs).toBe(3000);
  });
});

describe('facts beside the counts', () => {
  test('extremes are exact when they have moved, and those of the slots otherwise', async () => {
    const { registry, ingestion } = newIntake();
    ingestion.take([reading([0, 1, 0, 0], { min: 1.5, max: 1.5 })]);
    const before = await registry.gather();
    ingestion.take([reading([0, 2, 0, 1], { min: 1.5, max: 700 })]);
    const after = await registry.gather();
    const interval = onlySeries(familyIn(after.since(before), 'x'));
    expect([interval.min, interval.max]).toEqual([1.75, 700]);
    expect(onlySeries(familyIn(after, 'x'))).toMatchObject({ min: 1.5, max: 700 });
  });

  test('a range that the source knows narrows the slots, whatever the extremes were', async () => {
    const { registry, ingestion } = newIntake();
    for (const count of [3, 4]) {
      ingestion.take([reading([count, 0, 0, 0], { within: { min: 0 }, max: 7 })]);
    }
    const { sum, max } = await onlySeriesIn(registry);
    expect([sum, max]).toEqual([2, 7]); // in the middle from 0 to 1
    expect(ingestion.health.open).toBe(0);
  });

  test('rejected values are cumulative, and are added once', async () => {
    const { registry, ingestion } = newIntake();
    const rejected = (negative: number, tooLarge: number, largest: number): RejectedCounts => ({
      notANumber: 0,
      negative,
      tooLarge,
      largest,
      overflowing: 0,
    });
    ingestion.take([reading([1, 0, 0, 0], { rejected: rejected(2, 0, 0) })]);
    const before = await registry.gather();
    for (let times = 0; times < 2; times++) {
      ingestion.take([reading([1, 0, 0, 0], { rejected: rejected(3, 1, 5e20) })]);
    }
    const after = await registry.gather();
    expect(onlySeries(familyIn(after, 'x')).rejected).toEqual(rejected(3, 1, 5e20));
    expect(onlySeries(familyIn(after.since(before), 'x')).rejected).toEqual(rejected(1, 1, 5e20));
    expect(ingestion.health.values).toBe(1);
  });

  test('exemplars come along with new values, each once', async () => {
    const { registry, ingestion } = newIntake();
    const exemplar = (value: number, timeMs: number): Exemplar => ({
      value,
      timeMs,
      attributes: { trace_id: 'a' },
    });
    ingestion.take([reading([1, 0, 0, 0], { exemplars: [exemplar(0.75, 1000)] })]);
    ingestion.take([reading([1, 0, 1, 0], { exemplars: [exemplar(0.75, 1000), exemplar(2.5, 2000)] })]);
    const { exemplars } = await onlySeriesIn(registry);
    expect(exemplars).toEqual([exemplar(0.75, 1000), exemplar(2.5, 2000)]);
  });
});

describe('a reading that is refused', () => {
  test('does not affect the others', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'x', unit: 's' });
    const { ingestion } = withTake(registry);
    const other = reading([1, 0, 0, 0], { family: { ...FAMILY, name: 'y' }, key: 'b' });
    const refusals = ingestion.take([reading([1, 0, 0, 0], { attributes: { disk: 'a' } }), other]);
    expect(refusals).toMatchObject([
      {
        code: 'ERR_ALREADY_REGISTERED',
        message: 'the series {"disk":"a"} of "x": the family "x" is registered with unit "s", got "By"',
        details: {
          key: 'a',
          family: 'x',
          attributes: { disk: 'a' },
          reason: 'conflicting',
          problem: 'the family "x" is registered with unit "s", got "By"',
        },
      },
    ]);
    expect(await totalIn(registry)).toBe(1);
    expect(ingestion.health).toMatchObject({ refused: { conflicting: 1 }, readings: 1 });
  });

  test('for a count that would not be exact adds nothing', () => {
    const registry = createRegistry();
    const series = registry.histogram({ ...FAMILY, resolution: 1e-3 }).with({});
    const full = new Histogram({ highestTrackableValue: 1000 });
    full.record(1, Number.MAX_SAFE_INTEGER - 1);
    series.add(full);
    const { ingestion, take } = withTake(registry);
    expect(take(2)).toMatchObject([{ code: 'ERR_COUNT_OVERFLOW', details: { reason: 'countTooLarge' } }]);
    expect(ingestion.health).toMatchObject({ values: 0, streams: 0 });
  });

  test('because it contradicts an earlier one leaves that one in its place', async () => {
    const { registry, ingestion, take } = newIntake({ resets: 'never' });
    take(5);
    expect(take(4)).toMatchObject([{ code: 'ERR_INCOMPATIBLE', details: { reason: 'malformed' } }]);
    take(7);
    expect(await totalIn(registry)).toBe(7);
    expect(ingestion.health).toMatchObject({ refused: { malformed: 1 }, resets: 0 });
  });

  test('is not remembered: the same reading counts in full once it can be taken', async () => {
    const { registry, ingestion } = newIntake();
    const sequenced = (sum: number) => reading([3, 0, 0, 0], { sum, counter: { sequence: 1n } });
    registry.histogram({ name: 'y', unit: 's' });
    const conflicting = { ...sequenced(2), family: { ...FAMILY, name: 'y' } };
    expect(ingestion.take([conflicting])).toHaveLength(1);
    expect(ingestion.health.streams).toBe(0);
    expect(ingestion.take([sequenced(2)])).toEqual([]);
    expect(await totalIn(registry)).toBe(3);
    expect(ingestion.health).toMatchObject({ duplicates: 0, readings: 1, values: 3 });
  });

  test('because of the limit of streams has a new key; it is taken when a known key was silent for long', () => {
    const clock = new FakeClock(0);
    const { ingestion, take } = newIntake({ maxStreams: 1, forgetAfterMs: 1000, clock });
    expect(take(1)).toEqual([]);
    expect(take(1, undefined, 'b')).toMatchObject([
      {
        code: 'ERR_TOO_LARGE',
        details: {
          reason: 'tooManyStreams',
          problem: 'the stream is new, and the limit of 1 streams (maxStreams) is reached',
        },
      },
    ]);
    clock.advance(1000);
    expect(take(1, undefined, 'b')).toEqual([]);
    expect(ingestion.health.streams).toBe(1);
  });

  test('because of the limit of streams never has a known key, however many lives go on side by side', async () => {
    const { registry, ingestion, take } = newIntake({ maxStreams: 1, epochs: 'side by side' });
    for (const count of [2, 3]) {
      for (const epoch of ['1', '2', '3']) expect(take(count, { epoch })).toEqual([]);
    }
    expect(take(1, { epoch: '1' }, 'b')).toMatchObject([{ details: { reason: 'tooManyStreams' } }]);
    expect(await totalIn(registry)).toBe(9);
    expect(ingestion.health).toMatchObject({ streams: 1, newLives: 2, refused: { tooManyStreams: 1 } });
  });
});

test('a reading without new values makes no series', async () => {
  const { registry, ingestion, take } = newIntake();
  take(0);
  expect(await registry.gather()).toMatchObject({ families: EMPTY_SNAPSHOT.families });
  expect(ingestion.health).toMatchObject({ readings: 1, streams: 1, values: 0 });
});

test('however often a growing counter is read, each of its events is added once', async () => {
  type Step = readonly [what: 'count', slot: number] | readonly [what: 'read' | 'restart'];
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('count' as const), fc.nat(3)) },
    { weight: 3, arbitrary: fc.constant(['read'] as const) },
    { weight: 1, arbitrary: fc.constant(['restart'] as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { registry, ingestion } = newIntake();
      let [epoch, counts, expected, unread] = [0, [0, 0, 0, 0], 0, 0];
      for (const [what, slot = 0] of steps) {
        if (what === 'count') {
          counts[slot]!++;
          unread++;
        } else if (what === 'restart') {
          [epoch, counts, unread] = [epoch + 1, [0, 0, 0, 0], 0]; // events that were not read are lost
        } else {
          ingestion.take([reading([...counts], { counter: { epoch: String(epoch) } })]);
          [expected, unread] = [expected + unread, 0];
        }
      }
      expect(await totalIn(registry)).toBe(expected);
    }),
  );
});
