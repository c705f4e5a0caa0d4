import { type Counted, countedIn, explicitLayout, Histogram } from '@hdrscope/core';
import { integerLayout, resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import fc from 'fast-check';
import {
  createRegistry,
  type FamilyOptions,
  ingest,
  type Reading,
  type Registry,
  type Snapshot,
} from '../src/index.ts';

const layout = explicitLayout([1, 2, 3]);
const family: FamilyOptions = { name: 'x', unit: 'By' };
const counted = (...counts: number[]): Counted => countedIn(layout, counts);
const reading = (counts: number[], more: Partial<Reading> = {}): Reading => ({
  key: 'a',
  family,
  attributes: {},
  counted: counted(...counts),
  ...more,
});

function onlySeries({ families }: Snapshot): Snapshot['families'][number]['series'][number] {
  expect(families.flatMap(({ series }) => series)).toHaveLength(1);
  return families[0]!.series[0]!;
}

const totalIn = async (registry: Registry): Promise<number> =>
  (await registry.gather()).families
    .flatMap(({ series }) => series)
    .reduce((sum, { histogram }) => sum + histogram.totalCount, 0);

/** A source that gives what it is told to, or throws it. */
function scripted(): {
  source: { name: string; read: () => Reading[]; close: () => void };
  say: (next: Reading[] | Error) => void;
  closed: () => number;
} {
  let next: Reading[] | Error = [];
  let closed = 0;
  return {
    source: {
      name: 'scripted',
      read() {
        if (next instanceof Error) throw next;
        return next;
      },
      close() {
        closed++;
      },
    },
    say: (answer) => {
      next = answer;
    },
    closed: () => closed,
  };
}

describe('a source that is read', () => {
  test('adds what is new whenever the registry is gathered', async () => {
    const registry = createRegistry();
    const { source, say } = scripted();
    const { health } = (({ take: _take, ...rest }) => rest)(ingest(registry, source));
    say([reading([1, 2, 0, 0], { sum: 4 })]);
    await registry.gather();
    say([reading([1, 5, 0, 1], { sum: 20 })]);
    const { histogram, sum } = onlySeries(await registry.gather());
    expect([histogram.totalCount, sum]).toEqual([7, 20]);
    expect(health).toMatchObject({ reads: 0 }); // as it was then: health is a copy
  });

  test('counts nothing of its first answer with since: now, and all that comes after it', async () => {
    const registry = createRegistry();
    const { source, say } = scripted();
    ingest(registry, source, { since: 'now' });
    say([reading([7, 0, 0, 0])]);
    expect(await totalIn(registry)).toBe(0);
    say([reading([8, 0, 0, 0]), reading([3, 0, 0, 0], { key: 'b' })]);
    expect(await totalIn(registry)).toBe(4);
  });

  test('that fails is named in the snapshot, and what it brought stays', async () => {
    const registry = createRegistry();
    const { source, say } = scripted();
    const seen: unknown[] = [];
    const ingestion = ingest(registry, source, {
      observer: {
        succeeded: () => seen.push('ok'),
        failed: (error) => seen.push(error),
        added: (n) => seen.push(n),
      },
    });
    say([reading([1, 0, 0, 0])]);
    await registry.gather();
    const error = new Error('it is gone');
    say(error);
    const snapshot = await registry.gather();
    expect(snapshot.errors).toEqual([{ source: 'scripted', error }]);
    expect(onlySeries(snapshot).histogram.totalCount).toBe(1);
    expect(seen).toEqual([1, 'ok', error]);
    expect(ingestion.health).toMatchObject({ reads: 1, readErrors: 1, values: 1, readings: 1, streams: 1 });
  });

  test('is read once for all gathers that wait for it', async () => {
    const registry = createRegistry();
    let reads = 0;
    let answer: (readings: Reading[]) => void = () => {};
    const read = (): Promise<Reading[]> => {
      reads++;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    ingest(registry, { name: 'slow', read });
    const gathers = [registry.gather(), registry.gather(), registry.gather()];
    answer([reading([1, 0, 0, 0])]);
    const snapshots = await Promise.all(gathers);
    expect(reads).toBe(1);
    expect(snapshots.map((snapshot) => onlySeries(snapshot).histogram.totalCount)).toEqual([1, 1, 1]);
  });

  test('is asked no more after it was closed, and is closed itself', async () => {
    const registry = createRegistry();
    const { source, say, closed } = scripted();
    const ingestion = ingest(registry, source);
    await ingestion.close();
    say([reading([1, 0, 0, 0])]);
    expect(await totalIn(registry)).toBe(0);
    expect(closed()).toBe(1);
  });

  test('goes on where an earlier ingestion ended that it is given the memory of', async () => {
    const registry = createRegistry();
    const { source, say } = scripted();
    const first = ingest(registry, source);
    say([reading([5, 0, 0, 0])]);
    await registry.gather();
    await first.close();
    ingest(registry, source, { memory: first.memory, since: 'now' });
    say([reading([7, 0, 0, 0])]);
    expect(await totalIn(registry)).toBe(7);
  });

  test('is refused with another word for its beginning', () => {
    expect(() => ingest(createRegistry(), scripted().source, { since: 'later' as never })).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
    );
  });
});

describe('a counter', () => {
  test('that has fallen began anew, and all it has is new', () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' });
    ingestion.take([reading([9, 0, 0, 0], { sum: 9, min: 0.5, max: 1 })]);
    ingestion.take([reading([0, 2, 0, 0], { sum: 3, min: 1.5, max: 1.5 })]);
    expect(ingestion.health).toMatchObject({ resets: 1, newLives: 0, values: 11 });
  });

  test('of another epoch counts from 0 without being a reset', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' });
    for (const epoch of ['1', '2']) ingestion.take([reading([4, 0, 0, 0], { counter: { epoch } })]);
    expect(await totalIn(registry)).toBe(8);
    expect(ingestion.health).toMatchObject({ resets: 0, newLives: 1 });
  });

  test('whose epochs go on side by side is told apart by them', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' }, { epochs: 'side by side' });
    for (const [epoch, count] of [
      ['1', 4],
      ['2', 9],
      ['1', 5],
      ['2', 10],
    ] as const) {
      ingestion.take([reading([count, 0, 0, 0], { counter: { epoch } })]);
    }
    expect(await totalIn(registry)).toBe(15);
  });

  test('of deltas adds each reading once, in whatever order the last few come', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' });
    for (const sequence of [10n, 30n, 20n, 10n, 30n, 40n]) {
      ingestion.take([reading([1, 0, 0, 0], { counter: { temporality: 'delta', sequence } })]);
    }
    expect(await totalIn(registry)).toBe(4);
    expect(ingestion.health).toMatchObject({ duplicates: 2, late: 0 });
  });

  test('takes nothing from a repeated state or a late one', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' });
    for (const [sequence, count] of [
      [1n, 3],
      [3n, 8],
      [3n, 8],
      [2n, 5],
      [4n, 9],
    ] as const) {
      ingestion.take([reading([count, 0, 0, 0], { counter: { sequence } })]);
    }
    expect(await totalIn(registry)).toBe(9);
    expect(ingestion.health).toMatchObject({ duplicates: 1, late: 1, readings: 5 });
  });

  test('has exact extremes where they have moved, and those of its slots otherwise', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' });
    ingestion.take([reading([0, 1, 0, 0], { min: 1.5, max: 1.5 })]);
    const before = await registry.gather();
    ingestion.take([reading([0, 2, 0, 1], { min: 1.5, max: 700 })]);
    const delta = onlySeries((await registry.gather()).since(before));
    expect([delta.min, delta.max]).toEqual([1.75, 700]);
    expect(onlySeries(await registry.gather())).toMatchObject({ min: 1.5, max: 700 });
  });

  test('has values in the range that the source knows, whatever their extremes were', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' });
    for (const count of [3, 4]) {
      ingestion.take([reading([count, 0, 0, 0], { within: { min: 0 }, max: 7 })]);
    }
    const { sum, max } = onlySeries(await registry.gather());
    expect([sum, max]).toEqual([2, 7]); // in the middle from 0 to 1
    expect(ingestion.health.open).toBe(0);
  });

  test('of a key that went from a whole answer counts from 0 when it comes back', async () => {
    const registry = createRegistry();
    const ingestion = ingest(registry, { name: 's' }, { isWhole: true });
    ingestion.take([reading([4, 0, 0, 0])]);
    ingestion.take([]);
    ingestion.take([reading([5, 0, 0, 0])]);
    expect(await totalIn(registry)).toBe(9);
    expect(ingestion.health).toMatchObject({ evicted: 1, resets: 0 });
  });
});

