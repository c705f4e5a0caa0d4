import type { BucketRun } from '@hdrscope/core';
import type { Exemplar } from '@hdrscope/registry';
import type { Labels } from './labels.ts';

/** What Prometheus knows a metric family as: what every source is turned into, and every format is written from. */
export interface MetricFamily {
  /** Without what the type adds: `_total` of a counter, `_info` of an info, the suffixes of a histogram. */
  readonly name: string;
  /** '' where nobody said. */
  readonly help: string;
  /** As its source calls it, mostly in UCUM (`s`, `By`), or ''. */
  readonly unit: string;
  readonly type: MetricType;
  readonly metrics: readonly Metric[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'info' | 'unknown';

/** One series of a family. */
export interface Metric {
  readonly labels: Labels;
  /** Milliseconds since 1970, where samples are to carry their time. */
  readonly timestampMs?: number | undefined;
  /** When the counting began, in milliseconds since 1970. */
  readonly createdMs?: number | undefined;
  /** Of the kind that the type of the family asks for: a histogram exactly in a family of histograms. */
  readonly value: NumberValue | HistogramValue;
}

/** Of a counter, a gauge, an info or an unknown. */
export interface NumberValue {
  readonly kind: 'number';
  readonly value: number;
  /** Shown on counters only. */
  readonly exemplar?: Exemplar | undefined;
}

/** Of a histogram: native buckets, classic ones, or both. */
export interface HistogramValue {
  readonly kind: 'histogram';
  /** An integer from 0 to 2^53 - 1: what all buckets hold together. */
  readonly count: number;
  /** `undefined` where nobody kept it. */
  readonly sum: number | undefined;
  readonly native?: NativeBuckets | undefined;
  /** Shown in every format. */
  readonly classic?: ClassicBuckets | undefined;
  /** What formats without native buckets show where there are no classic ones. Computed only there. */
  readonly toClassic?: (() => ClassicBuckets) | undefined;
  readonly exemplars?: readonly Exemplar[] | undefined;
}

/** Buckets of base `2 ** 2 ** -scale`. */
export interface NativeBuckets {
  readonly positive: BucketRun & {
    /** Prometheus' schema: an integer from -4 to 8. */
    readonly scale: number;
    readonly zeroCount: number;
  };
  /** Of values below zero, which other producers may have: by their absolute value, at the same scale. */
  readonly negative?: BucketRun | undefined;
  /** Values up to this are in the zero bucket: above 0, which is what tells Prometheus that a histogram is native. */
  readonly zeroThreshold: number;
}

export interface ClassicBuckets {
  /** Ascending, finite: without the infinite one. */
  readonly boundaries: readonly number[];
  /** One more than there are boundaries; not cumulative. */
  readonly counts: readonly number[];
}

/** A function that takes what a conversion had to leave out, in a sentence. The same may come at every scrape. */
export type Warn = (message: string) => void;
