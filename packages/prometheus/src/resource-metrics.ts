import type { Attributes, Exemplar } from '@hdrscope/registry';

// The parts of the metrics SDK that this package relies on, as structures and values. The SDK itself is never imported
// at run time: an application may hold several copies of it (CJS and ESM, 2.x and 3.x), and all of them work.
// The values are equal in 2.0.1 to 3.1.1.

/** `DataPointType`. */
export const PointType = { HISTOGRAM: 0, EXPONENTIAL_HISTOGRAM: 1, GAUGE: 2, SUM: 3 } as const;

/** `AggregationTemporality.DELTA`. */
export const DELTA = 0;

/** `ResourceMetrics` of any SDK. */
export interface ResourceMetricsLike {
  readonly resource: { readonly attributes: Attributes };
  readonly scopeMetrics: readonly ScopeMetricsLike[];
}

/** `ScopeMetrics`. */
export interface ScopeMetricsLike {
  readonly scope: {
    readonly name: string;
    readonly version?: string | undefined;
    readonly schemaUrl?: string | undefined;
  };
  readonly metrics: readonly MetricDataLike[];
}

/** `MetricData`. */
export interface MetricDataLike {
  readonly descriptor: { readonly name: string; readonly description: string; readonly unit: string };
  readonly aggregationTemporality: number;
  readonly dataPointType: number;
  /** Present on sums. */
  readonly isMonotonic?: boolean | undefined;
  readonly dataPoints: readonly DataPointLike[];
}

/** `DataPoint`. */
export interface DataPointLike {
  readonly startTime: readonly [seconds: number, nanoseconds: number];
  readonly endTime: readonly [seconds: number, nanoseconds: number];
  readonly attributes: Attributes;
  /** A number, an `ExplicitValue` or an `ExponentialValue`, by the point type. */
  readonly value: unknown;
  /** The SDK has no such field; `@hdrscope/otel` adds it. */
  readonly exemplars?: readonly Exemplar[];
}

/** `Histogram`. */
export interface ExplicitValue {
  readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] };
  readonly sum?: number | undefined;
  readonly count: number;
}

/** `ExponentialHistogram`. */
export interface ExponentialValue {
  readonly count: number;
  readonly sum?: number | undefined;
  readonly scale: number;
  readonly zeroCount: number;
  /** The SDK has no such field; other producers may have it. */
  readonly zeroThreshold?: number | undefined;
  readonly positive: { readonly offset: number; readonly bucketCounts: readonly number[] };
  readonly negative: { readonly offset: number; readonly bucketCounts: readonly number[] };
}
