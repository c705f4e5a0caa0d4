import cluster from 'node:cluster';
import { isMainThread } from 'node:worker_threads';
import { describeListenError, reasonOf } from '@hdrscope/kit';
import { isRegistryReader } from '@hdrscope/registry/internal';
import type { MeterProvider } from '@opentelemetry/api';
import type { Hdr } from '../create-hdr.ts';
import { delegate } from '../delegate.ts';
import { type EnvironmentVariables, namesIn, variable } from '../environment.ts';
import { makeReaders, type NamedReader, otlpPackage, prometheusAddress, SDK } from '../metric-readers.ts';
import type { FinalProducer } from '../reader.ts';
import type { Producer, Reader } from '../sdk.ts';
import type { Application } from './application.ts';
import { exportNow, type LastExport } from './last-export.ts';
import { readLivePage, warnOfNoLivePage } from './live-page.ts';
import { notice, noticeNow } from './notice.ts';
import { openPage, type Page } from './page/page.ts';
import { findPlace } from './page/place.ts';
import { type PromClient, showPromClient } from './prom-client.ts';
import { isAbsent, reasonsOf } from './reasons.ts';

/** A pipeline that `register` has made. */
export interface Pipeline {
  readonly provider: MeterProvider;
  /** Starts servers of Prometheus readers, or hands over to the process of the service that has one. */
  listen(): void;
  /** Exports what is new. Never rejects. */
  flush(): Promise<void>;
  /** Exports what is new, and ends. Never rejects. */
  shutDown(): Promise<void>;
  /**
   * Exports what is still new, and leaves it to the other processes of the service, at once: the process ends. Never throws.
   *
   * @param timeoutMs The longest time that an export may take; 0 for no export.
   */
  leave(timeoutMs: number): void;
  /** Ends without an export, because the application has a pipeline of its own. */
  abandon(): Promise<void>;
}

type Provider = MeterProvider & Pick<Reader, 'forceFlush' | 'shutdown'>;
type Construct = new (options: object) => never;

/**
 * Makes a provider of the application's SDK, with HDR histograms and the readers that `OTEL_METRICS_EXPORTER` names. Packages that
 * are missing are named in one warning.
 *
 * @returns `undefined` when there is no SDK, or no reader is left.
 */
export function makePipeline(
  hdr: Hdr,
  application: Application,
  environment: EnvironmentVariables,
): Pipeline | undefined {
  const missing = new Set<string>();
  const load = (specifier: string): ReturnType<typeof loaded> => loaded(application, specifier);
  const prom = showPromClient(application, environment, load);
  const readers = makeReaders(environment, load, {
    preventServerStart: true,
    sources: prom === undefined ? [] : [prom.families],
    warn: (message) => notice('HDRSCOPE_LEFT_OUT', message),
    onProblem: (problem) => {
      const { specifier } = problem.details;
      if (typeof specifier === 'string' && isAbsent(problem)) missing.add(INSTEAD[specifier] ?? specifier);
      else notice(problem.code as `ERR_${string}`, reasonsOf(problem));
    },
  });
  if (readers.length === 0 && missing.size === 0) return undefined;
  let provider: Provider | undefined;
  const served = readers.map((named) => servedReader(named, hdr, application, environment, prom?.client));
  const pages = served.flatMap(({ page }) => page ?? []);
  if (pages[0] === undefined) warnOfNoLivePage(environment);
  else prom?.show(pages[0]);
  let isAbandoned = false;
  let isShutDown = false;
  let resource: unknown;
  try {
    const { MeterProvider } = application.load(SDK) as { readonly MeterProvider: Construct };
    resource = resourceOf(application, environment);
    const made: Provider = new MeterProvider({
      resource,
      readers: served.map(({ reader }) => hdr.wrapReader(reader)),
    });
    provider = hdr.wrapProvider(made);
  } catch (error) {
    if (isAbsent(error)) missing.add(SDK);
    else notice('HDRSCOPE_FAILED', `the metrics pipeline cannot be made: ${reasonsOf(error)}`);
  }
  if (missing.size > 0) {
    const names = [...missing].join(' ');
    // Plug'n'Play of Yarn finds a package that is an ES module, and cannot load it in an older Node.js.
    const other =
      process.versions.pnp === undefined ? '' : ", or set 'nodeLinker: node-modules' in .yarnrc.yml";
    notice(
      'HDRSCOPE_MISSING_PACKAGE',
      `metrics are not exported as the environment says: npm install ${names}${other}`,
    );
  }
  if (provider === undefined || readers.length === 0) return undefined;
  const settled = async (work: () => Promise<void>): Promise<void> => {
    if (isAbandoned) return;
    try {
      await work();
    } catch (error) {
      notice('HDRSCOPE_FAILED', `the last metrics could not be exported: ${reasonOf(error)}`);
    }
  };
  const { forceFlush, shutdown } = provider;
  return {
    provider,
    listen() {
      for (const { listen } of served) listen();
    },
    flush: () => settled(() => forceFlush()),
    shutDown() {
      isShutDown = true;
      return settled(() => shutdown());
    },
    leave(timeoutMs) {
      const attempt = (what: string, work: () => void): void => {
        try {
          work();
        } catch (error) {
          noticeNow('HDRSCOPE_LOST', `the last metrics could not be ${what}: ${reasonOf(error)}`);
        }
      };
      const isExporting = !isAbandoned && !isShutDown && timeoutMs > 0;
      for (const { exportLast } of isExporting ? served : [])
        attempt('exported', () => exportLast?.(resource, timeoutMs));
      for (const page of pages) attempt('handed over', () => page.leave());
    },
    async abandon() {
      isAbandoned = true;
      warnOfNoLivePage(environment);
      for (const page of pages) page.abandon();
      await Promise.allSettled(readers.map(({ reader }) => endQuietly(reader)));
    },
  };
}

