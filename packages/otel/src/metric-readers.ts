import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { type Environment, variable } from './environment.ts';
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

/**
 * Makes the readers that `OTEL_METRICS_EXPORTER` names, as `NodeSDK` would. The variable holds one or more of these,
 * separated by commas: `otlp` (with `OTEL_EXPORTER_OTLP_METRICS_PROTOCOL` or `OTEL_EXPORTER_OTLP_PROTOCOL`), `prometheus`
 * (with `OTEL_EXPORTER_PROMETHEUS_HOST` and `_PORT`), `console` and `none`. Push readers take
 * `OTEL_METRIC_EXPORT_INTERVAL` and `_TIMEOUT`, in milliseconds. Exporters read their other variables themselves.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a variable has a value that is not allowed, or a package is not installed.
 */
export async function readersFromEnvironment(environment: Environment, load: Load): Promise<Reader[]> {
  const wanted = (variable(environment, 'OTEL_METRICS_EXPORTER') ?? 'otlp')
    .split(',')
    .map((name) => name.trim());
  const readers: Reader[] = [];
  for (const name of new Set(wanted)) {
    if (name === 'none') continue;
    if (name === 'prometheus') readers.push(await prometheusReader(environment, load));
    else readers.push(await pushReader(name, environment, load));
  }
  return readers;
}

async function pushReader(name: string, environment: Environment, load: Load): Promise<Reader> {
  const exporter = await exporterOf(name, environment, load);
  const exportIntervalMillis = milliseconds(environment, 'OTEL_METRIC_EXPORT_INTERVAL', DEFAULT_INTERVAL_MS);
  const timeout = milliseconds(environment, 'OTEL_METRIC_EXPORT_TIMEOUT', DEFAULT_TIMEOUT_MS);
  const PeriodicReader = await named(load, '@opentelemetry/sdk-metrics', 'PeriodicExportingMetricReader');
  return new PeriodicReader({
    exporter,
    exportIntervalMillis,
    // The reader refuses a timeout longer than its interval.
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
  }) as Reader;
}

async function exporterOf(name: string, environment: Environment, load: Load): Promise<object> {
  if (name === 'console')
    return new (await named(load, '@opentelemetry/sdk-metrics', 'ConsoleMetricExporter'))();
  if (name !== 'otlp') {
    throw mustBe('ERR_INVALID_OPTION', 'OTEL_METRICS_EXPORTER', 'otlp, prometheus, console or none', name);
  }
  const protocol =
    variable(environment, 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'http/protobuf';
  const specifier = OTLP_PACKAGES[protocol];
  if (specifier === undefined) {
    const allowed = Object.keys(OTLP_PACKAGES).join(' or ');
    throw mustBe('ERR_INVALID_OPTION', 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', allowed, protocol);
  }
  return new (await named(load, specifier, 'OTLPMetricExporter'))();
}

async function prometheusReader(environment: Environment, load: Load): Promise<Reader> {
  const host = variable(environment, 'OTEL_EXPORTER_PROMETHEUS_HOST') ?? 'localhost';
  const port = variable(environment, 'OTEL_EXPORTER_PROMETHEUS_PORT') ?? String(DEFAULT_PROMETHEUS_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw mustBe('ERR_INVALID_OPTION', 'OTEL_EXPORTER_PROMETHEUS_PORT', 'an integer from 0 to 65535', port);
  }
  const options = { host, port: Number(port) };
  // The exporter of `@hdrscope/prometheus` has native histograms. The stock exporter shows explicit buckets.
  const ours = await load('@hdrscope/prometheus').catch(() => undefined);
  const Exporter =
    (ours?.HdrPrometheusExporter as Constructor | undefined) ??
    (await named(load, '@opentelemetry/exporter-prometheus', 'PrometheusExporter'));
  return new Exporter(options) as Reader;
}

async function named(load: Load, specifier: string, name: string): Promise<Constructor> {
  try {
    return (await load(specifier))[name] as Constructor;
  } catch (cause) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `the metric readers need ${specifier}, which cannot be imported: install it in the application`,
      {
        cause,
      },
    );
  }
}

function milliseconds(environment: Environment, name: string, otherwise: number): number {
  const given = variable(environment, name);
  if (given === undefined) return otherwise;
  const value = Number(given);
  if (!(Number.isFinite(value) && value > 0)) {
    throw mustBe('ERR_INVALID_OPTION', name, 'a number of milliseconds above 0', given);
  }
  return value;
}
