import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { PrometheusExporter } from 'exporter-prometheus-2';
import type { MeterProvider, MeterProviderOptions } from 'sdk-metrics-2';
import {
  HdrPrometheusExporter,
  type HdrPrometheusExporterOptions,
  type MetricFamily,
} from '../../src/index.ts';
import { bucketsOf, decodeFamilies } from './decode.ts';
import { type Answer, type Asked, ask, OPENMETRICS, PROTOBUF } from './http.ts';
import { samplesIn } from './text.ts';

/** A copy of the SDK and its Prometheus exporter. The types of one version stand for all: these parts are alike. */
export interface Sdk {
  readonly metrics: typeof import('sdk-metrics-2');
  readonly PrometheusExporter: typeof PrometheusExporter;
  /** Whether this exporter labels series with their scope. @default true */
  readonly hasScopeLabels?: boolean;
}

/** Behaviour that must hold with every version of the SDK. */
export function testExporter(sdk: Sdk): void {
  const log = collectDiagnostics();
  const exporters: HdrPrometheusExporter[] = [];
  afterEach(async () => {
    await Promise.all(exporters.splice(0).map((exporter) => exporter.stopServer()));
  });

  interface Pipeline {
    readonly exporter: HdrPrometheusExporter;
    readonly provider: MeterProvider;
    readonly scrape: (asked?: Asked) => Promise<Answer>;
  }

  async function pipeline(
    options: HdrPrometheusExporterOptions = {},
    providerOptions: MeterProviderOptions = {},
  ): Promise<Pipeline> {
    const exporter = new HdrPrometheusExporter({ port: 0, ...options });
    exporters.push(exporter);
    const provider = new sdk.metrics.MeterProvider({ ...providerOptions, readers: [exporter] });
    if (!options.preventServerStart) await exporter.startServer();
    const path = `/${options.endpoint ?? 'metrics'}`;
    return { exporter, provider, scrape: (asked) => ask(exporter.port!, { path, ...asked }) };
  }

  describe('scrapes', () => {
    test('show histograms of the SDK with native buckets in protobuf', async () => {
      const { provider, scrape } = await pipeline();
      const duration = provider
        .getMeter('m')
        .createHistogram('duration', { unit: 's', description: 'How long.' });
      for (const value of [0, 0.5, 1, 1, 4]) duration.record(value, { route: '/' });
      const { headers, bytes } = await scrape({ headers: { accept: PROTOBUF } });
      expect(headers['content-type']).toMatch(/^application\/vnd\.google\.protobuf/);
      const family = decodeFamilies(bytes).find(({ name }) => name === 'duration_seconds')!;
      expect(family).toMatchObject({ help: 'How long.', type: 4 });
      const [metric] = family.metrics;
      expect(metric!.labels).toEqual([
        ['route', '/'],
        ['otel_scope_name', 'm'],
      ]);
      expect(metric!.histogram).toMatchObject({ count: 5n, sum: 6.5, zeroCount: 1n, buckets: [] });
      const counts = [...bucketsOf(metric!.histogram!.positive).values()].filter((count) => count > 0n);
      expect(counts).toEqual([1n, 2n, 1n]);
    });

    test('show them with classic buckets in text and OpenMetrics', async () => {
      const { provider, scrape } = await pipeline({ classicBoundaries: [1, 2] });
      const duration = provider.getMeter('m').createHistogram('duration', { unit: 's' });
      for (const value of [0, 0.5, 4]) duration.record(value);
      const expected = [
        'duration_seconds_bucket{otel_scope_name="m",le="1"} 2',
        'duration_seconds_bucket{otel_scope_name="m",le="+Inf"} 3',
      ];
      const text = await scrape();
      expect(text.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(samplesIn(text.text)).toEqual(expect.arrayContaining(expected));
      const open = await scrape({ headers: { accept: OPENMETRICS } });
      expect(open.text).toMatch(/# EOF\n$/);
      expect(open.text).toContain('duration_seconds_count{otel_scope_name="m"} 3');
    });

    test('show native and classic buckets in one message with the option both', async () => {
      const { provider, scrape } = await pipeline({ buckets: 'both', classicBoundaries: [1, 2] });
      const duration = provider.getMeter('m').createHistogram('duration');
      for (const value of [0.5, 4]) duration.record(value);
      const { bytes } = await scrape({ headers: { accept: PROTOBUF } });
      const { histogram } = decodeFamilies(bytes).find(({ name }) => name === 'duration')!.metrics[0]!;
      expect(histogram!.buckets.map(({ cumulative }) => cumulative)).toEqual([1n, 1n, 2n]);
      expect(bucketsOf(histogram!.positive).size).toBeGreaterThan(0);
    });

    test('show the boundaries of the SDK, with the advised ones, with the option classic', async () => {
      const { provider, scrape } = await pipeline({ buckets: 'classic', withoutScopeInfo: true });
      const advice = { explicitBucketBoundaries: [3] };
      provider.getMeter('m').createHistogram('advised', { advice }).record(2);
      const { bytes } = await scrape({ headers: { accept: PROTOBUF } });
      const { histogram } = decodeFamilies(bytes).find(({ name }) => name === 'advised')!.metrics[0]!;
      expect(histogram!.schema).toBeUndefined();
      expect(histogram!.buckets.map(({ upperBound }) => upperBound)).toEqual([3, Number.POSITIVE_INFINITY]);
    });

    test('are compressed, and follow the rules for HEAD and for other methods', async () => {
      const { provider, scrape } = await pipeline();
      provider.getMeter('m').createCounter('orders').add(1);
      const plain = await scrape();
      const zipped = await scrape({ headers: { 'accept-encoding': 'gzip, br' } });
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(zipped.text).toBe(plain.text);
      const head = await scrape({ method: 'HEAD' });
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        200,
        '',
        String(plain.bytes.length),
      ]);
      expect((await scrape({ method: 'POST' })).status).toBe(405);
      expect((await scrape({ path: '/' })).status).toBe(404);
    });

    test('can run concurrently', async () => {
      const { provider, scrape } = await pipeline({ withoutTargetInfo: true });
      const counter = provider.getMeter('m').createCounter('orders');
      const values: number[] = [];
      for (let i = 1; i <= 5; i++) {
        counter.add(1);
        const answers = await Promise.all(Array.from({ length: 8 }, () => scrape()));
        values.push(...answers.map(({ text }) => Number(samplesIn(text)[0]!.split(' ')[1])));
      }
      expect(values).toEqual([1, 2, 3, 4, 5].flatMap((value) => new Array(8).fill(value)));
    });

    test('include other producers and sources: one that fails logs a warning, and the rest is served', async () => {
      const scope = { name: 'other' };
      const descriptor = {
        name: 'level',
        description: '',
        unit: '',
        type: 'GAUGE',
        valueType: 1,
        advice: {},
      };
      const point = { startTime: [0, 0], endTime: [1, 0], attributes: {}, value: 5 };
      const metric = { descriptor, aggregationTemporality: 1, dataPointType: 2, dataPoints: [point] };
      const { provider, scrape } = await pipeline({
        metricProducers: [
          {
            collect: async () => ({
              resourceMetrics: { resource: {}, scopeMetrics: [{ scope, metrics: [metric] }] },
              errors: [new Error('half')],
            }),
          },
          { collect: () => Promise.reject(new Error('whole')) },
        ],
        sources: [
          () => [
            {
              name: 'extra',
              help: '',
              unit: '',
              type: 'gauge',
              metrics: [{ labels: [], value: { kind: 'number', value: 9 } }],
            },
          ],
        ],
      });
      provider.getMeter('m').createCounter('orders').add(1);
      const { status, text } = await scrape();
      expect(status).toBe(200);
      expect(samplesIn(text)).toEqual(
        expect.arrayContaining([
          'orders_total{otel_scope_name="m"} 1',
          'level{otel_scope_name="other"} 5',
          'extra 9',
        ]),
      );
      expect(log.warnings).toEqual([
        'a part of the metrics failed: half',
        'a part of the metrics failed: whole',
      ]);
    });

    test('wait for the attributes of the resource', async () => {
      const resource = resourceFromAttributes({
        host: new Promise<string>((resolve) => setTimeout(() => resolve('a'), 20)),
      });
      const { scrape } = await pipeline({}, { resource });
      expect(samplesIn((await scrape()).text)).toContain('target_info{host="a"} 1');
      expect(log.errors).toEqual([]);
    });
  });

  describe('a collection', () => {
    test('without a provider shows the other sources, and warns once', async () => {
      const up: MetricFamily = {
        name: 'up',
        help: '',
        unit: '',
        type: 'gauge',
        metrics: [{ labels: [], value: { kind: 'number', value: 1 } }],
      };
      const exporter = new HdrPrometheusExporter({ port: 0, sources: [() => [up]] });
      exporters.push(exporter);
      await exporter.startServer();
      for (let scrape = 0; scrape < 2; scrape++) {
        const { status, text } = await ask(exporter.port!);
        expect([status, samplesIn(text)]).toEqual([200, ['up 1']]);
      }
      const warning = 'HdrPrometheusExporter has no MeterProvider yet: pass it to the readers of one';
      expect(log.warnings).toEqual([warning]);
      await expect(exporter.collect()).rejects.toThrow(warning);
    });

    test('after the shutdown gets 500', async () => {
      const exporter = new HdrPrometheusExporter({ preventServerStart: true });
      await exporter.shutdown();
      const server = createServer(exporter.getMetricsRequestHandler);
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
      const { status, text } = await ask((server.address() as AddressInfo).port);
      server.close();
      expect([status, text]).toEqual([
        500,
        'metrics could not be exported: HdrPrometheusExporter is shut down\n',
      ]);
    });

    test('serves the rest when a callback fails', async () => {
      const { provider, scrape } = await pipeline();
      const meter = provider.getMeter('m');
      meter.createCounter('orders').add(1);
      meter.createObservableGauge('broken').addCallback(() => Promise.reject(new Error('no sensor')));
      const { status, text } = await scrape();
      expect(status).toBe(200);
      expect(samplesIn(text)).toContain('orders_total{otel_scope_name="m"} 1');
      expect(log.warnings).toEqual(['a part of the metrics failed: no sensor']);
    });

    test('serves the rest when a callback hangs, before the scraper gives up', async () => {
      const { provider, scrape } = await pipeline();
      const meter = provider.getMeter('m');
      meter.createCounter('orders').add(1);
      meter.createObservableGauge('hanging').addCallback(() => new Promise(() => {}));
      const { status, text } = await scrape({ headers: { 'x-prometheus-scrape-timeout-seconds': '0.4' } });
      expect(status).toBe(200);
      expect(samplesIn(text)).toContain('orders_total{otel_scope_name="m"} 1');
      expect(log.warnings).toHaveLength(1);
    });

    test('by a call returns the metrics of the SDK', async () => {
      const { exporter, provider } = await pipeline({ preventServerStart: true });
      provider.getMeter('m').createCounter('orders').add(1);
      const { resourceMetrics, errors } = await exporter.collect();
      expect(errors).toEqual([]);
      expect(resourceMetrics.scopeMetrics[0].metrics[0].descriptor.name).toBe('orders');
      expect(resourceMetrics.resource.attributes).toMatchObject({ 'telemetry.sdk.language': 'nodejs' });
    });
  });

  describe('an exporter', () => {
    test('accepts one provider only', async () => {
      const { exporter } = await pipeline({ preventServerStart: true });
      expect(() => new sdk.metrics.MeterProvider({ readers: [exporter] })).toThrow(
        'HdrPrometheusExporter can not be bound to a MeterProvider again.',
      );
    });

    test('shuts down with its provider: the server closes, and nothing is collected', async () => {
      const { exporter, provider } = await pipeline();
      const port = exporter.port!;
      await provider.forceFlush();
      await provider.shutdown();
      expect(exporter.port).toBeUndefined();
      await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
      await expect(exporter.collect()).rejects.toThrow('HdrPrometheusExporter is shut down');
      await exporter.shutdown();
      await exporter.forceFlush();
      expect(log.errors).toEqual(['shutdown was called twice on an HdrPrometheusExporter']);
      expect(log.warnings).toEqual(['forceFlush was called on an HdrPrometheusExporter that is shut down']);
    });

    test('has an unbound request handler for a server of the application and any path', async () => {
      const { exporter, provider } = await pipeline({ preventServerStart: true });
      provider.getMeter('m').createCounter('orders').add(1);
      const server = createServer(exporter.getMetricsRequestHandler);
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
      const { port } = server.address() as AddressInfo;
      expect((await ask(port, { path: '/any' })).text).toContain('orders_total{otel_scope_name="m"} 1');
      expect(exporter.port).toBeUndefined();
      await provider.shutdown();
      expect((await ask(port, { path: '/any' })).status).toBe(500);
      server.close();
    });
  });

  describe('compared with the stock exporter, it', () => {
    type AnyExporter = HdrPrometheusExporter | PrometheusExporter;
    type Options = Omit<HdrPrometheusExporterOptions, 'metricProducers'>;

    /** The samples and metadata that an exporter serves for a fixed set of instruments, sorted. */
    async function served(make: (options: Options) => AnyExporter, options: Options): Promise<string[]> {
      const exporter = make({ ...options, preventServerStart: true });
      const provider = new sdk.metrics.MeterProvider({
        readers: [exporter as PrometheusExporter],
        resource: resourceFromAttributes({ 'service.name': 'shop', 'host.name': 'a "b"' }),
      });
      const meter = provider.getMeter('shop', '1.2.3', { schemaUrl: 'https://example.com/1' });
      const orders = meter.createCounter('orders.placed', { unit: '{order}', description: 'Orders.' });
      orders.add(2, { 'payment.method': 'card', vip: true });
      orders.add(0.5, { 'payment.method': 'cash' });
      meter.createUpDownCounter('carts').add(-3);
      meter.createObservableGauge('heap.used', { unit: 'By' }).addCallback((result) => result.observe(1e21));
      const duration = meter.createHistogram('http.server.request.duration', {
        unit: 's',
        advice: { explicitBucketBoundaries: [0.01, 0.1, 1] },
      });
      for (const value of [0.005, 0.01, 0.5, 3]) duration.record(value, { route: '/a\\b\n' });
      meter.createHistogram('size').record(100);

      const server = createServer((request, response) =>
        exporter.getMetricsRequestHandler(request, response),
      );
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
      const { text } = await ask((server.address() as AddressInfo).port);
      server.close();
      await provider.shutdown();
      return text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('# HELP') && !line.startsWith('# UNIT'))
        .map((line) => withSortedLabels(line).replace(/ 1\d{12}$/, ' <now>'))
        .sort();
    }

    /** Sorts labels by name: their order has no meaning and differs between versions. */
    function withSortedLabels(line: string): string {
      return line.replace(/\{(.*)\}/, (_, labels: string) => {
        const parts = labels.match(/\w+="(?:\\.|[^"\\])*"/g) ?? [];
        return `{${parts.sort().join(',')}}`;
      });
    }

    const isOld = sdk.hasScopeLabels === false;
    const everywhere: [string, Options][] = [
      ['no options', {}],
      ['a prefix', { prefix: 'app' }],
      ['constant labels', { withResourceConstantLabels: /^service/ }],
      ['timestamps', { appendTimestamp: true }],
      [
        'several options',
        { prefix: 'a_b', withResourceConstantLabels: /./, endpoint: 'x', host: '127.0.0.1' },
      ],
    ];
    const newer: [string, Options][] = [
      ['no scope labels', { withoutScopeInfo: true }],
      ['no target_info', { withoutTargetInfo: true }],
    ];
    test.each([...everywhere, ...(isOld ? [] : newer)])(
      'serves the same series and values with %s',
      async (_, options) => {
        const stock = await served((all) => new sdk.PrometheusExporter(all as object), options);
        const ours = await served((all) => new HdrPrometheusExporter(all), {
          ...options,
          buckets: 'classic',
          translationStrategy: 'UnderscoreEscapingWithoutUnits',
          ...(isOld && { withoutScopeInfo: true }),
        });
        expect(stock.length).toBeGreaterThan(15);
        expect(ours).toEqual(stock);
      },
    );

    test('has the same methods and defaults', () => {
      const stock = new sdk.PrometheusExporter({ preventServerStart: true });
      const ours = new HdrPrometheusExporter({ preventServerStart: true });
      const methods = [
        'collect',
        'forceFlush',
        'getMetricsRequestHandler',
        'selectAggregation',
        'selectAggregationTemporality',
        'selectCardinalityLimit',
        'setMetricProducer',
        'shutdown',
        'startServer',
        'stopServer',
      ] as const;
      for (const method of methods)
        expect([typeof stock[method], typeof ours[method]]).toEqual(['function', 'function']);
      expect(HdrPrometheusExporter.DEFAULT_OPTIONS).toMatchObject({
        ...sdk.PrometheusExporter.DEFAULT_OPTIONS,
        // The default of the stock exporter from 0.301 on. Older ones listen on all interfaces.
        host: 'localhost',
      });
      const { COUNTER } = sdk.metrics.InstrumentType;
      expect(ours.selectAggregationTemporality(COUNTER)).toBe(stock.selectAggregationTemporality(COUNTER));
      expect(ours.selectCardinalityLimit(COUNTER)).toBe(stock.selectCardinalityLimit(COUNTER));
      expect(ours.selectAggregation(COUNTER)).toEqual(stock.selectAggregation(COUNTER));
    });
  });
}
