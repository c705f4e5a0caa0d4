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
  metricOf(state: State): Metric;
  labelsOf(state: State): Labels;
  /** The object from which the labels are made: the same object and an equal recipe make equal labels. */
  identityOf(state: State): object;
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
