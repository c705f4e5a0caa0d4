import {
  assertFollows,
  callback,
  custom,
  flag,
  mergedBuckets,
  object,
  optional,
  type RulesFor,
  readOptions,
} from '@hdrscope/core/internal';
import { atOnce, type Steps } from '@hdrscope/kit';
import {
  boundariesFor,
  classicBoundaries as boundariesRule,
  type ClassicBoundaries,
  classicOfNative,
} from './boundaries.ts';
import type {
  HistogramValue,
  Labels,
  Metric,
  MetricFamily,
  MetricType,
  NumberValue,
  Warn,
} from './families.ts';
import { labelsOf, NO_LABELS, scopeLabels, seriesLabels } from './labels.ts';
import { type LazyFamily, lazyFamily } from './lazy-family.ts';
import { mergeFamilies } from './merge-families.ts';
import { familyName, isWithoutSuffixes, keepsCharacters, NAMING_RULES, type NamingOptions } from './names.ts';
import { LEAST_ZERO_THRESHOLD, MAX_SCHEMA, MIN_SCHEMA } from './native.ts';
import {
  type DataPointLike,
  DELTA,
  type ExplicitValue,
  type ExponentialValue,
  type MetricDataLike,
  PointType,
  type ResourceMetricsLike,
  type ScopeMetricsLike,
} from './resource-metrics.ts';

/** How an SDK's metrics look in Prometheus: the options of `@opentelemetry/exporter-prometheus`, and more. */
export interface ResourceMetricsOptions extends NamingOptions {
  /** Whether samples carry the time of their collection. @default false */
  readonly appendTimestamp?: boolean | undefined;
  /** Matches the keys of resource attributes that every series gets as labels. @default no key */
  readonly withResourceConstantLabels?: RegExp | undefined;
  /** Whether `otel_scope_name`, `_version` and `_schema_url` are left out. @default false */
  readonly withoutScopeInfo?: boolean | undefined;
  /** Whether `target_info`, which has the resource's attributes, is left out. @default false */
  readonly withoutTargetInfo?: boolean | undefined;
  /**
   * Boundaries of exponential histograms in formats without native buckets. @default by unit: for times from 5 ms to 10 s, for
   * bytes from 64 B to 1 GiB, else from 0 to 10,000
   */
  readonly classicBoundaries?: ClassicBoundaries | undefined;
  /** Receives what could not be shown. @default no warnings */
  readonly warn?: Warn | undefined;
}

/** The rules of `ResourceMetricsOptions`. */
export const RESOURCE_METRICS_RULES: RulesFor<ResourceMetricsOptions, keyof ResourceMetricsOptions> = {
  ...NAMING_RULES,
  appendTimestamp: optional(flag),
  withResourceConstantLabels: optional(
    custom('a regular expression', (value) => Object.prototype.toString.call(value) === '[object RegExp]'),
  ),
  withoutScopeInfo: optional(flag),
  withoutTargetInfo: optional(flag),
  classicBoundaries: optional(boundariesRule),
  warn: optional(callback()),
};

const CONVERT_RESOURCE_METRICS = {
  name: 'convertResourceMetrics',
  rules: RESOURCE_METRICS_RULES,
  call: "convertResourceMetrics(resourceMetrics, { prefix: 'shop' })",
};

/**
 * Converts the metrics that an OpenTelemetry SDK collected to families: monotonic sums to counters, other sums and gauges
 * to gauges, histograms to histograms with classic buckets, exponential histograms to histograms with native ones.
 *
 * Three things are left out with a warning: deltas, which Prometheus cannot add up; exponential histograms of a scale below
 * -4; and points whose counts are not integers of at least 0. Buckets at a scale above 8 are merged to scale 8.
 * Source: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#otlp-metric-points-to-prometheus
 *
 * @param resourceMetrics Cumulative metrics from any copy of `@opentelemetry/sdk-metrics`, 2.x or 3.x.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or `classicBoundaries` are not finite and
 *   ascending.
 * @example
 * ```ts
 * import { convertResourceMetrics, render } from '@hdrscope/prometheus';
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
 * const families = convertResourceMetrics(resourceMetrics, { withoutTargetInfo: true });
 * new TextDecoder().decode(render(families, 'text')).split('\n')[2];
 * //=> 'orders_total{vip="true",otel_scope_name="shop"} 3'
 * ```
 */
export function convertResourceMetrics(
  resourceMetrics: ResourceMetricsLike,
  options: ResourceMetricsOptions = {},
): MetricFamily[] {
  assertFollows('the metrics', resourceMetricsRule, resourceMetrics);
  const settings = readOptions(options, CONVERT_RESOURCE_METRICS);
  const families = atOnce(lazyFamiliesOfResourceMetrics(resourceMetrics, settings));
  return mergeFamilies(families, settings.warn ?? (() => {}));
}

/** How an exporter shows an SDK's metrics. */
export interface ExposedMetricsOptions extends ResourceMetricsOptions {
  /** With `'both'`, native buckets have classic ones beside them. @default 'native' */
  readonly buckets?: 'native' | 'classic' | 'both' | undefined;
}

/** Families by scope: see `scopeKey`. */
export type FamiliesByScope = ReadonlyMap<string, readonly LazyFamily[]>;

/**
 * The families of a collection, in steps, before those of one name are merged.
 *
 * @param added Families that precede those of the collection in their scope: when both have a name, the added family is shown.
 */
