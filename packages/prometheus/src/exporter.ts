import { reasonOf, within } from '@hdrscope/kit';
import { addressOf } from './address.ts';
import { report, warnOnce } from './diagnostics.ts';
import {
  assertOptions,
  DEFAULT_OPTIONS,
  type DefaultOptions,
  type HdrPrometheusExporterOptions,
  type MetricSource,
} from './exporter-options.ts';
import type { Metric, MetricFamily, Warn } from './families.ts';
import { type FamilySource, gatherFamilies } from './family-source.ts';
import { familiesOfResourceMetrics, type ResourceMetricsOptions } from './from-otel.ts';
import { answerScrape, type ScrapeRequest, type ScrapeResponse } from './scrape.ts';
import { MetricsServer } from './server.ts';

// The values are equal in 2.0.1 to 3.1.1. The SDK itself is never imported: an application may hold several copies.
const HISTOGRAM_INSTRUMENT = 'HISTOGRAM';
const DEFAULT_AGGREGATION = 0;
const EXPONENTIAL_HISTOGRAM_AGGREGATION = 5;
const CUMULATIVE_TEMPORALITY = 1;
/** The SDK's default. */
const CARDINALITY_LIMIT = 2000;

/** `CollectionResult` of any version of the SDK. */
interface Collection {
  readonly resourceMetrics: { readonly resource: unknown; readonly scopeMetrics: readonly unknown[] };
  readonly errors: readonly unknown[];
}

interface Exposition extends ResourceMetricsOptions {
  readonly buckets?: 'native' | 'classic' | 'both' | undefined;
  readonly warn: Warn;
}

/**
 * A metric reader that Prometheus scrapes. It has the stock exporter's options, defaults and methods, and adds native
 * histograms, OpenMetrics, gzip, and an error status for a scrape that fails. It works with every SDK from 2.0.1 on, 3.x
 * included. It answers scrapes as `prometheusHandler` does, and other requests with 404 or 400.
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
  static readonly DEFAULT_OPTIONS: DefaultOptions = DEFAULT_OPTIONS;

  readonly #exposition: Exposition;
  readonly #producers: readonly MetricSource[];
  readonly #sources: readonly FamilySource[];
  readonly #timeoutMs: number | undefined;
  readonly #server: MetricsServer;
  /** The SDK's producer; set once. */
  #producer: MetricSource | undefined;
  #isShutDown = false;

  /**
   * @param callback Called when the server listens, or with the error when it cannot.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is out of range.
   */
  constructor(options: HdrPrometheusExporterOptions = {}, callback: (error?: Error) => void = () => {}) {
    assertOptions(options);
    this.#exposition = { ...options, warn: options.warn ?? warnOnce() };
    this.#producers = [...(options.metricProducers ?? [])];
    this.#sources = [...(options.sources ?? [])];
    this.#timeoutMs = options.timeoutMs;
    this.#server = new MetricsServer(addressOf(options, process.env), this.getMetricsRequestHandler);
    const callBack = (error?: Error): void => {
      try {
        callback(error);
      } catch (failure) {
        report('error', `the callback of HdrPrometheusExporter failed: ${reasonOf(failure)}`, failure);
      }
    };
    if (options.preventServerStart === true) queueMicrotask(callBack);
    else {
      this.startServer().then(
        () => callBack(),
        (error: Error) => {
          report('error', `the metrics server could not be started: ${reasonOf(error)}`, error);
          callBack(error);
        },
      );
    }
  }

  /** The port that the server listens on, or `undefined` while it does not listen. */
  get port(): number | undefined {
    return this.#server.port;
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
    const collect = (softMs: number): Promise<readonly MetricFamily[]> =>
      gatherFamilies(this.#families(softMs), this.#sources, this.#exposition, softMs);
    void answerScrape(request, response, collect, { timeoutMs: this.#timeoutMs });
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

  /** Exponential for histograms, unless `buckets` is `'classic'`. The SDK's default for everything else. */
  selectAggregation(instrumentType: string): { readonly type: 0 } | { readonly type: 5 } {
    const isNative = instrumentType === HISTOGRAM_INSTRUMENT && this.#exposition.buckets !== 'classic';
    return { type: isNative ? EXPONENTIAL_HISTOGRAM_AGGREGATION : DEFAULT_AGGREGATION };
  }

  selectAggregationTemporality(_instrumentType: string): 1 {
    return CUMULATIVE_TEMPORALITY;
  }

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
    if (this.#producer === undefined)
      throw new Error('HdrPrometheusExporter has no MeterProvider yet: pass it to the readers of one');
    if (this.#isShutDown) throw new Error('HdrPrometheusExporter is shut down');
    const options = timeoutMillis === undefined ? {} : { timeoutMillis };
    const [sdk, ...others] = await Promise.all([
      this.#producer.collect(options) as Promise<Collection>,
      ...this.#producers.map((producer) => collectionOf(producer, options)),
    ]);
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

  async #families(timeoutMs: number): Promise<readonly MetricFamily[]> {
    const { resourceMetrics, errors } = await this.collect({ timeoutMillis: timeoutMs });
    const { resource } = resourceMetrics;
    if (resource.asyncAttributesPending) await resource.waitForAsyncAttributes?.();
    for (const error of errors) report('warn', `a part of the metrics failed: ${reasonOf(error)}`, error);
    const families = familiesOfResourceMetrics(resourceMetrics, this.#exposition);
    return this.#exposition.buckets === 'both' ? families.map(withClassicBuckets) : families;
  }
}

function withClassicBuckets(family: MetricFamily): MetricFamily {
  if (family.type !== 'histogram') return family;
  const metrics = family.metrics.map((metric): Metric => {
    const { value } = metric;
    if (value.kind !== 'histogram' || value.classic !== undefined || !value.toClassic) return metric;
    return { ...metric, value: { ...value, classic: value.toClassic() } };
  });
  return { ...family, metrics };
}

async function collectionOf(
  producer: MetricSource,
  options: { timeoutMillis?: number },
): Promise<Collection> {
  try {
    return await producer.collect(options);
  } catch (error) {
    return { resourceMetrics: { resource: undefined, scopeMetrics: [] }, errors: [error] };
  }
}
