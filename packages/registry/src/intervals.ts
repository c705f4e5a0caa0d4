/** The smallest and the largest value of an interval, in the family's unit. Infinities when it has no values. */
export interface Extremes {
  readonly min: number;
  readonly max: number;
}

/**
 * The interval between two snapshots of a series. Each interval leads to the next one and not back: the holder of an
 * old snapshot can walk forward from it, and intervals before the oldest snapshot in use are garbage.
 */
export interface Interval extends Extremes {
  readonly next: OpenInterval;
}

/** The interval after a snapshot. It ends when the next snapshot is taken. */
export interface OpenInterval {
  ended: Interval | undefined;
}

/**
 * The extremes of all intervals from `from` up to `to`, without `to`; `undefined` when `from` does not lead to `to`.
 */
export function extremesBetween(from: OpenInterval, to: OpenInterval): Extremes | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let open = from; open !== to; open = open.ended.next) {
    if (open.ended === undefined) return undefined;
    min = Math.min(min, open.ended.min);
    max = Math.max(max, open.ended.max);
  }
  return { min, max };
}
