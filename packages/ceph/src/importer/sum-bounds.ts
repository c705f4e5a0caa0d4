/** The sum of the values of an axis, by the counters of the daemon, in the unit of the axis. */
export interface SumBounds {
  /** The sum is at least this: that of the values which were counted before the histogram was read. */
  readonly lower: number;
  /** The sum is at most this. It equals `lower` when nothing was counted meanwhile: the sum is exact then. */
  readonly upper: number;
  /** The sum, or where it would be if the values that were counted meanwhile were equal. */
  readonly value: number;
}

/** The sums of an increase. */
export function sumsBetween(
  then: readonly SumBounds[] | undefined,
  now: readonly SumBounds[] | undefined,
): SumBounds[] | undefined {
  if (then === undefined || now === undefined) return undefined;
  return now.map(({ lower, upper, value }, i) => ({
    lower: Math.max(0, lower - then[i]!.upper),
    upper: upper - then[i]!.lower,
    value: value - then[i]!.value,
  }));
}
