import type { Exemplar } from '@hdrscope/registry';
import fc from 'fast-check';
import type { HistogramValue } from '../src/families.ts';
import { convertSnapshot, type Metric, render } from '../src/index.ts';
import { bucketsOf, type DecodedFamily, decodeFamilies } from './support/decode.ts';
import { registryOf, START_MS, testRegistry } from './support/registry.ts';
import { family } from './support/text.ts';

const decoded = (...args: Parameters<typeof family>): DecodedFamily =>
  decodeFamilies(render([family(...args)], 'protobuf'))[0]!;

/** The native buckets that are not empty, by Prometheus's index. */
function usedBuckets(
  histogram: HistogramValue,
  side: 'positive' | 'negative' = 'positive',
): [number, bigint][] {
  const { offset, counts } = histogram.native![side]!;
  return [...counts.entries()]
    .filter(([, count]) => count > 0)
    .map(([i, count]) => [offset + i + 1, BigInt(count)]);
}

test('an empty list of families, and a family without series, give no bytes', () => {
  expect(render([], 'protobuf').length).toBe(0);
  expect(render([family('gauge', { kind: 'number', value: 1 }, { metrics: [] })], 'protobuf').length).toBe(0);
});

test.each([
  ['counter', 'x_total', 0, 'counter'],
  ['gauge', 'x', 1, 'gauge'],
  ['info', 'x_info', 1, 'gauge'],
  ['unknown', 'x', 3, 'untyped'],
] as const)('a %s', (type, name, number, kind) => {
  const value: Metric['value'] = { kind: 'number', value: 1.5 };
  const metrics: Metric[] = [
    {
      labels: [
        ['a', 'ü"\n'],
        ['b', ''],
      ],
      timestampMs: 1_700_000_000_456,
      createdMs: 1_700_000_000_123.5,
      value,
    },
  ];
  expect(decoded(type, value, { help: 'h', unit: 's', metrics })).toEqual({
    name,
    help: 'h',
    type: number,
    unit: '',
    metrics: [
      {
        labels: [
          ['a', 'ü"\n'],
          ['b', ''],
        ],
        kind,
        value: 1.5,
        timestampMs: 1_700_000_000_456,
        ...(type === 'counter' && { createdMs: 1_700_000_000_123.5 }),
      },
    ],
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 5e-324])(
  'the value %d',
  (value) => {
    expect(decoded('gauge', { kind: 'number', value }).metrics[0]!.value).toBe(value);
  },
);

test('a family has a unit only if its name ends with it: Prometheus refuses it otherwise', () => {
  const value: Metric['value'] = { kind: 'number', value: 1 };
  expect(decoded('counter', value, { name: 'x_seconds', unit: 's' }).unit).toBe('seconds');
  expect(decoded('gauge', value, { name: 'x', unit: 's' }).unit).toBe('');
});

test('a snapshot has native buckets and no classic ones', async () => {
  const registry = testRegistry();
  const durations = registry.histogram({
    name: 'd',
    unit: 's',
    description: 'Durations',
    significantDigits: 3,
  });
  for (const value of [0, 0, 0.25, 0.26, 3]) durations.with({ route: '/a' }).record(value);
  const families = convertSnapshot(await registry.gather());
  const value = families[0]!.metrics[0]!.value as HistogramValue;
  const [family] = decodeFamilies(render(families, 'protobuf'));
  expect(family).toMatchObject({ name: 'd_seconds', help: 'Durations', type: 4 });
  const { histogram, labels } = family!.metrics[0]!;
  expect(labels).toEqual([['route', '/a']]);
  expect(histogram).toMatchObject({
    count: 5n,
    sum: 3.51,
    schema: value.native!.positive.scale,
    zeroThreshold: 5e-10,
    zeroCount: 2n,
    createdMs: START_MS,
    buckets: [],
    negative: { spans: [], deltas: [] },
  });
  const used = [...bucketsOf(histogram!.positive)].filter(([, count]) => count > 0n);
  expect(used).toEqual(usedBuckets(value));
  // (base ** (index - 1), base ** index] holds the value.
  const base = 2 ** (2 ** -histogram!.schema!);
  expect(base ** (used.at(-1)![0] - 1)).toBeLessThan(3);
  expect(base ** used.at(-1)![0]).toBeGreaterThanOrEqual(3);
});

test('decoding gives back the counts of a snapshot, for all values', async () => {
  const value = fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(0, 1e-9, 1, 2));
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 50 }), async (values) => {
      const registry = registryOf(values, { unit: 's' });
      const [bytes, families] = await registry.gather().then((snapshot) => {
        const all = convertSnapshot(snapshot, { buckets: 'both' });
        return [render(all, 'protobuf'), all] as const;
      });
      const { histogram } = decodeFamilies(bytes)[0]!.metrics[0]!;
      const buckets = bucketsOf(histogram!.positive);
      expect([...buckets.values()].reduce((sum, count) => sum + count, histogram!.zeroCount!)).toBe(
        histogram!.count,
      );
      expect(histogram!.count).toBe(BigInt(values.length));
      expect([...buckets].filter(([, count]) => count > 0n)).toEqual(
        usedBuckets(families[0]!.metrics[0]!.value as HistogramValue),
      );
      expect(histogram!.buckets.at(-1)).toEqual({
        cumulative: histogram!.count,
        upperBound: Number.POSITIVE_INFINITY,
      });
    }),
    { numRuns: 100 },
  );
});

