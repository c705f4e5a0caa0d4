import fc from 'fast-check';
import type { HistogramValue } from '../src/families.ts';
import type { SnapshotFamiliesOptions } from '../src/from-registry.ts';
import { convertSnapshot, type MetricFamily } from '../src/index.ts';
import { registryOf, START_MS, testRegistry } from './support/registry.ts';
import { rendered, samplesIn } from './support/text.ts';

async function familiesOf(
  registry: ReturnType<typeof testRegistry>,
  options?: SnapshotFamiliesOptions,
): Promise<MetricFamily[]> {
  return convertSnapshot(await registry.gather(), options);
}

/** The histogram of the only series. */
async function histogramOf(
  registry: ReturnType<typeof testRegistry>,
  options?: SnapshotFamiliesOptions,
): Promise<HistogramValue> {
  const [family] = await familiesOf(registry, options);
  return family!.metrics[0]!.value as HistogramValue;
}

test('a family keeps its description and unit, a series its labels, sum, count and start', async () => {
  const registry = testRegistry();
  const family = registry.histogram({
    name: 'http.server.request.duration',
    unit: 's',
    description: 'How long',
    scope: { name: 'http', version: '1.2', schemaUrl: 'https://example.com/1' },
  });
  family.with({ route: '/a', 'http.status': 200 }).record(0.25);
  expect(await familiesOf(registry)).toEqual([
    {
      name: 'http_server_request_duration_seconds',
      help: 'How long',
      unit: 's',
      type: 'histogram',
      metrics: [
        {
          labels: [
            ['route', '/a'],
            ['http_status', '200'],
            ['otel_scope_name', 'http'],
            ['otel_scope_schema_url', 'https://example.com/1'],
            ['otel_scope_version', '1.2'],
          ],
          timestampMs: undefined,
          createdMs: START_MS,
          value: {
            kind: 'histogram',
            count: 1,
            sum: 0.25,
            native: { positive: { scale: 6, zeroCount: 0, offset: -128, counts: [1] }, zeroThreshold: 5e-10 },
            toClassic: expect.any(Function),
          },
        },
      ],
    },
  ]);
});

describe('options', () => {
  const scoped = () => {
    const registry = testRegistry();
    registry
      .histogram({ name: 'a.b', unit: 'By', scope: { name: 'lib' } })
      .with({ x: 1 })
      .record(100);
    return registry;
  };

  test.each<[options: SnapshotFamiliesOptions, name: string, labels: number]>([
    [{}, 'a_b_bytes', 2],
    [{ withoutScopeInfo: true }, 'a_b_bytes', 1],
    [{ translationStrategy: 'UnderscoreEscapingWithoutSuffixes' }, 'a_b', 2],
    [{ prefix: 'my' }, 'my_a_b_bytes', 2],
  ])('%j', async (options, name, labels) => {
    const [family] = await familiesOf(scoped(), options);
    expect([family!.name, family!.metrics[0]!.labels.length]).toEqual([name, labels]);
  });

  test('appendTimestamp gives all samples the time of the snapshot', async () => {
    const families = convertSnapshot(await scoped().gather({ nowMs: 5000 }), { appendTimestamp: true });
    expect(families.flatMap(({ metrics }) => metrics.map(({ timestampMs }) => timestampMs))).toEqual([5000]);
  });

  test.each([7, 0, 8.5, Number.NaN])('maxBuckets %d is refused', async (maxBuckets) => {
    await expect(familiesOf(scoped(), { maxBuckets })).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
      message: `maxBuckets must be an integer of at least 8, got ${maxBuckets}`,
    });
  });

  test.each<[options: SnapshotFamiliesOptions, message: string]>([
    [
      { classicBoundaries: [1, 1] },
      'classicBoundaries must be finite numbers in ascending order, got an array of 2',
    ],
    [
      { classicBoundaries: () => [2, 1] },
      'classicBoundaries must be finite numbers in ascending order, got an array of 2',
    ],
    [
      { classicBoundaries: [1, Number.POSITIVE_INFINITY] },
      'classicBoundaries must be finite numbers in ascending order, got an array of 2',
    ],
    [
      { classicBoundaries: 5 as unknown as number[] },
      'classicBoundaries must be finite numbers in ascending order, got 5',
    ],
    [
      { classicBoundaries: [1, undefined as unknown as number] },
      'classicBoundaries must be finite numbers in ascending order, got an array of 2',
    ],
    [{ buckets: 'most' as 'both' }, `buckets must be 'native', 'classic' or 'both', got "most"`],
  ])('%j is refused', async (options, message) => {
    await expect(familiesOf(scoped(), options)).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
      message,
    });
  });

  test('maxBuckets bounds the buckets, and never brings the scale below -4', async () => {
    const registry = registryOf([1e-3, 1, 2 ** 20, (2 ** 53 - 1) / 1000]);
    const { native } = await histogramOf(registry, { maxBuckets: 8 });
    expect(native!.positive.counts.length).toBeLessThanOrEqual(8);
    expect(native!.positive.scale).toBeGreaterThanOrEqual(-4);
  });
});

