import { explicitLayout, exponentialLayout, type Layout, LayoutHistogram } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { BOUNDARIES, countMoves, values, wideLayouts } from '@hdrscope/testing/wide-buckets';
import fc from 'fast-check';
import type { HistogramValue } from '../src/families.ts';
import { convertSnapshot, render } from '../src/index.ts';

async function readPage(registry: Registry, buckets: 'native' | 'classic') {
  const families = convertSnapshot(await registry.gather(), { buckets });
  const shown = families.find(({ type }) => type === 'histogram')!.metrics[0]!.value as HistogramValue;
  const inexact = families.find(({ name }) => name === 'hdrscope_inexact_values');
  return { shown, stated: (inexact?.metrics[0]?.value as { value: number } | undefined)?.value ?? 0 };
}

/** Counts values by the bucket that shows them. */
function countByBucket({ native, classic }: HistogramValue): Map<number, number> {
  if (classic !== undefined) return new Map(classic.counts.entries());
  const { positive } = native!;
  const all = [...positive.counts.entries()].map(([i, count]) => [positive.offset + i, count] as const);
  return new Map([...all, [Number.NEGATIVE_INFINITY, positive.zeroCount]]);
}

const layout = wideLayouts<Layout>({ explicitLayout, exponentialLayout });

test.each(['native', 'classic'] as const)(
  'no more values lie in other %s buckets than the page states, for any buckets that came in',
  async (buckets) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ values, layout }), { minLength: 1, maxLength: 3 }),
        values,
        async (parts, recorded) => {
          // The slots are far finer than the buckets of the page, so that only wide ones misplace values.
          const family = { name: 'x', unit: 's', significantDigits: 4, boundaries: BOUNDARIES };
          const [got, truth] = [createRegistry(), createRegistry()];
          for (const one of recorded) got.histogram(family).with({}).record(one);
          for (const part of parts) {
            const histogram = new LayoutHistogram(part.layout);
            histogram.recordValues(part.values);
            got.histogram(family).with({}).add(histogram);
          }
          for (const one of [...recorded, ...parts.flatMap((part) => part.values)]) {
            truth.histogram(family).with({}).record(one);
          }
          const [page, exact] = [await readPage(got, buckets), await readPage(truth, buckets)];
          expect(exact.stated).toBe(0);
          // Native buckets of one scale only can be compared.
          fc.pre(page.shown.native?.positive.scale === exact.shown.native?.positive.scale);
          expect(countMoves(countByBucket(page.shown), countByBucket(exact.shown))).toBeLessThanOrEqual(
            page.stated,
          );
        },
      ),
      { numRuns: 40 },
    );
  },
);

test('the number stands on the page, and not without wide buckets', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'rpc', unit: 's' }).with({});
  series.record(1);
  const readText = async () =>
    new TextDecoder().decode(render(convertSnapshot(await registry.gather()), 'text'));
  expect(await readText()).not.toContain('hdrscope_inexact_values');
  const histogram = new LayoutHistogram(explicitLayout([1, 2.5]));
  histogram.recordValues([1.5, 2, 3]);
  series.add(histogram);
  expect(await readText()).toContain('hdrscope_inexact_values{family="rpc_seconds"} 3\n');
});

test.each([
  ['measured in part', 3, { value: 2 }],
  ['estimated as a whole', 0, undefined],
])('the page states how many values of a sum that is %s are estimated', async (_, recorded, expected) => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'x', unit: 's' }).with({});
  for (let i = 0; i < recorded; i++) series.record(1);
  const counted = new LayoutHistogram(explicitLayout([1, 2]));
  counted.recordValues([1.5, 1.5]);
  series.add(counted);
  const families = convertSnapshot(await registry.gather());
  const stated = families.find(({ name }) => name === 'hdrscope_estimated_sum_values')?.metrics[0];
  expect(stated?.value).toEqual(expected && { kind: 'number', ...expected });
  if (expected !== undefined) expect(stated?.labels).toEqual([['family', 'x_seconds']]);
});
