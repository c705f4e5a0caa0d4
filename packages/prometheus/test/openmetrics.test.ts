import { createRegistry, type Exemplar } from '@hdrscope/registry';
import { convertResourceMetrics, convertSnapshot, type Metric, render } from '../src/index.ts';
import { family, rendered } from './support/text.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

test('an empty list of families is the end mark alone', () => {
  expect(rendered([], 'openmetrics')).toBe('# EOF\n');
});

test('a counter has its creation time and an exemplar, and its metadata lack _total', () => {
  const exemplar: Exemplar = { value: 3, timeMs: 1_700_000_000_456, attributes: { trace_id: TRACE } };
  const metrics: Metric[] = [
    {
      labels: [['a', 'b']],
      createdMs: 1_700_000_000_123,
      timestampMs: 1_700_000_001_000,
      value: { kind: 'number', value: 7, exemplar },
    },
  ];
  expect(rendered([family('counter', metrics[0]!.value, { help: 'h', metrics })], 'openmetrics')).toBe(
    [
      '# TYPE x counter',
      '# HELP x h',
      `x_total{a="b"} 7 1700000001 # {trace_id="${TRACE}"} 3 1700000000.456`,
      'x_created{a="b"} 1700000000.123 1700000001',
      '# EOF',
      '',
    ].join('\n'),
  );
});

test('an info and an unknown have their own types', () => {
  const value: Metric['value'] = { kind: 'number', value: 1 };
  const families = [family('info', value, { unit: 's' }), family('unknown', value, { name: 'y' })];
  expect(rendered(families, 'openmetrics')).toBe('# TYPE x info\nx_info 1\n# TYPE y unknown\ny 1\n# EOF\n');
});

test.each([
  ['x_seconds', 's', '# UNIT x_seconds seconds\n'],
  ['x_bytes', 'By', '# UNIT x_bytes bytes\n'],
  ['x_seconds', 'ms', ''],
  ['x', 's', ''],
  ['xseconds', 's', ''],
  ['x', '', ''],
  ['x', '1', ''],
])('%s in %j has a unit line only if the name ends with the unit', (name, unit, line) => {
  const text = rendered([family('gauge', { kind: 'number', value: 1 }, { name, unit })], 'openmetrics');
  expect(text).toBe(`# TYPE ${name} gauge\n${line}${name} 1\n# EOF\n`);
});

test('a histogram has canonical boundaries, the latest exemplar of each bucket, and its creation time', () => {
  const exemplars: Exemplar[] = [
    { value: 0.5, timeMs: 2000, attributes: { n: 'later' } },
    { value: 0.1, timeMs: 1000, attributes: { n: 'earlier' } },
    { value: 1, timeMs: 1000, attributes: { n: 'on the boundary' } },
    { value: 1e9, timeMs: 1000, attributes: {} },
    { value: Number.NaN, timeMs: 9000, attributes: { n: 'nowhere' } },
  ];
  const value: Metric['value'] = {
    kind: 'histogram',
    count: 4,
    sum: 2.5,
    classic: { boundaries: [1e-7, 1, 2.5, 1e22], counts: [0, 3, 0, 1, 0] },
    exemplars,
  };
  const metrics: Metric[] = [{ labels: [], createdMs: 1500, value }];
  expect(rendered([family('histogram', value, { metrics })], 'openmetrics').split('\n')).toEqual([
    '# TYPE x histogram',
    'x_bucket{le="1e-07"} 0',
    'x_bucket{le="1.0"} 3 # {n="later"} 0.5 2',
    'x_bucket{le="2.5"} 3',
    'x_bucket{le="1e+22"} 4 # {} 1000000000 1',
    'x_bucket{le="+Inf"} 4',
    'x_sum 2.5',
    'x_count 4',
    'x_created 1.5',
    '# EOF',
    '',
  ]);
});

test.each<[title: string, attributes: Exemplar['attributes'], labels: string]>([
  [
    'all labels of 128 characters',
    { a: '日'.repeat(63), b: '🎉'.repeat(63) },
    `a="${'日'.repeat(63)}",b="${'🎉'.repeat(63)}"`,
  ],
  [
    'no label beyond 128 characters',
    { a: 'x'.repeat(64), b: 'y'.repeat(63), c: 'z' },
    `a="${'x'.repeat(64)}",c="z"`,
  ],
  [
    'trace and span before other labels',
    { a: 'x'.repeat(100), span_id: 's', trace_id: TRACE },
    `trace_id="${TRACE}",span_id="s"`,
  ],
  ['no label that is too long alone', { a: 'x'.repeat(128) }, ''],
])('an exemplar keeps %s', (_title, attributes, labels) => {
  const exemplar: Exemplar = { value: 1, timeMs: 1000, attributes };
  const text = rendered([family('counter', { kind: 'number', value: 1, exemplar })], 'openmetrics');
  expect(text).toContain(`x_total 1 # {${labels}} 1 1\n`);
});

test('a gauge shows no exemplar, because OpenMetrics allows none', () => {
  const exemplar: Exemplar = { value: 1, timeMs: 1000, attributes: {} };
  expect(rendered([family('gauge', { kind: 'number', value: 1, exemplar })], 'openmetrics')).toContain(
    'x 1\n',
  );
});

test('exemplars of a registry, and of the points that a reader collects, are shown', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'x', unit: 's' }).with({ route: '/' });
  series.record(0.2);
  series.offerExemplar({ value: 0.2, timeMs: 1000, attributes: { trace_id: TRACE } });
  const text = new TextDecoder().decode(render(convertSnapshot(await registry.gather()), 'openmetrics'));
  expect(text).toContain(`# {trace_id="${TRACE}"} 0.2 1`);

  const { attributes, exemplars } = (await registry.gather()).families[0]!.series[0]!;
  const value = { buckets: { boundaries: [1], counts: [1, 0] }, sum: 0.2, count: 1 };
  const point = { startTime: [0, 0], endTime: [1, 0], attributes, value, exemplars } as const;
  const metrics = [
    {
      descriptor: { name: 'y', description: '', unit: 's' },
      aggregationTemporality: 1,
      dataPointType: 0,
      dataPoints: [point],
    },
  ];
  const scopeMetrics = [{ scope: { name: 'm' }, metrics }];
  const families = convertResourceMetrics({ resource: { attributes: {} }, scopeMetrics } as never);
  expect(new TextDecoder().decode(render(families, 'openmetrics'))).toContain(
    `# {trace_id="${TRACE}"} 0.2 1`,
  );
});