describe('native buckets', () => {
  test('have no scale above 8, whatever the digits', async () => {
    const { native } = await histogramOf(registryOf([1000], { significantDigits: 5 }));
    expect(native!.positive.scale).toBe(8);
  });

  test.each([
    ['s', undefined, 5e-10],
    ['By', undefined, 0.5],
    ['By', 100, 50],
    ['', 2 ** -140, 2 ** -128],
  ])('of unit %j and resolution %j have the zero threshold %d', async (unit, resolution, zeroThreshold) => {
    const options = { unit, ...(resolution !== undefined && { resolution }) };
    const { native } = await histogramOf(registryOf([0], options));
    expect(native).toEqual({
      positive: { scale: 6, zeroCount: 1, offset: 0, counts: [] },
      zeroThreshold,
    });
  });

  test('hold all counts together with the zero bucket', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 0, max: 4 }), async (recorded, significantDigits) => {
        const { native, count } = await histogramOf(registryOf(recorded, { unit: 's', significantDigits }));
        const { zeroCount, counts } = native!.positive;
        expect(counts.reduce((sum, one) => sum + one, zeroCount)).toBe(count);
        expect(count).toBe(recorded.length);
      }),
      { numRuns: 100 },
    );
  });

  test('never decrease and never become finer while a series counts on', async () => {
    await fc.assert(
      fc.asyncProperty(values, values, fc.constantFrom(8, 20, 160), async (first, later, maxBuckets) => {
        const registry = registryOf(first, { unit: 's' });
        const before = (await histogramOf(registry, { maxBuckets })).native!.positive;
        const series = registry.histogram({ name: 'x', unit: 's' }).with({});
        for (const value of later) series.record(value);
        const after = (await histogramOf(registry, { maxBuckets })).native!.positive;
        expect(after.zeroCount).toBeGreaterThanOrEqual(before.zeroCount);
        if (before.counts.length === 0) return;
        expect(after.scale).toBeLessThanOrEqual(before.scale);
        // Prometheus compares them at the scale of the later one when it looks for a reset.
        const expected = new Map<number, number>();
        for (const [i, count] of before.counts.entries()) {
          const index = (before.offset + i) >> (before.scale - after.scale);
          expected.set(index, (expected.get(index) ?? 0) + count);
        }
        for (const [index, count] of expected) {
          expect(after.counts[index - after.offset]).toBeGreaterThanOrEqual(count);
        }
      }),
      { numRuns: 100 },
    );
  });

  const values = fc.array(
    fc.oneof(fc.double({ min: 0, max: 5, noNaN: true }), fc.constantFrom(0, 1e-9, 4e-10, 1, 2, 4, 1e6)),
    { maxLength: 40 },
  );
});

