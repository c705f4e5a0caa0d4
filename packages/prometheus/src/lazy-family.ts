import type { ExponentialBuckets } from '@hdrscope/core/internal';
import type { Labels, Metric, MetricFamily } from './families.ts';

/** All of a family but its metrics. */
export type FamilyFacts = Omit<MetricFamily, 'metrics'>;

/** A family whose metrics are made when their bytes are needed: most scrapes need only those that have changed. */
export interface LazyFamily extends FamilyFacts {
  /** More than one when families of one name were merged. */
  readonly parts: readonly LazyMetrics[];
}

/** Metrics that are made alike, each from a state of its series. */
export interface LazyMetrics<State extends object = object> {
  readonly states: readonly State[];
  /**
   * Everything that the metrics are made from besides the states, as text: the same state and an equal recipe make an equal
   * metric. `undefined` when the metrics of two scrapes may differ nevertheless.
   */
  readonly recipe: string | undefined;
  /**
   * @param earlier What the format has of the series, by an equal recipe. Left out, it has nothing.
   * @param hasNative Whether the format shows native buckets, which take a quarter of the time of a metric. @default true
   */
  metricOf(state: State, earlier?: EarlierMetric<State>, hasNative?: boolean): Metric;
  labelsOf(state: State): Labels;
  /** The object from which the labels are made: the same object and an equal recipe make equal labels. */
  identityOf(state: State): object;
  /**
   * Changes with the state where that is not an object of its own after each change. A metric is made of the state as it is then, in one
   * step. @default 0
   */
  versionOf?(state: State): number;
}

/** What was shown of a series before. */
export interface EarlierMetric<State extends object = object> {
  readonly state: State;
  readonly version: number;
  /** Whether the format takes the labels of a metric from the bytes of the earlier one, so that nobody needs to make them again. */
  readonly hasLabels: boolean;
  /** The positive native buckets, where the bytes have them. The caller may change them, and the next call makes others of them. */
  readBuckets(): ExponentialBuckets | undefined;
}

/** A family whose metrics exist already. */
export function lazyFamily({ metrics, ...facts }: MetricFamily): LazyFamily {
  const part: LazyMetrics<Metric> = {
    states: metrics,
    recipe: undefined,
    metricOf: (metric) => metric,
    labelsOf: ({ labels }) => labels,
    identityOf: ({ labels }) => labels,
  };
  return { ...facts, parts: [part] };
}

/** Makes all metrics of a family. */
export function metricFamily({ parts, ...facts }: LazyFamily): MetricFamily {
  return { ...facts, metrics: parts.flatMap((part) => part.states.map((state) => part.metricOf(state))) };
}
