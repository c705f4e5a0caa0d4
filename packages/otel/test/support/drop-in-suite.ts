import { createRegistry } from '@hdrscope/registry';
import type { Diagnostics } from '@hdrscope/testing/diagnostics';
import { FakeClock } from '@hdrscope/testing/fake-clock';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  TraceFlags,
  trace,
  ValueType,
} from '@opentelemetry/api';
import { type BindableHistogram, bind, createHdr, type HdrOptions, type HdrView } from '../../src/index.ts';
import { collect, countsOf, metricNamed, points, type Sdk, testReader } from './sdk.ts';

/** Behaviour besides plain views: producers, bound instruments, tee, exemplars. */
export function testDropIn(sdk: Sdk, log: Diagnostics): void {
  const { DataPointType, AggregationTemporality } = sdk.metrics;

  function pipeline(view: Partial<HdrView> = {}, options: Partial<HdrOptions> = {}) {
    const registry = createRegistry({ clock: new FakeClock() });
    const hdr = createHdr({ views: [{ instrumentName: 'hdr.*', ...view }], registry, ...options });
    const reader = testReader(sdk);
    const provider = hdr.wrapProvider(new sdk.metrics.MeterProvider({ readers: [hdr.wrapReader(reader)] }));
    return { hdr, reader, meter: provider.getMeter('m') };
  }

  describe('a producer', () => {
    test.each([
      ['cumulative', 'exponential', [1, 3]],
      ['delta', 'exponential', [1, 2]],
      ['cumulative', 'explicit', [1, 3]],
    ] as const)(
      'brings the registry to a reader that is not wrapped: %s, %s',
      async (temporality, format, counts) => {
        const hdr = createHdr({ views: [{ instrumentName: '*' }] });
        const exporter = new sdk.metrics.InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
        const reader = new sdk.metrics.PeriodicExportingMetricReader({
          exporter,
          exportIntervalMillis: 1e6,
          metricProducers: [hdr.producer({ temporality, format })] as never,
        });
        const provider = new sdk.metrics.MeterProvider({ readers: [reader] });
        provider.getMeter('m').createCounter('own').add(1);
        const series = hdr.registry.histogram({ name: 'hdr.x' }).with({});
        series.record(1);
        await reader.forceFlush();
        series.record(2);
        series.record(3);
        await reader.forceFlush();
        await provider.shutdown();
        const collections = exporter.getMetrics().slice(0, 2);
        const metrics = collections.map(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
        const found = metrics.map((one) => one.find(({ descriptor }) => descriptor.name === 'hdr.x')!);
        expect(found.map((metric) => points(metric)[0]!.value.count)).toEqual(counts);
        expect(found[0]!.dataPointType).toBe(
          format === 'explicit' ? DataPointType.HISTOGRAM : DataPointType.EXPONENTIAL_HISTOGRAM,
        );
        expect(found[0]!.aggregationTemporality).toBe(
          temporality === 'delta' ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
        );
        expect(metrics[0]!.some(({ descriptor }) => descriptor.name === 'own')).toBe(true);
      },
    );
  });

  describe('a bound instrument', () => {
    test('counts with the attributes that the view keeps', async () => {
      const { reader, meter } = pipeline({ denyAttributes: ['user'] });
      const bound = bind(meter.createHistogram('hdr.x'), { route: '/', user: 'a' });
      bound.record(1);
      bound.record(2);
      bound.record(-1);
      expect(countsOf(await collect(reader), 'hdr.x')).toEqual([[{ route: '/' }, 2]]);
    });

    test('of the SDK counts too, of any kind', async () => {
      const { reader, meter } = pipeline();
      const attributes: Attributes = { route: '/' };
      const bound = [
        bind(meter.createHistogram('sdk.histogram'), attributes),
        bind(meter.createGauge('sdk.gauge'), attributes),
      ];
      const added = [
        bind(meter.createCounter('sdk.counter'), attributes),
        bind(meter.createUpDownCounter('sdk.up-down'), attributes),
      ];
      attributes.route = '/changed';
      for (const one of bound) one.record(2, ROOT_CONTEXT);
      for (const one of added) one.add(2);
      bind(meter.createCounter('sdk.bare')).add(2);
      const metrics = await collect(reader);
      const found = metrics.map(({ descriptor, dataPoints: [point] }) => [
        descriptor.name,
        point!.attributes,
        typeof point!.value === 'object' ? point!.value.sum : point!.value,
      ]);
      const route = { route: '/' };
      expect(found).toEqual([
        ['sdk.histogram', route, 2],
        ['sdk.gauge', route, 2],
        ['sdk.counter', route, 2],
        ['sdk.up-down', route, 2],
        ['sdk.bare', {}, 2],
      ]);
    });

    test('is what the instrument returns whose method has this name, of whatever library', () => {
      const theirs = { record: () => {} };
      const instrument = { ...theirs, bind: () => theirs };
      expect(bind(instrument, {})).toBe(theirs);
    });

    test.each<[what: string, view: Partial<HdrView>]>([
      ['plain', {}],
      ['behind a view', { denyAttributes: ['user'] }],
      ['beside the SDK', { tee: true }],
    ])(
      'has the attributes that it was bound to, and behaves as the instrument itself: %s',
      async (_, view) => {
        const { hdr, reader, meter } = pipeline({ ...view, aggregationCardinalityLimit: 2 });
        const instrument = meter.createHistogram('hdr.x', { valueType: ValueType.INT }) as BindableHistogram;
        const attributes: Attributes = { route: '/' };
        const bound = [instrument.bind(attributes), instrument.bind(), instrument.bind({ route: '/over' })];
        attributes.route = '/changed';
        for (const one of bound) for (const value of [1.9, 3]) one.record(value);
        // The limit was reached when they were bound: the third one stays with the overflow series.
        const [family] = (await hdr.registry.gather()).families;
        expect(family!.series.map((one) => [one.attributes, one.histogram.totalCount, one.sum])).toEqual([
          [{ route: '/' }, 2, 4],
          [{}, 2, 4],
          [{ 'otel.metric.overflow': true }, 2, 4],
        ]);
        await collect(reader);
        for (const value of [Number.NaN, -1, '1', undefined, {}]) bound[0]!.record(value as number);
        instrument.record(5, { route: '/' });
        expect(countsOf(await collect(reader), 'hdr.x')[0]).toEqual([{ route: '/' }, 3]);
      },
    );

    test('takes the span of its exemplars from the context of each record', async () => {
      const { hdr, meter } = pipeline({}, { exemplarFilter: 'trace_based' });
      const bound = bind(meter.createHistogram('hdr.x'), { route: '/' });
      const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED };
      bound.record(1, trace.setSpanContext(ROOT_CONTEXT, span));
      bound.record(2);
      bound.record(4, { route: '/' } as never); // no context
      const [family] = (await hdr.registry.gather()).families;
      const [series] = family!.series;
      expect(series!.counts.total).toBe(3);
      expect(series!.exemplars.map(({ value }) => value)).toEqual([1]);
    });
  });

  describe('a view', () => {
    test.each<[what: string, view: Partial<HdrView>, kept: object]>([
      ['keeps all attributes', {}, { a: 1, b: 2, c: 3 }],
      ['keeps those that it allows', { allowAttributes: ['a', 'b', 'z'] }, { a: 1, b: 2 }],
      ['drops those that it denies', { denyAttributes: ['b'] }, { a: 1, c: 3 }],
      [
        'drops an attribute that it both allows and denies',
        { allowAttributes: ['a', 'b'], denyAttributes: ['b'] },
        { a: 1 },
      ],
      ['drops all attributes when it allows an empty list', { allowAttributes: [] }, {}],
    ])('%s', async (_what, view, kept) => {
      const { reader, meter } = pipeline(view);
      meter.createHistogram('hdr.x').record(1, { a: 1, b: 2, c: 3 });
      expect(countsOf(await collect(reader), 'hdr.x')).toEqual([[kept, 1]]);
    });

    test('of an asynchronous instrument is ignored, with a warning if it names the instrument', async () => {
      const named = pipeline({ instrumentName: 'hdr.queue' });
      named.meter.createObservableGauge('hdr.queue').addCallback((result) => result.observe(3));
      expect(log.warnings).toEqual([
        'the HDR view of hdr.queue is ignored: an asynchronous instrument has no distribution',
      ]);
      expect(metricNamed(await collect(named.reader), 'hdr.queue').dataPointType).toBe(DataPointType.GAUGE);
      pipeline().meter.createObservableCounter('hdr.sum');
      expect(log.warnings).toHaveLength(1);
    });

    test('with tee makes the SDK count as well', async () => {
      const { reader, meter } = pipeline({ name: 'hdr.y', instrumentName: 'hdr.x', tee: true });
      const histogram = meter.createHistogram('hdr.x');
      histogram.record(1, { route: '/' });
      const attributes: Attributes = { route: '/' };
      const bound = bind(histogram, attributes);
      attributes.route = '/changed';
      bound.record(2);
      const metrics = await collect(reader);
      expect(metricNamed(metrics, 'hdr.x').dataPointType).toBe(DataPointType.HISTOGRAM);
      expect(metricNamed(metrics, 'hdr.y').dataPointType).toBe(DataPointType.EXPONENTIAL_HISTOGRAM);
      const counts = [[{ route: '/' }, 2]];
      expect([countsOf(metrics, 'hdr.x'), countsOf(metrics, 'hdr.y')]).toEqual([counts, counts]);
    });
  });

  describe('exemplars', () => {
    const spanContext = (traceFlags: TraceFlags): Context =>
      trace.setSpanContext(ROOT_CONTEXT, { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags });
    const exemplarsWith = async (options: Partial<HdrOptions>, active: Context): Promise<object[]> => {
      const { hdr, meter } = pipeline({ denyAttributes: ['user'] }, options);
      meter.createHistogram('hdr.x').record(3, { route: '/', user: 'a' }, active);
      const [family] = (await hdr.registry.gather()).families;
      return family!.series[0]!.exemplars.map(({ value, attributes }) => ({ value, attributes }));
    };
    const ofSpan = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) };

    test.each<
      [filter: string, options: Partial<HdrOptions>, sampled: object[], unsampled: object[], none: object[]]
    >([
      ['no filter given', { environment: {} }, [], [], []],
      ['always_off', { exemplarFilter: 'always_off' }, [], [], []],
      ['trace_based', { exemplarFilter: 'trace_based' }, [ofSpan], [], []],
      ['always_on', { exemplarFilter: 'always_on' }, [ofSpan], [ofSpan], [{}]],
      ['the environment', { environment: { OTEL_METRICS_EXEMPLAR_FILTER: 'trace_based' } }, [ofSpan], [], []],
    ])('depend on the filter and the span: %s', async (_what, options, sampled, unsampled, none) => {
      const expected = (all: object[]) => all.map((one) => ({ value: 3, attributes: { user: 'a', ...one } }));
      expect(await exemplarsWith(options, spanContext(TraceFlags.SAMPLED))).toEqual(expected(sampled));
      expect(await exemplarsWith(options, spanContext(TraceFlags.NONE))).toEqual(expected(unsampled));
      expect(await exemplarsWith(options, ROOT_CONTEXT)).toEqual(expected(none));
    });
  });
}
