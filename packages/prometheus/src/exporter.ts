import { addressOf } from './address.ts';
import { within } from './deadline.ts';
import { reasonOf, report, warnOnce } from './diagnostics.ts';
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
/** The SDK's own. */
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
 * A metric reader that Prometheus scrapes: the stock exporter's options, defaults and methods, with native histograms,
 * OpenMetrics, gzip, and honest answers to a scrape that fails. For every SDK from 2.0.1 on, 3.x included. Scrapes are
 * answered as `prometheusHandler` answers them; what is no request for the endpoint, by 404 or 400.
 *
 * Wrapped by `hdr.wrapReader` of `@hdrscope/otel`, it exposes the HDR histograms, too.
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
  /** Of the SDK; set once. */
  #producer: MetricSource | undefined;
  #isShutDown = false;

  /**
   * @param callback Told when the server listens, or why it does not.
   * @throws HdrscopeError `ERR_INVALID_OPTION`.
   */
  constructor(options: HdrPrometheusExporterOptions = {}, callback: (error?: Error) => void = () => {}) {
    assertOptions(options);
    this.#exposition = { ...options, warn: options.warn ?? warnOnce() };
    this.#producers = [...(options.metricProducers ?? [])];
    this.#sources = [...(options.sources ?? [])];
    this.#timeoutMs = options.timeoutMs;
    this.#server = new MetricsServer(addressOf(options, process.env), this.getMetricsRequestHandler);
    const tell = (error?: Error): void => {
      try {
        callback(error);
      } catch (failure) {
        report('error', `the callback of HdrPrometheusExporter failed: ${reasonOf(failure)}`, failure);
      }
    };
    if (options.preventServerStart === true) queueMicrotask(tell);
    else {
      this.startServer().then(
        () => tell(),
        (error: Error) => {
          report('error', `the metrics server could not be started: ${reasonOf(error)}`, error);
          tell(error);
        },
      );
    }
  }

  /** The port that the server listens on, while it does. */
  get port(): number | undefined {
    return this.#server.port;
  }

  /** Rejects when the server cannot listen; it may be tried again. Starting twice is starting once. */
  startServer(): Promise<void> {
    return this.#server.start();
  }

  /** Answers the scrapes that are under way, within a second, then closes all connections. Never rejects. */
  stopServer(): Promise<void> {
    return this.#server.stop();
  }

  /** Answers one scrape, for a server of your own. Looks at no path, and never throws. */
  readonly getMetricsRequestHandler = (request: ScrapeRequest, response: ScrapeResponse): void => {
    const collect = (softMs: number): Promise<readonly MetricFamily[]> =>
      gatherFamilies(this.#families(softMs), this.#sources, this.#exposition, softMs);
    void answerScrape(request, response, collect, { timeoutMs: this.#timeoutMs });
  };

  /**
   * Called by a meter provider.
   *
   * @throws Error when it has been called before.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has nominal types of its own here
  setMetricProducer(producer: any): void {
    if (this.#producer !== undefined) {
      throw new Error('HdrPrometheusExporter can not be bound to a MeterProvider again.');
    }
    this.#producer = producer;
  }

  /** Exponential for histograms; what the SDK does by default, for classic buckets and all other instruments. */
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
   * Collects from the SDK and from all other producers. One of those that fails is among the errors.
   *
   * @throws Error when no meter provider has this reader, when it is shut down, or when the SDK fails.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has nominal types of its own here
  async collect({ timeoutMillis }: { timeoutMillis?: number } = {}): Promise<any> {
    if (this.#producer === undefined) throw new Error('no MeterProvider has this HdrPrometheusExporter');
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

  /** Does nothing: there is nothing that waits to be sent. */
  async forceFlush(_options?: { timeoutMillis?: number }): Promise<void> {
    if (this.#isShutDown)
      report('warn', 'forceFlush was called on an HdrPrometheusExporter that is shut down');
  }

  /** Stops the server. Rejects when that takes longer than `timeoutMillis`, and goes on. */
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
