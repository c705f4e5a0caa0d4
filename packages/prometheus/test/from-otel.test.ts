import type { HistogramValue } from '../src/families.ts';
import { convertResourceMetrics, type ResourceMetricsLike } from '../src/index.ts';
import type { ResourceMetricsOptions } from '../src/internal.ts';
import type { MetricDataLike } from '../src/resource-metrics.ts';
import { collected, manualReader, STOCK_VERSIONS } from './support/stock.ts';
import { rendered, samplesIn } from './support/text.ts';

const CUMULATIVE = 1;

function resourceMetrics(...metrics: MetricDataLike[]): ResourceMetricsLike {
  return { resource: { attributes: {} }, scopeMetrics: [{ scope: { name: 'lib' }, metrics }] };
}

function metric(dataPointType: number, value: unknown, facts: Partial<MetricDataLike> = {}): MetricDataLike {
  return {
    descriptor: { name: 'x', description: '', unit: 's' },
    aggregationTemporality: CUMULATIVE,
    dataPointType,
    dataPoints: [{ startTime: [1, 5e8], endTime: [3, 0], attributes: {}, value }],
    ...facts,
  };
}

/** The families of a metric, and the warnings about it. */
function shown(one: MetricDataLike, options: ResourceMetricsOptions = {}) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const families = convertResourceMetrics(resourceMetrics(one), {
    withoutTargetInfo: true,
    warn,
    ...options,
  });
  return { families, warnings, value: families[0]?.metrics[0]?.value as HistogramValue | undefined };
}

const NONE = { offset: 0, bucketCounts: [] };
const exponential = (facts: object) => ({
  count: 6,
  sum: 1,
  scale: 3,
  zeroCount: 0,
  positive: NONE,
  negative: NONE,
  ...facts,
});

describe('exponential histograms', () => {
  test('of the SDK become native ones with the same counts', async () => {
    for (const [, stock] of STOCK_VERSIONS) {
      const reader = manualReader(stock, {
        aggregationSelector: () => ({ type: stock.metrics.AggregationType.EXPONENTIAL_HISTOGRAM }),
      });
      const provider = new stock.metrics.MeterProvider({ readers: [reader] });
      const histogram = provider.getMeter('m').createHistogram('d', { unit: 's' });
      for (const value of [0, 0.1, 0.2, 0.3, 7]) histogram.record(value);
      const families = convertResourceMetrics(await collected(reader));
      const { value, createdMs } = families.find(({ name }) => name === 'd_seconds')!.metrics[0]!;
      const { native, count, sum } = value as HistogramValue;
      expect([count, sum]).toEqual([5, 7.6]);
      expect(createdMs).toBeGreaterThan(1.6e12);
      expect(native!.positive.scale).toBeLessThanOrEqual(8);
      expect(native!.positive.counts.reduce((total, one) => total + one, native!.positive.zeroCount)).toBe(5);
      expect(native!.zeroThreshold).toBe(2 ** -128);
      expect(
        samplesIn(rendered(families, 'text')).filter((line) => /le="(0.25|0.5|10|\+Inf)"/.test(line)),
      ).toEqual([
        'd_seconds_bucket{otel_scope_name="m",le="0.25"} 3',
        'd_seconds_bucket{otel_scope_name="m",le="0.5"} 4',
        'd_seconds_bucket{otel_scope_name="m",le="10"} 5',
        'd_seconds_bucket{otel_scope_name="m",le="+Inf"} 5',
      ]);
    }
  });

  test('above scale 8 are merged to scale 8', () => {
    const { value, warnings } = shown(
      metric(
        1,
        exponential({ scale: 10, zeroCount: 1, positive: { offset: -3, bucketCounts: [1, 1, 1, 0, 2] } }),
      ),
    );
    expect(value!.native).toEqual({
      positive: { scale: 8, zeroCount: 1, offset: -1, counts: [3, 2] },
      zeroThreshold: 2 ** -128,
    });
    expect(warnings).toEqual([]);
  });

  test('keep negative values and a zero threshold', () => {
    const { value } = shown(
      metric(
        1,
        exponential({ scale: 9, zeroThreshold: 1e-3, negative: { offset: 4, bucketCounts: [3, 3] } }),
      ),
    );
    expect(value!.native).toEqual({
      positive: { scale: 8, zeroCount: 0, offset: 0, counts: [] },
      negative: { offset: 2, counts: [6] },
      zeroThreshold: 1e-3,
    });
  });

  test('have the chosen boundaries in text, with negative values below all of them', () => {
    const value = exponential({
      scale: 0,
      zeroCount: 1,
      positive: { offset: 0, bucketCounts: [2, 0, 1] },
      negative: { offset: 0, bucketCounts: [2] },
    });
    const { families } = shown(metric(1, value), { classicBoundaries: [-1, 0, 2], withoutScopeInfo: true });
    expect(samplesIn(rendered(families, 'text')).slice(2)).toEqual([
      'x_seconds_bucket{le="-1"} 2',
      'x_seconds_bucket{le="0"} 3',
      'x_seconds_bucket{le="2"} 5',
      'x_seconds_bucket{le="+Inf"} 6',
    ]);
  });

  test.each([
    ['of scale -5, below -4', { scale: -5 }],
    ['whose counts are not integers from 0 to 2^53 - 1', { positive: { offset: 0, bucketCounts: [0.5] } }],
    ['whose counts are not integers from 0 to 2^53 - 1', { count: -1 }],
  ])('a point %s is dropped with a warning', (reason, facts) => {
    const { families, warnings } = shown(metric(1, exponential(facts)));
    expect(families[0]!.metrics).toEqual([]);
    expect(warnings).toEqual([`"x" has a point ${reason}: the point is left out`]);
  });
});

