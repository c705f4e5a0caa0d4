import type { Attributes, ExponentialBuckets } from '@hdrscope/registry';

/** What Prometheus knows a metric family as: what every source is turned into, and every format is written from. */
export interface MetricFamily {
  /** As it is exposed, but for `_total` and the suffixes of histograms. */
  readonly name: string;
  readonly help: string;
  /** A UCUM unit in words, as OpenMetrics has it, or ''. */
  readonly unit: string;
  readonly type: MetricType;
  readonly metrics: readonly Metric[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'info' | 'unknown';

/** One series of a family. */
export interface Metric {
  /** Names and values, in the order in which they are written. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** Milliseconds since 1970, where samples are to carry their time. */
  readonly timestampMs?: number | undefined;
  /** When the counting began, in milliseconds since 1970. */
  readonly createdMs?: number | undefined;
  readonly value: NumberValue | HistogramValue;
}

/** Of a counter, a gauge, an info or an unknown. */
export interface NumberValue {
  readonly kind: 'number';
  readonly value: number;
  readonly exemplar?: Exemplar | undefined;
}

/** Of a histogram: native buckets, classic ones, or both. */
export interface HistogramValue {
  readonly kind: 'histogram';
  readonly count: number;
  /** `NaN` where nobody kept it. */
  readonly sum: number;
  readonly native?: NativeBuckets | undefined;
  readonly classic?: ClassicBuckets | undefined;
  readonly exemplars?: readonly Exemplar[] | undefined;
}

export interface NativeBuckets {
  readonly positive: ExponentialBuckets;
  /** Of values below zero, which other producers may have. */
  readonly negative?: Pick<ExponentialBuckets, 'offset' | 'counts'> | undefined;
  /** Values up to this are in the zero bucket: above 0. */
  readonly zeroThreshold: number;
}

export interface ClassicBuckets {
  /** Ascending, without the infinite one. */
  readonly boundaries: readonly number[];
  /** One more than there are boundaries; not cumulative. */
  readonly counts: readonly number[];
}

/** A value that was recorded, and what it was recorded with. */
export interface Exemplar {
  readonly value: number;
  readonly timestampMs: number;
  /** `trace_id` and `span_id`, and attributes that the series does not have. */
  readonly attributes: Attributes;
}
