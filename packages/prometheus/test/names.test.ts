import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRegistry } from '@hdrscope/registry';
import {
  convertResourceMetrics,
  HdrPrometheusExporter,
  type MetricType,
  prometheusHandler,
  render,
} from '../src/index.ts';
import { labelsOf, seriesKey, seriesLabels } from '../src/labels.ts';
import {
  exposedName,
  familyName,
  isWithoutSuffixes,
  labelName,
  type TranslationStrategy,
  unitInName,
  unitWords,
} from '../src/names.ts';

type NamedType = Parameters<typeof familyName>[2];

// Without an option, names are those of Prometheus' OTLP endpoint. They were computed by github.com/prometheus/otlptranslator 1.0.0.
test.each<[name: string, unit: string, type: NamedType, expected: string | undefined]>([
  ['http.server.duration', 's', 'histogram', 'http_server_duration_seconds'],
  ['http.server.duration', 'ms', 'histogram', 'http_server_duration_milliseconds'],
  ['a..b--c__d', '', 'gauge', 'a_b_c_d'],
  ['1st', '', 'gauge', '_1st'],
  ['naïve', '', 'gauge', 'na_ve'],
  ['a:b', '', 'gauge', 'a:b'],
  ['requests', '', 'counter', 'requests'],
  ['requests', '{request}', 'counter', 'requests'],
  ['requests', '1', 'counter', 'requests'],
  ['requests_total', '', 'counter', 'requests'],
  ['requests.total.http', '', 'counter', 'requests_http'],
  ['requests_total', '', 'gauge', 'requests_total'],
  ['x.seconds', 's', 'gauge', 'x_seconds'],
  ['x.seconds.total', 's', 'counter', 'x_seconds'],
  ['read.bytes.size', 'By', 'histogram', 'read_bytes_size'],
  ['io', 'By/s', 'gauge', 'io_bytes_per_second'],
  ['use', '1', 'gauge', 'use_ratio'],
  ['ratio.of.use', '1', 'gauge', 'of_use_ratio'],
  ['use', '1', 'sum', 'use'],
  ['use', '1', 'histogram', 'use'],
  ['...', '', 'gauge', undefined],
  ['', 's', 'gauge', undefined],
])('the name %j with the unit %j of a %s is %j', (name, unit, type, expected) => {
  expect(familyName(name, unit, type, {})).toBe(expected);
});

// These are the names of the stock exporter.
test.each<[name: string, unit: string, type: NamedType, expected: string | undefined]>([
  ['http.server.duration', 's', 'histogram', 'http_server_duration'],
  ['a..b--c__d', '', 'gauge', 'a_b_c_d'],
  ['1st', '1', 'gauge', '_1st'],
  ['a:b', '', 'gauge', 'a_b'],
  ['requests.total', 'By', 'counter', 'requests'],
  ['_total', '', 'counter', '_total'],
  ['...', '', 'gauge', undefined],
  ['', '', 'gauge', undefined],
])('without units, the name %j with the unit %j of a %s is %j', (name, unit, type, expected) => {
  expect(familyName(name, unit, type, { translationStrategy: 'UnderscoreEscapingWithoutUnits' })).toBe(
    expected,
  );
});

test.each<[prefix: string, type: NamedType, expected: string]>([
  ['my', 'gauge', 'my_1x_seconds'],
  ['my-app', 'gauge', 'my_app_1x_seconds'],
  ['9', 'counter', '_9_1x_seconds'],
])('with the prefix %j a %s is called %s', (prefix, type, expected) => {
  expect(familyName('1x', 's', type, { prefix })).toBe(expected);
});

