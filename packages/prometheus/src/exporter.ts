import { readOptions } from '@hdrscope/core/internal';
import { describeListenError, inSlices, reasonOf, Slices, type Steps, within } from '@hdrscope/kit';
import { limitsOf, type ServerRefusals } from '@hdrscope/kit/server';
import { type RegistrySource, SHARED_GATHER_MS, type ShownRegistry } from '@hdrscope/registry/internal';
import { addressOf } from './address.ts';
import { report, reportFailures, warnOnce } from './diagnostics.ts';
import {
  DEFAULT_OPTIONS,
  type DefaultOptions,
  EXPORTER,
  type HdrPrometheusExporterOptions,
  type MetricSource,
} from './exporter-options.ts';
import { Exposition } from './exposition.ts';
import type { Warn } from './families.ts';
import { type FamilySource, gatherFamilies } from './family-source.ts';
import {
  type ExposedMetricsOptions,
  type FamiliesByScope,
  lazyFamiliesOfResourceMetrics,
} from './from-otel.ts';
import type { SnapshotFamiliesOptions } from './from-registry.ts';
import type { LazyFamily } from './lazy-family.ts';
import { needsStates } from './lazy-histograms.ts';
import { readStrategy } from './names.ts';
import { refusalFamilies } from './refusal-families.ts';
import { histogramsByScope, problemsOf } from './registry-source.ts';
import type { ResourceMetricsLike } from './resource-metrics.ts';
import { answerScrape, type ScrapeRequest, type ScrapeResponse } from './scrape.ts';
import { Scrapes } from './scrapes.ts';
import { MetricsServer } from './server.ts';

// The values are equal in 2.0.1 to 3.1.1. The SDK itself is never imported: an application may hold several copies.
const HISTOGRAM_INSTRUMENT = 'HISTOGRAM';
const DEFAULT_AGGREGATION = 0;
const EXPONENTIAL_HISTOGRAM_AGGREGATION = 5;
const CUMULATIVE_TEMPORALITY = 1;
const UNBOUND = 'HdrPrometheusExporter has no MeterProvider yet: pass it to the readers of one';
/** The SDK's default. */
const CARDINALITY_LIMIT = 2000;

/** `CollectionResult` of any version of the SDK. */
interface Collection {
  readonly resourceMetrics: {
    readonly resource: ResourceMetricsLike['resource'] & {
      readonly asyncAttributesPending?: boolean | undefined;
      waitForAsyncAttributes?(): Promise<void>;
    };
    readonly scopeMetrics: ResourceMetricsLike['scopeMetrics'];
  };
  readonly errors: readonly unknown[];
}

/**
 * A metric reader that Prometheus scrapes. It has the stock exporter's options, defaults and methods, and adds native
 * histograms, OpenMetrics, gzip, and an error status for a scrape that fails. It works with every SDK from 2.0.1 on, 3.x
 * included. It answers scrapes as `prometheusHandler` does, and other requests with 404 or 400. Until it has a meter provider, scrapes
 * show the families of `sources` only, and the diagnostics get a warning.
 *
 * Wrapped with `hdr.wrapReader` of `@hdrscope/otel`, it exposes the HDR histograms too.
 *
 * @example
 * ```ts
 * import { HdrPrometheusExporter } from '@hdrscope/prometheus';
 * import { MeterProvider } from '@opentelemetry/sdk-metrics';
 *
 * const exporter = new HdrPrometheusExporter({ port: 0 });
 * const provider = new MeterProvider({ readers: [exporter] });
 * provider.getMeter('shop').createCounter('orders').add(3);
 *
 * await exporter.startServer();
 * const text = await (await fetch(`http://localhost:${exporter.port}/metrics`)).text();
 * text.includes('orders_total{otel_scope_name="shop"} 3'); //=> true
 * await provider.shutdown();
 * ```
 */
export class HdrPrometheusExporter {
  /** The options that apply when neither the caller nor the environment sets them. */
  static readonly DEFAULT_OPTIONS: DefaultOptions = DEFAULT_OPTIONS;

  readonly #options: ExposedMetricsOptions & { readonly warn: Warn };
  /** The options that sources of families get. */
  readonly #shown: SnapshotFamiliesOptions;
  readonly #scrapes: Scrapes;
  readonly #producers: readonly MetricSource[];
  readonly #sources: readonly FamilySource[];
  readonly #timeoutMs: number | undefined;
  readonly #server: MetricsServer;
  /** The SDK's producer; set once. */
  #producer: MetricSource | undefined;
  #registrySource: RegistrySource<MetricSource> | undefined;
  #isShutDown = false;