test.each([2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 33 + 1, 2 ** 53 - 1])(
  'counts of %d are exact',
  (count) => {
    const { histogram } = decoded('histogram', {
      kind: 'histogram',
      count,
      sum: 1,
      native: {
        positive: { scale: 0, zeroCount: count, offset: 0, counts: [count, 1, count] },
        zeroThreshold: 1e-9,
      },
      classic: { boundaries: [1], counts: [0, count] },
    }).metrics[0]!;
    const big = BigInt(count);
    expect(histogram).toMatchObject({
      count: big,
      zeroCount: big,
      positive: { deltas: [big, 1n - big, big - 1n] },
    });
    expect(histogram!.buckets).toEqual([
      { cumulative: 0n, upperBound: 1 },
      { cumulative: big, upperBound: Number.POSITIVE_INFINITY },
    ]);
  },
);

test('a histogram can have both signs, a negative schema, exemplars, and no sum', () => {
  const exemplars: Exemplar[] = [{ value: 0.5, timeMs: 1500, attributes: { span_id: 's', trace_id: 't' } }];
  const value: HistogramValue = {
    kind: 'histogram',
    count: 6,
    sum: undefined,
    native: {
      positive: { scale: -4, zeroCount: 1, offset: -2, counts: [1, 1] },
      negative: { offset: 5, counts: [0, 3] },
      zeroThreshold: 2 ** -128,
    },
    classic: { boundaries: [1], counts: [6, 0] },
    exemplars,
  };
  const exemplar = {
    labels: [
      ['trace_id', 't'],
      ['span_id', 's'],
    ],
    value: 0.5,
    timestampMs: 1500,
  };
  expect(decoded('histogram', value).metrics[0]!.histogram).toEqual({
    count: 6n,
    sum: Number.NaN,
    schema: -4,
    zeroThreshold: 2 ** -128,
    zeroCount: 1n,
    positive: { spans: [[-1, 2]], deltas: [1n, 0n] },
    negative: { spans: [[7, 1]], deltas: [3n] },
    buckets: [
      { cumulative: 6n, upperBound: 1, exemplar },
      { cumulative: 6n, upperBound: Number.POSITIVE_INFINITY },
    ],
    exemplars: [exemplar],
  });
});

test('a histogram without native buckets has the classic ones that it computes', () => {
  const toClassic = () => ({ boundaries: [1], counts: [2, 3] });
  const { histogram } = decoded('histogram', { kind: 'histogram', count: 5, sum: 9, toClassic }).metrics[0]!;
  expect(histogram!.buckets).toEqual([
    { cumulative: 2n, upperBound: 1 },
    { cumulative: 5n, upperBound: Number.POSITIVE_INFINITY },
  ]);
});

test('a classic histogram has no field that would make it native', () => {
  const classic = { boundaries: [], counts: [2] };
  const { histogram } = decoded('histogram', { kind: 'histogram', count: 2, sum: 3, classic }).metrics[0]!;
  expect(Object.keys(histogram!).sort()).toEqual([
    'buckets',
    'count',
    'exemplars',
    'negative',
    'positive',
    'sum',
  ]);
});

test('a counter has its exemplar', () => {
  const exemplar: Exemplar = { value: 2, timeMs: 1000, attributes: { a: 1 } };
  expect(decoded('counter', { kind: 'number', value: 3, exemplar }).metrics[0]!.exemplar).toEqual({
    labels: [['a', '1']],
    value: 2,
    timestampMs: 1000,
  });
});