/** A reader, and what makes it listen. */
interface ServedReader {
  readonly reader: Reader;
  /** The page that the processes of the service share. */
  readonly page?: Page;
  listen(): void;
  /** Exports what is new, at once. Throws what says why it is lost. */
  exportLast?(resource: unknown, timeoutMs: number): void;
}

type PrometheusReader = Reader & { startServer(): Promise<void> };

/** The readers of Prometheus: all processes and threads of a service show one page. */
function servedReader(
  { name, reader }: NamedReader,
  hdr: Hdr,
  application: Application,
  environment: EnvironmentVariables,
  promClient: PromClient | undefined,
): ServedReader {
  if (name === 'otlp') return pushingReader(reader, application, environment);
  if (!isServing(reader)) return { reader, listen() {} };
  const listen = (): void => {
    reader.startServer().catch((error: unknown) => {
      const reason = describeListenError(error, 'OTEL_EXPORTER_PROMETHEUS_PORT');
      notice('HDRSCOPE_FAILED', `the metrics server cannot listen: ${reason}`);
    });
  };
  const { host, port } = prometheusAddress(environment);
  // With port 0, each process has a port of its own.
  if (port === 0) return { reader, listen: isMainThread ? listen : () => {} };
  if (!isRegistryReader<Producer>(reader)) return { reader, listen: () => listenAlone(listen) };
  try {
    const service = serviceName(environment);
    const page = openPage({
      place: findPlace({ host, port, service: service ?? application.folder }),
      registry: hdr.registry,
      isOneOfSeveral: isOneOfSeveral(environment),
      ...(isMainThread && { listen: () => reader.startServer() }),
      promClient,
      livePage: isMainThread ? readLivePage(environment, application, service) : undefined,
      warn: notice,
    });
    const setRegistrySource: typeof reader.setRegistrySource = (source) =>
      reader.setRegistrySource(page.sourceOf(source));
    return { reader: delegate(reader, { setRegistrySource }), page, listen: page.join };
  } catch (error) {
    notice(
      'HDRSCOPE_UNREACHABLE',
      `scrapes have the metrics of one process of the service only: ${reasonOf(error)}`,
    );
    return { reader, listen: isMainThread ? listen : () => {} };
  }
}

