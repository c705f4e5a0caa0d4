import { exponentialBuckets } from '@hdrscope/core/internal';
import { bucketCounts, type FamilySnapshot, type SeriesSnapshot } from '@hdrscope/registry';
import { countsWithin, toThresholdCounts } from '@hdrscope/registry/internal';
import type { ClassicBuckets, HistogramValue, Labels, NativeBuckets } from './families.ts';
import { seriesLabels, withoutName } from './labels.ts';
import type { LazyFamily, LazyMetrics } from './lazy-family.ts';
import { LEAST_MAX_BUCKETS, MIN_SCHEMA } from './native.ts';
import { rangeBuckets } from './vmrange.ts';

/** How the histograms of a family look. Plain data, because it is a part of their recipe. */
export interface HistogramLook {
  /** Labels of every series besides its attributes. */
  readonly extra: Labels;
  /** Whether keys of attributes keep all their characters. */
  readonly keepsCharacters: boolean;
  readonly buckets: 'native' | 'classic' | 'both';
  /** Whether text 0.0.4 has VictoriaMetrics' buckets in place of classic ones. */
  readonly vmrange: boolean;
  /** Boundaries of classic buckets. */
  readonly boundaries: readonly number[];
  /** The most native buckets: at least 2. */
  readonly maxSize: number;
  /** The finest schema: an integer from -4 to 8. */
  readonly maxScale: number;
  /** Values up to this are in the zero bucket. */
  readonly zeroThreshold: number;
}

/**
 * The histograms of a family.
 *
 * @param series Those of the family that are shown.
 * @param timestampMs The time that samples carry. Left out, they carry none.
 */
export function lazyHistograms(
  family: FamilySnapshot,
  series: readonly SeriesSnapshot[],
  look: HistogramLook,
  timestampMs: number | undefined,
): LazyMetrics<SeriesSnapshot> {
  const { name, scope } = family;
  const labelsOf = ({ attributes }: SeriesSnapshot): Labels => {
    const labels = seriesLabels(attributes, look.extra, 'le', look.keepsCharacters);
    return look.vmrange ? withoutName(labels, 'vmrange') : labels;
  };
  return {
    states: series,
    recipe: timestampMs === undefined ? JSON.stringify([name, scope, look]) : undefined,
    metricOf: (state) => ({
      labels: labelsOf(state),
      timestampMs,
      createdMs: state.startTimeMs,
      value: histogramOf(state, family, look),
    }),
    labelsOf,
    identityOf: ({ attributes }) => attributes,
  };
}

/**
 * The counter of the values within each threshold that a family states. A recorded value counts exactly there, while buckets divide values
 * at their ends only. The counter has the labels of the histogram, and `threshold`.
 *
 * @param name The name of the histogram.
 * @returns Nothing for a family that states no threshold.
 */
export function withinFamilies(
  name: string,
  family: FamilySnapshot,
  series: readonly SeriesSnapshot[],
  { extra, keepsCharacters }: Pick<HistogramLook, 'extra' | 'keepsCharacters'>,
  timestampMs: number | undefined,
): LazyFamily[] {
  const { scope, statedThresholds: thresholds } = family;
  if (thresholds.length === 0) return [];
  const parts = thresholds.map((threshold, at): LazyMetrics<SeriesSnapshot> => {
    const labelsOf = ({ attributes }: SeriesSnapshot): Labels => [
      ...seriesLabels(attributes, extra, 'threshold', keepsCharacters),
      ['threshold', String(threshold)],
    ];
    return {
      states: series,
      recipe:
        timestampMs === undefined
          ? JSON.stringify([family.name, scope, extra, keepsCharacters, threshold])
          : undefined,
      metricOf: (state) => ({
        labels: labelsOf(state),
        timestampMs,
        createdMs: state.startTimeMs,
        value: { kind: 'number', value: countsWithin(family, state)[at]! },
      }),
      labelsOf,
      identityOf: ({ attributes }) => attributes,
    };
  });
  const help = `How many values of ${name} are at most the threshold`;
  return [{ name: `${name}_within`, help, unit: '', type: 'counter', parts }];
}

function histogramOf(series: SeriesSnapshot, family: FamilySnapshot, look: HistogramLook): HistogramValue {
  const { counts, sum, exemplars } = series;
  const { buckets, boundaries } = look;
  const toClassic = (): ClassicBuckets => ({
    boundaries,
    counts: bucketCounts(family, series, boundaries),
  });
  const value: HistogramValue = {
    kind: 'histogram',
    count: counts.total,
    sum,
    ...(buckets === 'native' ? { toClassic } : { classic: toClassic() }),
    ...(look.vmrange && { toRanges: () => rangeBuckets(family, series) }),
    ...(exemplars.length > 0 && { exemplars }),
  };
  if (buckets === 'classic') return value;
  let native: NativeBuckets | undefined;
  return {
    ...value,
    // The text formats do not show native buckets, which take a quarter of the time of a metric.
    get native() {
      native ??= nativeBuckets(series, family, look);
      return native;
    },
  };
}

function nativeBuckets(
  series: SeriesSnapshot,
  family: FamilySnapshot,
  { maxSize, maxScale, zeroThreshold }: HistogramLook,
): NativeBuckets {
  const { counts } = series;
  const division = toThresholdCounts(family, series);
  const positive = exponentialBuckets(counts, family, { maxSize, maxScale }, division);
  if (positive.scale >= MIN_SCHEMA) return { positive, zeroThreshold };
  // Too few buckets for the range at the coarsest schema, so it gets as many as it needs there.
  const coarsest = { maxSize: LEAST_MAX_BUCKETS, maxScale: MIN_SCHEMA };
  return { positive: exponentialBuckets(counts, family, coarsest, division), zeroThreshold };
}
