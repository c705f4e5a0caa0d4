import { explicitLayout, exponentialLayout, type Layout, LayoutHistogram } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { BOUNDARIES, countMoves, values, wideLayouts } from '@hdrscope/testing/wide-buckets';
import fc from 'fast-check';
import { createHdr } from '../src/index.ts';
import type { HistogramValue, Point } from '../src/sdk.ts';

interface Metric {
  readonly descriptor: { readonly name: string; readonly type: string };
  readonly dataPoints: readonly Point<HistogramValue | number>[];
}

type Format = 'explicit' | 'exponential';

/** Opens a reader of the first histogram and of the number of values that may be shown in a wrong bucket. */
async function openReader(registry: Registry, format: Format, temporality: 'cumulative' | 'delta') {
  const hdr = createHdr({ views: [{ instrumentName: '*' }], registry });
  const producer = hdr.producer({ format, temporality });
  const collect = async (): Promise<Metric[]> => {
    const { resourceMetrics } = await producer.collect();
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics as unknown as Metric[]);
  };
  // The first collection of a delta reader is the start of the second one.
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

/** Counts values by the bucket that shows them. */
function countByBucket(value: HistogramValue): Map<number, number> {
  if ('buckets' in value) return new Map(value.buckets.counts.entries());
  const { positive, zeroCount } = value;
  const all = [...positive.bucketCounts].map((count, i) => [positive.offset + i, count] as const);
  return new Map([...all, [Number.NEGATIVE_INFINITY, zeroCount]]);
}

const layout = wideLayouts<Layout>({ explicitLayout, exponentialLayout });
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
        const read = await openReader(got, format, temporality);
        const readTruth = await openReader(truth, format, temporality);
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
          const moved = countMoves(countByBucket(collected.shown), countByBucket(exact.shown));
          expect(moved).toBeLessThanOrEqual(collected.stated);
        }
      }),
      { numRuns: 25 },
    );
  },
);

test('the number is a gauge of the scope of the registry, and not there without wide buckets', async () => {
  const registry = createRegistry();
  const read = await openReader(registry, 'exponential', 'cumulative');
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
  const read = await openReader(registry, 'explicit', 'delta');
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
