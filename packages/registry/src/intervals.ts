/**
 * The smallest and the largest value between two snapshots of a series. Each knows the one after it and none before, so
 * whoever holds an old snapshot can walk on from there, and what nobody holds is forgotten.
 */
export interface Interval {
  readonly min: number;
  readonly max: number;
  readonly next: OpenInterval;
}

/** What follows a snapshot: an interval once another snapshot was taken. */
export interface OpenInterval {
  ended: Interval | undefined;
}

/** The extremes of all intervals from one on up to another; `undefined` where the one does not lead to the other. */
export function extremesBetween(
  from: OpenInterval,
  to: OpenInterval,
): { readonly min: number; readonly max: number } | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let open = from; open !== to; open = open.ended.next) {
    if (open.ended === undefined) return undefined;
    min = Math.min(min, open.ended.min);
    max = Math.max(max, open.ended.max);
  }
  return { min, max };
}
