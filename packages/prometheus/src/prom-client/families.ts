import { Slices } from '@hdrscope/kit';
import type { HistogramValue, Labels, Metric, MetricFamily, SummaryValue, Warn } from '../families.ts';
import { seriesKey } from '../labels.ts';
import type { PromMetric, PromSample } from './metrics.ts';

/** Converts metrics to families, with the names, types, help texts, labels and exemplars that they have. */
export async function familiesOfMetrics(metrics: readonly PromMetric[], warn: Warn): Promise<MetricFamily[]> {
  const slices = new Slices();
  const families: MetricFamily[] = [];
  for (const metric of metrics) {
    families.push(familyOf(metric, warn));
    if (slices.isOver()) await slices.next();
  }
  return families;
}

function familyOf(metric: PromMetric, warn: Warn): MetricFamily {
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
      return { ...facts, name, metrics: seriesMetrics(metric, 'le', histogramValue, warn) };
    case 'summary':
      return { ...facts, name, metrics: seriesMetrics(metric, 'quantile', summaryValue, warn) };
  }
}

function numberMetric({ labels, value, exemplar }: PromSample): Metric {
  return { labels, value: { kind: 'number', value, ...(exemplar && { exemplar }) } };
}

/** The samples of one series of a histogram or a summary. */
interface SeriesSamples {
  readonly labels: Labels;
  /** Buckets or quantiles, with the label that distinguishes them as a number. */
  readonly parts: { readonly at: number; readonly sample: PromSample }[];
  sum?: number;
  count?: number;
}

/**
 * Joins the samples of each series.
 *
 * @param reserved The label that distinguishes the samples of a series.
 * @param convert Makes the value of a series; as a text, why there is none.
 */
function seriesMetrics(
  metric: PromMetric,
  reserved: 'le' | 'quantile',
  convert: (series: SeriesSamples) => HistogramValue | SummaryValue | string,
  warn: Warn,
): Metric[] {
  const bySeries = new Map<string, SeriesSamples>();
  for (const sample of metric.samples) {
    const labels = sample.labels.filter(([name]) => name !== reserved);
    const key = seriesKey(labels);
    const series = bySeries.get(key) ?? { labels, parts: [] };
    bySeries.set(key, series);
    if (sample.name === `${metric.name}_sum`) series.sum = sample.value;
    else if (sample.name === `${metric.name}_count`) series.count = sample.value;
    else series.parts.push({ at: numberOf(sample.labels.find(([name]) => name === reserved)?.[1]), sample });
  }
  return [...bySeries.values()].flatMap((series) => {
    const value = convert(series);
    if (typeof value !== 'string') return [{ labels: series.labels, value }];
    warn(`a series of the ${metric.type} "${metric.name}" ${value}: it is left out`);
    return [];
  });
}

function numberOf(text: string | undefined): number {
  if (text === undefined || text === '') return Number.NaN;
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
}

function histogramValue({ parts, sum, count }: SeriesSamples): HistogramValue | string {
  if (count === undefined || !isCount(count)) return NO_COUNTS;
  if (parts.some(({ at }) => Number.isNaN(at))) return 'has a bucket whose boundary is not a number';
  const buckets = parts.filter(({ at }) => at < Number.POSITIVE_INFINITY).sort((a, b) => a.at - b.at);
  const counts: number[] = [];
  let before = 0;
  for (const { sample } of buckets) {
    counts.push(sample.value - before);
    before = sample.value;
  }
  counts.push(count - before);
  if (!counts.every(isCount)) return NO_COUNTS;
  const exemplars = parts.flatMap(({ sample: { exemplar } }) => (exemplar === undefined ? [] : [exemplar]));
  return {
    kind: 'histogram',
    count,
    sum,
    classic: { boundaries: buckets.map(({ at }) => at), counts },
    ...(exemplars.length > 0 && { exemplars }),
  };
}

function summaryValue({ parts, sum, count }: SeriesSamples): SummaryValue | string {
  if (count === undefined || !isCount(count)) return NO_COUNTS;
  if (parts.some(({ at }) => !(at >= 0 && at <= 1))) return 'has a quantile that is not from 0 to 1';
  return {
    kind: 'summary',
    count,
    sum,
    quantiles: parts.map(({ at, sample }) => ({ quantile: at, value: sample.value })),
  };
}

const NO_COUNTS = 'has counts that are not integers from 0 to 2^53 - 1, ascending with the boundaries';

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}
