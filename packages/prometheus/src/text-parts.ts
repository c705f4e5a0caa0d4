import type { Exemplar } from '@hdrscope/registry';
import { isClassicLabel, isClassicName } from './escaping.ts';
import { exemplarLabels } from './exemplars.ts';
import type { ClassicBuckets, HistogramValue, Labels, MetricFamily } from './families.ts';
import { unitInName } from './names.ts';

// The parts that the text formats write alike.

/** A number in a form that Go and JavaScript both read. */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : `${value}`;
}

/** `a="1",b="2"`, without braces. */
export function labelsText(labels: Labels): string {
  return labels.map(([name, value]) => `${labelText(name)}="${escapedValue(value)}"`).join(',');
}

function labelText(name: string): string {
  return isClassicLabel(name) ? name : `"${escapedValue(name)}"`;
}

/** A name as comments have it: quoted if necessary. */
export function nameText(name: string): string {
  return isClassicName(name) ? name : `"${escapedValue(name)}"`;
}

/** A name and labels: `x{a="1"}`, or `{"x.y",a="1"}` when the name needs quotes. */
export function seriesText(name: string, labels: string): string {
  if (isClassicName(name)) return labels === '' ? name : `${name}{${labels}}`;
  return labels === '' ? `{${nameText(name)}}` : `{${nameText(name)},${labels}}`;
}

/** `seriesText` up to the place where more labels and the closing brace follow. */
export function openSeriesText(name: string, labels: string): string {
  const start = isClassicName(name) ? `${name}{` : `{${nameText(name)},`;
  return labels === '' ? start : `${start}${labels},`;
}

/** Escapes the value of a label: backslash, line feed and quote. */
function escapedValue(value: string): string {
  return /[\\\n"]/.test(value)
    ? value.replace(/[\\\n"]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
    : value;
}

/** ` # {trace_id="…"} 0.25 1700000000.5`; without an exemplar, the text is empty. */
export function exemplarText(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return '';
  const labels = labelsText(exemplarLabels(exemplar));
  return ` # {${labels}} ${numberText(exemplar.value)} ${secondsText(exemplar.timeMs)}`;
}

/** A time in seconds, rounded, because a division by 1000 adds noise in the last digits. */
export function secondsText(ms: number): string {
  return String(Number((ms / 1000).toFixed(6)));
}

/** A canonical number: integers have a point, exponents have two digits. */
export function boundaryText(boundary: number): string {
  const text = numberText(boundary);
  if (/^-?\d+$/.test(text)) return `${text}.0`;
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** The classic buckets of a histogram; without any, one for all values. */
export function classicBucketsOf(value: HistogramValue): ClassicBuckets {
  return value.classic ?? value.toClassic?.() ?? { boundaries: [], counts: [value.count] };
}

/**
 * The comments of a family in either version of OpenMetrics.
 *
 * @param name The name in the comments: some have the suffix of the type.
 */
export function openMetricsComments(
  name: string,
  type: MetricFamily['type'],
  family: Pick<MetricFamily, 'name' | 'unit' | 'help'>,
): string {
  const { help } = family;
  const shown = nameText(name);
  const unit = type === 'info' ? '' : unitInName(family);
  const unitLine = unit === '' ? '' : `# UNIT ${shown} ${unit}\n`;
  const helpLine = help === '' ? '' : `# HELP ${shown} ${escapedValue(help)}\n`;
  return `# TYPE ${shown} ${type}\n${unitLine}${helpLine}`;
}