describe('a reading that is refused', () => {
  test('leaves the others alone, and counts when it can be taken', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'x', unit: 's' });
    const ingestion = ingest(registry, { name: 's' });
    const other = { ...family, name: 'y' };
    const refusals = ingestion.take([
      reading([1, 0, 0, 0]),
      reading([1, 0, 0, 0], { family: other, key: 'b' }),
    ]);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatchObject({
      code: 'ERR_ALREADY_REGISTERED',
      details: { key: 'a', family: 'x', reason: 'conflicting', attributes: {} },
    });
    expect(await totalIn(registry)).toBe(1);
    expect(ingestion.health.refused).toMatchObject({ conflicting: 1 });
  });

  test('for a count that would not be exact is counted in full later', async () => {
    const registry = createRegistry();
    const series = registry.histogram({ ...family, resolution: 1e-3 }).with({});
    const full = new Histogram({ highestTrackableValue: 1000 });
    full.record(1, Number.MAX_SAFE_INTEGER - 1);
    series.add(full);
    const ingestion = ingest(registry, { name: 's' });
    const [refusal] = ingestion.take([reading([2, 0, 0, 0])]);
    expect(refusal).toMatchObject({ code: 'ERR_COUNT_OVERFLOW', details: { reason: 'countTooLarge' } });
    expect(ingestion.health).toMatchObject({ values: 0, streams: 0 });
  });

  test('for lack of room is the one that is new, until a known one was silent for long', async () => {
    const clock = new FakeClock(0);
    const registry = createRegistry({ clock });
    const ingestion = ingest(registry, { name: 's' }, { maxStreams: 1, forgetAfterMs: 1000, clock });
    const b = reading([1, 0, 0, 0], { key: 'b' });
    expect(ingestion.take([reading([1, 0, 0, 0]), b])).toMatchObject([
      {
        code: 'ERR_TOO_LARGE',
        details: {
          reason: 'tooManyStreams',
          problem: 'the stream is new, and the limit of 1 streams (maxStreams) is reached',
        },
      },
    ]);
    clock.advance(1000);
    expect(ingestion.take([b])).toEqual([]);
    expect(ingestion.health.streams).toBe(1);
  });
});