export function* lazyFamiliesOfResourceMetrics(
  { resource, scopeMetrics }: ResourceMetricsLike,
  options: ExposedMetricsOptions,
  added: FamiliesByScope = new Map(),
): Steps<LazyFamily[]> {
  const families = options.withoutTargetInfo
    ? []
    : [lazyFamily(targetInfo(labelsOf(resource.attributes, keepsCharacters(options))))];
  const left = new Map(added);
  for (const { scope, metrics } of scopeMetrics) {
    const extra = extraLabels(scope, resource, options);
    for (const family of left.get(scopeKey(scope)) ?? []) families.push(family);
    left.delete(scopeKey(scope));
    for (const metric of metrics) {
      const family = yield* familyOf(metric, extra, options);
      if (family !== undefined) families.push(lazyFamily(family));
    }
  }
  return [...families, ...[...left.values()].flat()];
}

/** A text that is equal for equal scopes. An absent version equals an empty one. */
export function scopeKey({ name, version = '', schemaUrl = '' }: ScopeMetricsLike['scope']): string {
  return JSON.stringify([name, version, schemaUrl]);
}

/** The labels that all series of a scope have besides their attributes. */
export function extraLabels(
  scope: ScopeMetricsLike['scope'],
  resource: ResourceMetricsLike['resource'],
  options: ResourceMetricsOptions,
): Labels {
  const constant = constantLabels(resource, options);
  // When both have a name, the resource wins.
  return options.withoutScopeInfo ? constant : [...new Map([...scopeLabels(scope), ...constant])];
}

/** The labels that all series have because of the resource. */
export function constantLabels(
  { attributes }: ResourceMetricsLike['resource'],
  options: ResourceMetricsOptions,
): Labels {
  const { withResourceConstantLabels: pattern } = options;
  if (pattern === undefined) return NO_LABELS;
  return labelsOf(
    Object.fromEntries(Object.entries(attributes).filter(([key]) => key.match(pattern) !== null)),
    keepsCharacters(options),
  );
}

function targetInfo(labels: Labels): MetricFamily {
  const metrics: Metric[] = [{ labels, value: { kind: 'number', value: 1 } }];
  return { name: 'target', help: 'Target metadata', unit: '', type: 'info', metrics };
}

/** The family of a metric; `undefined`, with a warning, when Prometheus cannot show it. */
function* familyOf(
  metric: MetricDataLike,
  extra: Labels,
  options: ExposedMetricsOptions,
): Steps<MetricFamily | undefined> {
  const { warn = () => {} } = options;
  const { name: ownName, description, unit } = metric.descriptor;
  const quoted = JSON.stringify(ownName);
  const type = typeOf(metric);
  const isSum = metric.dataPointType === PointType.SUM;
  const name = type && familyName(ownName, unit, isSum && type === 'gauge' ? 'sum' : type, options);
  if (type === undefined) {
    warn(`${quoted} has points of the unknown type ${metric.dataPointType}: the metric is left out`);
    return undefined;
  }
  if (name === undefined) {
    warn(`the name ${quoted} has no letter or digit: the metric is left out`);
    return undefined;
  }
  if (metric.dataPointType !== PointType.GAUGE && metric.aggregationTemporality === DELTA) {
    warn(`${quoted} is collected as deltas, which Prometheus cannot add up: the metric is left out`);
    return undefined;
  }
  const reserved = type === 'histogram' ? 'le' : undefined;
  const metrics: Metric[] = [];
  for (const point of metric.dataPoints) {
    const value = pointValue(metric, point, options);
    if (typeof value === 'string') {
      warn(`${quoted} has a point ${value}: the point is left out`);
      continue;
    }
    metrics.push({
      labels: seriesLabels(point.attributes, extra, reserved, keepsCharacters(options)),
      timestampMs: options.appendTimestamp ? Math.round(toMs(point.endTime)) : undefined,
      createdMs: type === 'gauge' ? undefined : toMs(point.startTime),
      value,
    });
    yield;
  }
  return {
    name,
    help: description,
    unit,
    type,
    metrics,
    ...(isWithoutSuffixes(options) && { isFixedName: true }),
  };
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

/** The value of a point, or, as a text, why Prometheus cannot show it. */
function pointValue(
  { dataPointType, descriptor }: MetricDataLike,
  { value, exemplars }: DataPointLike,
  { classicBoundaries, buckets }: ExposedMetricsOptions,
): NumberValue | HistogramValue | string {
  const isExplicit = dataPointType === PointType.HISTOGRAM;
  if (!isExplicit && dataPointType !== PointType.EXPONENTIAL_HISTOGRAM) {
    return { kind: 'number', value: value as number };
  }
  const histogram = isExplicit
    ? explicitValue(value as ExplicitValue)
    : exponentialValue(value as ExponentialValue, () => boundariesFor(classicBoundaries, descriptor));
  if (typeof histogram === 'string') return histogram;
  return {
    ...histogram,
    ...(buckets === 'both' && histogram.toClassic && { classic: histogram.toClassic() }),
    ...(exemplars !== undefined && { exemplars }),
  };
}

function explicitValue({ buckets, count, sum }: ExplicitValue): HistogramValue | string {
  if (!isCount(count) || !areCounts(buckets.counts)) return NO_COUNTS;
  // Some producers list the infinite boundary.
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

const NO_COUNTS = 'whose counts are not integers from 0 to 2^53 - 1';

function areCounts(numbers: readonly number[]): boolean {
  return numbers.every(isCount);
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}

function toMs([seconds, nanoseconds]: DataPointLike['startTime']): number {
  return seconds * 1000 + nanoseconds / 1e6;
}

const resourceMetricsRule = custom<ResourceMetricsLike>('{ resource, scopeMetrics }', (value) => {
  const { resource, scopeMetrics } = value as ResourceMetricsLike;
  return object().accepts(resource) && Array.isArray(scopeMetrics);
});
