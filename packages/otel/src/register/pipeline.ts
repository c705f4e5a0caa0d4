import { isMainThread, type Worker } from 'node:worker_threads';
import { reasonOf } from '@hdrscope/kit';
import type { MeterProvider } from '@opentelemetry/api';
import type { Hdr } from '../create-hdr.ts';
import { type EnvironmentVariables, namesIn, variable } from '../environment.ts';
import { makeReaders, SDK, wantedExporters } from '../metric-readers.ts';
import type { Reader } from '../sdk.ts';
import type { Application } from './application.ts';
import { notice } from './notice.ts';

/** A pipeline that `register` has made. */
export interface Pipeline {
  readonly provider: MeterProvider;
  /** Starts servers of Prometheus readers. */
  listen(): void;
  /** Exports what is new. Never rejects. */
  flush(): Promise<void>;
  /** Exports what is new, and ends. Never rejects. */
  shutDown(): Promise<void>;
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
  const readers = makeReaders(withoutServers(environment), (specifier) => loaded(application, specifier), {
    preventServerStart: true,
    onProblem: (problem) => {
      const { specifier } = problem.details;
      if (typeof specifier === 'string' && isAbsent(problem)) missing.add(INSTEAD[specifier] ?? specifier);
      else notice(problem.code as `ERR_${string}`, reasonsOf(problem));
    },
  });
  if (readers.length === 0 && missing.size === 0) return undefined;
  let provider: Provider | undefined;
  let isAbandoned = false;
  try {
    const { MeterProvider } = application.load(SDK) as { readonly MeterProvider: Construct };
    const made: Provider = new MeterProvider({
      resource: resourceOf(application, environment),
      readers: readers.map((reader) => hdr.wrapReader(reader)),
    });
    provider = hdr.wrapProvider(made);
  } catch (error) {
    if (isAbsent(error)) missing.add(SDK);
    else notice('HDRSCOPE_FAILED', `the metrics pipeline cannot be made: ${reasonsOf(error)}`);
  }
  if (missing.size > 0) {
    const names = [...missing].join(' ');
    notice(
      'HDRSCOPE_MISSING_PACKAGE',
      `metrics are not exported as the environment says: npm install ${names}`,
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
      for (const reader of readers as (Reader & { startServer?(): Promise<void> })[]) {
        reader.startServer?.().catch((error: unknown) => {
          notice('HDRSCOPE_FAILED', `the metrics server cannot listen: ${reasonOf(error)}`);
        });
      }
    },
    flush: () => settled(() => forceFlush()),
    shutDown: () => settled(() => shutdown()),
    async abandon() {
      isAbandoned = true;
      await Promise.allSettled(readers.map(endQuietly));
    },
  };
}

/** A thread leaves the port to the main thread. */
function withoutServers(environment: EnvironmentVariables): EnvironmentVariables {
  const wanted = wantedExporters(environment);
  if (!wanted.has('prometheus')) return environment;
  if (isMainThread) {
    process.on('worker', warnOfThread);
    return environment;
  }
  const others = [...wanted].filter((name) => name !== 'prometheus').join(',');
  return { ...environment, OTEL_METRICS_EXPORTER: others || 'none' };
}

function warnOfThread(thread: Worker): void {
  // Node.js runs the hooks of ES modules in a thread of its own: https://nodejs.org/api/module.html#customization-hooks
  if (thread.constructor.name === 'InternalWorker') return;
  process.off('worker', warnOfThread);
  notice(
    'HDRSCOPE_UNREACHABLE',
    'scrapes have no metrics of worker threads, which only push exporters reach',
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
  // The threads of a process would be one source of metrics, and their counts would contradict each other.
  const wanted = [...namesIn(names), ...(isMainThread ? [] : ['serviceinstance'])];
  const detectors = Object.entries(DETECTORS)
    .filter(([name]) => wanted.includes(name) || wanted.includes('all'))
    .map(([, name]) => resources[name]);
  return resources.defaultResource().merge(resources.detectResources({ detectors }));
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

function isAbsent(error: unknown): boolean {
  return [error, ...causesOf(error)].some((one) => {
    const { code } = Object(one) as { readonly code?: unknown };
    return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND';
  });
}

/** Its reason, and those of its causes in parentheses. */
function reasonsOf(error: unknown): string {
  return [error, ...causesOf(error)].map(reasonOf).reduceRight((inner, reason) => `${reason} (${inner})`);
}

/** The causes of an error, from the nearest to the first one. */
function causesOf(error: unknown): unknown[] {
  const causes = new Set<unknown>();
  for (let at = error; ; ) {
    const { cause } = Object(at) as { readonly cause?: unknown };
    if (cause == null || cause === error || causes.has(cause)) return [...causes];
    causes.add(cause);
    at = cause;
  }
}
