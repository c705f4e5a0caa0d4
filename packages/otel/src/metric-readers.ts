import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { delegate } from './delegate.ts';
import { type EnvironmentVariables, namesIn, variable } from './environment.ts';
import { PackedBuckets } from './packed-buckets.ts';
import type { Reader } from './sdk.ts';

/** Imports a package that the application has installed. */
export type Load = (specifier: string) => Promise<Readonly<Record<string, unknown>>>;

type Constructor = new (options?: object) => object;

const DEFAULT_INTERVAL_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_PROMETHEUS_PORT = 9464;

const OTLP_PACKAGES: Readonly<Record<string, string>> = {
  'http/protobuf': '@opentelemetry/exporter-metrics-otlp-proto',
  'http/json': '@opentelemetry/exporter-metrics-otlp-http',
  grpc: '@opentelemetry/exporter-metrics-otlp-grpc',
};

/** The package of the metrics SDK. */
export const SDK = '@opentelemetry/sdk-metrics';

/** The exporter of `@hdrscope/prometheus` has native histograms. The stock exporter shows explicit buckets. */
const PROMETHEUS_PACKAGES = [
  ['@hdrscope/prometheus', 'HdrPrometheusExporter'],
  ['@opentelemetry/exporter-prometheus', 'PrometheusExporter'],
] as const;

/** Loads a package at once. Throws when that fails. */
export type LoadNow = (specifier: string) => Readonly<Record<string, unknown>>;

/** The readers of an environment. */
export interface ReadersOptions {
  /** Whether Prometheus readers listen only when `startServer` of them is called. @default false */
  readonly preventServerStart?: boolean;
  /** The `sources` of `HdrPrometheusExporter`. @default none */
  readonly sources?: readonly unknown[];
  /** The `warn` of `HdrPrometheusExporter`. @default the diagnostics of OpenTelemetry */
  readonly warn?: (message: string) => void;
  /** Called with an exporter that cannot be made, which is then left out. @default the error is thrown */
  readonly onProblem?: (problem: HdrscopeError) => void;
}

/** The exporters that `OTEL_METRICS_EXPORTER` names, each once. */
export function wantedExporters(environment: EnvironmentVariables): ReadonlySet<string> {
  const names = namesIn(variable(environment, 'OTEL_METRICS_EXPORTER') ?? '');
  return new Set(names.length === 0 ? ['otlp'] : names);
}

/**
 * Makes the readers that `OTEL_METRICS_EXPORTER` names, as `NodeSDK` would. The variable holds one or more of these,
 * separated by commas: `otlp` (with `OTEL_EXPORTER_OTLP_METRICS_PROTOCOL` or `OTEL_EXPORTER_OTLP_PROTOCOL`), `prometheus`
 * (with `OTEL_EXPORTER_PROMETHEUS_HOST` and `_PORT`), `console` and `none`. Push readers take
 * `OTEL_METRIC_EXPORT_INTERVAL` and `_TIMEOUT`, in milliseconds. Exporters read their other variables themselves.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a variable has a value that is not allowed, or a package is not installed.
 */
export async function readersFromEnvironment(
  environment: EnvironmentVariables,
  load: Load,
): Promise<Reader[]> {
  const modules = new Map<string, Awaited<ReturnType<Load>>>();
  const failures = new Map<string, unknown>();
  for (const specifier of packagesFor(environment)) {
    try {
      modules.set(specifier, await load(specifier));
    } catch (error) {
      failures.set(specifier, error);
    }
  }
  return makeReaders(environment, (specifier) => {
    const found = modules.get(specifier);
    if (found === undefined) throw failures.get(specifier);
    return found;
  }).map(({ reader }) => reader);
}

/** The packages that the readers of an environment may come from. */
function packagesFor(environment: EnvironmentVariables): string[] {
  const wanted = wantedExporters(environment);
  const otlp = wanted.has('otlp') ? OTLP_PACKAGES[protocolOf(environment)] : undefined;
  return [
    ...(wanted.has('prometheus') ? PROMETHEUS_PACKAGES.map(([specifier]) => specifier) : []),
    ...(otlp === undefined ? [] : [otlp]),
    ...(wanted.has('otlp') || wanted.has('console') ? [SDK] : []),
  ];
}

/** A reader, and what `OTEL_METRICS_EXPORTER` calls its exporter. */
export interface NamedReader {
  readonly name: string;
  readonly reader: Reader;
}

/** Makes the readers of `readersFromEnvironment` at once. */
export function makeReaders(
  environment: EnvironmentVariables,
  load: LoadNow,
  { onProblem, ...options }: ReadersOptions = {},
): NamedReader[] {
  const readers: NamedReader[] = [];
  for (const name of wantedExporters(environment)) {
    if (name === 'none') continue;
    try {
      const reader =
        name === 'prometheus'
          ? prometheusReader(environment, load, options)
          : pushReader(name, environment, load);
      readers.push({ name, reader });
    } catch (error) {
      if (onProblem === undefined || !(error instanceof HdrscopeError)) throw error;
      onProblem(error);
    }
  }
  return readers;
}

