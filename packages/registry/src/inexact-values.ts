import { unsureCount } from './ends.ts';
import type { CurrentState } from './series-snapshot.ts';

/**
 * The gauge that states, for each family, how many values may be shown in a wrong bucket, where a format has no widths. It is the same for
 * all kinds of buckets, although explicit ones at the bounds of the wide ones are exact.
 */
export const INEXACT_VALUES = {
  name: 'hdrscope.inexact_values',
  description:
    'Values that came in buckets wider than the slots of their family: at most so many are shown in a wrong bucket',
} as const;

/** Snapshots share the states of series that have not changed, so most readers count few of them anew. */
const known = new WeakMap<CurrentState, number>();

/** How many values of a series may be shown in a wrong bucket: an upper bound. */
export function countInexact(series: CurrentState): number {
  if (series.reaches === undefined) return 0;
  let inexact = known.get(series);
  if (inexact === undefined) {
    inexact = unsureCount(series.counts, series.reaches);
    known.set(series, inexact);
  }
  return inexact;
}