describe('the family of a reading', () => {
  test.each<[string, Counted, string, Partial<FamilyOptions>]>([
    [
      'explicit bounds',
      countedIn(explicitLayout([0.005, 0.01]), [1, 0, 0]),
      's',
      { boundaries: [0.005, 0.01], significantDigits: 2 },
    ],
    [
      'integers in a unit',
      countedIn(scaledLayout(integerLayout([0, 1, 4, 8], 0), resolutionOf(1e-6)), [1, 0, 0, 0, 0]),
      's',
      { boundaries: [0, 1e-6, 4e-6, 8e-6], significantDigits: 1 },
    ],
  ])('that does not exist suits %s', async (_what, what, unit, expected) => {
    const registry = createRegistry();
    ingest(registry, { name: 's' }).take([
      reading([1, 0, 0, 0], { counted: what, family: { name: 'x', unit } }),
    ]);
    const { boundaries, layout: hdr } = (await registry.gather()).families[0]!;
    expect({ boundaries, significantDigits: hdr.significantDigits }).toEqual(expected);
  });

  test('has the options that the reading names', async () => {
    const registry = createRegistry();
    const options = { name: 'x', unit: 'By', significantDigits: 4, boundaries: [7] };
    ingest(registry, { name: 's' }).take([reading([1, 0, 0, 0], { family: options })]);
    const { boundaries, layout: hdr } = (await registry.gather()).families[0]!;
    expect([boundaries, hdr.significantDigits]).toEqual([[7], 4]);
  });
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
      const registry = createRegistry();
      const ingestion = ingest(registry, { name: 's' });
      let [epoch, counts, expected, unread] = [0, [0, 0, 0, 0], 0, 0];
      for (const [what, slot = 0] of steps) {
        if (what === 'count') {
          counts[slot]!++;
          unread++;
        } else if (what === 'restart') {
          [epoch, counts, unread] = [epoch + 1, [0, 0, 0, 0], 0]; // what was not read is lost
        } else {
          ingestion.take([reading([...counts], { counter: { epoch: String(epoch) } })]);
          [expected, unread] = [expected + unread, 0];
        }
      }
      expect(await totalIn(registry)).toBe(expected);
    }),
  );
});
