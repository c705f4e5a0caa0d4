import type { Exemplar } from '@hdrscope/registry';
import { anyCharacter } from '@hdrscope/testing/any-character';
import { runInThread } from '@hdrscope/testing/threads';
import fc from 'fast-check';
import { convertSnapshot, type Metric, type MetricFamily, render } from '../src/index.ts';
import { bucketsOf, decodeFamilies } from './support/decode.ts';
import { bucketsIn, parseOpenMetrics2, toNumber } from './support/openmetrics2.ts';
import { family, rendered } from './support/text.ts';
import { recordThousandSeries } from './support/thousand-series.ts';

const COST = new URL('./support/openmetrics2-cost-thread.ts', import.meta.url);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test('an empty list of families is the end mark alone', () => {
  expect(rendered([], 'openmetrics2')).toBe('# EOF\n');
});

test('a counter has the same name in comments and samples, its start, and an exemplar', () => {
  const exemplar: Exemplar = { value: 3, timeMs: 1_700_000_000_456, attributes: { trace_id: TRACE } };
  const metrics: Metric[] = [
    {
      labels: [['a', 'b']],
      createdMs: 1_700_000_000_123,
      timestampMs: 1_700_000_001_000,
      value: { kind: 'number', value: 7, exemplar },
    },
  ];
  const facts = { name: 'x_seconds', help: 'a "help"', unit: 's', metrics };
  expect(rendered([family('counter', metrics[0]!.value, facts)], 'openmetrics2')).toBe(
    [
      '# TYPE x_seconds_total counter',
      '# HELP x_seconds_total a \\"help\\"',
      `x_seconds_total{a="b"} 7 1700000001 st@1700000000.123 # {trace_id="${TRACE}"} 3 1700000000.456`,
      '# EOF',
      '',
    ]
      .join('\n')
      .replace('# HELP', '# UNIT x_seconds_total seconds\n# HELP'),
  );
});

test('an info ends with _info, and a gauge and an unknown have neither start nor exemplar', () => {
  const exemplar: Exemplar = { value: 3, timeMs: 1, attributes: {} };
  const value: Metric['value'] = { kind: 'number', value: 1, exemplar };
  const metrics: Metric[] = [{ labels: [], createdMs: 5, value }];
  const families = [
    family('info', value, { unit: 's', metrics }),
    family('info', value, { name: 'full', isFixedName: true, metrics }),
    family('gauge', value, { name: 'y', metrics }),
    family('unknown', value, { name: 'z', metrics }),
    family('counter', value, { name: 'w', isFixedName: true }),
  ];
  expect(rendered(families, 'openmetrics2')).toBe(
    '# TYPE x_info info\nx_info 1\n# TYPE full_info info\nfull_info 1\n# TYPE y gauge\ny 1\n' +
      '# TYPE z unknown\nz 1\n# TYPE w counter\nw 1 # {} 3 0.001\n# EOF\n',
  );
});

test('a summary is one line, with its quantiles in order', () => {
  const quantiles = [
    { quantile: 0.99, value: 5 },
    { quantile: 0.5, value: Number.NaN },
  ];
  const value: Metric['value'] = { kind: 'summary', count: 7, sum: 9.5, quantiles };
  const metrics: Metric[] = [
    { labels: [['a', 'b']], createdMs: 1500, value },
    { labels: [], value: { kind: 'summary', count: 0, sum: undefined, quantiles: [] } },
  ];
  expect(rendered([family('summary', value, { metrics })], 'openmetrics2')).toBe(
    '# TYPE x summary\nx{a="b"} {count:7,sum:9.5,quantile:[0.5:NaN,0.99:5]} st@1.5\n' +
      'x {count:0,sum:NaN,quantile:[]}\n# EOF\n',
  );
});

const EXEMPLARS: Exemplar[] = [
  { value: 0.5, timeMs: 2000, attributes: { n: '1' } },
  { value: 1, timeMs: 1000, attributes: {} },
];