  /**
   * @param callback Called when the server listens, or with the error when it cannot.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
   */
  constructor(options: HdrPrometheusExporterOptions = {}, callback: (error?: Error) => void = () => {}) {
    const { host, port, endpoint, token, allowedHosts, limits, tls, refusals, ...settings } = readOptions(
      options,
      EXPORTER,
    );
    const { timeoutMs, preventServerStart, metricProducers, sources, withResourceConstantLabels, ...looks } =
      settings;
    const { withoutTargetInfo, warn = warnOnce(), ...others } = looks;
    const { translationStrategy = readStrategy(process.env) } = others;
    const shown = { ...others, translationStrategy, warn };
    this.#shown = shown;
    this.#options = { ...shown, withResourceConstantLabels, withoutTargetInfo };
    this.#scrapes = new Scrapes(
      (softMs, signal) => gatherFamilies(this.#families(softMs, signal), this.#sources, this.#shown, softMs),
      new Exposition(warn),
    );
    this.#producers = [...metricProducers];
    this.#sources = [() => refusalFamilies(this.refusals), ...sources];
    this.#timeoutMs = timeoutMs;
    const address = addressOf({ host, port, endpoint }, process.env);
    const guard = { token, allowedHosts, limits: limitsOf(limits), tls, refusals };
    this.#server = new MetricsServer(address, this.getMetricsRequestHandler, guard);
    const callBack = (error?: Error): void => {
      try {
        callback(error);
      } catch (failure) {
        report('error', `the callback of HdrPrometheusExporter failed: ${reasonOf(failure)}`, failure);
      }
    };
    if (preventServerStart) queueMicrotask(callBack);
    else {
      this.startServer().then(
        () => callBack(),
        (error: Error) => {
          const reason = describeListenError(error, 'port or OTEL_EXPORTER_PROMETHEUS_PORT');
          report('error', `the metrics server could not be started: ${reason}`, error);
          callBack(error);
        },
      );
    }
  }

  /** The port that the server listens on, or `undefined` while it does not listen. */
  get port(): number | undefined {
    return this.#server.port;
  }

  /** How many requests and connections its servers have refused, by reason: scrapes show them as `hdrscope_server_refusals_total`. */
  get refusals(): Readonly<ServerRefusals> {
    return this.#server.refusals;
  }

  /** Starts the server. Rejects when it cannot listen; call it again to retry. A second call while it runs does nothing. */
  startServer(): Promise<void> {
    return this.#server.start();
  }

  /** Answers running scrapes, within a second, then closes all connections. Never rejects. */
  stopServer(): Promise<void> {
    return this.#server.stop();
  }

