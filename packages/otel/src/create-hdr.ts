import {
  listOf,
  type OptionRules,
  object,
  oneOf,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { createRegistry, type FamilySnapshot, type Registry } from '@hdrscope/registry';
import { registry as registryRule } from '@hdrscope/registry/internal';
import { diag, type MeterProvider } from '@opentelemetry/api';
import { type EnvironmentVariables, processEnvironment } from './environment.ts';
import { EXEMPLAR_FILTERS, type ExemplarFilter, exemplarFilterOf } from './exemplar-filter.ts';
import { type HdrInstrumentation, hdrInstrumentation } from './instrumentation.ts';
import { type Load, readersFromEnvironment } from './metric-readers.ts';
import { familyKey, type HistogramFormat, knownSettings, settingsOfFamily } from './metric-settings.ts';
import { isPartOfPreset } from './presets.ts';
import { hdrProducer, type ProducerOptions } from './producer.ts';
import { wrapProvider } from './provider.ts';
import { type ReaderOptions, wrapReader } from './reader.ts';
import { HISTOGRAM_INSTRUMENT, type Producer, type Reader } from './sdk.ts';
import { diagnoseSeriesLimit } from './series-limit.ts';
import { compileView, type HdrView } from './view.ts';
import { inOneMinute, type Schedule, ViewUse } from './view-use.ts';

/** Options of `createHdr`. */
export interface HdrOptions {
  /**
   * Select the instruments that become HDR histograms. An instrument that no view selects stays the SDK's own; one that
   * several views select yields a metric for each name. Views of the provider hold too.
   */
  readonly views: readonly HdrView[];
  /** Keeps the counts. Everything in it is exported. @default a new registry */
  readonly registry?: Registry;
  /**
   * Chooses the measurements that become exemplars. The exporter of `@hdrscope/prometheus` and `sendOtlp` carry them.
   * @default the value of `OTEL_METRICS_EXEMPLAR_FILTER`, else `'always_off'`, which costs nothing
   */
  readonly exemplarFilter?: ExemplarFilter;
  /** Environment variables to read. @default those of the process */
  readonly environment?: EnvironmentVariables;
}

/** The HDR side of a metrics pipeline. */
export interface Hdr {
  /** The registry that takes all HDR values: the option `registry`, or one of its own. */
  readonly registry: Registry;
  /** Wraps a meter provider: its meters make HDR instruments where a view says so. */
  wrapProvider<Wrapped extends MeterProvider>(provider: Wrapped): Wrapped;
  /**
   * Wraps a reader before it is given to its provider: it then collects the HDR histograms too.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when it is no reader, an option does not exist, or `format` is unknown.
   */
  wrapReader<Wrapped extends Reader>(reader: Wrapped, options?: ReaderOptions): Wrapped;
  /**
   * Makes a producer for a reader's `metricProducers`, instead of wrapping the reader. It adds everything in the registry
   * to each collection. Make one producer for each reader.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
   */
  producer(options?: ProducerOptions): Producer;
  /**
   * Makes an instrumentation for `NodeSDK` that wraps the provider that the SDK makes. Put it before all others.
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
   * Makes the readers that `OTEL_METRICS_EXPORTER` and related variables ask for, and wraps them. Readers that `NodeSDK`
   * makes itself cannot be wrapped.
   *
   * @param load Imports a package that the application has installed: `(name) => import(name)`.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when a variable has a value that is not allowed, or a package is not
   *   installed.
   */
  metricReadersFromEnv(load: Load): Promise<Reader[]>;
}

const CREATE_HDR = {
  name: 'createHdr',
  rules: {
    views: listOf(object<HdrView>(), "views, such as [{ instrumentName: '*' }]"),
    registry: optional(registryRule),
    exemplarFilter: optional(oneOf(EXEMPLAR_FILTERS)),
    environment: optional(object<EnvironmentVariables>()),
  } satisfies OptionRules<HdrOptions>,
  call: "createHdr({ views: [{ instrumentName: 'http.*.duration' }] })",
};

const WRAP_READER = {
  name: 'hdr.wrapReader',
  rules: {
    format: withDefault(oneOf<'auto' | HistogramFormat>(['auto', 'exponential', 'explicit']), 'auto'),
  } satisfies OptionRules<ReaderOptions>,
  call: "hdr.wrapReader(reader, { format: 'explicit' })",
};

const PRODUCER = {
  name: 'hdr.producer',
  rules: {
    temporality: withDefault(oneOf<'cumulative' | 'delta'>(['cumulative', 'delta']), 'cumulative'),
    format: optional(oneOf<HistogramFormat>(['exponential', 'explicit'])),
  } satisfies OptionRules<ProducerOptions>,
};

/**
 * Turns histograms of an OpenTelemetry pipeline into HDR histograms. Wrap the provider and each of its readers.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `views` is not an array, or an option of a view is out of range.
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
export function createHdr(options: HdrOptions): Hdr {
  return makeHdr(options, (message) => diag.warn(message));
}

/**
 * @param warnOfView Gets a warning for each view that selects nothing.
 * @param schedule Says when it is too late for a view to select something.
 */
export function makeHdr(
  options: HdrOptions,
  warnOfView: (message: string) => void,
  schedule: Schedule = inOneMinute,
): Hdr {
  const given = readOptions(options, CREATE_HDR);
  const { registry = createRegistry(), environment = processEnvironment() } = given;
  const exemplarFilter = exemplarFilterOf(given.exemplarFilter, environment);
  const views = given.views.map((view, i) => compileView(view, `views[${i}]`));
  const expected = views.filter(({ instrumentType, instrumentName = '*' }, i) => {
    if (isPartOfPreset(given.views[i]!)) return false;
    if (instrumentType === undefined || instrumentType === HISTOGRAM_INSTRUMENT) return true;
    const reason = `an instrument of type ${instrumentType} has no distribution`;
    warnOfView(`the HDR view of ${instrumentName} selects nothing: ${reason}`);
    return false;
  });
  const viewUse = new ViewUse(expected, warnOfView, schedule);
  diagnoseSeriesLimit(registry);
  const settings = knownSettings(registry);
  const store = {
    registry,
    settingsOf: (family: FamilySnapshot) => settingsOfFamily(settings, family),
  };
  const wrap = <Wrapped extends MeterProvider>(provider: Wrapped): Wrapped =>
    wrapProvider(provider, {
      views,
      registry,
      exemplarFilter,
      viewUse,
      remember: (family, shown) => settings.set(familyKey(family), shown),
    });
  return {
    registry,
    wrapProvider: wrap,
    wrapReader: (reader, readerOptions = {}) =>
      wrapReader(reader, store, readOptions(readerOptions, WRAP_READER), environment),
    producer: (producerOptions = {}) => hdrProducer(store, readOptions(producerOptions, PRODUCER)),
    instrumentation: () => hdrInstrumentation(wrap),
    metricReadersFromEnv: async (load) => {
      const readers = await readersFromEnvironment(environment, load);
      return readers.map((reader) => wrapReader(reader, store, { format: 'auto' }, environment));
    },
  };
}