test('a histogram with native buckets is one line, with absolute counts, its start and all exemplars', () => {
  const value: Metric['value'] = {
    kind: 'histogram',
    count: 30,
    sum: 1e21,
    native: {
      positive: { scale: 3, offset: -2, counts: [5, 0, 7, 0, 0, 0, 9, 0], zeroCount: 4 },
      negative: { offset: 0, counts: [2, 3] },
      zeroThreshold: 2 ** -128,
    },
    exemplars: EXEMPLARS,
  };
  const metrics: Metric[] = [{ labels: [], createdMs: 1500, timestampMs: 2500, value }];
  expect(rendered([family('histogram', value, { metrics })], 'openmetrics2').split('\n')).toEqual([
    '# TYPE x histogram',
    'x {count:30,sum:1e+21,schema:3,zero_threshold:2.938735877055719e-39,zero_count:4,' +
      'negative_spans:[1:2],negative_buckets:[2,3],positive_spans:[-1:3,3:1],positive_buckets:[5,0,7,9]}' +
      ' 2.5 st@1.5 # {n="1"} 0.5 2 # {} 1 1',
    '# EOF',
    '',
  ]);
});

test('a histogram without values has neither spans nor buckets', () => {
  const positive = { scale: 0, offset: 0, counts: [], zeroCount: 0 };
  const native = { positive, zeroThreshold: 0.001 };
  const value: Metric['value'] = { kind: 'histogram', count: 0, sum: 0, native };
  expect(rendered([family('histogram', value)], 'openmetrics2')).toContain(
    'x {count:0,sum:0,schema:0,zero_threshold:0.001,zero_count:0}\n',
  );
});

test('classic buckets are cumulative, follow native ones, and stand alone without them', () => {
  const classic = { boundaries: [-1, 1e-7, 2.5, 1e22], counts: [1, 0, 3, 0, 2] };
  const native = {
    positive: { scale: 0, offset: 0, counts: [6], zeroCount: 0 },
    zeroThreshold: 0.5,
  };
  const bucket = 'bucket:[-1.0:1,1e-07:1,2.5:4,1e+22:4,+Inf:6]';
  const text = (value: Partial<Metric['value']>) =>
    rendered(
      [family('histogram', { kind: 'histogram', count: 6, sum: undefined, ...value } as Metric['value'])],
      'openmetrics2',
    );
  expect(text({ classic })).toContain(`x {count:6,sum:NaN,${bucket}}\n`);
  expect(text({ toClassic: () => classic })).toContain(`x {count:6,sum:NaN,${bucket}}\n`);
  expect(text({ native, classic })).toContain(`positive_buckets:[6],${bucket}}\n`);
  expect(text({ native, toClassic: () => classic })).toContain('positive_buckets:[6]}\n');
  expect(text({})).toContain('x {count:6,sum:NaN,bucket:[+Inf:6]}\n');
});

test('names that need quotes have them', () => {
  const value: Metric['value'] = { kind: 'number', value: 1 };
  const metrics: Metric[] = [
    {
      labels: [
        ['a.b', 'c"\n'],
        ['d', 'e'],
      ],
      value,
    },
    { labels: [], value },
  ];
  const families = [family('gauge', value, { name: 'x.y\n"\\', help: 'h', metrics })];
  expect(new TextDecoder().decode(render(families, 'openmetrics2', 'allow-utf-8'))).toBe(
    [
      '# TYPE "x.y\\n\\"\\\\" gauge',
      '# HELP "x.y\\n\\"\\\\" h',
      '{"x.y\\n\\"\\\\","a.b"="c\\"\\n",d="e"} 1',
      '{"x.y\\n\\"\\\\"} 1',
      '# EOF',
      '',
    ].join('\n'),
  );
});

