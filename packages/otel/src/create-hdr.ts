import { explicitLayout } from '@hdrscope/core';
import { createRegistry, type FamilySnapshot, type Registry } from '@hdrscope/registry';
import { diag, type MeterProvider } from '@opentelemetry/api';
import { type Environment, processEnvironment } from './environment.ts';
import { type ExemplarFilter, exemplarFilterOf } from './exemplar-filter.ts';
import { type HdrInstrumentation, hdrInstrumentation } from './instrumentation.ts';
import { type Load, readersFromEnvironment } from './metric-readers.ts';
import { hdrProducer, type ProducerOptions } from './producer.ts';
import { wrapProvider } from './provider.ts';
import { type ReaderOptions, wrapReader } from './reader.ts';
import { HISTOGRAM_INSTRUMENT, type Producer, type Reader } from './sdk.ts';
import { type StreamSettings, streamSettings } from './stream.ts';
import { compileView, type HdrView } from './view.ts';

/** How the HDR side of a metrics pipeline is set up. */
export interface HdrOptions {
  /** Instruments that no view selects stay the SDK's own. An instrument that several select has several metrics. */
  readonly views: readonly HdrView[];
  /** Where the counts are kept; all that it holds is exported. @default a new one */
  readonly registry?: Registry;
  /**
   * Which measurements become exemplars, which only Prometheus sees.
   * @default what `OTEL_METRICS_EXEMPLAR_FILTER` says, or else `'always_off'`: it costs nothing then
   */
  readonly exemplarFilter?: ExemplarFilter;
  /** Where environment variables are read. @default those of the process */
  readonly environment?: Environment;
}

/** The HDR side of a metrics pipeline. */
export interface Hdr {
  readonly registry: Registry;
  /** Wraps a meter provider: its meters make HDR instruments where a view says so. */
  wrapProvider<Wrapped extends MeterProvider>(provider: Wrapped): Wrapped;
  /** Wraps a reader before it is given to its provider: it also collects the HDR histograms. */
  wrapReader<Wrapped extends Reader>(reader: Wrapped, options?: ReaderOptions): Wrapped;
  /**
   * For the `metricProducers` of a reader, in place of wrapping it: whatever is in the registry is collected with the
   * rest. One producer serves one reader.
   */
  producer(options?: ProducerOptions): Producer;
  /**
   * For the `instrumentations` of `NodeSDK`, before all others: wraps the provider that the SDK makes.
   *
   * ```
   * new NodeSDK({
   *   metricReaders: await hdr.metricReadersFromEnv((name) => import(name)),
   *   instrumentations: [hdr.instrumentation(), getNodeAutoInstrumentations()],
   * }).start();
   * ```
   */
  instrumentation(): HdrInstrumentation;
  /**
   * The readers that `OTEL_METRICS_EXPORTER` and its companions ask for, wrapped: those that `NodeSDK` makes itself
   * cannot be.
   *
   * @param load Imports a package of the application, which has the exporters and the SDK: `(name) => import(name)`.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when a variable cannot be followed, or a package for it is not installed.
   */
  metricReadersFromEnv(load: Load): Promise<Reader[]>;
}

/**
 * Makes histograms of an OpenTelemetry pipeline HDR histograms: wrap the provider, and each of its readers.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a view is wrong.
 * @example
 * ```ts
 * import { createHdr } from '@hdrscope/otel';
 * import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
 *
 * const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
 * const reader = new PeriodicExportingMetricReader({ exporter });
 * const hdr = createHdr({ views: [{ instrumentName: 'http.*.duration', significantDigits: 3 }] });
 * const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(reader)] }));
 *
 * const duration = provider.getMeter('shop').createHistogram('http.server.request.duration', { unit: 's' });
 * duration.record(0.042, { 'http.route': '/cart' });
 *
 * await reader.forceFlush();
 * const [metric] = exporter.getMetrics()[0]!.scopeMetrics[0]!.metrics;
 * [metric!.descriptor.name, metric!.dataPoints[0]!.attributes]; //=> ['http.server.request.duration', { 'http.route': '/cart' }]
 * await provider.shutdown();
 * ```
 */
export function createHdr({
  views,
  registry = createRegistry(),
  environment = processEnvironment(),
  exemplarFilter: configured,
}: HdrOptions): Hdr {
  const exemplarFilter = exemplarFilterOf(configured, environment);
  const compiled = views.map(compileView);
  for (const { instrumentType, instrumentName = '*', boundaries } of views) {
    if (instrumentType !== undefined && instrumentType !== HISTOGRAM_INSTRUMENT) {
      diag.warn(`the HDR view of ${instrumentName} selects nothing: a ${instrumentType} has no distribution`);
    }
    if (boundaries !== undefined) explicitLayout(boundaries);
  }
  const settings = new Map<string, StreamSettings>();
  const store = {
    registry,
    settingsOf: (family: FamilySnapshot) =>
      settings.get(streamKey(family)) ?? streamSettings(family.unit, { boundaries: family.boundaries }),
  };
  const wrap = <Wrapped extends MeterProvider>(provider: Wrapped): Wrapped =>
    wrapProvider(provider, {
      views: compiled,
      registry,
      exemplarFilter,
      remember: (family, shown) => settings.set(streamKey(family), shown),
    });
  return {
    registry,
    wrapProvider: wrap,
    wrapReader: (reader, options = {}) => wrapReader(reader, store, options, environment),
    producer: (options = {}) => hdrProducer(store, options),
    instrumentation: () => hdrInstrumentation(wrap),
    metricReadersFromEnv: async (load) => {
      const readers = await readersFromEnvironment(environment, load);
      return readers.map((reader) => wrapReader(reader, store, {}, environment));
    },
  };
}

function streamKey({ name, scope }: Pick<FamilySnapshot, 'name' | 'scope'>): string {
  return JSON.stringify([scope, name]);
}
