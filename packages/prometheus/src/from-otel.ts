import { mergedBuckets } from '@hdrscope/core';
import {
  boundariesFor,
  type ClassicBoundaries,
  checkClassicBoundaries,
  classicOfNative,
} from './boundaries.ts';
import type { HistogramValue, Metric, MetricFamily, MetricType, NumberValue, Warn } from './families.ts';
import { Labeller, type Labels, labelsOf, scopeLabels } from './labels.ts';
import { mergeFamilies } from './merge-families.ts';
import { familyName, type NamingOptions } from './names.ts';
import { LEAST_ZERO_THRESHOLD, MAX_SCHEMA, MIN_SCHEMA } from './native.ts';
import {
  type DataPointLike,
  DELTA,
  type ExplicitValue,
  type ExponentialValue,
  type MetricDataLike,
  PointType,
  type ResourceMetricsLike,
} from './resource-metrics.ts';

/** How the metrics of an SDK are shown to Prometheus: what `@opentelemetry/exporter-prometheus` takes, and more. */
export interface ResourceMetricsOptions extends NamingOptions {
  /** Whether samples carry the time at which they were collected. @default false */
  readonly appendTimestamp?: boolean | undefined;
  /** Resource attributes, by key, that every series gets. @default none */
  readonly withResourceConstantLabels?: RegExp | undefined;
  /** Whether `otel_scope_name`, `_version` and `_schema_url` are left out. @default false */
  readonly withoutScopeInfo?: boolean | undefined;
  /** Whether `target_info`, with the resource's attributes, is left out. @default false */
  readonly withoutTargetInfo?: boolean | undefined;
  /** Of exponential histograms, in formats without native ones. @default by unit, see `defaultBoundaries` */
  readonly classicBoundaries?: ClassicBoundaries | undefined;
  /** @default nothing is said */
  readonly warn?: Warn | undefined;
}

/**
 * Shows what an OpenTelemetry SDK collected to Prometheus: monotonic sums as counters, other sums and gauges as gauges,
 * histograms with classic buckets, exponential histograms with native ones.
 *
 * Left out, with a warning: deltas, which Prometheus cannot add up; exponential histograms of a scale below -4, and
 * points whose counts are no integers from 0. Scales above 8 are brought to 8 by merging buckets.
 * Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#otlp-metric-points-to-prometheus
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `classicBoundaries` are not finite and ascending.
 * @param resourceMetrics Of any copy of `@opentelemetry/sdk-metrics`, 2.x or 3.x, cumulative.
 * @example
 * ```ts
 * import { familiesOfResourceMetrics, render } from '@hdrscope/prometheus';
 * import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
 *
 * class Reader extends MetricReader {
 *   protected async onForceFlush(): Promise<void> {}
 *   protected async onShutdown(): Promise<void> {}
 * }
 * const reader = new Reader();
 * new MeterProvider({ readers: [reader] }).getMeter('shop').createCounter('orders').add(3, { vip: true });
 *
 * const { resourceMetrics } = await reader.collect();
 * const families = familiesOfResourceMetrics(resourceMetrics, { withoutTargetInfo: true });
 * new TextDecoder().decode(render(families, 'text')).split('\n')[2];
 * //=> 'orders_total{vip="true",otel_scope_name="shop"} 3'
 * ```
 */
export function familiesOfResourceMetrics(
  { resource, scopeMetrics }: ResourceMetricsLike,
  options: ResourceMetricsOptions = {},
): MetricFamily[] {
  const { withResourceConstantLabels, withoutScopeInfo = false, withoutTargetInfo = false } = options;
  const { warn = () => {}, classicBoundaries } = options;
  checkClassicBoundaries(classicBoundaries);
  const resourceLabels = constantLabels(resource.attributes, withResourceConstantLabels);
  const families = withoutTargetInfo ? [] : [targetInfo(labelsOf(resource.attributes))];
  for (const { scope, metrics } of scopeMetrics) {
    const extra = withoutScopeInfo ? resourceLabels : overridden(scopeLabels(scope), resourceLabels);
    for (const metric of metrics) families.push(...familyOf(metric, extra, options, warn));
  }
  return mergeFamilies(families, warn);
}

function constantLabels(attributes: DataPointLike['attributes'], pattern: RegExp | undefined): Labels {
  if (pattern === undefined) return [];
  return labelsOf(
    Object.fromEntries(Object.entries(attributes).filter(([key]) => key.match(pattern) !== null)),
  );
}

/** The second list's values, where both have a name. */
function overridden(first: Labels, second: Labels): Labels {
  return [...new Map([...first, ...second])];
}

function targetInfo(labels: Labels): MetricFamily {
  const metrics: Metric[] = [{ labels, value: { kind: 'number', value: 1 } }];
  return { name: 'target', help: 'Target metadata', unit: '', type: 'info', metrics };
}

