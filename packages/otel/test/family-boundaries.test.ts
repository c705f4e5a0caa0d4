import { countedIn, explicitLayout } from '@hdrscope/core';
import { resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { createHdr } from '../src/index.ts';

const DEPTHS = [0, 1, 4, 8, 16, 32, 64];
const COUNTS = [1200, 980, 1400, 800, 400, 30, 10, 1];

/** Run-queue depths, and latencies in powers of two of nanoseconds, as kernel programs count them. */
function kernel(): Registry {
  const registry = createRegistry();
  registry
    .histogram({ name: 'depth', resolution: 1, significantDigits: 1, boundaries: DEPTHS })
    .with({})
    .add(countedIn(explicitLayout(DEPTHS), COUNTS), { sum: 15_000 });
  const nanoseconds = scaledLayout(explicitLayout(POWERS), resolutionOf(1e-9));
  registry
    .histogram({ name: 'latency', unit: 's', significantDigits: 0, boundaries: POWERS.map((ns) => ns / 1e9) })
    .with({})
    .add(countedIn(nanoseconds, LATENCIES));
  return registry;
}

// 0 to 1, 2 to 3, 4 to 7 and so on: the logarithm rounded down.
const POWERS = Array.from({ length: 25 }, (_, i) => 2 ** (i + 1) - 1);
const LATENCIES = [...POWERS.map((_, slot) => slot * slot + 1), 0];

interface Scope {
  readonly metrics: readonly { readonly dataPoints: readonly { readonly value: unknown }[] }[];
}

async function valuesOf(format: 'explicit' | 'exponential'): Promise<unknown[]> {
  const hdr = createHdr({ views: [{ instrumentName: '*' }], registry: kernel() });
  const { resourceMetrics } = await hdr.producer({ format }).collect();
  const [scope] = resourceMetrics.scopeMetrics as unknown as Scope[];
  return scope!.metrics.map(({ dataPoints }) => dataPoints[0]!.value);
}

test('explicit buckets at the bounds of the source slots hold the counts of these slots', async () => {
  const [depth, latency] = await valuesOf('explicit');
  expect(depth).toMatchObject({ buckets: { boundaries: DEPTHS, counts: COUNTS }, sum: 15_000, count: 4821 });
  expect(latency).toMatchObject({
    buckets: { boundaries: POWERS.map((ns) => ns / 1e9), counts: LATENCIES },
  });
});

test('exponential buckets keep each slot whole, so no value is off by more than two bucket widths', async () => {
  const [, latency] = (await valuesOf('exponential')) as {
    scale: number;
    zeroCount: number;
    positive: { offset: number; bucketCounts: number[] };
  }[];
  const { scale, zeroCount, positive } = latency!;
  const buckets = positive.bucketCounts
    .map((count, i) => ({ count, lower: 2 ** ((positive.offset + i) * 2 ** -scale) * 1e9 }))
    .filter(({ count }) => count > 0);
  expect([zeroCount, scale]).toEqual([0, 0]);
  expect(buckets.map(({ count }) => count)).toEqual(LATENCIES.slice(0, -1));
  for (const [slot, { lower }] of buckets.entries()) {
    const [least, most] = slot === 0 ? [1, 1] : [2 ** slot, POWERS[slot]!];
    expect(Math.max(most / lower, (2 * lower) / least)).toBeLessThanOrEqual(4);
  }
});

test('a family takes the boundaries that its instrument advises', async () => {
  const registry = createRegistry();
  const { MeterProvider } = await import('@opentelemetry/sdk-metrics');
  const hdr = createHdr({ views: [{ instrumentName: '*' }], registry });
  const meter = hdr.wrapProvider(new MeterProvider()).getMeter('m');
  meter.createHistogram('a', { advice: { explicitBucketBoundaries: [4, 1, 2] } });
  meter.createHistogram('b');
  const { families } = await registry.gather();
  expect(families.map(({ boundaries }) => boundaries)).toEqual([[1, 2, 4], undefined]);
});
