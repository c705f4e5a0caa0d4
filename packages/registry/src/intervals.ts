/** The smallest and the largest value of an interval, in the family's unit. Infinities when it has no values. */
export interface Extremes {
  readonly min: number;
  readonly max: number;
}

/**
 * The interval that begins at a snapshot of a series. It ends at the next one, and then leads to the interval after it, and not back: the
 * holder of an old snapshot can walk forward from it, and intervals before the oldest snapshot in use are garbage.
 */
export interface Interval {
  min: number;
  max: number;
  /** `undefined` until the interval ends. */
  next: Interval | undefined;
}

export function newInterval(): Interval {
  return { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, next: undefined };
}

/**
 * The extremes of all intervals from `from` up to `to`, without `to`; `undefined` when `from` does not lead to `to`.
 */
export function extremesBetween(from: Interval, to: Interval): Extremes | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let interval = from; interval !== to; interval = interval.next) {
    if (interval.next === undefined) return undefined;
    min = Math.min(min, interval.min);
    max = Math.max(max, interval.max);
  }
  return { min, max };
}

/** Makes all intervals from `from` up to `to` one, unless `from` does not lead to `to`. */
export function joinUpTo(from: Interval, to: Interval): void {
  if (from === to || from.next === to) return;
  const extremes = extremesBetween(from, to);
  if (extremes === undefined) return;
  from.min = extremes.min;
  from.max = extremes.max;
  from.next = to;
}