/** One family, or none where the metric cannot be shown. */
function familyOf(
  metric: MetricDataLike,
  extra: Labels,
  options: ResourceMetricsOptions,
  warn: Warn,
): MetricFamily[] {
  const { name: ownName, description, unit } = metric.descriptor;
  const quoted = JSON.stringify(ownName);
  const type = typeOf(metric);
  const name = type && familyName(ownName, unit, type, options);
  if (type === undefined) {
    warn(`${quoted} has points of the unknown type ${metric.dataPointType}: it is left out`);
    return [];
  }
  if (name === undefined) {
    warn(`nothing is left of the name ${quoted} in Prometheus: the metric is left out`);
    return [];
  }
  if (metric.dataPointType !== PointType.GAUGE && metric.aggregationTemporality === DELTA) {
    warn(`${quoted} is collected as deltas, which Prometheus cannot add up: it is left out`);
    return [];
  }
  const labeller = new Labeller(extra, type === 'histogram' ? 'le' : undefined);
  const metrics: Metric[] = [];
  for (const point of metric.dataPoints) {
    const value = pointValue(metric, point, options);
    if (typeof value === 'string') {
      warn(`${quoted} has a point ${value}: it is left out`);
      continue;
    }
    metrics.push({
      labels: labeller.labels(point.attributes),
      timestampMs: options.appendTimestamp ? Math.round(toMs(point.endTime)) : undefined,
      createdMs: type === 'gauge' ? undefined : toMs(point.startTime),
      value,
    });
  }
  return [{ name, help: description, unit, type, metrics }];
}

function typeOf({ dataPointType, isMonotonic }: MetricDataLike): MetricType | undefined {
  switch (dataPointType) {
    case PointType.SUM:
      return isMonotonic ? 'counter' : 'gauge';
    case PointType.GAUGE:
      return 'gauge';
    case PointType.HISTOGRAM:
    case PointType.EXPONENTIAL_HISTOGRAM:
      return 'histogram';
    default:
      return undefined;
  }
}

/** What the point shows, or why it cannot. */
function pointValue(
  { dataPointType, descriptor }: MetricDataLike,
  { value, exemplars }: DataPointLike,
  { classicBoundaries }: ResourceMetricsOptions,
): NumberValue | HistogramValue | string {
  const isExplicit = dataPointType === PointType.HISTOGRAM;
  if (!isExplicit && dataPointType !== PointType.EXPONENTIAL_HISTOGRAM) {
    return { kind: 'number', value: value as number };
  }
  const histogram = isExplicit
    ? explicitValue(value as ExplicitValue)
    : exponentialValue(value as ExponentialValue, () => boundariesFor(classicBoundaries, descriptor));
  return typeof histogram === 'string' || exemplars === undefined ? histogram : { ...histogram, exemplars };
}

function explicitValue({ buckets, count, sum }: ExplicitValue): HistogramValue | string {
  if (!isCount(count) || !areCounts(buckets.counts)) return NO_COUNTS;
  // Some producers name the infinite boundary.
  const boundaries = buckets.boundaries.filter((boundary) => boundary !== Number.POSITIVE_INFINITY);
  const counts = buckets.counts.slice(0, boundaries.length + 1);
  return { kind: 'histogram', count, sum, classic: { boundaries, counts } };
}

function exponentialValue(
  { count, sum, scale, zeroCount, zeroThreshold = 0, positive, negative }: ExponentialValue,
  boundaries: () => readonly number[],
): HistogramValue | string {
  if (!(Number.isInteger(scale) && scale >= MIN_SCHEMA)) return `of scale ${scale}, below ${MIN_SCHEMA}`;
  if (!isCount(count) || !isCount(zeroCount)) return NO_COUNTS;
  if (!areCounts(positive.bucketCounts) || !areCounts(negative.bucketCounts)) return NO_COUNTS;
  const shift = Math.max(0, scale - MAX_SCHEMA);
  const side = ({ offset, bucketCounts }: ExponentialValue['positive']) =>
    mergedBuckets({ offset, counts: bucketCounts }, shift);
  const native = {
    positive: { scale: scale - shift, zeroCount, ...side(positive) },
    ...(negative.bucketCounts.length > 0 && { negative: side(negative) }),
    zeroThreshold: Math.max(zeroThreshold, LEAST_ZERO_THRESHOLD),
  };
  return {
    kind: 'histogram',
    count,
    sum,
    native,
    toClassic: () => classicOfNative(native, boundaries()),
  };
}

const NO_COUNTS = 'whose counts are no integers from 0 to 2^53 - 1';

function areCounts(numbers: readonly number[]): boolean {
  return numbers.every(isCount);
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}

function toMs([seconds, nanoseconds]: DataPointLike['startTime']): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