describe('the variable HDRSCOPE_TRANSLATION_STRATEGY', () => {
  const warnings: string[] = [];

  const { emitWarning } = process;

  beforeEach(() => {
    warnings.length = 0;
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
  });

  afterEach(() => {
    delete process.env.HDRSCOPE_TRANSLATION_STRATEGY;
    process.emitWarning = emitWarning;
  });

  const scrape = async (options: Parameters<typeof prometheusHandler>[1] = {}) => {
    const registry = createRegistry();
    registry.histogram({ name: 'job.duration', unit: 's' }).with({}).record(1);
    const server = createServer(prometheusHandler(registry, options)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    server.close();
    return text;
  };

  test('states how names are made, unless the option does', async () => {
    process.env.HDRSCOPE_TRANSLATION_STRATEGY = 'UnderscoreEscapingWithoutSuffixes';
    expect(await scrape()).toContain('\njob_duration_count 1\n');
    expect(await scrape({ translationStrategy: 'UnderscoreEscapingWithSuffixes' })).toContain(
      '\njob_duration_seconds_count 1\n',
    );
    expect(warnings).toEqual([]);
  });

  test('applies to the exporter', () => {
    process.env.HDRSCOPE_TRANSLATION_STRATEGY = 'wrong';
    new HdrPrometheusExporter({ preventServerStart: true });
    expect(warnings).toHaveLength(1);
    new HdrPrometheusExporter({ preventServerStart: true, translationStrategy: 'NoTranslation' });
    expect(warnings).toHaveLength(1);
  });

  test('that is wrong is ignored with a warning of what is allowed', async () => {
    process.env.HDRSCOPE_TRANSLATION_STRATEGY = 'seconds';
    expect(await scrape()).toContain('\njob_duration_seconds_count 1\n');
    expect(warnings).toEqual([
      "HDRSCOPE_TRANSLATION_STRATEGY must be 'UnderscoreEscapingWithSuffixes', 'UnderscoreEscapingWithoutSuffixes', " +
        "'NoUTF8EscapingWithSuffixes', 'NoTranslation' or 'UnderscoreEscapingWithoutUnits', got 'seconds': " +
        'UnderscoreEscapingWithSuffixes applies',
    ]);
  });
});

describe('a strategy', () => {
  // The first row of each is the specification's table; the others were computed by github.com/prometheus/otlptranslator 1.0.0.
  test.each<[strategy: TranslationStrategy, name: string, unit: string, type: MetricType, exposed: string]>([
    ['UnderscoreEscapingWithSuffixes', 'foo.bar', 'By', 'counter', 'foo_bar_bytes_total'],
    [
      'UnderscoreEscapingWithSuffixes',
      'http.server.duration',
      's',
      'histogram',
      'http_server_duration_seconds',
    ],
    ['UnderscoreEscapingWithSuffixes', 'x.duration.seconds', 's', 'histogram', 'x_duration_seconds'],
    ['UnderscoreEscapingWithSuffixes', 'a..b--c', 'm/s', 'gauge', 'a_b_c_meters_per_second'],
    ['UnderscoreEscapingWithoutSuffixes', '.a..b__c', 'm/s', 'gauge', 'a_b__c'],
    ['NoUTF8EscapingWithSuffixes', 'use', '1', 'gauge', 'use_ratio'],
    ['UnderscoreEscapingWithSuffixes', 'jobs.total', '{job}', 'counter', 'jobs_total'],
    ['UnderscoreEscapingWithSuffixes', '1st', '1', 'histogram', '_1st'],
    ['UnderscoreEscapingWithoutSuffixes', 'foo.bar', 'By', 'counter', 'foo_bar'],
    ['UnderscoreEscapingWithoutSuffixes', 'http.server.duration', 's', 'histogram', 'http_server_duration'],
    ['UnderscoreEscapingWithoutSuffixes', 'jobs.total', '{job}', 'counter', 'jobs_total'],
    ['UnderscoreEscapingWithoutSuffixes', '1st', '1', 'histogram', '_1st'],
    ['NoUTF8EscapingWithSuffixes', 'foo.bar', 'By', 'counter', 'foo.bar_bytes_total'],
    ['NoUTF8EscapingWithSuffixes', 'http.server.duration', 's', 'histogram', 'http.server.duration_seconds'],
    ['NoUTF8EscapingWithSuffixes', 'x.duration.seconds', 's', 'histogram', 'x.duration.seconds'],
    ['NoUTF8EscapingWithSuffixes', 'a..b--c', 'm/s', 'gauge', 'a..b--c_meters_per_second'],
    ['NoUTF8EscapingWithSuffixes', 'jobs.total', '{job}', 'counter', 'jobs_total'],
    ['NoUTF8EscapingWithSuffixes', '1st', '1', 'histogram', '1st'],
    ['NoTranslation', 'foo.bar', 'By', 'counter', 'foo.bar'],
    ['NoTranslation', 'http.server.duration', 's', 'histogram', 'http.server.duration'],
    ['NoTranslation', 'jobs.total', '{job}', 'counter', 'jobs.total'],
    ['NoTranslation', '1st', '1', 'histogram', '1st'],
  ])('%s exposes %j in %j of a %s as %j', (translationStrategy, ownName, unit, type, exposed) => {
    const options = { translationStrategy };
    const name = familyName(ownName, unit, type, options)!;
    expect(exposedName({ name, type, isFixedName: isWithoutSuffixes(options) })).toBe(exposed);
  });

  // https://opentelemetry.io/docs/specs/otel/metrics/sdk_exporters/prometheus/#interaction-with-translation-strategy
  test.each<[strategy: TranslationStrategy, classic: string, utf8: string]>([
    ['UnderscoreEscapingWithSuffixes', 'foo_bar_bytes_total', 'foo_bar_bytes_total'],
    ['UnderscoreEscapingWithoutSuffixes', 'foo_bar', 'foo_bar'],
    ['NoUTF8EscapingWithSuffixes', 'foo_bar_bytes_total', 'foo.bar_bytes_total'],
    ['NoTranslation', 'foo_bar', 'foo.bar'],
  ])(
    '%s shows a counter of an SDK as %s, or as %s to a scraper that takes UTF-8',
    (translationStrategy, classic, utf8) => {
      const point = { startTime: [0, 0], endTime: [1, 0], attributes: { 'a.b': '1' }, value: 7 } as const;
      const descriptor = { name: 'foo.bar', description: '', unit: 'By' };
      const metric = {
        descriptor,
        aggregationTemporality: 1,
        dataPointType: 3,
        isMonotonic: true,
        dataPoints: [point],
      };
      const families = convertResourceMetrics(
        {
          resource: { attributes: {} },
          scopeMetrics: [{ scope: { name: 'm' }, metrics: [metric] }],
        } as never,
        { translationStrategy, withoutTargetInfo: true, withoutScopeInfo: true },
      );
      const isKept = translationStrategy.startsWith('No');
      for (const format of ['text', 'openmetrics', 'openmetrics2'] as const) {
        expect(new TextDecoder().decode(render(families, format))).toContain(`\n${classic}{a_b="1"} 7`);
        expect(new TextDecoder().decode(render(families, format, 'allow-utf-8'))).toContain(
          `\n${utf8.includes('.') ? `{"${utf8}",` : `${utf8}{`}${isKept ? '"a.b"' : 'a_b'}="1"} 7`,
        );
      }
    },
  );

  test('keeps the keys of resource attributes as it keeps others', () => {
    const resource = { attributes: { 'service.name': 'shop' } };
    const families = convertResourceMetrics({ resource, scopeMetrics: [] } as never, {
      translationStrategy: 'NoTranslation',
    });
    expect(new TextDecoder().decode(render(families, 'text', 'allow-utf-8'))).toContain(
      'target_info{"service.name"="shop"} 1\n',
    );
  });

  test('that does not exist is refused', () => {
    const wrong = { translationStrategy: 'Nothing' } as never;
    const code = expect.objectContaining({ code: 'ERR_INVALID_OPTION' });
    expect(() => prometheusHandler(createRegistry(), wrong)).toThrow(code);
    expect(() => new HdrPrometheusExporter({ ...(wrong as object), preventServerStart: true })).toThrow(code);
  });

  test('keeps a prefix', () => {
    expect(familyName('a.b', 's', 'gauge', { prefix: 'my.app', translationStrategy: 'NoTranslation' })).toBe(
      'my.app_a.b',
    );
  });
});

test.each([
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['By', 'bytes'],
  ['By/s', 'bytes_per_second'],
  ['{request}/s', 'per_second'],
  ['1', ''],
  ['', ''],
  ['{thing}', ''],
  ['furlong', 'furlong'],
  ['m/{fortnight}', 'meters'],
])('the unit %j is %j in words', (unit, words) => {
  expect(unitWords(unit)).toBe(words);
});

test('only a counter and an info have their type in the name', () => {
  const types = ['counter', 'gauge', 'histogram', 'info', 'unknown'] as const;
  expect(types.map((type) => exposedName({ name: 'x', type }))).toEqual(['x_total', 'x', 'x', 'x_info', 'x']);
});

test('a unit is in a name only if the name ends with it and has more than it', () => {
  const names = ['x_seconds', 'seconds', '_seconds', 'xseconds', 'x_seconds_y'];
  expect(names.map((name) => unitInName({ name, unit: 's' }))).toEqual(['seconds', '', '', '', '']);
});

test.each([
  ['http.method', 'http_method'],
  ['1a', '_1a'],
  ['__x__', '_x_'],
  ['', '_'],
  ['ключ', '_'],
])('the label %j is called %j', (key, name) => {
  expect(labelName(key)).toBe(name);
});

test.each<[value: unknown, text: string]>([
  ['text', 'text'],
  [1.5, '1.5'],
  [true, 'true'],
  [['a', 1, null], '["a",1,null]'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, ''],
  [null, 'null'],
  [12n, '12'],
])('the attribute value %p is the label value %j', (value, text) => {
  expect(labelsOf({ a: value })).toEqual([['a', text]]);
});

test('keys that become one name have their values joined in the order of the keys', () => {
  expect(labelsOf({ a_b: '3', c: 'x', 'a.b': '2', 'a-b': '1' })).toEqual([
    ['a_b', '1;2;3'],
    ['c', 'x'],
  ]);
});

test('an attribute takes precedence over a label of the scope or the resource', () => {
  const extra = [
    ['otel_scope_name', 'lib'],
    ['service_name', 'shop'],
  ] as const;
  expect(seriesLabels({ 'service.name': 'mine' }, extra)).toEqual([
    ['service_name', 'mine'],
    ['otel_scope_name', 'lib'],
  ]);
});

test('an attribute of a reserved name gets another name', () => {
  expect(seriesLabels({ le: '5' }, [], 'le')).toEqual([['exported_le', '5']]);
});

test('no label comes twice because of a reserved name', () => {
  expect(seriesLabels({ le: '5', exported_le: '7' }, [], 'le')).toEqual([
    ['exported_exported_le', '5'],
    ['exported_le', '7'],
  ]);
  expect(seriesLabels({}, [['le', 'of the resource']], 'le')).toEqual([['exported_le', 'of the resource']]);
});

test('an attribute does not take the label in which Prometheus keeps the name of the metric', () => {
  expect(labelsOf({ __name__: 'x' }, true)).toEqual([['exported___name__', 'x']]);
  expect(labelsOf({ __name__: 'x' })).toEqual([['_name_', 'x']]);
});

test('labels are those of the attributes, the scope and the reserved name of the call', () => {
  const attributes = { x: 1 };
  seriesLabels(attributes, [['a', '1']]);
  attributes.x = 2;
  expect(seriesLabels(attributes, [['a', '1']])).toEqual([
    ['x', '2'],
    ['a', '1'],
  ]);
  const frozen = Object.freeze({ x: 1 });
  expect(seriesLabels(frozen, [['a', '2']])).not.toEqual(seriesLabels(frozen, [['a', '1']]));
  expect(seriesLabels(frozen, [['a', '1']], 'x')[0]).toEqual(['exported_x', '1']);
});

test('the order of labels does not matter for a series', () => {
  const [a, b] = [['a', '1'] as const, ['b', '2'] as const];
  expect(seriesKey([a, b])).toBe(seriesKey([b, a]));
  expect(seriesKey([a])).not.toBe(seriesKey([b]));
});
