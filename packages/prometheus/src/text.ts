import type { HistogramValue, Metric, MetricFamily } from './families.ts';
import { type FormatWriter, textFormat } from './format-writer.ts';
import type { FamilyFacts } from './lazy-family.ts';
import { exposedName } from './names.ts';
import { summarySamples } from './summary.ts';
import {
  classicBucketsOf,
  labelsText,
  nameText,
  numberText,
  openSeriesText,
  seriesText,
} from './text-parts.ts';

/**
 * Makes a writer of Prometheus' text formats 0.0.4 and 1.0.0, with `# UNIT` comments like OpenTelemetry's stock exporter.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function textWriter(): FormatWriter {
  return textFormat(samples, comments, '');
}

function comments(family: FamilyFacts): string {
  const name = nameText(exposedName(family));
  const help = `# HELP ${name} ${escapedHelp(family.help || 'description missing')}\n`;
  const unit = family.unit === '' ? '' : `# UNIT ${name} ${escapedHelp(family.unit)}\n`;
  return `${help}${unit}# TYPE ${name} ${TYPES[family.type]}\n`;
}

const TYPES: Readonly<Record<MetricFamily['type'], string>> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'histogram',
  summary: 'summary',
  info: 'gauge',
  unknown: 'untyped',
};

function samples(family: FamilyFacts, { labels, timestampMs, value }: Metric): string {
  const name = exposedName(family);
  const own = labelsText(labels);
  // This format has whole milliseconds only: Prometheus refuses a scrape with a fraction.
  const end = timestampMs === undefined ? '\n' : ` ${Math.round(timestampMs)}\n`;
  if (value.kind === 'summary') return summarySamples(name, own, value, end, numberText);
  return value.kind === 'number'
    ? `${seriesText(name, own)} ${numberText(value.value)}${end}`
    : histogramSamples(name, own, value, end);
}

function histogramSamples(name: string, own: string, value: HistogramValue, end: string): string {
  let text = `${seriesText(`${name}_count`, own)} ${value.count}${end}`;
  if (value.sum !== undefined) text += `${seriesText(`${name}_sum`, own)} ${numberText(value.sum)}${end}`;
  const bucket = openSeriesText(`${name}_bucket`, own);
  if (value.toRanges !== undefined) {
    for (const { range, count } of value.toRanges()) text += `${bucket}vmrange="${range}"} ${count}${end}`;
    return text;
  }
  const { boundaries, counts } = classicBucketsOf(value);
  const start = `${bucket}le="`;
  let cumulative = 0;
  for (let i = 0; i < counts.length; i++) {
    cumulative += counts[i]!;
    text += `${start}${i < boundaries.length ? numberText(boundaries[i]!) : '+Inf'}"} ${cumulative}${end}`;
  }
  return text;
}

/** Escapes a help text, in which quotes need no escape. */
function escapedHelp(help: string): string {
  return help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}
