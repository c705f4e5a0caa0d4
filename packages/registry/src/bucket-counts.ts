import type { ThresholdCounts } from '@hdrscope/core/internal';
import { explicitCounts } from '@hdrscope/core/internal';
import type { FamilySnapshot } from './family.ts';
import type { SeriesSnapshot } from './series-snapshot.ts';
import { assertFamily } from './snapshot.ts';

/**
 * The counts of a series between boundaries.
 *
 * At a boundary that is one of the thresholds of the family, a recorded value counts by itself, as in a histogram that has these
 * buckets only. At any other boundary, all values of a slot count as the middle of the slot. Values that a series has rejected are
 * in no bucket.
 *
 * @param boundaries Finite and ascending, in the family's unit; each belongs to the bucket below it.
 * @returns One count more than there are boundaries: the last one is that of the values above all boundaries.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the family is not one of a snapshot, or the boundaries are not finite and
 *   ascending.
 * @example
 * ```ts
 * import { bucketCounts, createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const sizes = registry.histogram({ name: 'upload.size', unit: 'By', thresholds: [1000] });
 * for (const bytes of [700, 1000, 1001]) sizes.with({}).record(bytes);
 *
 * const [family] = (await registry.gather()).families;
 * bucketCounts(family!, family!.series[0]!, [1000]); //=> [2, 1]
 * ```
 */
export function bucketCounts(
  family: Pick<FamilySnapshot, 'unitLayout' | 'thresholds'>,
  series: Pick<SeriesSnapshot, 'counts' | 'atThresholds'>,
  boundaries: readonly number[],
): number[] {
  assertFamily(family, 'unitLayout');
  return explicitCounts(series.counts, family, boundaries, toThresholdCounts(family, series));
}

/** What was computed of a state: a reader asks for it again while the series does not change. */
const WITHIN = /* @__PURE__ */ new WeakMap<object, readonly number[]>();

/** How many values of a series are at most each threshold that its family states. */
export function countsWithin(
  family: Pick<FamilySnapshot, 'unitLayout' | 'thresholds' | 'statedThresholds'>,
  series: Pick<SeriesSnapshot, 'counts' | 'atThresholds'>,
): readonly number[] {
  const known = WITHIN.get(series);
  if (known !== undefined) return known;
  let within = 0;
  const counts = bucketCounts(family, series, family.statedThresholds);
  const found = family.statedThresholds.map((_, at) => {
    within += counts[at]!;
    return within;
  });
  WITHIN.set(series, found);
  return found;
}

/** How the counts of a series divide at the thresholds of its family. */
export function toThresholdCounts(
  { thresholds }: Pick<FamilySnapshot, 'thresholds'>,
  { atThresholds }: Pick<SeriesSnapshot, 'atThresholds'>,
): ThresholdCounts | undefined {
  return atThresholds && { thresholds, counts: atThresholds };
}
