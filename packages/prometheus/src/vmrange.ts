import { VMRANGE_BOUNDARIES, VMRANGES } from '@hdrscope/kit';
import { bucketCounts } from '@hdrscope/registry';
import type { CurrentState, FamilyFacts } from '@hdrscope/registry/internal';

/** A bucket with a value, in VictoriaMetrics' form. */
export interface RangeBucket {
  /** Its limits, of which the lower one is outside: `1.000e+00...1.136e+00`. */
  readonly range: string;
  /** Not cumulative. */
  readonly count: number;
}

/** The buckets of a series that have values, ascending. All values of an HDR slot count as the middle of the slot. */
export function rangeBuckets(family: FamilyFacts, series: CurrentState): RangeBucket[] {
  const counts = bucketCounts(family, series, VMRANGE_BOUNDARIES);
  return counts.flatMap((count, i) => (count === 0 ? [] : [{ range: VMRANGES[i]!, count }]));
}
