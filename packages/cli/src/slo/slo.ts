import type { Threshold } from './threshold.ts';

/** An objective: the share of values of a histogram that must be at most a threshold. */
export interface Slo {
  readonly name: string;
  /** The histogram in Prometheus, without `_bucket`. */
  readonly metric: string;
  readonly threshold: Threshold;
  /** The share of values that may be above the threshold: above 0 and below 1. */
  readonly budget: number;
  /** The time for which the budget lasts, in milliseconds. */
  readonly periodMs: number;
  /** Labels that have an objective of their own for each value. */
  readonly by: readonly string[];
  /** Selectors of series, such as `job="api"`. */
  readonly matchers: readonly string[];
  /** More labels of the alerts. Their values are templates of Prometheus. */
  readonly labels: Readonly<Record<string, string>>;
}
