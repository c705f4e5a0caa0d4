import { inspect } from 'node:util';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { readShown } from '@hdrscope/registry/internal';
import fc from 'fast-check';
import { EXPONENTIAL } from '../src/exponential.ts';
import { KeptPoints } from '../src/kept-points.ts';
import { metricSettings } from '../src/metric-settings.ts';
import { changeBuckets, PackedBuckets } from '../src/packed-buckets.ts';
import { hdrCollector } from '../src/producer.ts';
import { Temporality } from '../src/sdk.ts';
import { deliveriesFor } from '../src/sender/deliveries.ts';
import { compact, type Delivery } from '../src/sender/delivery.ts';
import type { Item } from '../src/sender/encoding.ts';
import { settingsOf as senderSettings } from '../src/sender/options.ts';

const recording = fc.record({
  series: fc.nat(4),
  value: fc.oneof(
    fc.double({ min: 0, max: 10, noNaN: true }),
    fc.constantFrom(0, 1e-9, 0.25, 0.2499, 0.2501, 1e6),
  ),
  times: fc.constantFrom(1, 3, 300, 70_000),
});
const step = fc.oneof(
  { weight: 4, arbitrary: recording },
  { weight: 1, arbitrary: fc.constantFrom('collect' as const, 'collect for another', 'gather') },
  { weight: 1, arbitrary: fc.record({ removed: fc.nat(5) }) },
);

const OVERFLOW = { 'otel.metric.overflow': true };

describe('the values that a cumulative reader keeps', () => {
  /** Makes a reader, whose values depend on the maximal number of buckets. */
  type MakeReader = (registry: Registry, maxSize: number) => () => Promise<unknown>;
  const readerOf =
    (format: 'exponential' | 'explicit'): MakeReader =>
    (registry, maxSize) => {
      const settingsOf = () => metricSettings('s', { maxSize });
      const collector = hdrCollector({ registry, settingsOf }, Temporality.CUMULATIVE);
      return async () =>
        (await collector.collect(Temporality.CUMULATIVE, () => format, undefined)).scopeMetrics;
    };
  const sender: MakeReader = (registry) => {
    const settings = senderSettings({ url: 'http://127.0.0.1/' });
    settings.memory.numbers = { timeMs: 0, counts: new Map() };
    const deliveries = deliveriesFor(registry, settings, settings.memory);
    return async () => (await deliveries.totals(await readShown(registry), { untilMs: 0 })).items;
  };

  test.each([
    ['a reader of exponential histograms', readerOf('exponential')],
    ['a reader of explicit ones', readerOf('explicit')],
    ['a sender', sender],
  ])(
    'are those of one that keeps none, for %s and any sequence of records, removals, collections and snapshots',
    async (_, makeReader) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 40 }),
          fc.constantFrom(160, 7),
          fc.constantFrom([], [0.25], [0.1, 0.25, 0.25005, 1]),
          async (steps, maxSize, thresholds) => {
            const registry = createRegistry();
            // The last series counts whatever has no place.
            const family = registry.histogram({
              ...{ name: 'x', unit: 's', cardinalityLimit: 4 },
              thresholds,
            });
            const keeping = makeReader(registry, maxSize);
            const other = makeReader(registry, maxSize);
            for (const one of steps) {
              if (one === 'collect') await keeping();
              else if (one === 'collect for another') await other();
              else if (one === 'gather') await registry.gather();
              else if ('removed' in one)
                family.remove(one.removed === 5 ? OVERFLOW : { series: one.removed });
              else for (let i = 0; i < one.times; i++) family.with({ series: one.series }).record(one.value);
            }
            const fresh = await makeReader(registry, maxSize)();
            const kept = await keeping();
            // Collections have moments of their own.
            expect(JSON.parse(withoutTimes(kept))).toEqual(JSON.parse(withoutTimes(fresh)));
          },
        ),
        { numRuns: 100 },
      );
    },
  );
});

