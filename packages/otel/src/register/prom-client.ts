import { atOnce, inSlices, isObject, reasonOf, Slices, type Steps, within } from '@hdrscope/kit';
import { type EnvironmentVariables, namesIn, variable } from '../environment.ts';
import { wantedExporters } from '../metric-readers.ts';
import type { Application } from './application.ts';
import { notice } from './notice.ts';
import { listMetrics, type PromMetric, type PromState, splitMetrics } from './page/prom-series.ts';

/** `prom-client` and its successor. */
const PACKAGES = ['prom-client', '@prometheus-io/client'];

/** The longest time that a scrape waits for them. */
const LONGEST_READ_MS = 1000;
/** So many times as long as a read takes, nobody but a scrape reads again. */
const LEAST_PAUSE = 20;

/** `Registry` of these packages. */
interface PromRegistry {
  readonly contentType: string;
  getMetricsAsJSON(): Promise<readonly object[]>;
  getMetricsAsArray(): readonly object[];
  getSingleMetric(name: string): object | undefined;
}

type Construct = abstract new (...args: never[]) => object;

/** What these packages export. */
interface PromModule {
  readonly register: PromRegistry;
  readonly Registry: { readonly prototype: { registerMetric(metric: object): void } };
  readonly Counter: Construct;
  readonly Gauge: Construct;
  readonly Histogram: Construct;
  readonly Summary: Construct;
}

/** The metrics of prom-client in this process. */
export interface PromClient {
  /** What was read last. */
  readonly state: PromState;
  /** When reading it began, in milliseconds since 1970; 0 before that. */
  readonly timeMs: number;
  /**
   * Reads all metrics. Never rejects: those that were read before stand then.
   *
   * @param isScrape Whether somebody waits for them. Others find what was read before, if a read takes long.
   */
  read(timeoutMs: number, isScrape: boolean): Promise<void>;
  /**
   * Reads at once what was counted: the process ends, and nothing asynchronous runs any more. `collect` functions are not called.
   *
   * @throws Error when this release of prom-client keeps its values in another way.
   */
  readNow(): void;
}

/** Who shows the metrics of prom-client. */
interface PromPage {
  /** As lists that may be aggregated: see `listMetrics`. */
  promMetrics(): Promise<readonly (readonly PromMetric[])[]>;
}

/** The metrics of prom-client, on the page of `HdrPrometheusExporter`. */
export interface PromClientOnPage {
  readonly client: PromClient;
  /** One of the `sources` of the exporter. */
  readonly families: (options: object) => Promise<readonly object[]>;
  /** Shows those of all processes from then on, in place of those of this process. */
  show(page: PromPage): void;
}

/** `collectPromClient` of `@hdrscope/prometheus`, as far as it aggregates. */
type CollectPromClient = (options: {
  readonly registries: readonly Pick<PromRegistry, 'contentType' | 'getMetricsAsJSON'>[];
}) => {
  readonly families: PromClientOnPage['families'];
};

/**
 * Puts the metrics of prom-client on the page, if the application has some.
 *
 * @param load Loads `@hdrscope/prometheus`.
 */
export function showPromClient(
  application: Application,
  environment: EnvironmentVariables,
  load: (specifier: string) => Readonly<Record<string, unknown>>,
): PromClientOnPage | undefined {
  const client = wantedExporters(environment).has('prometheus')
    ? findPromClient(application, environment)
    : undefined;
  if (client === undefined) return undefined;
  let page: PromPage = {
    async promMetrics() {
      await client.read(LONGEST_READ_MS, true);
      const { series, levels } = client.state;
      return inSlices(listMetrics({ series, levels: [levels] }, warn), new Slices());
    },
  };
  return {
    client,
    async families(options) {
      const { collectPromClient } = load('@hdrscope/prometheus') as {
        readonly collectPromClient: CollectPromClient;
      };
      const lists = await page.promMetrics();
      const registries = lists.map((metrics) => ({
        contentType: 'text/plain',
        getMetricsAsJSON: async () => metrics,
      }));
      return collectPromClient({ registries }).families({ ...options, warn });
    },
    show(its) {
      page = its;
    },
  };
}

/**
 * Finds the copies of prom-client that the application uses, and loads them: from then on their registries are known.
 *
 * @returns `undefined` when it uses none.
 */
function findPromClient(application: Application, environment: EnvironmentVariables): PromClient | undefined {
  const wanted = variable(environment, 'HDRSCOPE_PROM_CLIENT');
  if (wanted?.toLowerCase() === 'none') return undefined;
  const names =
    wanted === undefined
      ? application.dependencies.filter((name) => PACKAGES.includes(name))
      : namesIn(wanted);
  const modules = names.flatMap((name) => {
    try {
      return [application.load(name) as unknown as PromModule];
    } catch {
      if (wanted !== undefined)
        notice(
          'HDRSCOPE_MISSING_PACKAGE',
          `HDRSCOPE_PROM_CLIENT names a package that cannot be loaded: npm install ${name}`,
        );
      return [];
    }
  });
  return modules.length === 0 ? undefined : readPromClient(modules.map(watchRegistries));
}

/** The registries of a copy that have metrics of their own, and those that begin to have some: the default one first. */
function watchRegistries({ register, Registry, ...kinds }: PromModule): () => PromRegistry[] {
  let registries = [new WeakRef(register)];
  const metricKinds = [kinds.Counter, kinds.Gauge, kinds.Histogram, kinds.Summary];
  // `Registry.merge` and `AggregatorRegistry` make registries of metrics that another one has, or of sums over processes.
  const known = new WeakSet<object>();
  const { prototype } = Registry;
  const { registerMetric } = prototype;
  prototype.registerMetric = function (this: PromRegistry, metric) {
    registerMetric.call(this, metric);
    if (known.has(metric) || !metricKinds.some((kind) => metric instanceof kind)) return;
    known.add(metric);
    if (!registries.some((one) => one.deref() === this)) registries.push(new WeakRef(this));
  };
  return () => {
    registries = registries.filter((one) => one.deref() !== undefined);
    return registries.flatMap((one) => one.deref() ?? []);
  };
}

