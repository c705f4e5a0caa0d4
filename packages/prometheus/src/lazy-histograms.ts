import {
  exponentialBuckets,
  recountBuckets,
  type SlotRange,
  type SparseCounts,
} from '@hdrscope/core/internal';
import { bucketCounts } from '@hdrscope/registry';
import {
  type CurrentState,
  countsWithin,
  type FamilyFacts,
  findChangedSlots,
  isLive,
  readState,
  readVersion,
  type Shown,
  toThresholdCounts,
} from '@hdrscope/registry/internal';
import type { ClassicBuckets, HistogramValue, Labels, NativeBuckets } from './families.ts';
import { NO_LABELS, seriesLabels, withoutName } from './labels.ts';
import type { EarlierMetric, LazyFamily, LazyMetrics } from './lazy-family.ts';
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
  family: FamilyFacts,
  series: readonly Shown[],
  look: HistogramLook,
  timestampMs: number | undefined,
): LazyMetrics<Shown> {
  const { name, scope } = family;
  const labelsOf = ({ attributes }: Shown): Labels => {
    const labels = seriesLabels(attributes, look.extra, 'le', look.keepsCharacters);
    return look.vmrange ? withoutName(labels, 'vmrange') : labels;
  };
  return {
    states: series,
    recipe: timestampMs === undefined ? JSON.stringify([name, scope, look]) : undefined,
    metricOf(shown, earlier, hasNative = true) {
      const state = readState(shown);
      const changed = earlier && findChangedSlots({ shown: earlier.state, version: earlier.version }, shown);
      const metric = {
        labels: earlier?.hasLabels ? NO_LABELS : labelsOf(shown),
        timestampMs,
        createdMs: state.startTimeMs,
        value: histogramOf(
          state,
          family,
          look,
          hasNative && look.buckets !== 'classic'
            ? nativeBuckets(
                state,
                family,
                look,
                changed && { slots: changed, readBuckets: earlier.readBuckets },
              )
            : undefined,
        ),
      };
      if (isLive(shown)) shown.markRead();
      return metric;
    },
    labelsOf,
    identityOf: ({ attributes }) => attributes,
    versionOf: readVersion,
  };
}

/** Whether a histogram and its counters are of one moment only where its series come as states. */
export function needsStates({ statedThresholds }: FamilyFacts): boolean {
  return statedThresholds.length > 0;
}

/**
 * The counter of the values within each threshold that a family states. A recorded value counts exactly there, while buckets divide values
 * at their ends only. The counter has the labels of the histogram, and `threshold`.
 *
 * @param name The name of the histogram.
 * @param series Where they are states of one moment, the counter agrees with the histogram.
 * @returns Nothing for a family that states no threshold.
 */
export function withinFamilies(
  name: string,
  family: FamilyFacts,
  series: readonly Shown[],
  { extra, keepsCharacters }: Pick<HistogramLook, 'extra' | 'keepsCharacters'>,
  timestampMs: number | undefined,
): LazyFamily[] {
  const { scope, statedThresholds: thresholds } = family;
  if (thresholds.length === 0) return [];
  const parts = thresholds.map((threshold, at): LazyMetrics<Shown> => {
    const labelsOf = ({ attributes }: Shown): Labels => [
      ...seriesLabels(attributes, extra, 'threshold', keepsCharacters),
      ['threshold', String(threshold)],
    ];
    return {
      states: series,
      recipe:
        timestampMs === undefined
          ? JSON.stringify([family.name, scope, extra, keepsCharacters, threshold])
          : undefined,
      metricOf(shown, earlier) {
        const state = readState(shown);
        const value = countsWithin(family, state)[at]!;
        return {
          labels: earlier?.hasLabels ? NO_LABELS : labelsOf(shown),
          timestampMs,
          createdMs: state.startTimeMs,
          value: { kind: 'number', value },
        };
      },
      labelsOf,
      identityOf: ({ attributes }) => attributes,
    };
  });
  const help = `How many values of ${name} are at most the threshold`;
  return [{ name: `${name}_within`, help, unit: '', type: 'counter', parts }];
}

/** What is known of a state besides itself: where it differs from an earlier one, and how to read the buckets of that. */
interface Changed extends Pick<EarlierMetric, 'readBuckets'> {
  readonly slots: SlotRange;
}

function histogramOf(
  state: CurrentState,
  family: FamilyFacts,
  { buckets, boundaries, vmrange }: HistogramLook,
  native: NativeBuckets | undefined,
): HistogramValue {
  const { counts, sum, exemplars } = state;
  const toClassic = (): ClassicBuckets => ({
    boundaries,
    counts: bucketCounts(family, state, boundaries),
  });
  // No getter: V8 gives an object that is made with one a hidden class of its own, which is garbage of the old generation.
  return {
    kind: 'histogram',
    count: counts.total,
    sum,
    native,
    classic: buckets === 'native' ? undefined : toClassic(),
    toClassic: buckets === 'native' ? toClassic : undefined,
    toRanges: vmrange ? () => rangeBuckets(family, state) : undefined,
    exemplars: exemplars.length > 0 ? exemplars : undefined,
  };
}

/** The buckets of an earlier state, brought up to date: `undefined` where all buckets take no longer, or lie elsewhere. */
function updatedBuckets(
  state: CurrentState,
  family: FamilyFacts,
  { maxScale, zeroThreshold }: HistogramLook,
  { slots, readBuckets }: Changed,
): NativeBuckets | undefined {
  const earlier = readBuckets();
  if (earlier === undefined) return undefined;
  const { scale, offset, counts: buckets } = earlier;
  const counts = state.counts as SparseCounts;
  const division = toThresholdCounts(family, state);
  const places = { scale, offset, length: buckets.length };
  const recounted = recountBuckets(places, counts, family, maxScale, slots, division);
  if (recounted === undefined) return undefined;
  const first = recounted.offset - offset;
  for (let i = 0; i < recounted.length; i++) buckets[first + i] = recounted.counts[i]!;
  return { positive: { ...earlier, zeroCount: counts.at(0) }, zeroThreshold };
}

function nativeBuckets(
  state: CurrentState,
  family: FamilyFacts,
  look: HistogramLook,
  changed: Changed | undefined,
): NativeBuckets {
  const updated = changed && updatedBuckets(state, family, look, changed);
  if (updated !== undefined) return updated;
  const { maxSize, maxScale, zeroThreshold } = look;
  const { counts } = state;
  const division = toThresholdCounts(family, state);
  const positive = exponentialBuckets(counts, family, { maxSize, maxScale }, division);
  if (positive.scale >= MIN_SCHEMA) return { positive, zeroThreshold };
  // Too few buckets for the range at the coarsest schema, so it gets as many as it needs there.
  const coarsest = { maxSize: LEAST_MAX_BUCKETS, maxScale: MIN_SCHEMA };
  return { positive: exponentialBuckets(counts, family, coarsest, division), zeroThreshold };
}
