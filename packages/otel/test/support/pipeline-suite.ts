import { createRegistry, type Registry } from '@hdrscope/registry';
import { SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import type { Diagnostics } from '@hdrscope/testing/diagnostics';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import { context, createContextKey, metrics as globalMetrics, ValueType } from '@opentelemetry/api';
import type { AggregationOption, MeterProvider, MeterProviderOptions, MetricReader } from 'sdk-metrics-2';
import { createHdr, type Hdr, type HdrView, type ReaderOptions } from '../../src/index.ts';
import {
  collect,
  countsOf,
  metricNamed,
  metricsIn,
  points,
  type Sdk,
  samplesOf,
  scrape,
  type TestReader,
  type TestReaderOptions,
  testReader,
  toMs,
} from './sdk.ts';

/** Behaviour that must hold with every version of the SDK. */
export function testPipeline(sdk: Sdk, log: Diagnostics): void {
  const { DataPointType, AggregationTemporality, AggregationType, InstrumentType } = sdk.metrics;

  interface Pipeline {
    readonly hdr: Hdr;
    readonly registry: Registry;
    readonly clock: FakeClock;
    readonly provider: MeterProvider;
    readonly reader: TestReader;
  }

  interface PipelineOptions {
    readonly views?: readonly HdrView[];
    readonly reader?: TestReaderOptions;
    readonly readerOptions?: ReaderOptions;
    readonly moreReaders?: readonly MetricReader[];
    readonly providerOptions?: MeterProviderOptions;
  }

  /** A provider and a reader that tests collect from, both wrapped. */
  function pipeline(options: PipelineOptions = {}): Pipeline {
    const clock = new FakeClock();
    const registry = createRegistry({ clock });
    const hdr = createHdr({ views: options.views ?? [{ instrumentName: 'hdr.*' }], registry });
    const reader = testReader(sdk, options.reader);
    const readers = [
      hdr.wrapReader(reader, options.readerOptions),
      ...(options.moreReaders ?? []).map((one) => hdr.wrapReader(one)),
    ];
    const provider = hdr.wrapProvider(new sdk.metrics.MeterProvider({ ...options.providerOptions, readers }));
    return { hdr, registry, clock, provider, reader };
  }

  function names(metrics: readonly { descriptor: { name: string } }[]): string[] {
    return metrics.map(({ descriptor }) => descriptor.name).sort();
  }

  describe('views', () => {
    test('turn the selected instruments into HDR histograms and leave the rest to the SDK', async () => {
      const { provider, reader } = pipeline({ views: [{ instrumentName: 'http.*.duration' }] });
      const meter = provider.getMeter('m');
      const selected = meter.createHistogram('http.server.duration', { unit: 's', description: 'How long.' });
      const other = meter.createHistogram('http.server.size', { unit: 'By' });
      expect(other.constructor.name).toBe('HistogramInstrument');
      for (const value of [0.1, 0.2, 0.4]) selected.record(value, { route: '/' });
      other.record(100);

      const metrics = await collect(reader);
      expect(names(metrics)).toEqual(['http.server.duration', 'http.server.size']);
      const metric = metricNamed(metrics, 'http.server.duration');
      expect(metric.dataPointType).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
      expect(metric.aggregationTemporality).toBe(AggregationTemporality.CUMULATIVE);
      expect(metric.descriptor).toMatchObject({
        name: 'http.server.duration',
        unit: 's',
        description: 'How long.',
        valueType: ValueType.DOUBLE,
      });
      expect(points(metric)).toMatchObject([
        { attributes: { route: '/' }, value: { count: 3, sum: 0.1 + 0.2 + 0.4, min: 0.1, max: 0.4 } },
      ]);
      expect(metricNamed(metrics, 'http.server.size').dataPointType).toBe(DataPointType.HISTOGRAM);
    });

    test.each<[counted: boolean, view: HdrView]>([
      [true, { instrumentName: '*' }],
      [true, { instrumentName: 'Req?est.Dur*' }],
      [false, { instrumentName: 'Request.?' }],
      [true, { instrumentUnit: 's' }],
      [false, { instrumentUnit: 'ms' }],
      [true, { instrumentType: 'HISTOGRAM' }],
      [false, { instrumentType: 'COUNTER' }],
      [true, { meterName: 'shop', meterVersion: '1.0', meterSchemaUrl: 'https://example.com/1' }],
      [false, { meterName: 'shop', meterVersion: '2.0' }],
      [false, { meterName: 'shop', meterSchemaUrl: 'https://example.com/2' }],
      [false, { meterName: 'sho*' }],
    ])('it is %s that %j counts a histogram', async (counted, view) => {
      const { provider, reader } = pipeline({ views: [view] });
      const meter = provider.getMeter('shop', '1.0', { schemaUrl: 'https://example.com/1' });
      meter.createHistogram('request.duration', { unit: 's' }).record(1);
      const metric = metricNamed(await collect(reader), 'request.duration');
      expect(metric.dataPointType).toBe(
        counted ? DataPointType.EXPONENTIAL_HISTOGRAM : DataPointType.HISTOGRAM,
      );
    });

    test('that select one instrument under several names make a metric each', async () => {
      const { provider, reader } = pipeline({
        views: [
          { instrumentName: 'duration', name: 'duration.fine', significantDigits: 3, description: 'Fine.' },
          {
            instrumentName: 'duration',
            name: 'duration.coarse',
            maxSize: 20,
            attributesProcessors: [sdk.metrics.createAllowListAttributesProcessor(['method'])],
          },
        ],
      });
      const duration = provider.getMeter('m').createHistogram('duration', { unit: 's', description: 'Any.' });
      for (let i = 1; i <= 100; i++) duration.record(i / 1000, { method: 'GET', user: i % 2 });

      const metrics = await collect(reader);
      expect(names(metrics)).toEqual(['duration.coarse', 'duration.fine']);
      expect(countsOf(metrics, 'duration.fine')).toEqual([
        [{ method: 'GET', user: 1 }, 50],
        [{ method: 'GET', user: 0 }, 50],
      ]);
      expect(countsOf(metrics, 'duration.coarse')).toEqual([[{ method: 'GET' }, 100]]);
      expect(metricNamed(metrics, 'duration.fine').descriptor.description).toBe('Fine.');
      expect(metricNamed(metrics, 'duration.coarse').descriptor.description).toBe('Any.');
      const [coarse] = points(metricNamed(metrics, 'duration.coarse'));
      expect(coarse!.value).toMatchObject({ count: 100, scale: 1 });
    });

    test('that make the same metric of an instrument count its values once', async () => {
      const { provider, reader } = pipeline({
        views: [{ instrumentName: 'duration' }, { meterName: 'shop' }],
      });
      provider.getMeter('shop').createHistogram('duration').record(1);
      expect(countsOf(await collect(reader), 'duration')).toEqual([[{}, 1]]);
    });

    test('that make the same metric of an instrument show it with the settings of the first view', async () => {
      const { provider, reader } = pipeline({
        views: [
          {
            instrumentName: 'duration',
            maxScale: 2,
            attributesProcessors: [sdk.metrics.createAllowListAttributesProcessor(['method'])],
          },
          { meterName: 'shop', maxScale: 1 },
        ],
      });
      provider.getMeter('shop').createHistogram('duration').record(1, { method: 'GET', user: 1 });
      const [point] = points(metricNamed(await collect(reader), 'duration'));
      expect(point).toMatchObject({ attributes: { method: 'GET' }, value: { count: 1, scale: 2 } });
    });

    test('can limit scale and size', async () => {
      const { provider, reader } = pipeline({
        views: [
          { instrumentName: 'a', maxScale: 2 },
          { instrumentName: 'b', maxSize: 4 },
        ],
      });
      const meter = provider.getMeter('m');
      for (const name of ['a', 'b']) {
        const histogram = meter.createHistogram(name, { unit: 's' });
        for (const value of [1, 1.5, 2, 3]) histogram.record(value);
      }
      const metrics = await collect(reader);
      expect(points(metricNamed(metrics, 'a'))[0]!.value).toMatchObject({ scale: 2 });
      const { value } = points(metricNamed(metrics, 'b'))[0]!;
      expect('positive' in value && value.positive.bucketCounts.length).toBeLessThanOrEqual(4);
    });

    test('can use attributes processors of the SDK', async () => {
      const key = createContextKey('tenant');
      const { provider, reader } = pipeline({
        views: [
          {
            instrumentName: 'x',
            attributesProcessors: [
              sdk.metrics.createAllowListAttributesProcessor(['method', 'user']),
              sdk.metrics.createDenyListAttributesProcessor(['user']),
              {
                process: (attributes, given) => ({ ...attributes, tenant: String(given?.getValue(key)) }),
              },
            ],
          },
        ],
      });
      const x = provider.getMeter('m').createHistogram('x');
      x.record(1, { method: 'GET', user: 7, route: '/' }, context.active().setValue(key, 'acme'));
      x.record(1, { method: 'GET', user: 8 }, context.active().setValue(key, 'acme'));
      x.record(1, { method: 'PUT' });
      expect(countsOf(await collect(reader), 'x')).toEqual([
        [{ method: 'GET', tenant: 'acme' }, 2],
        [{ method: 'PUT', tenant: 'undefined' }, 1],
      ]);
    });

    test('limit the number of series for good, not per collection', async () => {
      const { provider, reader } = pipeline({
        views: [{ instrumentName: 'x', aggregationCardinalityLimit: 2 }],
      });
      const x = provider.getMeter('m').createHistogram('x');
      for (let round = 1; round <= 3; round++) {
        for (let user = 0; user < 5; user++) x.record(1, { user: user + 10 * round });
        expect(countsOf(await collect(reader), 'x')).toEqual([
          [{ user: 10 }, 1],
          [{ user: 11 }, 1],
          [{ 'otel.metric.overflow': true }, 5 * round - 2],
        ]);
      }
    });

    test('of the SDK apply to instruments that no HDR view selects', async () => {
      const { provider, reader } = pipeline({
        providerOptions: { views: [{ instrumentName: 'sdk.*', meterName: 'm', attributeKeys: [] } as never] },
      });
      provider.getMeter('m').createHistogram('sdk.x').record(1);
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      expect(names(await collect(reader))).toEqual(['hdr.x', 'sdk.x']);
    });
  });

  describe('temporality', () => {
    test('a cumulative and a delta reader see the same counts, each in its temporality', async () => {
      const delta = testReader(sdk, { temporality: 'delta' });
      const { provider, reader: cumulative, clock } = pipeline({ moreReaders: [delta] });
      const histogram = provider.getMeter('m').createHistogram('hdr.x', { unit: 's' });
      const startMs = clock.nowMs();
      const [busy, quiet] = [{ is: 'busy' }, { is: 'quiet' }];

      type Shown = [is: unknown, startMs: number, endMs: number, count: number, sum: number];
      const show = async (reader: TestReader): Promise<Shown[]> => {
        const metrics = await collect(reader);
        const all = metrics.flatMap((metric) => points(metric));
        return all.map(({ attributes, startTime, endTime, value }) => [
          attributes.is,
          toMs(startTime) - startMs,
          toMs(endTime) - startMs,
          value.count,
          value.sum ?? Number.NaN,
        ]);
      };

      clock.advance(100);
      histogram.record(1, busy);
      clock.advance(100);
      histogram.record(2, quiet);
      histogram.record(3, busy);
      clock.advance(800);
      expect(await show(cumulative)).toEqual([
        ['busy', 100, 1000, 2, 4],
        ['quiet', 200, 1000, 1, 2],
      ]);
      expect(await show(delta)).toEqual([
        ['busy', 100, 1000, 2, 4],
        ['quiet', 200, 1000, 1, 2],
      ]);

      histogram.record(5, busy);
      clock.advance(1000);
      expect(await show(cumulative)).toEqual([
        ['busy', 100, 2000, 3, 9],
        ['quiet', 200, 2000, 1, 2],
      ]);
      expect(await show(delta)).toEqual([['busy', 1000, 2000, 1, 5]]);

      histogram.record(7, quiet);
      histogram.record(8, { is: 'new' });
      clock.advance(1000);
      expect(await show(delta)).toEqual([
        ['quiet', 2000, 3000, 1, 7],
        ['new', 2000, 3000, 1, 8],
      ]);
      expect(await show(cumulative)).toEqual([
        ['busy', 100, 3000, 3, 9],
        ['quiet', 200, 3000, 2, 9],
        ['new', 2000, 3000, 1, 8],
      ]);

      clock.advance(1000);
      expect(await show(delta)).toEqual([]);
      expect(await show(cumulative)).toHaveLength(3);
    });

    test('is the one that the reader selects', async () => {
      const delta = testReader(sdk, { temporality: 'delta' });
      const { provider, reader } = pipeline({ moreReaders: [delta] });
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      expect((await collect(reader))[0]!.aggregationTemporality).toBe(AggregationTemporality.CUMULATIVE);
      expect((await collect(delta))[0]!.aggregationTemporality).toBe(AggregationTemporality.DELTA);
    });

    test('minimum and maximum are exact in the first interval, and those of the slots in later ones', async () => {
      const { provider, reader } = pipeline({ reader: { temporality: 'delta' } });
      const histogram = provider.getMeter('m').createHistogram('hdr.x', { unit: 's' });
      const range = async (): Promise<{ min: number; max: number }> => {
        const { min = Number.NaN, max = Number.NaN } = points((await collect(reader))[0]!)[0]!.value;
        return { min, max };
      };
      for (const value of [0.001, 0.5, 9]) histogram.record(value);
      expect(await range()).toEqual({ min: 0.001, max: 9 });
      for (const value of [0.25, 0.3]) histogram.record(value);
      const { min, max } = await range();
      expect(min).toBeLessThanOrEqual(0.25);
      expect(min).toBeGreaterThan(0.25 * 0.99);
      expect(max).toBeGreaterThanOrEqual(0.3);
      expect(max).toBeLessThan(0.3 * 1.01);
      histogram.record(9);
      expect((await range()).max).toBe(9);
    });

    test('overlapping delta collections count every value once', async () => {
      const { provider, reader } = pipeline({ reader: { temporality: 'delta' } });
      const histogram = provider.getMeter('m').createHistogram('hdr.x');
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 5; i++) histogram.record(1);
        const collections = await Promise.all([collect(reader), collect(reader), collect(reader)]);
        const counts = collections.flatMap((metrics) => countsOf(metrics, 'hdr.x')).map(([, count]) => count);
        expect(counts).toEqual([5]);
      }
    });

    test('a delta collection that ends after a later one reports exactly its own counts', async () => {
      const { provider, reader } = pipeline({ reader: { temporality: 'delta' } });
      const meter = provider.getMeter('m');
      const histogram = meter.createHistogram('hdr.x');
      histogram.record(1);
      await collect(reader);
      let calls = 0;
      let release = (): void => {};
      meter.createObservableGauge('slow at first').addCallback(async () => {
        if (calls++ === 0) await new Promise<void>((resolve) => (release = resolve));
      });

      histogram.record(1);
      const early = collect(reader);
      await untilAllIsQuiet();
      histogram.record(1);
      const late = collect(reader); // It may wait for the one before it.
      await untilAllIsQuiet();
      release();
      const collected = [...(await early), ...(await late), ...(await collect(reader))];
      const counts = collected.flatMap((metric) => countsOf([metric], 'hdr.x'));
      expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(2);
    });

    test('a collection that never ends does not block later ones', async () => {
      // The SDK's periodic reader gives a collection up after a while and begins the next one.
      const { provider, reader, registry } = pipeline({ reader: { temporality: 'delta' } });
      const histogram = provider.getMeter('m').createHistogram('hdr.x');
      histogram.record(1);
      let calls = 0;
      registry.add({
        name: 'hangs once',
        collect: () => (calls++ === 0 ? new Promise<void>(() => {}) : undefined),
      });
      void collect(reader);
      await untilAllIsQuiet();
      histogram.record(1);
      // It shares the call of the source for a second, and then has it called again.
      expect(countsOf(await collect(reader), 'hdr.x')).toEqual([[{}, 2]]);
    });
  });

  /** Lets everything run that only waits for its turn. */
  async function untilAllIsQuiet(): Promise<void> {
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
  }

  describe('format', () => {
    async function formatOf(options: PipelineOptions): Promise<number | undefined> {
      const { provider, reader } = pipeline(options);
      const histogram = provider.getMeter('m').createHistogram('hdr.x');
      histogram.record(1);
      return (await collect(reader)).find(({ descriptor }) => descriptor.name === 'hdr.x')?.dataPointType;
    }

    test('is exponential when the reader selects the default aggregation', async () => {
      expect(await formatOf({})).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
      expect(await formatOf({ reader: { aggregation: { type: AggregationType.DEFAULT } } })).toBe(
        DataPointType.EXPONENTIAL_HISTOGRAM,
      );
    });

    test('follows the aggregation that the reader selects', async () => {
      const explicit: AggregationOption = {
        type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
        options: { boundaries: [1] },
      };
      expect(await formatOf({ reader: { aggregation: explicit } })).toBe(DataPointType.HISTOGRAM);
      const exponential = { type: AggregationType.EXPONENTIAL_HISTOGRAM } as const;
      expect(await formatOf({ reader: { aggregation: exponential } })).toBe(
        DataPointType.EXPONENTIAL_HISTOGRAM,
      );
    });

    test('follows the option, whatever the reader selects', async () => {
      const explicit = { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM } as const;
      const exponential = { type: AggregationType.EXPONENTIAL_HISTOGRAM } as const;
      expect(
        await formatOf({ reader: { aggregation: explicit }, readerOptions: { format: 'exponential' } }),
      ).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
      expect(
        await formatOf({ reader: { aggregation: exponential }, readerOptions: { format: 'explicit' } }),
      ).toBe(DataPointType.HISTOGRAM);
    });

    test('does not matter when the reader drops histograms: it gets no HDR histograms', async () => {
      const drop = { type: AggregationType.DROP } as const;
      expect(await formatOf({ reader: { aggregation: drop } })).toBeUndefined();
      expect(
        await formatOf({ reader: { aggregation: drop }, readerOptions: { format: 'explicit' } }),
      ).toBeUndefined();
    });

    test('follows the reader even if it has a request handler like the Prometheus exporter', async () => {
      const reader = Object.assign(
        testReader(sdk, { aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }),
        { getMetricsRequestHandler: () => {} },
      );
      const { provider } = pipeline({ moreReaders: [reader] });
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      expect((await collect(reader))[0]!.dataPointType).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
    });

    test('must be one of three', () => {
      const { hdr } = pipeline();
      expect(() => hdr.wrapReader(testReader(sdk), { format: 'native' as never })).toThrow(
        "format must be 'auto', 'exponential' or 'explicit', got \"native\"",
      );
    });

    test('explicit has the boundaries of the view, else of the advice, else the defaults', async () => {
      const { provider, reader } = pipeline({
        views: [
          { instrumentName: 'a', boundaries: [1, 2] },
          { instrumentName: '[bcd]' },
          { meterName: 'other' },
        ],
        readerOptions: { format: 'explicit' },
      });
      const advice = { explicitBucketBoundaries: [3, 4, 5] };
      provider.getMeter('m').createHistogram('a', { advice }).record(1.5);
      const other = provider.getMeter('other');
      other.createHistogram('b', { advice }).record(3.5);
      other.createHistogram('c', { unit: 's' }).record(0.02);
      other.createHistogram('d').record(60);
      const metrics = await collect(reader);
      const boundariesOf = (name: string): number[] => {
        const { value } = points(metricNamed(metrics, name))[0]!;
        return 'buckets' in value ? value.buckets.boundaries : [];
      };
      expect(boundariesOf('a')).toEqual([1, 2]);
      expect(boundariesOf('b')).toEqual([3, 4, 5]);
      // https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration
      expect(boundariesOf('c')).toEqual([
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
      ]);
      // https://opentelemetry.io/docs/specs/otel/metrics/sdk/#explicit-bucket-histogram-aggregation
      expect(boundariesOf('d')).toEqual([
        0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000,
      ]);
    });

    test.each([
      ['do not ascend', [10, 5]],
      ['are not finite', [5, 10, Number.POSITIVE_INFINITY]],
    ])('advised boundaries that %s do not spoil the collection', async (_, explicitBucketBoundaries) => {
      // The SDK sorts them and drops those that are not finite.
      const { provider, reader } = pipeline({ readerOptions: { format: 'explicit' } });
      const meter = provider.getMeter('m');
      meter.createHistogram('hdr.bad', { advice: { explicitBucketBoundaries } }).record(7);
      meter.createHistogram('hdr.good').record(7);
      meter.createCounter('count').add(1);
      const metrics = await collect(reader);
      expect(countsOf(metrics, 'hdr.good')).toEqual([[{}, 1]]);
      expect(countsOf(metrics, 'hdr.bad')).toEqual([[{}, 1]]);
      expect(names(metrics)).toContain('count');
    });
  });

  describe('the Prometheus exporter', () => {
    const VALUES = [0.004, 0.03, 0.03, 0.2, 0.9, 3, 30];
    const LE = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

    test('gets explicit histograms, which it can show, while other readers get exponential ones', async () => {
      const exporter = new sdk.PrometheusExporter({ preventServerStart: true });
      const { provider, reader } = pipeline({ moreReaders: [exporter as unknown as MetricReader] });
      const histogram = provider.getMeter('m').createHistogram('hdr.duration', { unit: 's' });
      for (let round = 1; round <= 2; round++) {
        for (const value of VALUES) histogram.record(value);
        const samples = samplesOf(await scrape(exporter));
        expect(samples.get('hdr_duration_count')).toBe(round * VALUES.length);
        expect(samples.get('hdr_duration_sum')).toBeCloseTo(round * VALUES.reduce((a, b) => a + b), 9);
        for (const le of LE) {
          const expected = round * VALUES.filter((value) => value <= le).length;
          expect([le, samples.get(`hdr_duration_bucket ${le}`)]).toEqual([le, expected]);
        }
        expect(samples.get('hdr_duration_bucket +Inf')).toBe(round * VALUES.length);
      }
      expect((await collect(reader))[0]!.dataPointType).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
      expect(log.errors).toEqual([]);
    });

    test('shows other metrics of the pipeline and of the registry too', async () => {
      const exporter = new sdk.PrometheusExporter({ preventServerStart: true });
      const { provider, registry } = pipeline({ moreReaders: [exporter as unknown as MetricReader] });
      const meter = provider.getMeter('m');
      meter.createCounter('requests').add(3);
      meter.createHistogram('plain').record(7);
      meter.createHistogram('hdr.x').record(7);
      registry.histogram({ name: 'kernel.runqueue', unit: 's' }).with({}).record(0.01);
      const samples = samplesOf(await scrape(exporter));
      expect(samples.get('requests_total')).toBe(3);
      expect(
        ['plain_count', 'hdr_x_count', 'kernel_runqueue_count'].map((name) => samples.get(name)),
      ).toEqual([1, 1, 1]);
    });

    test('keeps all its other behaviour when it is wrapped', () => {
      const exporter = new sdk.PrometheusExporter({ preventServerStart: true });
      const wrapped = createHdr({ views: [{ instrumentName: '*' }] }).wrapReader(exporter);
      expect(wrapped).toBeInstanceOf(sdk.PrometheusExporter);
      expect(typeof wrapped.getMetricsRequestHandler).toBe('function');
    });
  });

  describe('a push reader', () => {
    test('exports exponential histograms in the temporality of its exporter', async () => {
      const { InMemoryMetricExporter, PeriodicExportingMetricReader } = sdk.metrics;
      const exporters = [AggregationTemporality.CUMULATIVE, AggregationTemporality.DELTA].map(
        (temporality) => new InMemoryMetricExporter(temporality),
      );
      const readers = exporters.map(
        (exporter) => new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 }),
      );
      const { provider } = pipeline({ moreReaders: readers });
      const histogram = provider.getMeter('m').createHistogram('hdr.x');
      for (let round = 0; round < 3; round++) {
        histogram.record(round);
        await provider.forceFlush();
      }
      const counts = exporters.map((exporter) =>
        exporter.getMetrics().map(({ scopeMetrics }) => {
          const metric = metricNamed(
            metricsIn({ resourceMetrics: { scopeMetrics }, errors: [] } as never),
            'hdr.x',
          );
          expect(metric.dataPointType).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
          return points(metric)[0]!.value.count;
        }),
      );
      expect(counts).toEqual([
        [1, 2, 3],
        [1, 1, 1],
      ]);
      await provider.shutdown();
    });
  });

  describe('the rest of the SDK', () => {
    test('keeps its counters, observables and batch callbacks', async () => {
      const { provider, reader } = pipeline({ views: [{ instrumentName: '*' }] });
      const meter = provider.getMeter('m');
      meter.createCounter('counter').add(2);
      meter.createUpDownCounter('upDown').add(-1);
      meter.createGauge('gauge').record(5);
      meter.createObservableCounter('observed').addCallback((result) => result.observe(7));
      const batched = meter.createObservableGauge('batched');
      meter.addBatchObservableCallback((result) => result.observe(batched, 9), [batched]);
      meter.createHistogram('histogram').record(1);
      const metrics = await collect(reader);
      const readingOf = (name: string): unknown => metricNamed(metrics, name).dataPoints[0]!.value;
      expect(['counter', 'upDown', 'gauge', 'observed', 'batched'].map(readingOf)).toEqual([2, -1, 5, 7, 9]);
      expect(countsOf(metrics, 'histogram')).toEqual([[{}, 1]]);
    });

    test('shares scopes with the HDR histograms', async () => {
      const { provider, reader } = pipeline();
      const scopes: [string, string?, { schemaUrl: string }?][] = [
        ['a'],
        ['a', '1'],
        ['a', '1', { schemaUrl: 'https://example.com/1' }],
        ['b'],
      ];
      for (const scope of scopes) {
        const meter = provider.getMeter(...scope);
        meter.createHistogram('hdr.x').record(1);
        meter.createCounter('counter').add(1);
      }
      provider.getMeter('only hdr').createHistogram('hdr.y').record(1);
      const { resourceMetrics } = await reader.collect();
      expect(
        resourceMetrics.scopeMetrics.map(({ scope, metrics }) => [
          scope.name,
          scope.version ?? '',
          scope.schemaUrl ?? '',
          names(metrics),
        ]),
      ).toEqual([
        ['a', '', '', ['counter', 'hdr.x']],
        ['a', '1', '', ['counter', 'hdr.x']],
        ['a', '1', 'https://example.com/1', ['counter', 'hdr.x']],
        ['b', '', '', ['counter', 'hdr.x']],
        ['only hdr', '', '', ['hdr.y']],
      ]);
    });

    test('keeps its resource', async () => {
      const { reader } = pipeline();
      const { resourceMetrics } = await reader.collect();
      expect(resourceMetrics.resource.attributes['telemetry.sdk.language']).toBe('nodejs');
    });

    test('does not wait for a source beyond the timeout of the collection', async () => {
      const { registry, provider, reader } = pipeline();
      registry.add({ name: 'ceph', collect: () => new Promise(() => {}) });
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      const collection = await reader.collect({ timeoutMillis: 20 });
      expect(collection.errors).toHaveLength(1);
      expect(countsOf(metricsIn(collection), 'hdr.x')).toEqual([[{}, 1]]);
    });

    test('keeps its own errors beside those of sources', async () => {
      const { provider, reader, registry } = pipeline();
      const [fromSdk, fromSource] = [new Error('callback'), new Error('no such socket')];
      provider
        .getMeter('m')
        .createObservableGauge('broken')
        .addCallback(() => {
          throw fromSdk;
        });
      registry.add({ name: 'ceph', collect: () => Promise.reject(fromSource) });
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      const collection = await reader.collect();
      const [first, second] = collection.errors as Error[];
      expect([first, second?.cause]).toEqual([fromSdk, fromSource]);
      expect(second?.message).toBe('source ceph: Error: no such socket');
      expect(countsOf(metricsIn(collection), 'hdr.x')).toEqual([[{}, 1]]);
    });
  });

  describe('families of the registry that no instrument made', () => {
    test('are exported under a scope of their own', async () => {
      const { provider, reader, registry } = pipeline();
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      registry
        .histogram({ name: 'kernel.runqueue', unit: 's', description: 'Wait.' })
        .with({ cpu: 0 })
        .record(0.01);
      registry
        .histogram({ name: 'scoped', scope: { name: 'ceph', version: '19' } })
        .with({})
        .record(1);
      const metrics = await collect(reader);
      expect(metrics.map(({ scope, descriptor }) => [scope, descriptor.name]).sort()).toEqual([
        ['@hdrscope/registry', 'kernel.runqueue'],
        ['ceph', 'scoped'],
        ['m', 'hdr.x'],
      ]);
      expect(metricNamed(metrics, 'kernel.runqueue').descriptor).toMatchObject({
        unit: 's',
        description: 'Wait.',
      });
      expect(countsOf(metrics, 'kernel.runqueue')).toEqual([[{ cpu: 0 }, 1]]);
    });

    test('come from sources that are asked at each flush, however young their last answer is', async () => {
      const exporter = new sdk.metrics.InMemoryMetricExporter(AggregationTemporality.DELTA);
      const periodic = new sdk.metrics.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e8 });
      const { provider, registry } = pipeline({ moreReaders: [periodic] });
      let calls = 0;
      registry.add({ name: 'kernel', collect: () => void calls++ });
      await provider.forceFlush();
      await provider.forceFlush();
      expect(calls).toBe(2);
      await provider.shutdown();
      expect(calls).toBe(3);
    });

    test('come from sources that are asked at each collection, unless they have just answered', async () => {
      const { reader, registry, clock } = pipeline();
      registry.add({
        name: 'kernel',
        collect: async (target) => {
          await Promise.resolve();
          target.histogram({ name: 'runqueue' }).with({}).record(1);
        },
      });
      for (let times = 1; times <= 3; times++) {
        expect(countsOf(await collect(reader), 'runqueue')).toEqual([[{}, times]]);
        expect(countsOf(await collect(reader), 'runqueue')).toEqual([[{}, times]]);
        clock.advance(SHARED_GATHER_MS + 1);
      }
    });

    test('are left out until they have counted a value', async () => {
      const { provider, reader, registry } = pipeline();
      registry.histogram({ name: 'empty' });
      registry.histogram({ name: 'refused' }).with({}).record(-1);
      provider.getMeter('m').createHistogram('hdr.unused');
      expect(await collect(reader)).toEqual([]);
    });
  });

  describe('wrapping', () => {
    test('passes shutdown and forceFlush on', async () => {
      const { provider, reader } = pipeline();
      await provider.forceFlush();
      expect(reader.calls).toEqual(['forceFlush']);
      await provider.shutdown();
      expect(reader.calls.at(-1)).toBe('shutdown');
    });

    test('returns the same types as it was given', () => {
      const { provider, hdr, reader } = pipeline();
      expect(provider).toBeInstanceOf(sdk.metrics.MeterProvider);
      const wrapped = hdr.wrapReader(reader);
      expect(wrapped).toBeInstanceOf(sdk.metrics.MetricReader);
      expect(wrapped.selectAggregationTemporality(InstrumentType.HISTOGRAM)).toBe(
        AggregationTemporality.CUMULATIVE,
      );
    });

    test('passes on members that it does not know', () => {
      class Provider extends sdk.metrics.MeterProvider {
        #answer = 42;
        answer(): number {
          return this.#answer;
        }
      }
      const { hdr } = pipeline();
      const provider = hdr.wrapProvider(new Provider());
      expect(provider.answer()).toBe(42);
      const meter = provider.getMeter('m');
      expect(meter.constructor.name).toContain('Meter');
      expect(() => meter.removeBatchObservableCallback(() => {}, [])).not.toThrow();
    });

    test('returns the same meter for the same scope', () => {
      const { provider } = pipeline();
      expect(provider.getMeter('m', '1')).toBe(provider.getMeter('m', '1'));
      expect(provider.getMeter('m', '1')).not.toBe(provider.getMeter('m', '2'));
    });

    test('works when the global provider is a wrapped one', async () => {
      const { provider, reader } = pipeline();
      try {
        expect(globalMetrics.setGlobalMeterProvider(provider)).toBe(true);
        globalMetrics.getMeter('app').createHistogram('hdr.x').record(1);
        globalMetrics.getMeter('app').createCounter('counter').add(1);
      } finally {
        globalMetrics.disable();
      }
      expect(names(await collect(reader))).toEqual(['counter', 'hdr.x']);
    });

    test('works with metrics that the SDK keeps about itself', async () => {
      const { provider, reader } = pipeline({ providerOptions: { sdkMetricsEnabled: true } as never });
      provider.getMeter('m').createHistogram('hdr.x').record(1);
      expect(names(await collect(reader))).toContain('hdr.x');
    });

    test('keeps scopes apart even after the provider has shut down', async () => {
      // From now on the SDK returns one idle meter for all scopes.
      const { provider, registry } = pipeline();
      await provider.shutdown();
      for (const scope of ['one', 'two']) provider.getMeter(scope).createHistogram('hdr.x').record(1);
      const scopes = (await registry.gather()).families.map(({ scope }) => scope?.name);
      expect([[], ['one', 'two']]).toContainEqual(scopes);
    });
  });

  describe('an instrument', () => {
    test('that is created again adds to its earlier counts', async () => {
      const { provider, reader } = pipeline();
      for (let times = 1; times <= 2; times++) {
        provider.getMeter('m').createHistogram('hdr.x', { unit: 's' }).record(1);
        expect(countsOf(await collect(reader), 'hdr.x')).toEqual([[{}, times]]);
      }
      expect(log.warnings).toEqual([]);
    });

    test('that is created again with another unit stays with the SDK, with a warning', async () => {
      const { provider, reader } = pipeline();
      const meter = provider.getMeter('m');
      meter.createHistogram('hdr.x', { unit: 's' }).record(1);
      const second = meter.createHistogram('hdr.x', { unit: 'ms' });
      expect(second.constructor.name).toBe('HistogramInstrument');
      expect(log.warnings).toEqual([
        'hdr.x is not counted as an HDR histogram: the family "hdr.x" is registered with unit "s", got "ms"',
      ]);
      second.record(1000);
      const metrics = await collect(reader);
      expect(metrics.map(({ descriptor, dataPointType }) => [descriptor.unit, dataPointType]).sort()).toEqual(
        [
          ['ms', DataPointType.HISTOGRAM],
          ['s', DataPointType.EXPONENTIAL_HISTOGRAM],
        ],
      );
    });

    test('of integers truncates, and its metric is of integers', async () => {
      const { provider, reader } = pipeline();
      const histogram = provider.getMeter('m').createHistogram('hdr.x', { valueType: ValueType.INT });
      for (const value of [1.9, 2, 3.1]) histogram.record(value);
      const [metric] = await collect(reader);
      expect(metric!.descriptor.valueType).toBe(ValueType.INT);
      expect(points(metric!)[0]!.value).toMatchObject({ count: 3, sum: 6, min: 1, max: 3 });
    });

    test('never throws, and logs one warning for values that it cannot count', async () => {
      const { provider, reader } = pipeline();
      const histogram = provider.getMeter('m').createHistogram('hdr.x');
      histogram.record(1);
      for (const value of [Number.NaN, -1, '5', undefined, null, Number.POSITIVE_INFINITY, 5n]) {
        histogram.record(value as number);
      }
      expect(log.warnings).toEqual([
        'hdr.x cannot count NaN: a value must be a number of at least 0, within the range of its resolution',
      ]);
      expect(countsOf(await collect(reader), 'hdr.x')).toEqual([[{}, 1]]);
    });
  });
}