export function readPromClient(copies: readonly (() => PromRegistry[])[]): PromClient {
  let state: PromState = { series: [], levels: [] };
  let timeMs = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let reading: Promise<void> | undefined;
  const registries = (): PromRegistry[] => copies.flatMap((list) => list());

  async function readAll(): Promise<void> {
    const beganMs = performance.now();
    const nowMs = Date.now();
    const all = await Promise.all(
      registries().map(async (registry) => ({ registry, metrics: await registry.getMetricsAsJSON() })),
    );
    state = await inSlices(stateOf(all), new Slices());
    timeMs = nowMs;
    readAtMs = performance.now();
    tookMs = readAtMs - beganMs;
  }

  return {
    get state() {
      return state;
    },
    get timeMs() {
      return timeMs;
    },
    async read(timeoutMs, isScrape) {
      if (!isScrape && performance.now() - readAtMs < LEAST_PAUSE * tookMs) return;
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
      await within(reading, timeoutMs).catch((error) =>
        notice(
          'HDRSCOPE_UNREACHABLE',
          `metrics of prom-client could not be read, so scrapes show earlier ones: ${reasonOf(error)}`,
        ),
      );
    },
    readNow() {
      timeMs = Date.now();
      state = atOnce(stateOf(registries().map((registry) => ({ registry, metrics: metricsNow(registry) }))));
    },
  };
}

interface RegistryMetrics {
  readonly registry: PromRegistry;
  readonly metrics: readonly object[];
}

/** A metric may be in several registries. Two metrics of one name are two things, which nobody may add up. */
function stateOf(all: readonly RegistryMetrics[]): Steps<PromState> {
  const owners = new Map<string, object | undefined>();
  const metrics: object[] = [];
  for (const { registry, metrics: its } of all) {
    for (const metric of its) {
      const name = shownName(registry, metric as Named);
      const owner = registry.getSingleMetric((metric as Named).name);
      if (!owners.has(name)) {
        owners.set(name, owner);
        metrics.push({ ...metric, name });
      } else if (owners.get(name) !== owner) {
        warn(`"${name}" is in two registries of prom-client: that of the later one is left out`);
      }
    }
  }
  return splitMetrics(metrics, warn);
}

interface Named {
  readonly name: string;
  readonly type: string;
}

/** Counters of OpenMetrics end with `_total`, which prom-client adds to the text, and takes from the name at the first scrape. */
function shownName({ contentType }: PromRegistry, { name, type }: Named): string {
  const isOpenMetrics = contentType.startsWith('application/openmetrics-text');
  return isOpenMetrics && type === 'counter' && !name.endsWith('_total') ? `${name}_total` : name;
}

function warn(message: string): void {
  notice('HDRSCOPE_LEFT_OUT', message);
}

/** A metric with private members of 15.1 or of `@prometheus-io/client` 0.16, which differ in `hashMap` and `store`. */
interface KeptMetric extends Named {
  readonly help: string;
  readonly aggregator?: string;
  readonly hashMap?: Readonly<Record<string, KeptSeries>>;
  readonly store?: { values(): Iterable<KeptSeries> };
  readonly upperBounds?: readonly number[];
}

interface KeptSeries {
  readonly labels: object;
  /** A summary of `@prometheus-io/client` keeps its count and sum here. */
  readonly value?: number | KeptSeries;
  readonly exemplar?: object | null;
  readonly bucketValues?: Readonly<Record<number, number>>;
  readonly bucketExemplars?: Readonly<Record<number, object | null>>;
  readonly count?: number;
  readonly sum?: number;
}

/** What `getMetricsAsJSON` would say of all that stays when the process is gone. */
function metricsNow(registry: PromRegistry): object[] {
  const { _defaultLabels: defaultLabels } = registry as { readonly _defaultLabels?: object };
  return (registry.getMetricsAsArray() as readonly KeptMetric[]).flatMap((metric) => {
    const { name, help, type, aggregator, hashMap, store } = metric;
    if (type === 'gauge') return [];
    const series = hashMap === undefined ? store?.values() : Object.values(hashMap);
    if (series === undefined) throw new Error(`the values of "${name}" of prom-client cannot be read`);
    const values = [...series].flatMap((one) => {
      const labels = { ...defaultLabels, ...one.labels };
      return type === 'counter'
        ? [{ labels, value: one.value, exemplar: one.exemplar }]
        : samplesNow(metric, one, labels);
    });
    return [{ name, help, type, aggregator, values }];
  });
}

function samplesNow({ name, upperBounds = [] }: KeptMetric, one: KeptSeries, labels: object): object[] {
  const { count, sum } = isObject(one.value) ? (one.value as unknown as KeptSeries) : one;
  const { bucketValues = {}, bucketExemplars = {} } = one;
  let below = 0;
  const buckets = upperBounds.map((bound) => {
    below += bucketValues[bound] ?? Number.NaN;
    return bucketNow(name, { ...labels, le: bound }, below, bucketExemplars[bound]);
  });
  return [
    ...buckets,
    // Without a finite boundary it is a summary, which has no buckets.
    ...(upperBounds.length > 0
      ? [bucketNow(name, { ...labels, le: '+Inf' }, count, bucketExemplars[-1])]
      : []),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function bucketNow(name: string, labels: object, value: unknown, exemplar: unknown): object {
  return { metricName: `${name}_bucket`, labels, value, exemplar };
}
