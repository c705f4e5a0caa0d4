import { createRegistry } from '@hdrscope/registry';
import type { Diagnostics } from '@hdrscope/testing/diagnostics';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import {
  type Attributes,
  metrics as globalMetrics,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api';
import fc from 'fast-check';
import type { AggregationOption, MetricData, MetricReader, ViewOptions } from 'sdk-metrics-2';
import { bind, createHdr, type HdrView, type ProducerOptions, type ReaderOptions } from '../../src/index.ts';
import { sdkViewReader } from '../../src/sdk-views.ts';
import {
  collect,
  countsOf,
  metricNamed,
  points,
  type ScopedMetric,
  type Sdk,
  samplesOf,
  scrape,
  type TestReaderOptions,
  testReader,
} from './sdk.ts';

/** Views that the provider was given, for instruments that HDR views select. */
export function testSdkViews(sdk: Sdk, log: Diagnostics): void {
  const { AggregationType, DataPointType } = sdk.metrics;
  const deny = (...keys: string[]) => sdk.metrics.createDenyListAttributesProcessor(keys);
  const allow = (...keys: string[]) => sdk.metrics.createAllowListAttributesProcessor(keys);

  interface Setup {
    readonly views: readonly ViewOptions[];
    readonly hdrViews?: readonly HdrView[];
    readonly reader?: TestReaderOptions;
    readonly readerOptions?: ReaderOptions;
    readonly moreReaders?: readonly MetricReader[];
    /** What is wrapped in place of the SDK's provider. */
    readonly around?: (provider: MeterProvider) => MeterProvider;
  }

  function pipeline(setup: Setup) {
    const hdr = createHdr({
      views: setup.hdrViews ?? [{ instrumentName: '*' }],
      registry: createRegistry({ clock: new FakeClock() }),
      environment: {},
    });
    const reader = testReader(sdk, setup.reader);
    const readers = [hdr.wrapReader(reader, setup.readerOptions)].concat(
      (setup.moreReaders ?? []).map((one) => hdr.wrapReader(one) as never),
    );
    const own = new sdk.metrics.MeterProvider({ views: [...setup.views], readers });
    const provider = hdr.wrapProvider(setup.around?.(own) ?? own);
    return { reader, provider, meter: provider.getMeter('shop', '1.0') };
  }

  /** What a reader collects after two records. */
  async function collected(setup: Setup): Promise<ScopedMetric[]> {
    const { reader, meter } = pipeline(setup);
    const histogram = meter.createHistogram('duration', { unit: 's', description: 'Any.' });
    histogram.record(0.2, { route: '/', user: 'a' });
    histogram.record(3, { route: '/', user: 'b' });
    return await collect(reader);
  }

  const BY_USER: [Attributes, number][] = [
    [{ route: '/', user: 'a' }, 1],
    [{ route: '/', user: 'b' }, 1],
  ];
  const { EXPONENTIAL_HISTOGRAM, HISTOGRAM, SUM } = DataPointType;

  /** The warnings of views, without those of limits that were reached. */
  const warningsOfViews = (): string[] =>
    log.warnings.filter((warning) => !warning.includes('has reached its limit'));

  describe('a view of the SDK', () => {
    test.each<
      [what: string, view: Partial<ViewOptions>, name: string, type: number, counts: [Attributes, number][]]
    >([
      ['that changes nothing', {}, 'duration', EXPONENTIAL_HISTOGRAM, BY_USER],
      ['with a name', { name: 'renamed' }, 'renamed', EXPONENTIAL_HISTOGRAM, BY_USER],
      [
        'that denies an attribute',
        { attributesProcessors: [deny('user')] },
        'duration',
        EXPONENTIAL_HISTOGRAM,
        [[{ route: '/' }, 2]],
      ],
      [
        'that allows no attribute',
        { attributesProcessors: [allow()] },
        'duration',
        EXPONENTIAL_HISTOGRAM,
        [[{}, 2]],
      ],
      [
        'with a limit',
        { aggregationCardinalityLimit: 1 },
        'duration',
        EXPONENTIAL_HISTOGRAM,
        [BY_USER[0]!, [{ 'otel.metric.overflow': true }, 1]],
      ],
      [
        'with the default aggregation',
        { aggregation: { type: AggregationType.DEFAULT } },
        'duration',
        EXPONENTIAL_HISTOGRAM,
        BY_USER,
      ],
      [
        'with explicit buckets',
        {
          aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [1, 0.1] } },
        },
        'duration',
        HISTOGRAM,
        BY_USER,
      ],
      [
        'with exponential buckets',
        { aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM, options: { maxSize: 4 } } },
        'duration',
        EXPONENTIAL_HISTOGRAM,
        BY_USER,
      ],
    ])('%s holds for an HDR histogram', async (_, view, name, type, counts) => {
      const metrics = await collected({ views: [{ instrumentName: 'duration', ...view }] });
      expect(metrics.map(({ descriptor }) => descriptor.name)).toEqual([name]);
      expect(metrics[0]!.dataPointType).toBe(type);
      expect(countsOf(metrics, name)).toEqual(counts);
      expect(warningsOfViews()).toEqual([]);
    });

    test('gives its description, its boundaries in order, and its number of buckets', async () => {
      const explicit = await collected({
        views: [
          {
            instrumentName: 'duration',
            description: 'Of the view.',
            aggregation: {
              type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
              options: { boundaries: [1, 0.1, 1], recordMinMax: false },
            },
            attributesProcessors: [allow()],
          },
        ],
      });
      expect(explicit[0]!.descriptor.description).toBe('Of the view.');
      const [point] = points(explicit[0]!);
      expect(point!.value).toEqual({
        buckets: { boundaries: [0.1, 1], counts: [0, 1, 1] },
        sum: 3.2,
        count: 2,
      });

      const options = { maxSize: 4, recordMinMax: false };
      const exponential = await collected({
        views: [
          {
            instrumentName: 'duration',
            aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM, options },
            attributesProcessors: [allow()],
          },
        ],
        // A view precedes what the reader selects.
        reader: {
          aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [] } },
        },
      });
      const { value } = points(exponential[0]!)[0]!;
      expect('positive' in value && value.positive.bucketCounts.length).toBeLessThanOrEqual(4);
      expect(value).toMatchObject({ count: 2, sum: 3.2 });
      expect(value).not.toHaveProperty('min');
      expect(value).not.toHaveProperty('max');
    });

    test('gives explicit buckets the counts that the SDK would have', async () => {
      const aggregation: AggregationOption = {
        type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
        options: { boundaries: [0.005, 0.1, 0.3, 5, 10] },
      };
      const ours = pipeline({ views: [{ instrumentName: 'x', aggregation }] });
      const reader = testReader(sdk);
      const stock = new sdk.metrics.MeterProvider({
        views: [{ instrumentName: 'x', aggregation }],
        readers: [reader],
      });
      const instruments = [ours.meter, stock.getMeter('shop', '1.0')].map((one) =>
        one.createHistogram('x', { unit: 's' }),
      );
      for (let i = 0; i <= 1200; i++) for (const one of instruments) one.record(i / 100);
      const [own, theirs] = [await collect(ours.reader), await collect(reader)].map(
        (one) => points(one[0]!)[0]!.value,
      );
      expect(own).toEqual({ ...theirs, sum: expect.closeTo(theirs!.sum!, 6) });
    });

    test('that drops an instrument leaves nothing of it', async () => {
      const aggregation = { type: AggregationType.DROP } as const;
      expect(await collected({ views: [{ instrumentName: 'duration', aggregation }] })).toEqual([]);
      expect(
        await collected({ views: [{ instrumentName: '*', aggregation }, { instrumentName: 'duration' }] }),
      ).toEqual([]);
      expect(log.warnings).toEqual([]);
    });

    test.each<[what: string, type: number, shown: number]>([
      ['a sum', AggregationType.SUM, SUM],
      ['the last value', AggregationType.LAST_VALUE, DataPointType.GAUGE],
    ])('with %s leaves the instrument to the SDK, with a warning', async (_, type, shown) => {
      const aggregation = { type } as never;
      const metrics = await collected({ views: [{ instrumentName: 'duration', aggregation }] });
      expect(metrics.map(({ dataPointType }) => dataPointType)).toEqual([shown]);
      expect(log.warnings).toEqual([
        'duration: stays with the SDK, because a view of the SDK gives it an aggregation without buckets',
      ]);
    });

    test.each([
      [0, 1],
      [-3, 1],
      [2.5, 2],
      [Number.NaN, 3],
      [Number.POSITIVE_INFINITY, 3],
    ])('with a limit of %d allows %i of three series, besides the overflow series', async (limit, series) => {
      const { reader, meter } = pipeline({
        views: [{ instrumentName: 'x', aggregationCardinalityLimit: limit }],
      });
      const x = meter.createHistogram('x');
      for (let user = 0; user < 3; user++) x.record(1, { user });
      const shown = countsOf(await collect(reader), 'x').filter(([one]) => 'user' in one);
      expect(shown).toHaveLength(series);
      expect(warningsOfViews()).toEqual([]);
    });

    test('gives a producer its aggregation, unless the producer has a format', async () => {
      const hdr = createHdr({ views: [{ instrumentName: '*' }] });
      const provider = new sdk.metrics.MeterProvider({
        views: [
          {
            instrumentName: 'x',
            aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [1] } },
          },
        ],
      });
      const meter = hdr.wrapProvider(provider).getMeter('m');
      for (const name of ['x', 'y']) meter.createHistogram(name).record(1);
      const typesFrom = async (options?: ProducerOptions): Promise<unknown[]> => {
        const { resourceMetrics } = await hdr.producer(options).collect();
        return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
          (metrics as MetricData[]).map(({ dataPointType }) => dataPointType),
        );
      };
      expect(await typesFrom()).toEqual([HISTOGRAM, EXPONENTIAL_HISTOGRAM]);
      expect(await typesFrom({ format: 'exponential' })).toEqual([
        EXPONENTIAL_HISTOGRAM,
        EXPONENTIAL_HISTOGRAM,
      ]);
    });

    test('of a version does not select a meter without a version', async () => {
      const { reader, provider } = pipeline({
        views: [{ meterVersion: '2.0', attributesProcessors: [allow()] }],
      });
      provider.getMeter('bare').createHistogram('x').record(1, { route: '/' });
      expect(countsOf(await collect(reader), 'x')).toEqual([[{ route: '/' }, 1]]);
    });

    test('of another meter, unit or name does not matter', async () => {
      const attributesProcessors = [allow()];
      const others = [
        { meterName: 'other' },
        { meterVersion: '2.0' },
        { instrumentUnit: 'ms' },
        { instrumentName: 'dur' },
        { instrumentType: sdk.metrics.InstrumentType.COUNTER },
      ];
      const metrics = await collected({ views: others.map((one) => ({ ...one, attributesProcessors })) });
      expect(countsOf(metrics, 'duration')).toEqual(BY_USER);
    });

    test('without a filter costs a record nothing', () => {
      const provider = new sdk.metrics.MeterProvider({ views: [{ instrumentName: '*' }] });
      const instrument = { name: 'x', unit: '', description: '', valueType: 1, advice: {} };
      const sdkMetrics = sdkViewReader(provider)(provider.getMeter('m'), { name: 'm' }, instrument);
      expect(sdkMetrics).toMatchObject([{ attributesProcessors: [], aggregation: { kind: 'default' } }]);
    });

    test('holds for bound instruments and for a provider behind another one', async () => {
      const views = [{ instrumentName: 'x', attributesProcessors: [deny('user')] }];
      // It passes the SDK's meters on, and nothing else of the SDK.
      const around = (provider: MeterProvider): MeterProvider =>
        ({
          getMeter: (...args: [string]) => provider.getMeter(...args),
          shutdown: () => {},
        }) as MeterProvider;
      const { reader, meter } = pipeline({ views, around });
      bind(meter.createHistogram('x'), { route: '/', user: 'a' }).record(1);
      expect(countsOf(await collect(reader), 'x')).toEqual([[{ route: '/' }, 1]]);
      expect(log.warnings).toEqual([]);
    });

    test('holds for a provider that an SDK makes and registers', async () => {
      const reader = testReader(sdk);
      const hdr = createHdr({ views: [{ instrumentName: '*' }] });
      globalMetrics.setGlobalMeterProvider(
        new sdk.metrics.MeterProvider({
          views: [{ instrumentName: 'x', attributesProcessors: [deny('user')] }],
          readers: [hdr.wrapReader(reader)],
        }),
      );
      try {
        hdr.instrumentation().setMeterProvider(globalMetrics.getMeterProvider());
        globalMetrics.getMeter('m').createHistogram('x').record(1, { route: '/', user: 'a' });
        const metrics = await collect(reader);
        expect(metricNamed(metrics, 'x').dataPointType).toBe(EXPONENTIAL_HISTOGRAM);
        expect(countsOf(metrics, 'x')).toEqual([[{ route: '/' }, 1]]);
      } finally {
        globalMetrics.disable();
      }
    });

    test('cannot give the stock Prometheus exporter exponential buckets, which it does not show', async () => {
      const exporter = new sdk.PrometheusExporter({ preventServerStart: true });
      const { meter } = pipeline({
        views: [{ instrumentName: 'x', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
        moreReaders: [exporter as unknown as MetricReader],
      });
      meter.createHistogram('x').record(1);
      expect(samplesOf(await scrape(exporter)).get('x_count')).toBe(1);
    });
  });

  describe('several views of the SDK', () => {
    test('with different names make a metric each, with its own filter', async () => {
      const metrics = await collected({
        views: [
          { instrumentName: 'duration', name: 'all' },
          { instrumentName: 'duration', name: 'routes', attributesProcessors: [deny('user')] },
          { instrumentName: 'duration', name: 'none', aggregation: { type: AggregationType.DROP } },
        ],
      });
      expect(countsOf(metrics, 'all')).toEqual(BY_USER);
      expect(countsOf(metrics, 'routes')).toEqual([[{ route: '/' }, 2]]);
      expect(countsOf(metrics, 'none')).toEqual([]);
    });

    test('with the same name count each value once, with the filters of all', async () => {
      const metrics = await collected({
        views: [
          { instrumentName: '*', attributesProcessors: [allow('route', 'user')] },
          { instrumentName: 'duration', attributesProcessors: [deny('user')], description: 'Of the second.' },
        ],
      });
      expect(countsOf(metrics, 'duration')).toEqual([[{ route: '/' }, 2]]);
      expect(metrics[0]!.descriptor.description).toBe('Any.');
    });

    test('with names that differ in case only make one metric', async () => {
      const metrics = await collected({
        views: [
          { instrumentName: 'duration', name: 'Renamed' },
          { instrumentName: 'duration', name: 'renamed', attributesProcessors: [deny('user')] },
        ],
      });
      expect(metrics.map(({ descriptor }) => descriptor.name)).toEqual(['Renamed']);
      expect(countsOf(metrics, 'Renamed')).toEqual([[{ route: '/' }, 2]]);
    });
  });

  describe('an HDR view and a view of the SDK', () => {
    test('that state the same setting: the HDR view decides, with one warning', async () => {
      const { reader, meter } = pipeline({
        views: [
          {
            instrumentName: 'x',
            name: 'sdk.x',
            aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [1, 2] } },
          },
        ],
        hdrViews: [{ instrumentName: 'x', name: 'hdr.x', boundaries: [3] }],
      });
      for (let i = 0; i < 3; i++) meter.createHistogram('x').record(1);
      const { value } = points(metricNamed(await collect(reader), 'hdr.x'))[0]!;
      expect('buckets' in value && value.buckets.boundaries).toEqual([3]);
      expect(log.warnings).toEqual(['x: the HDR view replaces name, boundaries of a view of the SDK']);
    });

    test('that state the same values agree', async () => {
      const { meter } = pipeline({
        views: [{ instrumentName: 'x', name: 'y', aggregationCardinalityLimit: 5 }],
        hdrViews: [{ instrumentName: 'x', name: 'y', aggregationCardinalityLimit: 5 }],
      });
      meter.createHistogram('x');
      expect(log.warnings).toEqual([]);
    });

    test.each([
      [3, 1],
      [1, 3],
    ])('that limit the series to %i and %i: the smaller limit applies', async (own, ofSdk) => {
      const { reader, meter } = pipeline({
        views: [{ instrumentName: 'x', aggregationCardinalityLimit: ofSdk }],
        hdrViews: [{ instrumentName: 'x', aggregationCardinalityLimit: own }],
      });
      const x = meter.createHistogram('x');
      for (let user = 0; user < 4; user++) x.record(1, { user });
      expect(countsOf(await collect(reader), 'x')).toEqual([
        [{ user: 0 }, 1],
        [{ 'otel.metric.overflow': true }, 3],
      ]);
      expect(warningsOfViews()).toEqual([
        `x: an HDR view allows ${own} series and a view of the SDK ${ofSdk}: the smaller number applies`,
      ]);
    });

    test('that both filter: neither brings back what the other removes', async () => {
      const { reader, meter } = pipeline({
        views: [
          {
            instrumentName: 'x',
            attributesProcessors: [deny('user'), { process: (left) => ({ ...left, b: 2 }) }],
          },
        ],
        hdrViews: [
          {
            instrumentName: 'x',
            attributesProcessors: [{ process: (left) => ({ ...left, user: 'again', a: 1 }) }],
            denyAttributes: ['b'],
          },
        ],
      });
      meter.createHistogram('x').record(1, { route: '/', user: 'secret' });
      expect(countsOf(await collect(reader), 'x')).toEqual([[{ route: '/', a: 1 }, 1]]);
      expect(log.warnings).toEqual([
        'x: an HDR view and a view of the SDK both filter attributes: what either of them removes is removed',
      ]);
    });

    test('a filter that fails leaves no attribute', async () => {
      const broken = {
        process: () => {
          throw new Error('broken');
        },
      };
      const { reader, meter } = pipeline({
        views: [{ instrumentName: 'x', attributesProcessors: [broken] }],
      });
      meter.createHistogram('x').record(1, { user: 'secret' });
      expect(countsOf(await collect(reader), 'x')).toEqual([[{}, 1]]);
    });

    test('show only attributes that both keep, and every value, whatever they are', async () => {
      const keys = fc.subarray(['a', 'b', 'c', 'd', '__proto__', '']);
      const filter = fc.record({ isAllowed: fc.boolean(), keys });
      const attributes = fc
        .dictionary(
          fc.constantFrom('a', 'b', 'c', 'd', ''),
          fc.oneof(fc.string(), fc.integer(), fc.boolean()),
        )
        .map((one): Attributes => ({ ...one }));
      const keeps = (filters: { isAllowed: boolean; keys: string[] }[], key: string): boolean =>
        filters.every((one) => one.keys.includes(key) === one.isAllowed);
      await fc.assert(
        fc.asyncProperty(
          fc.array(filter, { maxLength: 3 }),
          fc.array(filter, { minLength: 1, maxLength: 3 }),
          fc.array(attributes, { minLength: 1, maxLength: 8 }),
          async (ofSdk, own, records) => {
            const { reader, meter } = pipeline({
              // Views that make the same metric.
              views: ofSdk.map((one) => ({
                instrumentName: 'x',
                attributesProcessors: [one.isAllowed ? allow(...one.keys) : deny(...one.keys)],
              })),
              hdrViews: own.map((one) => ({
                instrumentName: 'x',
                ...(one.isAllowed ? { allowAttributes: one.keys } : { denyAttributes: one.keys }),
              })),
            });
            const x = meter.createHistogram('x');
            for (const one of records) x.record(1, one);
            const expected = new Map<string, number>();
            for (const one of records) {
              const left = Object.entries(one).filter(([key]) => keeps([...ofSdk, ...own], key));
              const text = JSON.stringify(left.sort());
              expected.set(text, (expected.get(text) ?? 0) + 1);
            }
            const found = countsOf(await collect(reader), 'x').map(
              ([left, count]) => [JSON.stringify(Object.entries(left).sort()), count] as const,
            );
            expect(new Map(found)).toEqual(expected);
          },
        ),
        { numRuns: 60 },
      );
    });
  });

  describe('views of the SDK that cannot be read', () => {
    const views = [{ instrumentName: 'x', attributesProcessors: [deny('user')] }];

    test('are reported once, and HDR views apply alone', async () => {
      const { reader, provider } = pipeline({
        views,
        around: (own) =>
          ({
            getMeter: (name: string): Partial<Meter> => {
              const meter = own.getMeter(name);
              return { createHistogram: (...args) => meter.createHistogram(...args) };
            },
            shutdown: () => {},
          }) as unknown as MeterProvider,
      });
      for (const name of ['one', 'two'])
        provider.getMeter(name).createHistogram('x').record(1, { user: 'a' });
      expect(countsOf(await collect(reader), 'x')).toEqual([[{ user: 'a' }, 1]]);
      expect(log.warnings).toEqual([
        'the views of the SDK cannot be read in this version: attribute filters and other settings of theirs do not ' +
          'apply to HDR histograms. Put them into the HDR views',
      ]);
    });

    test.each([
      ['its processor', { attributesProcessor: {} }],
      ['its aggregation', { aggregation: {} }],
      ['its aggregator', { aggregation: { createAggregator: () => ({}) } }],
    ])('leave the instruments that they select to the SDK: %s', async (_, broken) => {
      const { reader, meter } = pipeline({
        views,
        around: (own) => {
          const [view] = (own as never as { _sharedState: { viewRegistry: { _registeredViews: object[] } } })
            ._sharedState.viewRegistry._registeredViews;
          const found = { ...view, ...broken };
          const viewRegistry = { findViews: () => [found] };
          const getMeter = own.getMeter.bind(own);
          return Object.assign(Object.create(own), { getMeter, _sharedState: { viewRegistry } });
        },
      });
      meter.createHistogram('x').record(1, { user: 'a', route: '/' });
      const metrics = await collect(reader);
      expect(metricNamed(metrics, 'x').dataPointType).toBe(HISTOGRAM);
      expect(countsOf(metrics, 'x')).toEqual([[{ route: '/' }, 1]]);
      expect(log.warnings).toEqual([
        'x: stays with the SDK, because a view of the SDK selects it that hdrscope cannot read',
      ]);
    });

    test('do not concern a provider that counts nothing', () => {
      const hdr = createHdr({ views: [{ instrumentName: '*' }] });
      globalMetrics.disable();
      hdr.wrapProvider(globalMetrics.getMeterProvider()).getMeter('m').createHistogram('x').record(1);
      expect(log.warnings).toEqual([]);
    });
  });
}