test('boundaries that do not ascend are refused even without a histogram', () => {
  expect(() => convertResourceMetrics(resourceMetrics(), { classicBoundaries: [2, 1] })).toThrow(
    'classicBoundaries must be finite numbers in ascending order, got an array of 2',
  );
});

test('an explicit histogram can list the infinite boundary', () => {
  const buckets = { boundaries: [1, Number.POSITIVE_INFINITY], counts: [2, 3, 0] };
  expect(shown(metric(0, { buckets, count: 5, sum: 9 })).value).toEqual({
    kind: 'histogram',
    count: 5,
    sum: 9,
    classic: { boundaries: [1], counts: [2, 3] },
  });
});

test('a histogram without a sum shows none', () => {
  const { families } = shown(metric(0, { buckets: { boundaries: [], counts: [5] }, count: 5 }));
  expect(rendered(families, 'text')).not.toContain('_sum');
});

test.each<[title: string, dataPointType: number, value: unknown]>([
  ['a sum', 3, 1],
  ['a histogram', 0, { buckets: { boundaries: [], counts: [1] }, count: 1, sum: 1 }],
  ['an exponential histogram', 1, exponential({})],
])('%s collected as deltas is dropped with a warning', (_title, dataPointType, value) => {
  const { families, warnings } = shown(metric(dataPointType, value, { aggregationTemporality: 0 }));
  expect(families).toEqual([]);
  expect(warnings).toEqual([
    '"x" is collected as deltas, which Prometheus cannot add up: the metric is left out',
  ]);
});

test('a gauge has no temporality', () => {
  expect(shown(metric(2, 1, { aggregationTemporality: 0 })).families).toHaveLength(1);
});

test('an unknown type of point is dropped with a warning', () => {
  expect(shown(metric(9, 1))).toEqual({
    families: [],
    warnings: ['"x" has points of the unknown type 9: the metric is left out'],
    value: undefined,
  });
});

test('a metric whose name has no letter or digit is dropped with a warning', () => {
  const descriptor = { name: '%', description: '', unit: '' };
  expect(shown(metric(2, 1, { descriptor })).warnings).toEqual([
    'the name "%" has no letter or digit: the metric is left out',
  ]);
});

test('a counter has a creation time in milliseconds, a gauge has none', () => {
  expect(shown(metric(3, 1, { isMonotonic: true })).families[0]!.metrics[0]!.createdMs).toBe(1500);
  expect(shown(metric(3, 1)).families[0]!.metrics[0]!.createdMs).toBeUndefined();
});

test('the target is an info in OpenMetrics', () => {
  const metrics = { ...resourceMetrics(), resource: { attributes: { 'service.name': 'shop' } } };
  expect(rendered(convertResourceMetrics(metrics), 'openmetrics')).toBe(
    '# TYPE target info\n# HELP target Target metadata\ntarget_info{service_name="shop"} 1\n# EOF\n',
  );
});

test('instruments of one name and type in two scopes become one family', () => {
  const one = metric(2, 1);
  const scopeMetrics = ['a', 'b'].map((name) => ({ scope: { name }, metrics: [one] }));
  const families = convertResourceMetrics(
    { resource: { attributes: {} }, scopeMetrics },
    { withoutTargetInfo: true },
  );
  expect(rendered(families, 'text')).toBe(
    [
      '# HELP x_seconds description missing',
      '# UNIT x_seconds s',
      '# TYPE x_seconds gauge',
      'x_seconds{otel_scope_name="a"} 1',
      'x_seconds{otel_scope_name="b"} 1',
      '',
    ].join('\n'),
  );
});
