import type { Steps } from '@hdrscope/kit';
import type { HistogramValue, Labels, Metric, MetricFamily, SummaryValue, Warn } from '../families.ts';
import { seriesKey } from '../labels.ts';
import type { PromMetric, PromSample } from './metrics.ts';

/**
 * Converts a metric to a family, in steps, with the name, the type, the help text, the labels and the exemplars that it has. A series
 * that Prometheus cannot show is left out with a warning.
 */
export function* familyOf(metric: PromMetric, warn: Warn): Steps<MetricFamily> {
  const { name, help, type } = metric;
  const facts = { help, unit: '', type };
  switch (type) {
    case 'counter': {
      const base = name.replace(/(?<=.)_total$/, '');
      const metrics = metric.samples.map(numberMetric);
      return base === name
        ? { ...facts, name, isFixedName: true, metrics }
        : { ...facts, name: base, metrics };
    }
    case 'gauge':
      return { ...facts, name, metrics: metric.samples.map(numberMetric) };
    case 'histogram':
      return { ...facts, name, metrics: yield* seriesMetrics(metric, histogramValue, warn) };
    case 'summary':
      return { ...facts, name, metrics: yield* seriesMetrics(metric, summaryValue, warn) };
  }
}

function numberMetric({ labels, value, exemplar }: PromSample): Metric {
  return { labels, value: { kind: 'number', value, ...(exemplar && { exemplar }) } };
}

/** The samples of one series of a histogram or a summary. */
interface SeriesSamples {
  readonly labels: Labels;
  /** Buckets or quantiles. */
  readonly parts: PromSample[];
  sum?: number;
  count?: number;
}

/**
 * Joins the samples of each series.
 *
 * @param convert Makes the value of a series, or returns the reason why it cannot, as a text.
 */
function* seriesMetrics(
  metric: PromMetric,
  convert: (series: SeriesSamples) => HistogramValue | SummaryValue | string,
  warn: Warn,
): Steps<Metric[]> {
  const bySeries = new Map<string, SeriesSamples>();
  const [sum, count] = [`${metric.name}_sum`, `${metric.name}_count`];
  let series: SeriesSamples | undefined;
  for (const sample of metric.samples) {
    if (sample.labels !== series?.labels) {
      const key = seriesKey(sample.labels);
      series = bySeries.get(key) ?? { labels: sample.labels, parts: [] };
      bySeries.set(key, series);
      yield;
    }
    if (sample.name === sum) series.sum = sample.value;
    else if (sample.name === count) series.count = sample.value;
    else series.parts.push(sample);
  }
  const metrics: Metric[] = [];
  for (const one of bySeries.values()) {
    const value = convert(one);
    if (typeof value !== 'string') metrics.push({ labels: one.labels, value });
    else warn(`a series of the ${metric.type} "${metric.name}" ${value}: it is left out`);
    yield;
  }
  return metrics;
}

function histogramValue({ parts, sum, count }: SeriesSamples): HistogramValue | string {
  if (count === undefined || !isCount(count)) return NO_COUNTS;
  if (parts.some(({ at }) => Number.isNaN(at ?? Number.NaN))) {
    return 'has a bucket whose boundary is not a number';
  }
  const buckets = parts.filter(({ at }) => at! < Number.POSITIVE_INFINITY).sort((a, b) => a.at! - b.at!);
  const counts: number[] = [];
  let before = 0;
  for (const { value } of buckets) {
    counts.push(value - before);
    before = value;
  }
  counts.push(count - before);
  if (!counts.every(isCount)) return NO_COUNTS;
  const exemplars = parts.flatMap(({ exemplar }) => exemplar ?? []);
  return {
    kind: 'histogram',
    count,
    sum,
    classic: { boundaries: buckets.map(({ at }) => at!), counts },
    ...(exemplars.length > 0 && { exemplars }),
  };
}

function summaryValue({ parts, sum, count }: SeriesSamples): SummaryValue | string {
  if (count === undefined || !isCount(count)) return NO_COUNTS;
  if (parts.some(({ at = Number.NaN }) => !(at >= 0 && at <= 1))) {
    return 'has a quantile that is not from 0 to 1';
  }
  const quantiles = parts.map(({ at, value }) => ({ quantile: at!, value }));
  return { kind: 'summary', count, sum, quantiles };
}

const NO_COUNTS = 'has counts that are not integers from 0 to 2^53 - 1, ascending with the boundaries';

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}
