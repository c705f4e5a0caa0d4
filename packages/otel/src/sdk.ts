import type { Exemplar } from '@hdrscope/registry';
import type { Attributes, Context, HrTime } from '@opentelemetry/api';

// The parts of the metrics SDK that this package relies on, as structures and values. The SDK itself is never imported
// at run time: an application may hold several copies of it (CJS and ESM, 2.x and 3.x), and all of them work.
// The values are equal in 2.0.1 to 3.1.1.

/** `InstrumentType.HISTOGRAM`. */
export const HISTOGRAM_INSTRUMENT = 'HISTOGRAM';

/** `AggregationTemporality`. */
export const Temporality = { DELTA: 0, CUMULATIVE: 1 } as const;

/** `InstrumentType.COUNTER`. */
export const COUNTER_INSTRUMENT = 'COUNTER';

/** `InstrumentType.GAUGE`. */
export const GAUGE_INSTRUMENT = 'GAUGE';

/** `ValueType.DOUBLE`. */
export const DOUBLE_VALUES = 1;

/** The members of `DataPointType` that this package makes. */
export const PointType = { HISTOGRAM: 0, EXPONENTIAL_HISTOGRAM: 1, GAUGE: 2, SUM: 3 } as const;

/** The members of `AggregationType` that concern histograms. */
export const AggregationType = { DROP: 1, EXPLICIT_BUCKET_HISTOGRAM: 4, EXPONENTIAL_HISTOGRAM: 5 } as const;

/** `IAttributesProcessor`. */
export interface AttributesProcessor {
  /** Returns the attributes that the record counts under. */
  process(attributes: Attributes, context?: Context): Attributes;
}

/** The value of an explicit-bucket histogram point: `counts` has one entry more than `boundaries`. */
export interface ExplicitHistogramValue {
  readonly buckets: { readonly boundaries: number[]; readonly counts: number[] };
  readonly sum: number;
  readonly count: number;
  readonly min?: number;
  readonly max?: number;
}

/** The value of an exponential histogram point. */
export interface ExponentialHistogramValue {
  readonly count: number;
  readonly sum: number;
  readonly scale: number;
  readonly zeroCount: number;
  /** Bucket `i` covers `(base ** (offset + i), base ** (offset + i + 1)]`. */
  readonly positive: { readonly offset: number; readonly bucketCounts: number[] };
  readonly negative: { readonly offset: number; readonly bucketCounts: number[] };
  readonly min?: number;
  readonly max?: number;
}

/** The value of a histogram point of either kind. */
export type HistogramValue = ExplicitHistogramValue | ExponentialHistogramValue;

/** A point of a metric. */
export interface Point<Value> {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly attributes: Attributes;
  readonly value: Value;
  /** The SDK has no such field and its exporters ignore it; `sendOtlp` and the exporter of `@hdrscope/prometheus` read it. */
  readonly exemplars?: readonly Exemplar[];
}

/** `InstrumentDescriptor`. */
export interface InstrumentDescriptor {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly type: string;
  readonly valueType: number;
  readonly advice: object;
}

/** A histogram as `MetricData`. */
export interface HistogramMetric {
  readonly descriptor: InstrumentDescriptor;
  readonly aggregationTemporality: number;
  readonly dataPointType: number;
  readonly dataPoints: readonly Point<HistogramValue>[];
}

/** A gauge as `MetricData`. */
export interface GaugeMetric extends Omit<HistogramMetric, 'dataPoints'> {
  readonly dataPoints: readonly Point<number>[];
}

/** A sum as `MetricData`. */
export interface SumMetric extends GaugeMetric {
  readonly isMonotonic: boolean;
}

/** `InstrumentationScope`: the library that made an instrument. */
export interface MetricScope {
  /** Name of the library, such as `@opentelemetry/instrumentation-http`. */
  readonly name: string;
  /** Version of the library. */
  readonly version?: string | undefined;
  /** The schema URL of its meter. */
  readonly schemaUrl?: string | undefined;
}

/** A text that is equal for equal scopes. An absent version equals an empty one. */
export function scopeKey({ name, version = '', schemaUrl = '' }: MetricScope): string {
  return JSON.stringify([name, version, schemaUrl]);
}

/** `ScopeMetrics`: the metrics of one library. */
export interface ScopeMetrics {
  /** The library. */
  readonly scope: MetricScope;
  /** `MetricData` of the SDK: sums, gauges and histograms. */
  readonly metrics: readonly { readonly descriptor: { readonly name: string; readonly type?: string } }[];
}

/** `CollectionResult`: what a producer collects. */
export interface MetricCollection {
  /** `ResourceMetrics`: the metrics by the library that made them. */
  readonly resourceMetrics: { readonly resource?: unknown; readonly scopeMetrics: readonly ScopeMetrics[] };
  /** The errors of producers whose metrics are missing. */
  readonly errors: readonly unknown[];
}

/** `MetricCollectOptions`: how a producer collects. */
export interface MetricCollectionOptions {
  /** The time limit of the collection, in milliseconds. @default no limit */
  readonly timeoutMillis?: number | undefined;
}

/** `MetricProducer`. */
export interface Producer {
  /** Collects everything in the registry, as resource metrics of the SDK. */
  collect(options?: MetricCollectionOptions): Promise<MetricCollection>;
}

/** The members of `IMetricReader` that this package calls. */
export interface Reader {
  /** Takes the producer that `collect` asks. The provider calls it once. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has a nominal type of its own here
  setMetricProducer(producer: any): void;
  /** Says which aggregation an instrument type has, as the SDK's `AggregationOption`. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has a nominal type of its own here
  selectAggregation(instrumentType: any): { readonly type: number };
  /** Says whether points are deltas (0) or cumulative (1), as the SDK's `AggregationTemporality`. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has a nominal type of its own here
  selectAggregationTemporality(instrumentType: any): number;
  /** Exports at once what has been counted so far. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has a nominal type of its own here
  forceFlush(options?: any): Promise<void>;
  /** Exports a last time and ends the reader. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK copy has a nominal type of its own here
  shutdown(options?: any): Promise<void>;
}
