import { describeWithPeers } from '@hdrscope/testing';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { convertResourceMetrics, type ResourceMetricsLike } from '../src/index.ts';
import { collected, manualReader, STOCK_VERSIONS, type Stock } from './support/stock.ts';
import { rendered } from './support/text.ts';

const RESOURCE = resourceFromAttributes({
  'service.name': 'shop "one"',
  'service.version': '1.2.3',
  'process.pid': 4711,
  'process.command_args': ['node', 'a\\b'],
});

/** Every kind of instrument with awkward names, units, attributes and values, in several scopes. */
async function realMetrics(stock: Stock): Promise<ResourceMetricsLike> {
  const { MeterProvider, AggregationType } = stock.metrics;
  const reader = manualReader(stock);
  const provider = new MeterProvider({
    resource: RESOURCE,
    readers: [reader],
    views: [
      {
        instrumentName: 'no.buckets',
        aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [] } },
      },
    ],
  });
  const bare = provider.getMeter('bare');
  const full = provider.getMeter('full', '1.0.0-rc.1', { schemaUrl: 'https://example.com/schemas/1.2.0' });

  const counter = bare.createCounter('http.server.requests', {
    description: 'All\nof "them" \\',
    unit: '{request}',
  });
  counter.add(3, { 'http.method': 'GET', route: '/a"b\\c\nd', ok: true, status: 200, list: ['x', 'y'] });
  counter.add(1e21, { 'http.method': 'POST', 'naïve-ключ': '日本', __x__: '' });
  counter.add(0.1 + 0.2);
  bare.createCounter('bytes_total', { unit: 'By' }).add(7, { a: 1 });
  full.createUpDownCounter('queue-depth/now', { unit: 'jobs/s' }).add(-5, { le: 'not a bucket' });
  full.createObservableGauge('temperature', { unit: 'Cel' }).addCallback((result) => {
    result.observe(Number.POSITIVE_INFINITY, { at: 'core' });
    result.observe(Number.NEGATIVE_INFINITY, { at: 'space' });
    result.observe(Number.NaN, { at: 'nowhere' });
    result.observe(-0, { at: 'sea' });
    result.observe(1e-7, { at: 'lab' });
  });
  full.createObservableCounter('cpu.time').addCallback((result) => result.observe(12.5, { cpu: 0 }));
  bare.createGauge('level').record(4);

  const duration = full.createHistogram('http.server.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 1, 2.5, 1e6, 1e21] },
  });
  for (const value of [0, 0.005, 0.0051, 0.3, 2, 5e6, 1e22]) duration.record(value, { route: '/a' });
  duration.record(0.1, {});
  bare.createHistogram('sizes').record(150);
  bare.createHistogram('no.buckets', { description: 'Sum and count only' }).record(1);
  return collected(reader);
}

describe.each(STOCK_VERSIONS)('beside the stock exporter for %s', (_version, stock) => {
  test.each<[title: string, options: Parameters<typeof convertResourceMetrics>[1]]>([
    ['by default', {}],
    ['with a prefix', { prefix: 'my_app' }],
    ['with timestamps', { appendTimestamp: true }],
    ['with labels of the resource', { withResourceConstantLabels: /^service\./ }],
    ['with labels of the resource, of a global pattern', { withResourceConstantLabels: /service/g }],
    ['without the scope', { withoutScopeInfo: true }],
    [
      'without the scope, with labels of the resource',
      { withoutScopeInfo: true, withResourceConstantLabels: /pid/ },
    ],
    ['without target_info', { withoutTargetInfo: true }],
  ])('the text is equal byte for byte %s', async (_title, options = {}) => {
    const metrics = await realMetrics(stock);
    const theirs = new stock.PrometheusSerializer(
      options.prefix,
      options.appendTimestamp,
      options.withResourceConstantLabels,
      options.withoutTargetInfo,
      options.withoutScopeInfo,
    ).serialize(metrics as never);
    const ours = convertResourceMetrics(metrics, {
      ...options,
      translationStrategy: 'UnderscoreEscapingWithoutUnits',
    });
    expect(rendered(ours, 'text')).toBe(theirs);
    expect(theirs.split('\n').length).toBeGreaterThan(50);
  });
});

describeWithPeers(['opentelemetry-3'])('beside the stock exporter for 3.x', () => {
  test('the text differs on purpose when names collide: one type is kept, and no label or series is repeated', async () => {
    const [, stock] = STOCK_VERSIONS.find(([version]) => version === '3.x')!;
    const reader = manualReader(stock);
    const meter = new stock.metrics.MeterProvider({ readers: [reader] }).getMeter('m');
    meter.createGauge('x.y').record(1, { 'a.b': '1', 'a-b': '2' });
    meter.createGauge('x_y').record(2, { 'a-b': '2', 'a.b': '1' });
    meter.createHistogram('x-y').record(3);
    const metrics = await collected(reader);
    const warnings: string[] = [];
    const families = convertResourceMetrics(metrics, {
      withoutTargetInfo: true,
      warn: (message) => warnings.push(message),
    });
    expect(rendered(families, 'text')).toBe(
      '# HELP x_y description missing\n# TYPE x_y gauge\nx_y{a_b="2;1",otel_scope_name="m"} 1\n',
    );
    expect(warnings).toEqual([
      '"x_y" is already a gauge: the histogram of this name is left out',
      '"x_y" has 1 series with the same labels as others: these series are left out',
    ]);
    const theirs = new stock.PrometheusSerializer('', false, undefined, true).serialize(metrics as never);
    expect(theirs).toBe('# no registered metrics');
  });
});