  /** Answers one scrape, for a server of your own. Ignores the path and never throws. */
  readonly getMetricsRequestHandler = (request: ScrapeRequest, response: ScrapeResponse): void => {
    void answerScrape(request, response, this.#scrapes, { timeoutMs: this.#timeoutMs });
  };

  /**
   * Called by the meter provider.
   *
   * @throws Error when called a second time.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has nominal types of its own here
  setMetricProducer(producer: any): void {
    if (this.#producer !== undefined) {
      throw new Error('HdrPrometheusExporter can not be bound to a MeterProvider again.');
    }
    this.#producer = producer;
  }

  /**
   * @internal
   * Shows the histograms of a registry in scrapes without a detour through OpenTelemetry's points. For `@hdrscope/otel`: it may
   * change in any release.
   *
   * The caller sets a metric producer too, whose points show the same histograms: `collect` returns them. Scrapes collect from
   * the producer of the source instead. Their native buckets are those of the points; classic buckets in formats without native ones
   * are exact at the thresholds of a family, where those of points are made from exponential buckets. Besides, scrapes show
   * rejected values as `hdrscope_rejected_values_total`, values of wide buckets as `hdrscope_inexact_values`, and failed sources as
   * `hdrscope_source_errors`.
   */
  setRegistrySource(source: RegistrySource<MetricSource>): void {
    this.#registrySource = source;
  }

  /** Exponential for histograms, unless `buckets` is `'classic'`. The SDK's default for everything else. */
  selectAggregation(instrumentType: string): { readonly type: 0 } | { readonly type: 5 } {
    const isNative = instrumentType === HISTOGRAM_INSTRUMENT && this.#options.buckets !== 'classic';
    return { type: isNative ? EXPONENTIAL_HISTOGRAM_AGGREGATION : DEFAULT_AGGREGATION };
  }

  /** Cumulative for every instrument: Prometheus knows no deltas. */
  selectAggregationTemporality(_instrumentType: string): 1 {
    return CUMULATIVE_TEMPORALITY;
  }

  /** The most series of an instrument, for every type: the SDK's own default. */
  selectCardinalityLimit(_instrumentType: string): number {
    return CARDINALITY_LIMIT;
  }

  /**
   * Collects from the SDK and from all additional producers. The error of an additional producer becomes one of `errors`.
   *
   * @throws Error when the reader has no meter provider, when it is shut down, or when the SDK fails.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has nominal types of its own here
  async collect({ timeoutMillis }: { timeoutMillis?: number } = {}): Promise<any> {
    const [sdk, others] = await this.#collected(this.#producer, timeoutMillis);
    return {
      resourceMetrics: {
        resource: sdk.resourceMetrics.resource,
        scopeMetrics: [sdk, ...others].flatMap(({ resourceMetrics }) => resourceMetrics.scopeMetrics),
      },
      errors: [sdk, ...others].flatMap(({ errors }) => errors),
    };
  }

  /** Does nothing: a reader that is scraped holds nothing back. */
  async forceFlush(_options?: { timeoutMillis?: number }): Promise<void> {
    if (this.#isShutDown)
      report('warn', 'forceFlush was called on an HdrPrometheusExporter that is shut down');
  }

  /** Stops the server. Rejects when that takes longer than `timeoutMillis`; the server then stops in the background. */
  async shutdown({ timeoutMillis }: { timeoutMillis?: number } = {}): Promise<void> {
    if (this.#isShutDown) {
      report('error', 'shutdown was called twice on an HdrPrometheusExporter');
      return;
    }
    this.#isShutDown = true;
    const stopped = this.stopServer();
    await (timeoutMillis == null ? stopped : within(stopped, timeoutMillis));
  }

  async #collected(
    producer: MetricSource | undefined,
    timeoutMillis: number | undefined,
  ): Promise<[sdk: Collection, others: readonly Collection[]]> {
    if (this.#isShutDown) throw new Error('HdrPrometheusExporter is shut down');
    if (producer === undefined) throw new Error(UNBOUND);
    const options = timeoutMillis === undefined ? {} : { timeoutMillis };
    return Promise.all([
      producer.collect(options) as Promise<Collection>,
      Promise.all(this.#producers.map((one) => collectionOf(one, options))),
    ]);
  }

  async #families(timeoutMs: number, signal: AbortSignal): Promise<readonly LazyFamily[]> {
    const source = this.#registrySource;
    let registry: ShownRegistry = NOTHING_SHOWN;
    const producer = source && {
      async collect(options: { timeoutMillis?: number }): Promise<Collection> {
        const collection = await source.producer.collect(options);
        // Runs after the SDK, whose callbacks may record values.
        registry = await source.read({ timeoutMs, maxAgeMs: SHARED_GATHER_MS }, needsStates);
        return collection;
      },
    };
    const bound = producer ?? this.#producer;
    if (bound === undefined && !this.#isShutDown) {
      // As in the stock exporter, an application may be scraped before it has made its provider.
      this.#options.warn(UNBOUND);
      return [];
    }
    const [sdk, others] = await this.#collected(bound, timeoutMs);
    const { resource } = sdk.resourceMetrics;
    if (resource.asyncAttributesPending) await resource.waitForAsyncAttributes?.();
    for (const error of [sdk, ...others].flatMap(({ errors }) => errors)) {
      report('warn', `a part of the metrics failed: ${reasonOf(error)}`, error);
    }
    reportFailures(registry.errors);
    const histograms = source && histogramsByScope(registry, source.settingsOf, resource, this.#options);
    const steps = familiesOfCollections(sdk, others, histograms, this.#options);
    const problems = problemsOf(registry, resource, this.#options);
    return [...(await inSlices(steps, new Slices(), signal)), ...problems];
  }
}

const NOTHING_SHOWN: ShownRegistry = { timeMs: 0, families: [], errors: [] };

/** The families of the SDK with those of the registry, then those of other producers. */
function* familiesOfCollections(
  { resourceMetrics: { resource, scopeMetrics } }: Collection,
  others: readonly Collection[],
  histograms: FamiliesByScope | undefined,
  options: ExposedMetricsOptions,
): Steps<LazyFamily[]> {
  const families = yield* lazyFamiliesOfResourceMetrics({ resource, scopeMetrics }, options, histograms);
  const scopesOfOthers = others.flatMap((one) => one.resourceMetrics.scopeMetrics);
  const ofOthers = { resource, scopeMetrics: scopesOfOthers };
  const withoutTarget = { ...options, withoutTargetInfo: true };
  return [...families, ...(yield* lazyFamiliesOfResourceMetrics(ofOthers, withoutTarget))];
}

async function collectionOf(
  producer: MetricSource,
  options: { timeoutMillis?: number },
): Promise<Collection> {
  try {
    return await producer.collect(options);
  } catch (error) {
    return { resourceMetrics: { resource: { attributes: {} }, scopeMetrics: [] }, errors: [error] };
  }
}
