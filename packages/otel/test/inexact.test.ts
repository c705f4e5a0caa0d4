import { explicitLayout, exponentialLayout, type Layout, LayoutHistogram } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import { createHdr } from '../src/index.ts';
import type { HistogramValue, Point } from '../src/sdk.ts';

const BOUNDARIES = [0.5, 1, 2, 5];

interface Metric {
  readonly descriptor: { readonly name: string; readonly type: string };
  readonly dataPoints: readonly Point<HistogramValue | number>[];
}

type Format = 'explicit' | 'exponential';

/** The buckets that a reader gets, and how many values it is told may be in a wrong one. */
async function readerOf(registry: Registry, format: Format, temporality: 'cumulative' | 'delta') {
  const hdr = createHdr({ views: [{ instrumentName: '*' }], registry });
  const producer = hdr.producer({ format, temporality });
  const collect = async (): Promise<Metric[]> => {
    const { resourceMetrics } = await producer.collect();
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics as unknown as Metric[]);
  };
  // A delta reader has all that comes after its first collection.
  await collect();
  return async () => {
    const metrics = await collect();
    const [shown, gauge] = ['HISTOGRAM', 'GAUGE'].map((type) =>
      metrics.find(({ descriptor }) => descriptor.type === type),
    );
    return {
      shown: shown?.dataPoints[0]?.value as HistogramValue,
      stated: (gauge?.dataPoints[0]?.value as number | undefined) ?? 0,
      gauge,
    };
  };
}

/** Values by the bucket that shows them. */
function countsOf(value: HistogramValue): Map<number, number> {
  if ('buckets' in value) return new Map(value.buckets.counts.entries());
  const { positive, zeroCount } = value;
  const all = [...positive.bucketCounts].map((count, i) => [positive.offset + i, count] as const);
  return new Map([...all, [Number.NEGATIVE_INFINITY, zeroCount]]);
}

/** How many counts of one must move to make the other. */
function distance(a: Map<number, number>, b: Map<number, number>): number {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].reduce((sum, key) => sum + Math.abs((a.get(key) ?? 0) - (b.get(key) ?? 0)), 0) / 2;
}

const value = fc.integer({ min: 1, max: 10_000_000 }).map((us) => us / 1e6);
const values = fc.array(value, { minLength: 1, maxLength: 20 });
const layout: fc.Arbitrary<Layout> = fc.oneof(
  fc
    .uniqueArray(fc.oneof(value, fc.constantFrom(...BOUNDARIES)), { minLength: 1, maxLength: 5 })
    .map((bounds) => explicitLayout(bounds.sort((a, b) => a - b))),
  fc
    .integer({ min: 0, max: 5 })
    .map((scale) => exponentialLayout({ scale, minIndex: -20 * 2 ** scale, maxIndex: 5 * 2 ** scale })),
);
const part = fc.record({ values, layout: fc.option(layout, { nil: undefined }) });

test.each([
  ['explicit', 'cumulative'],
  ['explicit', 'delta'],
  ['exponential', 'cumulative'],
  ['exponential', 'delta'],
] as const)(
  'no more values lie in other %s buckets than each %s collection states, for any buckets that came in',
  async (format, temporality) => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
        // The slots are far finer than the buckets of the points, so that only wide ones misplace values.
        const family = { name: 'x', unit: 's', significantDigits: 4, boundaries: BOUNDARIES };
        const [got, truth] = [createRegistry(), createRegistry()];
        const read = await readerOf(got, format, temporality);
        const readTruth = await readerOf(truth, format, temporality);
        for (const { values, layout } of parts) {
          if (layout === undefined) {
            for (const one of values) got.histogram(family).with({}).record(one);
          } else {
            const histogram = new LayoutHistogram(layout);
            histogram.recordValues(values);
            got.histogram(family).with({}).add(histogram);
          }
          for (const one of values) truth.histogram(family).with({}).record(one);
          const [collected, exact] = [await read(), await readTruth()];
          expect(exact.stated).toBe(0);
          const scales = [collected.shown, exact.shown].map((shown) => ('scale' in shown ? shown.scale : 0));
          // Buckets of one scale only can be compared.
          if (scales[0] !== scales[1]) continue;
          const moved = distance(countsOf(collected.shown), countsOf(exact.shown));
          expect(moved).toBeLessThanOrEqual(collected.stated);
        }
      }),
      { numRuns: 25 },
    );
  },
);

test('the number is a gauge of the scope of the registry, and not there without wide buckets', async () => {
  const registry = createRegistry();
  const read = await readerOf(registry, 'exponential', 'cumulative');
  const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
  series.record(1);
  expect((await read()).gauge).toBeUndefined();
  const histogram = new LayoutHistogram(explicitLayout([1, 2.5]));
  histogram.recordValues([1.5, 2, 3]);
  series.add(histogram);
  const { gauge } = await read();
  expect(gauge).toMatchObject({
    descriptor: {
      name: 'hdrscope.inexact_values',
      description: expect.stringContaining('at most so many are shown in a wrong bucket'),
    },
    dataPointType: 2,
    dataPoints: [{ attributes: { family: 'rpc' }, value: 3 }],
  });
});

test('a delta states the values of its own time', async () => {
  const registry = createRegistry();
  const read = await readerOf(registry, 'explicit', 'delta');
  const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
  const add = (...values: number[]): void => {
    const histogram = new LayoutHistogram(explicitLayout([1, 2.5]));
    histogram.recordValues(values);
    series.add(histogram);
  };
  add(1.5, 2, 3);
  expect((await read()).stated).toBe(3);
  add(1.5);
  expect((await read()).stated).toBe(1);
  series.record(7);
  expect((await read()).gauge).toBeUndefined();
});
