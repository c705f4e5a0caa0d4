import type { Steps } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import type { Labels, Warn } from '../families.ts';
import { seriesKey } from '../labels.ts';
import type { PromMetric, PromSample } from './metrics.ts';

/**
 * Merges the metrics of several registries or processes, in steps, as `AggregatorRegistry` of `prom-client` does: values of one name and
 * equal labels become one, by the aggregator of the first metric of this name: `sum`, `first`, `min`, `max`, `average`, or `omit`,
 * which leaves the metric out. It differs in four things: the latest exemplar is kept; a metric of another type than the first one of
 * its name is left out with a warning; so is one with an unknown aggregator, which fails the whole scrape there; and of histograms with
 * other boundaries in other processes, the common ones are shown, at which the counts are exact.
 */
export function* merged(lists: readonly (readonly PromMetric[])[], warn: Warn): Steps<PromMetric[]> {
  const byName = new Map<string, PromMetric[]>();
  for (const metric of lists.flat()) {
    const others = byName.get(metric.name);
    if (others === undefined) byName.set(metric.name, [metric]);
    else if (others[0]!.type === metric.type) others.push(metric);
    else
      warn(
        `"${metric.name}" is a ${others[0]!.type} in one process and a ${metric.type} in another: the latter is left out`,
      );
  }
  const result: PromMetric[] = [];
  for (const metrics of byName.values()) {
    const { name, aggregator } = metrics[0]!;
    if (aggregator === 'omit') continue;
    const aggregate = AGGREGATORS[aggregator];
    if (aggregate === undefined) {
      warn(`"${name}" has the unknown aggregator "${aggregator}": the metric is left out`);
    } else {
      result.push({ ...metrics[0]!, samples: yield* mergedSamples(metrics, aggregate, warn) });
    }
  }
  return result;
}

type Aggregate = (values: readonly number[]) => number;

const sum: Aggregate = (values) => values.reduce((total, value) => total + value, 0);

const AGGREGATORS: Readonly<Record<string, Aggregate | undefined>> = {
  // Without this, `constructor` would be an aggregator.
  __proto__: null as never,
  sum,
  first: ([value]) => value!,
  min: (values) => values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  max: (values) => values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  average: (values) => sum(values) / values.length,
};

function* mergedSamples(
  metrics: readonly PromMetric[],
  aggregate: Aggregate,
  warn: Warn,
): Steps<readonly PromSample[]> {
  const [first, ...others] = metrics;
  if (others.length === 0) return first!.samples;
  // Neighbours share a list of labels.
  let last: { readonly labels: Labels; readonly key: string } = { labels: [], key: '' };
  const keyOf = (name: string | undefined, at: number | undefined, labels: Labels): string => {
    if (labels !== last.labels) last = { labels, key: seriesKey(labels) };
    return `${name ?? ''} ${at ?? ''} ${last.key}`;
  };
  const groups = new Map<string, PromSample[]>();
  for (const { samples } of metrics) {
    for (const sample of samples) {
      const key = keyOf(sample.name, sample.at, sample.labels);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [sample]);
      else group.push(sample);
      yield;
    }
  }
  // Whether each process that has a series of a histogram has this bucket of it.
  const isInAll = ([{ at, labels }, ...more]: readonly [PromSample, ...PromSample[]]): boolean =>
    at === undefined ||
    groups.get(keyOf(`${first!.name}_count`, undefined, labels))?.length === more.length + 1;

  const shown: PromSample[] = [];
  for (const group of groups.values()) {
    yield;
    const all = group as [PromSample, ...PromSample[]];
    if (first!.type === 'histogram' && !isInAll(all)) continue;
    shown.push({ ...all[0], value: aggregate(group.map(({ value }) => value)), exemplar: latest(group) });
  }
  if (shown.length < groups.size) {
    warn(
      `the histogram "${first!.name}" has other boundaries in other processes: only the common ones are shown`,
    );
  }
  return shown;
}

function latest(group: readonly PromSample[]): Exemplar | undefined {
  let found: Exemplar | undefined;
  for (const { exemplar } of group) {
    if (exemplar !== undefined && (found === undefined || exemplar.timeMs > found.timeMs)) found = exemplar;
  }
  return found;
}

/**
 * The metrics of a process that stay after its end: counts and sums, because a counter that falls would look like a reset. Gauges and
 * quantiles go: they describe a process that no longer exists.
 */
export function lasting(metrics: readonly PromMetric[]): PromMetric[] {
  return metrics
    .filter(({ type, aggregator }) => type !== 'gauge' && aggregator === 'sum')
    .map((metric) =>
      metric.type === 'summary'
        ? { ...metric, samples: metric.samples.filter(({ name }) => name !== undefined) }
        : metric,
    );
}
