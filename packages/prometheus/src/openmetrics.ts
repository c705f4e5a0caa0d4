import { exemplarsByBucket } from './exemplars.ts';
import { type HistogramValue, type Metric, type MetricFamily, STARTED_TYPES } from './families.ts';
import { type FormatWriter, textFormat } from './format-writer.ts';
import type { FamilyFacts } from './lazy-family.ts';
import { summarySamples } from './summary.ts';
import {
  boundaryText,
  classicBucketsOf,
  exemplarText,
  labelsText,
  numberText,
  openMetricsComments,
  openSeriesText,
  secondsText,
  seriesText,
} from './text-parts.ts';

/**
 * Makes a writer of OpenMetrics 1.0, with creation times and exemplars.
 * Source: https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md#text-format
 */
export function openMetricsWriter(): FormatWriter {
  return textFormat(samples, comments, '# EOF\n');
}

function comments(family: FamilyFacts): string {
  return openMetricsComments(family.name, typeOf(family), family);
}

const SUFFIXES: Readonly<Record<MetricFamily['type'], string>> = {
  counter: '_total',
  gauge: '',
  histogram: '',
  summary: '',
  info: '_info',
  unknown: '',
};

/** The name of a counter would get the suffix `_total` in this format. */
function typeOf({ type, isFixedName = false }: FamilyFacts): MetricFamily['type'] {
  return type === 'counter' && isFixedName ? 'unknown' : type;
}

function samples(family: FamilyFacts, { labels, timestampMs, createdMs, value }: Metric): string {
  const { name } = family;
  const type = typeOf(family);
  const own = labelsText(labels);
  const time = timestampMs === undefined ? '' : ` ${secondsText(timestampMs)}`;
  const hasCreated = createdMs !== undefined && STARTED_TYPES.has(type);
  const created = hasCreated
    ? `${seriesText(`${name}_created`, own)} ${secondsText(createdMs)}${time}\n`
    : '';
  if (value.kind === 'histogram') return histogramSamples(name, own, value, time) + created;
  if (value.kind === 'summary') return summarySamples(name, own, value, `${time}\n`, boundaryText) + created;
  const exemplar = type === 'counter' ? exemplarText(value.exemplar) : '';
  const series = seriesText(`${name}${SUFFIXES[type]}`, own);
  return `${series} ${numberText(value.value)}${time}${exemplar}\n${created}`;
}

function histogramSamples(name: string, own: string, value: HistogramValue, time: string): string {
  const { boundaries, counts } = classicBucketsOf(value);
  const exemplars = exemplarsByBucket(boundaries, value.exemplars);
  const start = `${openSeriesText(`${name}_bucket`, own)}le="`;
  let text = '';
  let cumulative = 0;
  for (let i = 0; i < counts.length; i++) {
    cumulative += counts[i]!;
    const le = i < boundaries.length ? boundaryText(boundaries[i]!) : '+Inf';
    text += `${start}${le}"} ${cumulative}${time}${exemplarText(exemplars[i])}\n`;
  }
  if (value.sum !== undefined) {
    text += `${seriesText(`${name}_sum`, own)} ${numberText(value.sum)}${time}\n`;
  }
  return `${text}${seriesText(`${name}_count`, own)} ${value.count}${time}\n`;
}
