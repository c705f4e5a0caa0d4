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
  /** What the metrics are about: a service, a host. */
  readonly resource: { readonly attributes: Attributes };
  /** The metrics by the library that made them. */
  readonly scopeMetrics: readonly ScopeMetricsLike[];
}

/** `ScopeMetrics`. */
export interface ScopeMetricsLike {
  /** The library that made the metrics. */
  readonly scope: {
    readonly name: string;
    readonly version?: string | undefined;
    readonly schemaUrl?: string | undefined;
  };
  /** The metrics of the library. */
  readonly metrics: readonly MetricDataLike[];
}

/** `MetricData`. */
export interface MetricDataLike {
  /** Name, description and UCUM unit of the instrument. */
  readonly descriptor: { readonly name: string; readonly description: string; readonly unit: string };
  /** A number of the SDK's `AggregationTemporality`: 0 for deltas, 1 for cumulative points. */
  readonly aggregationTemporality: number;
  /** A number of the SDK's `DataPointType`: 0 for histograms, 1 for exponential histograms, 2 for gauges, 3 for sums. */
  readonly dataPointType: number;
  /** Present on sums. */
  readonly isMonotonic?: boolean | undefined;
  /** One point for each set of attributes. */
  readonly dataPoints: readonly DataPointLike[];
}

/** `DataPoint`. */
export interface DataPointLike {
  /** When the counting began: seconds since 1970, and the nanoseconds of the last second. */
  readonly startTime: readonly [seconds: number, nanoseconds: number];
  /** When the point was collected: seconds since 1970, and the nanoseconds of the last second. */
  readonly endTime: readonly [seconds: number, nanoseconds: number];
  /** The attributes that become labels. */
  readonly attributes: Attributes;
  /** A number, an `ExplicitValue` or an `ExponentialValue`, by the point type. */
  readonly value: unknown;
  /** The SDK has no such field; `@hdrscope/otel` adds it. */
  readonly exemplars?: readonly Exemplar[];
}

/** `Histogram`. */
export interface ExplicitValue {
  /** Ascending boundaries in the unit of the instrument, and one count more than boundaries; not cumulative. */
  readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] };
  /** Sum of the values, in the unit of the instrument; left out when unknown. */
  readonly sum?: number | undefined;
  /** How many values were counted. */
  readonly count: number;
}

/** `ExponentialHistogram`. */
export interface ExponentialValue {
  /** How many values were counted. */
  readonly count: number;
  /** Sum of the values, in the unit of the instrument; left out when unknown. */
  readonly sum?: number | undefined;
  /** Fineness: the base is `2 ** 2 ** -scale`. An integer from -10 to 20. */
  readonly scale: number;
  /** How many values are in the zero bucket. */
  readonly zeroCount: number;
  /** Values up to it are in the zero bucket, in the unit of the instrument. Only other producers than the SDK have it. */
  readonly zeroThreshold?: number | undefined;
  /** Counts of positive values: the first is that of the bucket with the index `offset`. */
  readonly positive: { readonly offset: number; readonly bucketCounts: readonly number[] };
  /** Counts of the absolute values of negative values, in the same way. */
  readonly negative: { readonly offset: number; readonly bucketCounts: readonly number[] };
}