describe('classic buckets', () => {
  test('are those of the unit in text, and absent from formats with native ones', async () => {
    const histogram = await histogramOf(registryOf([0.003, 0.3], { unit: 's' }));
    expect(histogram.classic).toBeUndefined();
    expect(histogram.toClassic!()).toEqual({
      boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      counts: [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    });
  });

  test.each([
    ['for all families', [1, 2]],
    ['by family', ({ unit }: { unit: string }) => (unit === 's' ? [1, 2] : undefined)],
  ])('have the chosen boundaries %s', async (_title, classicBoundaries) => {
    const histogram = await histogramOf(registryOf([1.5], { unit: 's' }), {
      buckets: 'both',
      classicBoundaries,
    });
    expect(histogram.classic).toEqual({ boundaries: [1, 2], counts: [0, 1, 0] });
    expect(histogram.native).toBeDefined();
  });

  test('can stand alone', async () => {
    const histogram = await histogramOf(registryOf([1.5]), { buckets: 'classic', classicBoundaries: [1] });
    expect(histogram).toEqual({
      kind: 'histogram',
      count: 1,
      sum: 1.5,
      classic: { boundaries: [1], counts: [0, 1] },
    });
  });
});

describe('in a snapshot', () => {
  test('rejected values become a counter by family and reason', async () => {
    const registry = registryOf([1, -1, -2, Number.NaN, 1e300]);
    registry.histogram({ name: 'x' }).with({ other: 'series' }).record(-3);
    registry.histogram({ name: 'all.well' }).with({}).record(1);
    const text = rendered(await familiesOf(registry, { withoutScopeInfo: true }), 'text');
    expect(text).toContain('# TYPE hdrscope_rejected_values_total counter\n');
    expect(samplesIn(text).filter((line) => line.startsWith('hdrscope'))).toEqual([
      'hdrscope_rejected_values_total{family="x",reason="not_a_number"} 1',
      'hdrscope_rejected_values_total{family="x",reason="negative"} 3',
      'hdrscope_rejected_values_total{family="x",reason="too_large"} 1',
    ]);
  });

  test('the counter of rejected values does not fall when a series ends', async () => {
    const registry = registryOf([-1]);
    const family = registry.histogram({ name: 'x' });
    family.with({ other: 'series' }).record(-2);
    const negative = async (): Promise<string | undefined> => {
      const text = rendered(await familiesOf(registry, { withoutScopeInfo: true }), 'text');
      return samplesIn(text).find((line) => line.includes('reason="negative"'));
    };
    expect(await negative()).toMatch(/ 2$/);
    family.remove({ other: 'series' });
    expect(await negative()).toMatch(/ 2$/);
    family.with({ other: 'series' }).record(-3);
    expect(await negative()).toMatch(/ 3$/);
  });

  test('no problem means no family for problems', async () => {
    expect((await familiesOf(registryOf([1]))).map(({ name }) => name)).toEqual(['x']);
  });

  test('failed sources become a gauge', async () => {
    const registry = registryOf([1]);
    const collect = () => {
      throw new Error('no kernel');
    };
    registry.add({ name: 'run queue', collect });
    registry.add({ name: 'run queue', collect });
    registry.add({ name: 'ceph', collect });
    const text = rendered(await familiesOf(registry), 'text');
    expect(samplesIn(text).filter((line) => line.startsWith('hdrscope'))).toEqual([
      'hdrscope_source_errors{source="run queue"} 2',
      'hdrscope_source_errors{source="ceph"} 1',
    ]);
  });
});

test('a family whose name has no letter or digit is dropped with a warning', async () => {
  const registry = testRegistry();
  registry.histogram({ name: '...' }).with({}).record(1);
  const warnings: string[] = [];
  expect(await familiesOf(registry, { warn: (message) => warnings.push(message) })).toEqual([]);
  expect(warnings).toEqual(['the name "..." has no letter or digit: the family is left out']);
});

test('of series with equal labels the first is kept, and the others get a warning', async () => {
  const registry = testRegistry();
  registry.histogram({ name: 'a.b', unit: 's' }).with({ 'k.1': 'v', l: '1' }).record(1);
  registry.histogram({ name: 'a_b', unit: 'ms', description: 'later' }).with({ l: '1', k_1: 'v' }).record(2);
  registry.histogram({ name: 'a-b', unit: 's' }).with({ other: 'labels' }).record(3);
  const warnings: string[] = [];
  const families = await familiesOf(registry, {
    translationStrategy: 'UnderscoreEscapingWithoutSuffixes',
    warn: (message) => warnings.push(message),
  });
  expect(families.map(({ name, unit, help }) => [name, unit, help])).toEqual([['a_b', 's', 'later']]);
  expect(families[0]!.metrics.map(({ value }) => (value as HistogramValue).sum)).toEqual([1, 3]);
  expect(warnings).toEqual([
    '"a_b" already has the unit "s": "ms" is not shown',
    '"a_b" has 1 series with the same labels as others: these series are left out',
  ]);
});
