import type { BucketRun } from '@hdrscope/core/internal';
import type { Exemplar } from '@hdrscope/registry';
import type { RangeBucket } from './vmrange.ts';

/** A metric family as Prometheus knows it. Every source is converted to families, and every format is written from them. */
export interface MetricFamily {
  /** Without the suffixes that the type adds: `_total` for a counter, `_info` for an info, `_bucket` and so on. */
  readonly name: string;
  /**
   * Whether every format has the name as it is, without a suffix of the type. In OpenMetrics 1.0, a counter is of type unknown then,
   * because the names of its counters end with `_total`. @default false
   */
  readonly isFixedName?: boolean | undefined;
  /** '' when unknown. */
  readonly help: string;
  /** The source's name for the unit, usually UCUM (`s`, `By`), or ''. */
  readonly unit: string;
  /** Says which values the metrics have, and how their names end. */
  readonly type: MetricType;
  /** The series, in the order in which they are written. No set of labels comes twice. */
  readonly metrics: readonly Metric[];
}

/** Names and values, in the order in which they are written. No name comes twice. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** The types of OpenMetrics that have families here. Text 0.0.4 shows an info as a gauge, and an unknown as untyped. */
export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'info' | 'unknown';

/** The types whose samples have a start: `createdMs` of other metrics is not shown. */
export const STARTED_TYPES: ReadonlySet<MetricType> = /* @__PURE__ */ new Set([
  'counter',
  'histogram',
  'summary',
]);

/** One series of a family. */
export interface Metric {
  /** The labels that distinguish it from the other series of the family. */
  readonly labels: Labels;
  /** The time that samples carry, in milliseconds since 1970; text 0.0.4 and protobuf round it. Left out, they carry none. */
  readonly timestampMs?: number | undefined;
  /** When the counting began, in milliseconds since 1970. */
  readonly createdMs?: number | undefined;
  /** A histogram or a summary in a family of this type, else a number. */
  readonly value: NumberValue | HistogramValue | SummaryValue;
}

/** The value of a counter, a gauge, an info or an unknown. */
export interface NumberValue {
  /** Marks a number. */
  readonly kind: 'number';
  /** The value, in the unit of the family. `NaN` and infinities are written too. */
  readonly value: number;
  /** Shown on counters only. */
  readonly exemplar?: Exemplar | undefined;
}

/** The value of a histogram: with native buckets, classic ones, or both. */
export interface HistogramValue {
  /** Marks a histogram. */
  readonly kind: 'histogram';
  /** The total of all buckets: an integer from 0 to 2^53 - 1. */
  readonly count: number;
  /** Sum of the values, in the unit of the family; `undefined` when unknown. */
  readonly sum: number | undefined;
  /** The native buckets; left out for a histogram that only has classic ones. */
  readonly native?: NativeBuckets | undefined;
  /** Shown in every format. */
  readonly classic?: ClassicBuckets | undefined;
  /** Computes the classic buckets that are shown in place of native ones when `classic` is left out. */
  readonly toClassic?: (() => ClassicBuckets) | undefined;
  /** Computes the buckets that text 0.0.4 shows in place of classic ones, in the form of VictoriaMetrics. */
  readonly toRanges?: (() => readonly RangeBucket[]) | undefined;
  /** Values that stand for their buckets; left out when there are no exemplars. */
  readonly exemplars?: readonly Exemplar[] | undefined;
}

/** The value of a summary. */
export interface SummaryValue {
  /** Marks a summary. */
  readonly kind: 'summary';
  /** An integer from 0 to 2^53 - 1. */
  readonly count: number;
  /** Sum of the values, in the unit of the family; `undefined` when unknown. */
  readonly sum: number | undefined;
  /** Values at ranks from 0 to 1. */
  readonly quantiles: readonly { readonly quantile: number; readonly value: number }[];
}

/** Buckets of base `2 ** 2 ** -scale`. */
export interface NativeBuckets {
  /** Buckets of positive values, and the count of the zero bucket. */
  readonly positive: BucketRun & {
    /** The schema in Prometheus: an integer from -4 to 8. */
    readonly scale: number;
    readonly zeroCount: number;
  };
  /** Buckets of the absolute values of negative values, at the same scale. */
  readonly negative?: BucketRun | undefined;
  /** Values up to this are in the zero bucket. Above 0, because Prometheus takes a threshold as the sign of a native histogram. */
  readonly zeroThreshold: number;
}

/** Counts between boundaries, as `le` buckets have them. */
export interface ClassicBuckets {
  /** In the unit of the family, ascending and finite. The infinite boundary is implied. */
  readonly boundaries: readonly number[];
  /** One more than `boundaries`; not cumulative. */
  readonly counts: readonly number[];
}

/** Receives a sentence about something that a conversion had to leave out. Every scrape may repeat it. */
export type Warn = (message: string) => void;
