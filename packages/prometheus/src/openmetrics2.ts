import type { BucketRun } from '@hdrscope/core/internal';
import {
  type ClassicBuckets,
  type HistogramValue,
  type Metric,
  type NativeBuckets,
  STARTED_TYPES,
  type SummaryValue,
} from './families.ts';
import { type FormatWriter, textFormat } from './format-writer.ts';
import type { FamilyFacts } from './lazy-family.ts';
import { exposedName } from './names.ts';
import { spansOf } from './native.ts';
import {
  boundaryText,
  classicBucketsOf,
  exemplarText,
  labelsText,
  numberText,
  openMetricsComments,
  secondsText,
  seriesText,
} from './text-parts.ts';

/**
 * Makes a writer of OpenMetrics 2.0, release candidate 0: one line a series, in which a histogram is a composite value with its
 * native buckets, its classic ones, or both, and a start timestamp and exemplars follow. An unknown sum is NaN.
 * Source: https://prometheus.io/docs/specs/om/open_metrics_spec_2_0/#text-format
 */
export function openMetrics2Writer(): FormatWriter {
  return textFormat(sample, comments, '# EOF\n', true);
}

function comments(family: FamilyFacts): string {
  return openMetricsComments(fullName(family), family.type, family);
}

/** The name that both comments and samples have. That of an info must end with `_info`. */
function fullName(family: FamilyFacts): string {
  const name = exposedName(family);
  return family.type === 'info' && !name.endsWith('_info') ? `${name}_info` : name;
}

function sample(family: FamilyFacts, { labels, timestampMs, createdMs, value }: Metric): string {
  const { type } = family;
  const series = seriesText(fullName(family), labelsText(labels));
  const time = timestampMs === undefined ? '' : ` ${secondsText(timestampMs)}`;
  const hasStart = createdMs !== undefined && STARTED_TYPES.has(type);
  const start = hasStart ? ` st@${secondsText(createdMs)}` : '';
  if (value.kind === 'histogram') {
    const exemplars = (value.exemplars ?? []).map(exemplarText).join('');
    return `${series} {${histogramText(value)}}${time}${start}${exemplars}\n`;
  }
  if (value.kind === 'summary') return `${series} {${summaryText(value)}}${time}${start}\n`;
  const exemplar = type === 'counter' ? exemplarText(value.exemplar) : '';
  return `${series} ${numberText(value.value)}${time}${start}${exemplar}\n`;
}

function summaryText({ count, sum = Number.NaN, quantiles }: SummaryValue): string {
  const sorted = [...quantiles].sort((a, b) => a.quantile - b.quantile);
  const texts = sorted.map(({ quantile, value }) => `${boundaryText(quantile)}:${numberText(value)}`);
  return `count:${count},sum:${numberText(sum)},quantile:[${texts.join(',')}]`;
}

function histogramText(value: HistogramValue): string {
  const { count, sum = Number.NaN, native } = value;
  const shown = native === undefined ? classicBucketsOf(value) : value.classic;
  const buckets = shown === undefined ? '' : `,${classicText(shown)}`;
  return `count:${count},sum:${numberText(sum)}${native === undefined ? '' : nativeText(native)}${buckets}`;
}

function nativeText({ positive, negative, zeroThreshold }: NativeBuckets): string {
  const { scale, zeroCount } = positive;
  const zero = `zero_threshold:${numberText(zeroThreshold)},zero_count:${zeroCount}`;
  const below = negative === undefined ? '' : sideText('negative', negative);
  return `,schema:${scale},${zero}${below}${sideText('positive', positive)}`;
}

/** The used buckets of one side, as spans and absolute counts. Without any, the text is empty. */
function sideText(side: 'positive' | 'negative', { offset, counts }: BucketRun): string {
  const { length, offsets, lengths, starts } = spansOf(offset, counts);
  if (length === 0) return '';
  let [spans, buckets] = ['', ''];
  for (let i = 0; i < length; i++) {
    const separator = i === 0 ? '' : ',';
    spans += `${separator}${offsets[i]}:${lengths[i]}`;
    buckets += `${separator}${counts.slice(starts[i], starts[i]! + lengths[i]!).join(',')}`;
  }
  return `,${side}_spans:[${spans}],${side}_buckets:[${buckets}]`;
}

function classicText({ boundaries, counts }: ClassicBuckets): string {
  let cumulative = 0;
  let text = '';
  for (let i = 0; i < counts.length; i++) {
    cumulative += counts[i]!;
    text += i < boundaries.length ? `${boundaryText(boundaries[i]!)}:${cumulative},` : `+Inf:${cumulative}`;
  }
  return `bucket:[${text}]`;
}