function pushReader(name: string, environment: EnvironmentVariables, load: LoadNow): Reader {
  const exporter = exporterOf(name, environment, load);
  const exportIntervalMillis = milliseconds(environment, 'OTEL_METRIC_EXPORT_INTERVAL', DEFAULT_INTERVAL_MS);
  const timeout = milliseconds(environment, 'OTEL_METRIC_EXPORT_TIMEOUT', DEFAULT_TIMEOUT_MS);
  const PeriodicReader = named(load, SDK, 'PeriodicExportingMetricReader');
  return new PeriodicReader({
    exporter,
    exportIntervalMillis,
    // The reader refuses a timeout longer than its interval.
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
  }) as Reader;
}

function exporterOf(name: string, environment: EnvironmentVariables, load: LoadNow): object {
  if (name === 'console')
    return readable(new (named(load, SDK, 'ConsoleMetricExporter'))() as ConsoleExporter);
  if (name !== 'otlp') {
    throw mustBe('ERR_INVALID_OPTION', 'OTEL_METRICS_EXPORTER', 'otlp, prometheus, console or none', name);
  }
  return new (named(load, otlpPackage(environment), OTLP_EXPORTER))();
}

/** What the packages of OTLP export. */
export const OTLP_EXPORTER = 'OTLPMetricExporter';

/** The package of the exporter of OTLP. @throws HdrscopeError `ERR_INVALID_OPTION` for an unknown protocol. */
export function otlpPackage(environment: EnvironmentVariables): string {
  const protocol = protocolOf(environment);
  const specifier = OTLP_PACKAGES[protocol];
  if (specifier !== undefined) return specifier;
  const allowed = Object.keys(OTLP_PACKAGES).join(' or ');
  throw mustBe('ERR_INVALID_OPTION', 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', allowed, protocol);
}

/** `ConsoleMetricExporter` of the SDK. */
interface ConsoleExporter {
  export(metrics: Exported, done: unknown): void;
}

/** `ResourceMetrics` of the SDK, as far as the console needs it. */
interface Exported {
  readonly scopeMetrics: readonly {
    readonly metrics: readonly { readonly dataPoints: readonly { readonly value: unknown }[] }[];
  }[];
}

/** The console shows packed buckets as a getter, so the exporter gets copies with arrays. */
function readable(exporter: ConsoleExporter): object {
  return delegate(exporter, {
    export: (metrics: Exported, done: unknown) => {
      const scopeMetrics = metrics.scopeMetrics.map((scope) => ({
        ...scope,
        metrics: scope.metrics.map((metric) => ({
          ...metric,
          dataPoints: metric.dataPoints.map((point) => ({ ...point, value: unpackedValue(point.value) })),
        })),
      }));
      exporter.export({ ...metrics, scopeMetrics }, done);
    },
  });
}

function unpackedValue(value: unknown): unknown {
  const { positive } = value as { readonly positive?: unknown };
  return positive instanceof PackedBuckets ? { ...(value as object), positive: { ...positive } } : value;
}

function protocolOf(environment: EnvironmentVariables): string {
  return (
    variable(environment, 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'http/protobuf'
  );
}

function prometheusReader(
  environment: EnvironmentVariables,
  load: LoadNow,
  options: Omit<ReadersOptions, 'onProblem'>,
): Reader {
  const { host, port } = prometheusAddress(environment);
  const [ours, stock] = PROMETHEUS_PACKAGES;
  let Exporter: Constructor;
  try {
    // Bounded: a package and its export.
    Exporter = named(load, ...ours);
  } catch {
    // Bounded: a package and its export.
    Exporter = named(load, ...stock);
  }
  return new Exporter({ host, port, ...options }) as Reader;
}

/** Where the reader of Prometheus listens. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function prometheusAddress(environment: EnvironmentVariables): {
  readonly host: string;
  readonly port: number;
} {
  const host = variable(environment, 'OTEL_EXPORTER_PROMETHEUS_HOST') ?? 'localhost';
  const port = variable(environment, 'OTEL_EXPORTER_PROMETHEUS_PORT') ?? String(DEFAULT_PROMETHEUS_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw mustBe('ERR_INVALID_OPTION', 'OTEL_EXPORTER_PROMETHEUS_PORT', 'an integer from 0 to 65535', port);
  }
  return { host, port: Number(port) };
}

function named(load: LoadNow, specifier: string, name: string): Constructor {
  try {
    const found = load(specifier)[name];
    if (typeof found !== 'function') throw new TypeError(`${specifier} does not export ${name}`);
    return found as Constructor;
  } catch (cause) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `the metric readers need ${specifier}, which cannot be imported: install it in the application`,
      { cause, details: { specifier } },
    );
  }
}

function milliseconds(environment: EnvironmentVariables, name: string, otherwise: number): number {
  const given = variable(environment, name);
  if (given === undefined) return otherwise;
  const value = Number(given);
  if (!(Number.isFinite(value) && value > 0)) {
    throw mustBe('ERR_INVALID_OPTION', name, 'a number of milliseconds above 0', given);
  }
  // Node.js would wait a millisecond instead of a longer time.
  return Math.min(value, LONGEST_TIMER_MS);
}
