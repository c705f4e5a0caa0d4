import { createHdr } from '@hdrscope/otel';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import { PointType, type ScopeMetrics, type SumMetric } from '../src/sdk.ts';
import type { RequestJson } from './receiver/support/request.ts';
import { atEnd, startEndpoint } from './sender/support.ts';

const THRESHOLDS = [0.1, 0.25, 0.3, 0.5, 1, 2];

/** The counters of values within thresholds, and the histogram beside them, in a collection. */
function readScope([scope]: readonly ScopeMetrics[]) {
  const metrics = (scope?.metrics ?? []) as readonly SumMetric[];
  const isSum = ({ dataPointType }: SumMetric): boolean => dataPointType === PointType.SUM;
  return { sums: metrics.filter(isSum), histogram: metrics.find((metric) => !isSum(metric)) };
}

test('a reader gets the exact counts of values within each stated threshold, as deltas and cumulative', async () => {
  const value = fc
    .tuple(fc.constantFrom(...THRESHOLDS), fc.constantFrom(-1e-2, -1e-4, -2e-9, 0, 2e-9, 1e-4, 1e-2, 5))
    .map(([threshold, part]) => threshold * (1 + part));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(value, { maxLength: 20 }), { minLength: 1, maxLength: 4 }),
      fc.subarray(THRESHOLDS, { minLength: 1 }),
      fc.constantFrom(1, 2, 3),
      fc.constantFrom('exponential' as const, 'explicit' as const),
      async (batches, thresholds, significantDigits, format) => {
        const registry = createRegistry();
        const hdr = createHdr({ views: [], registry });
        const job = registry.histogram({ name: 'job', unit: 's', significantDigits, thresholds }).with({});
        const producers = (['cumulative', 'delta'] as const).map((temporality) =>
          hdr.producer({ temporality, format }),
        );
        const all: number[] = [];
        for (const batch of batches) {
          for (const one of batch) job.record(one);
          all.push(...batch);
          // A gather of the last 100 ms would be shared.
          await registry.gather();
          for (const [at, recorded] of [all, batch].entries()) {
            const { resourceMetrics } = await producers[at]!.collect();
            const { sums, histogram } = readScope(resourceMetrics.scopeMetrics);
            const expected = thresholds.map((threshold) => recorded.filter((one) => one <= threshold).length);
            const isSent = recorded.length > 0;
            expect(sums.map(({ dataPoints }) => dataPoints.map((point) => point.value))).toEqual(
              isSent ? [expected] : [],
            );
            if (!isSent) continue;
            expect(sums[0]).toMatchObject({
              descriptor: { name: 'job_seconds_within', unit: '', type: 'COUNTER' },
              isMonotonic: true,
              aggregationTemporality: histogram!.aggregationTemporality,
            });
            const [{ startTime, endTime } = {}] = histogram!.dataPoints;
            expect(sums[0]!.dataPoints).toMatchObject(
              thresholds.map((threshold) => ({
                startTime,
                endTime,
                attributes: { threshold: String(threshold) },
              })),
            );
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('the name has the unit in words unless it has them already, and attributes those of the series', async () => {
  const registry = createRegistry();
  const scope = { name: 'shop' };
  for (const [name, unit] of [
    ['rpc.duration', 's'],
    ['io.bytes', 'By'],
    ['io.speed', 'By/s'],
    ['depth', '{request}'],
  ] as const)
    registry
      .histogram({ name, unit, scope, thresholds: [0.5] })
      .with({ queue: 'mail' })
      .record(1);
  const series = registry.histogram({ name: 'plain', scope, thresholds: [1e-7, 1e21] });
  series.with({ threshold: 'own', exported_threshold: 'other' }).record(1);
  registry
    .histogram({ name: 'without', unit: 's', scope, boundaries: [0.5] })
    .with({})
    .record(1);
  const { resourceMetrics } = await createHdr({ views: [], registry }).producer().collect();
  expect(resourceMetrics.scopeMetrics).toHaveLength(1);
  const { sums } = readScope(resourceMetrics.scopeMetrics);
  expect(sums.map(({ descriptor }) => descriptor.name)).toEqual([
    'rpc.duration_seconds_within',
    'io.bytes_within',
    'io.speed_bytes_per_second_within',
    'depth_within',
    'plain_within',
  ]);
  expect(sums[0]!.dataPoints[0]!.attributes).toEqual({ queue: 'mail', threshold: '0.5' });
  expect(sums[4]!.dataPoints.map(({ attributes }) => attributes)).toEqual(
    ['1e-7', '1e+21'].map((threshold) => ({
      threshold,
      exported_threshold: 'other',
      exported_exported_threshold: 'own',
    })),
  );
});

test.each(['cumulative', 'delta'] as const)(
  'a sender sends it with the start and the temporality (%s) of the histogram',
  async (temporality) => {
    const endpoint = await startEndpoint(() => undefined);
    const registry = createRegistry();
    const job = registry.histogram({ name: 'job', unit: 's', thresholds: [0.3] }).with({ queue: 'mail' });
    const sender = sendOtlp(registry, {
      ...{ url: endpoint.url, temporality, intervalMs: 3_600_000 },
      ...{ protocol: 'http/json', compression: 'none' },
    });
    atEnd(() => sender.close());
    const sent: unknown[] = [];
    for (const values of [
      [0.3, 0.1],
      [0.3 * (1 + 1e-7), 0.2],
    ]) {
      for (const value of values) job.record(value);
      await sender.flush();
      const { resourceMetrics } = JSON.parse(endpoint.bodies.at(-1)!.toString()) as RequestJson;
      const [histogram, within] = resourceMetrics[0]!.scopeMetrics[0]!.metrics;
      const [point] = histogram!.exponentialHistogram!.dataPoints;
      const { aggregationTemporality, isMonotonic, dataPoints } = within!.sum!;
      expect([within!.name, isMonotonic]).toEqual(['job_seconds_within', true]);
      expect(aggregationTemporality).toBe(histogram!.exponentialHistogram!.aggregationTemporality);
      expect(dataPoints).toMatchObject([
        { startTimeUnixNano: point!.startTimeUnixNano, timeUnixNano: point!.timeUnixNano },
      ]);
      sent.push(dataPoints[0]!.asDouble);
    }
    expect(sent).toEqual(temporality === 'delta' ? [2, 1] : [2, 3]);
  },
);
