import type { HrTime } from '@opentelemetry/api';
import type { HistogramMetric, HistogramValue, MetricScope, Point, PointType, ScopeMetrics } from '../sdk.ts';

/** The kind of `MetricData` that holds numbers. */
export interface NumberMetric {
  readonly descriptor: Pick<HistogramMetric['descriptor'], 'name' | 'description' | 'unit'>;
  readonly aggregationTemporality: number;
  readonly dataPointType: (typeof PointType)['GAUGE' | 'SUM'];
  readonly isMonotonic: boolean;
  readonly dataPoints: readonly Point<number>[];
}

/** A metric without its points. */
export type MetricFacts = Omit<HistogramMetric, 'dataPoints'> | Omit<NumberMetric, 'dataPoints'>;

/** A point, and what it belongs to. */
export interface Item {
  readonly scope: MetricScope;
  readonly metric: MetricFacts;
  readonly point: Point<HistogramValue> | Point<number>;
}

/** All points of some metrics, in their order. */
export function itemsOf(scopes: readonly ScopeMetrics[]): Item[] {
  const items: Item[] = [];
  for (const { scope, metrics } of scopes) {
    for (const { dataPoints, ...metric } of metrics as readonly (HistogramMetric | NumberMetric)[]) {
      for (const point of dataPoints) items.push({ scope, metric, point });
    }
  }
  return items;
}

/** A message that holds a list: a resource its scopes, a scope its metrics, a metric its points. */
export interface Frame {
  /** The most bytes that the message has besides its list. */
  readonly mostBytes: number;
  /** The message with the list. */
  close(list: readonly Uint8Array[]): Uint8Array;
}

/** A way to write an `ExportMetricsServiceRequest`. */
export interface Encoding {
  readonly contentType: string;
  resource(attributes: Readonly<Record<string, unknown>>): Frame;
  scope(scope: MetricScope): Frame;
  metric(metric: MetricFacts): Frame;
  /** Points of one metric as a part of its list. */
  points(items: readonly Item[], from: number, to: number): Uint8Array;
}

/** Whether an attribute is written as an integer. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

export function nanoseconds([seconds, rest]: HrTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}