test('overlapping collections of one reader have all series', () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'x', unit: 's' });
  for (let i = 0; i < 10; i++) family.with({ i }).record(i + 1);
  const snapshot = family.snapshot();
  const kept = new KeptPoints(EXPONENTIAL);
  const first = kept.begin(snapshot, metricSettings('s'));
  for (const [place, state] of snapshot.series.slice(0, 4).entries()) first.pointAt(place, state, [1, 0]);
  const second = kept.begin(snapshot, metricSettings('s'));
  const counts = snapshot.series.map((state, place) => second.pointAt(place, state, [2, 0])?.value.count);
  expect(counts).toEqual(new Array(10).fill(1));
});

function withoutTimes(metrics: unknown): string {
  return JSON.stringify(metrics, (key, value) => (key === 'endTime' ? undefined : value));
}

describe('packed buckets', () => {
  const cases = [[], [0], [1, 0, 255], [256, 65_535], [65_536, 1], [2 ** 53 - 1, 0, 7]];

  test.each(cases)('have the counts %j %j %j, whoever reads or copies them', (...counts) => {
    const buckets = PackedBuckets.of(-3, counts);
    const plain = { offset: -3, bucketCounts: counts };
    expect(buckets).toEqual(plain);
    expect(JSON.parse(JSON.stringify(buckets))).toEqual(plain);
    expect({ ...buckets }).toEqual(plain);
    expect(Object.getOwnPropertyNames(structuredClone(buckets))).toEqual(['offset', 'bucketCounts']);
    expect(structuredClone(buckets).bucketCounts).toEqual(counts);
    expect(inspect(buckets, { depth: 9 })).toBe(inspect(plain, { depth: 9 }));
    expect(Object.create(null, Object.getOwnPropertyDescriptors(buckets)).bucketCounts).toEqual(counts);
  });

  test('keep their counts when the array that came or went changes', () => {
    const given = [1, 2, 3];
    const [buckets, others] = [PackedBuckets.of(0, given), PackedBuckets.of(0, [9])];
    given[0] = 100;
    buckets.bucketCounts[1] = 100;
    expect(others.bucketCounts).toEqual([9]);
    expect(buckets.bucketCounts).toEqual([1, 2, 3]);
  });

  test('are, with other counts from a bucket on, those that all counts would make', () => {
    const count = fc.oneof(fc.nat(3), fc.constantFrom(255, 256, 65_535, 65_536, 2 ** 40));
    fc.assert(
      fc.property(
        fc.array(count, { minLength: 1, maxLength: 12 }),
        fc.array(count, { maxLength: 12 }),
        fc.nat(11),
        (counts, others, at) => {
          const first = Math.min(at, counts.length);
          const replacing = others.slice(0, counts.length - first);
          const expected = counts.toSpliced(first, replacing.length, ...replacing);
          const recounted = {
            offset: -7 + first,
            length: replacing.length,
            counts: Float64Array.from([...replacing, 99]),
          };
          const buckets = PackedBuckets.of(-7, counts);
          const changed = buckets.with(recounted);
          expect([changed.offset, changed.bucketCounts]).toEqual([-7, expected]);
          expect(buckets.bucketCounts).toEqual(counts);
          changeBuckets(buckets, recounted);
          expect([buckets.offset, buckets.bucketCounts]).toEqual([-7, expected]);
        },
      ),
    );
  });

  test('are not packed again: a delivery that waits is packed at each retry', () => {
    const value = {
      ...{ count: 6, sum: 6, scale: 0, zeroCount: 0 },
      positive: { offset: 0, bucketCounts: [1, 2, 3] },
      negative: { offset: 0, bucketCounts: [] },
    };
    const packed = EXPONENTIAL.packed!(value);
    expect(packed).toEqual(value);
    expect(EXPONENTIAL.packed!(packed)).toBe(packed);
    const items = [{ metric: { dataPointType: EXPONENTIAL.type }, point: { value } }] as unknown as Item[];
    const delivery = { items, done: 0, tried: 0 } as unknown as Delivery;
    compact(delivery);
    const [item] = items;
    compact(delivery);
    expect(item!.point.value).toEqual(value);
    expect(items[0]).toBe(item);
  });

  test('are unpacked once for a reader that asks for each count', () => {
    const buckets = PackedBuckets.of(0, [1, 2, 3]);
    expect(buckets.bucketCounts).toBe(buckets.bucketCounts);
  });
});
