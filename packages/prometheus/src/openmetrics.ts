import type { Exemplar } from '@hdrscope/registry';
import { exemplarLabels, exemplarsByBucket } from './exemplars.ts';
import type { HistogramValue, Metric, MetricFamily } from './families.ts';
import { type FormatWriter, textFormat } from './format-writer.ts';
import type { FamilyFacts } from './lazy-family.ts';
import { unitInName } from './names.ts';
import { summarySamples } from './summary.ts';
import { escapedValue, inBraces, labelsText, numberText } from './text-parts.ts';

/**
 * Makes a writer of OpenMetrics 1.0, with creation times and exemplars.
 * Source: https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md#text-format
 */
export function openMetricsWriter(): FormatWriter {
  return textFormat(samples, comments, '# EOF\n');
}

function comments(family: FamilyFacts): string {
  const { name, help } = family;
  const type = typeOf(family);
  const unit = type === 'info' ? '' : unitInName(family);
  const unitLine = unit === '' ? '' : `# UNIT ${name} ${unit}\n`;
  const helpLine = help === '' ? '' : `# HELP ${name} ${escapedValue(help)}\n`;
  return `# TYPE ${name} ${type}\n${unitLine}${helpLine}`;
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

/** The types with a time of creation. */
const CREATED: ReadonlySet<MetricFamily['type']> = new Set(['counter', 'histogram', 'summary']);

function samples(family: FamilyFacts, { labels, timestampMs, createdMs, value }: Metric): string {
  const { name } = family;
  const type = typeOf(family);
  const own = labelsText(labels);
  const time = timestampMs === undefined ? '' : ` ${secondsText(timestampMs)}`;
  const braces = inBraces(own);
  const hasCreated = createdMs !== undefined && CREATED.has(type);
  const created = hasCreated ? `${name}_created${braces} ${secondsText(createdMs)}${time}\n` : '';
  if (value.kind === 'histogram') return histogramSamples(name, own, value, time) + created;
  if (value.kind === 'summary') return summarySamples(name, own, value, `${time}\n`, boundaryText) + created;
  const exemplar = type === 'counter' ? exemplarText(value.exemplar) : '';
  return `${name}${SUFFIXES[type]}${braces} ${numberText(value.value)}${time}${exemplar}\n${created}`;
}

function histogramSamples(name: string, own: string, value: HistogramValue, time: string): string {
  const { boundaries, counts } = value.classic ??
    value.toClassic?.() ?? { boundaries: [], counts: [value.count] };
  const exemplars = exemplarsByBucket(boundaries, value.exemplars);
  const start = `${name}_bucket{${own === '' ? '' : `${own},`}le="`;
  let text = '';
  let cumulative = 0;
  for (let i = 0; i < counts.length; i++) {
    cumulative += counts[i]!;
    const le = i < boundaries.length ? boundaryText(boundaries[i]!) : '+Inf';
    text += `${start}${le}"} ${cumulative}${time}${exemplarText(exemplars[i])}\n`;
  }
  const braces = inBraces(own);
  if (value.sum !== undefined) text += `${name}_sum${braces} ${numberText(value.sum)}${time}\n`;
  return `${text}${name}_count${braces} ${value.count}${time}\n`;
}

function exemplarText(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return '';
  const labels = labelsText(exemplarLabels(exemplar));
  return ` # {${labels}} ${numberText(exemplar.value)} ${secondsText(exemplar.timeMs)}`;
}

/** A canonical number: integers have a point, exponents have two digits. */
function boundaryText(boundary: number): string {
  const text = numberText(boundary);
  if (/^-?\d+$/.test(text)) return `${text}.0`;
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Rounded, because a division by 1000 adds noise in the last digits. */
function secondsText(ms: number): string {
  return String(Number((ms / 1000).toFixed(6)));
}
