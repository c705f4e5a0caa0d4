import type { Exemplar } from '@hdrscope/registry';
import type { Labels, Warn } from '../families.ts';
import { seriesKey } from '../labels.ts';
import type { PromMetric, PromSample } from './metrics.ts';

/**
 * Merges the metrics of several registries or processes as `AggregatorRegistry` of `prom-client` does: values of one name and
 * equal labels become one, by the aggregator of the first metric of this name: `sum`, `first`, `min`, `max`, `average`, or `omit`,
 * which leaves the metric out. It differs in four things: the latest exemplar is kept; a metric of another type than the first one of
 * its name is left out with a warning; so is one with an unknown aggregator, which fails the whole scrape there; and of histograms with
 * other boundaries in other processes, the common ones are shown, at which the counts are exact.
 */
export function merged(lists: readonly (readonly PromMetric[])[], warn: Warn): PromMetric[] {
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
  return [...byName.values()].flatMap((metrics) => {
    const { name, aggregator } = metrics[0]!;
    if (aggregator === 'omit') return [];
    const aggregate = AGGREGATORS[aggregator];
    if (aggregate === undefined) {
      warn(`"${name}" has the unknown aggregator "${aggregator}": the metric is left out`);
      return [];
    }
    return [{ ...metrics[0]!, samples: mergedSamples(metrics, aggregate, warn) }];
  });
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

function mergedSamples(metrics: readonly PromMetric[], aggregate: Aggregate, warn: Warn): PromSample[] {
  const [first, ...others] = metrics;
  if (others.length === 0) return [...first!.samples];
  const groups = new Map<string, PromSample[]>();
  for (const { samples } of metrics) {
    for (const sample of samples) {
      const key = keyOf(sample.name, sample.labels);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [sample]);
      else group.push(sample);
    }
  }
  const isShown = first!.type === 'histogram' ? isInAll : () => true;
  const shown = [...groups.values()].filter((group) => isShown(group, first!.name, groups));
  if (shown.length < groups.size) {
    warn(
      `the histogram "${first!.name}" has other boundaries in other processes: only the common ones are shown`,
    );
  }
  return shown.map((group) => ({
    ...group[0]!,
    value: aggregate(group.map(({ value }) => value)),
    exemplar: latest(group),
  }));
}

/** Whether a sample of a histogram is no bucket, or each process that has the series has this bucket. */
function isInAll(
  group: readonly PromSample[],
  histogram: string,
  groups: ReadonlyMap<string, readonly PromSample[]>,
): boolean {
  const { name, labels } = group[0]!;
  if (name !== `${histogram}_bucket`) return true;
  const ofSeries = labels.filter(([label]) => label !== 'le');
  return groups.get(keyOf(`${histogram}_count`, ofSeries))?.length === group.length;
}

function keyOf(name: string | undefined, labels: Labels): string {
  return `${name ?? ''} ${seriesKey(labels)}`;
}

function latest(group: readonly PromSample[]): Exemplar | undefined {
  let found: Exemplar | undefined;
  for (const { exemplar } of group) {
    if (exemplar !== undefined && (found === undefined || exemplar.timeMs > found.timeMs)) found = exemplar;
  }
  return found;
}

/**
 * What stays of the metrics of a process that has ended: counts and sums, because a counter that falls would look like a reset.
 * Gauges and quantiles describe what no longer exists.
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