/** A reader that exports a last time when the process ends and nothing asynchronous runs any more. */
function pushingReader(
  reader: Reader,
  application: Application,
  environment: EnvironmentVariables,
): ServedReader {
  let final: FinalProducer | undefined;
  const setMetricProducer = (producer: FinalProducer): void => {
    final = producer;
    reader.setMetricProducer(producer);
  };
  return {
    reader: delegate(reader, { setMetricProducer }),
    listen() {},
    exportLast(resource, timeoutMs) {
      const exporterPath = application.resolveFrom('@opentelemetry/sdk-node', otlpPackage(environment));
      const collected = final?.collectNow();
      if (exporterPath === undefined || collected === undefined)
        throw new Error('this SDK collects nothing at the exit of a process');
      const scopeMetrics = collected.filter(({ metrics }) => metrics.length > 0);
      if (scopeMetrics.length === 0) return;
      const { attributes } = resource as LastExport['resource'];
      exportNow({ exporterPath, resource: { attributes }, scopeMetrics }, timeoutMs);
    },
  };
}

/** The stock exporter shows the process that listens. In a cluster, that is another one at each scrape. */
function listenAlone(listen: () => void): void {
  if (isMainThread) listen();
  if (isMainThread && !cluster.isWorker) return;
  notice(
    'HDRSCOPE_UNREACHABLE',
    'a scrape has the metrics of one process or thread only: npm install @hdrscope/prometheus',
  );
}

function isServing(reader: Reader): reader is PrometheusReader {
  return typeof (reader as Partial<PrometheusReader>).startServer === 'function';
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function serviceName(environment: EnvironmentVariables): string | undefined {
  const attributes = variable(environment, 'OTEL_RESOURCE_ATTRIBUTES') ?? '';
  return (
    variable(environment, 'OTEL_SERVICE_NAME') ?? /(?:^|,)\s*service\.name=([^,]+)/.exec(attributes)?.[1]
  );
}

/** What to install for histograms with native buckets, in place of the stock exporter. */
const INSTEAD: Readonly<Record<string, string>> = {
  '@opentelemetry/exporter-prometheus': '@hdrscope/prometheus',
};

/** Exporters may come with `sdk-node` only, where a package manager does not hoist them. */
function loaded(application: Application, specifier: string): Readonly<Record<string, unknown>> {
  return application.loadFrom('@opentelemetry/sdk-node', specifier);
}

/** The resource that `NodeSDK` would have: of the environment, the process and the host, or as `OTEL_NODE_RESOURCE_DETECTORS` says. */
function resourceOf(application: Application, environment: EnvironmentVariables): unknown {
  const resources = application.loadFrom(SDK, '@opentelemetry/resources') as unknown as {
    readonly defaultResource: () => { merge(other: unknown): unknown };
    readonly detectResources: (options: { readonly detectors: readonly unknown[] }) => unknown;
  } & Readonly<Record<string, unknown>>;
  const names = variable(environment, 'OTEL_NODE_RESOURCE_DETECTORS') ?? 'env,process,host';
  // The processes and threads of a service would be one source of metrics, and their counts would contradict each other.
  const wanted = [...namesIn(names), ...(isOneOfSeveral(environment) ? ['serviceinstance'] : [])];
  const detectors = Object.entries(DETECTORS)
    .filter(([name]) => wanted.includes(name) || wanted.includes('all'))
    .map(([, name]) => resources[name]);
  return resources.defaultResource().merge(resources.detectResources({ detectors }));
}

/** Whether this is a thread, a worker of a cluster or of pm2, or a child that talks to its parent, such as those of Next.js. */
function isOneOfSeveral(environment: EnvironmentVariables): boolean {
  const isOfPm2 = variable(environment, 'NODE_APP_INSTANCE', 'pm_id') !== undefined;
  return !isMainThread || cluster.isWorker || isOfPm2 || process.send !== undefined;
}

const DETECTORS = {
  env: 'envDetector',
  host: 'hostDetector',
  os: 'osDetector',
  process: 'processDetector',
  serviceinstance: 'serviceInstanceIdDetector',
};

/** Ends a reader that exports what it collects when it ends, and then collects nothing. */
async function endQuietly(reader: Reader): Promise<void> {
  const empty = { resourceMetrics: { resource: {}, scopeMetrics: [] }, errors: [] };
  Object.assign(reader, { collect: async () => empty });
  await reader.shutdown();
}