const names = fc.oneof(
  fc.constantFrom('x', 'a_b', 'a.b', '1'),
  fc.string({ minLength: 1, unit: anyCharacter }),
);
const anyNumber = fc.double();
const anyHistogram = fc.record({
  kind: fc.constant('histogram' as const),
  count: fc.maxSafeNat(),
  sum: fc.option(anyNumber, { nil: undefined }),
  native: fc.option(
    fc.record({
      positive: fc.record({
        scale: fc.integer({ min: -4, max: 8 }),
        offset: fc.integer({ min: -1000, max: 1000 }),
        counts: fc.array(fc.oneof(fc.constant(0), fc.maxSafeNat()), { maxLength: 200 }),
        zeroCount: fc.maxSafeNat(),
      }),
      negative: fc.option(
        fc.record({
          offset: fc.integer({ min: -1000, max: 1000 }),
          counts: fc.array(fc.oneof(fc.constant(0), fc.maxSafeNat()), { maxLength: 50 }),
        }),
        { nil: undefined },
      ),
      zeroThreshold: fc.double({ min: 1e-300, max: 1, noNaN: true }),
    }),
    { nil: undefined },
  ),
  exemplars: fc.array(
    fc.record({
      value: anyNumber,
      timeMs: fc.integer({ min: 0, max: 2e12 }),
      attributes: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
    }),
    { maxLength: 3 },
  ),
});

test('any family, of any names, is one that the grammar of the specification accepts and that keeps its buckets', () => {
  const anyFamily: fc.Arbitrary<MetricFamily> = fc.record({
    name: names,
    help: fc.string(),
    unit: fc.constantFrom('', 's', 'By'),
    type: fc.constant('histogram' as const),
    metrics: fc.array(
      fc.record({
        labels: fc.uniqueArray(fc.tuple(names, fc.string({ unit: anyCharacter })), {
          selector: ([name]) => name,
        }),
        createdMs: fc.option(fc.nat(2e12), { nil: undefined }),
        timestampMs: fc.option(fc.nat(2e12), { nil: undefined }),
        value: anyHistogram,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(anyFamily, (one) => {
      const decoded = decodeFamilies(render([one], 'protobuf', 'allow-utf-8'))[0]!;
      const text = new TextDecoder().decode(render([one], 'openmetrics2', 'allow-utf-8'));
      const [parsed, ...others] = parseOpenMetrics2(text);
      expect(others).toEqual([]);
      expect(parsed!.name).toBe(decoded.name);
      for (const [i, { labels, fields, exemplars }] of parsed!.samples.entries()) {
        const { histogram, labels: expected } = decoded.metrics[i]!;
        expect(labels).toEqual(expected);
        expect(fields!.get('count')).toBe(`${histogram!.count}`);
        // The text has no sign before 0.
        expect(toNumber(fields!.get('sum')!)).toBe(histogram!.sum + 0);
        const { value } = one.metrics[i]!;
        expect(exemplars).toHaveLength((value.kind === 'histogram' && value.exemplars?.length) || 0);
        if (histogram!.schema === undefined) continue;
        expect(fields!.get('schema')).toBe(`${histogram!.schema}`);
        for (const side of ['positive', 'negative'] as const) {
          const there = [...bucketsOf(histogram![side])].map(([index, count]) => [index, Number(count)]);
          expect([...bucketsIn(fields!, side)]).toEqual(there);
        }
      }
    }),
  );
});

describe('1000 series of a registry', () => {
  test('have the same buckets as in protobuf', async () => {
    const { registry } = recordThousandSeries();
    const families = convertSnapshot(await registry.gather());
    const [parsed] = parseOpenMetrics2(rendered(families, 'openmetrics2'));
    const [decoded] = decodeFamilies(render(families, 'protobuf'));
    expect(parsed!.samples).toHaveLength(1000);
    for (const [i, { fields }] of parsed!.samples.entries()) {
      const { positive } = decoded!.metrics[i]!.histogram!;
      const expected = [...bucketsOf(positive)].map(([index, count]) => [index, Number(count)]);
      // A comparison of texts, because there are a hundred thousand buckets.
      expect(`${[...bucketsIn(fields!, 'positive')]}`).toBe(`${expected}`);
    }
  });

  test('are scraped in at most 1.5 times the bytes and the processor time of protobuf, when all have changed', async () => {
    const cost = await runInThread<{ bytes: number; processorTime: number }>(COST, 1.5);
    expect(cost.bytes).toBeLessThanOrEqual(1.5);
    expect(cost.processorTime).toBeLessThanOrEqual(1.5);
  });
});
