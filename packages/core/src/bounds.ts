/**
 * The two ends between which a number lies, both included. They are equal for a number that is known exactly. An end is infinite
 * where the other side is open, as above the last boundary of explicit buckets; both are `NaN` when nothing was counted, or
 * nothing is known.
 *
 * @example
 * ```ts
 * import { type Bounds, explicitLayout, LayoutHistogram, findQuantile } from '@hdrscope/core';
 *
 * const seconds = new LayoutHistogram(explicitLayout([0.25, 0.5, 1]));
 * seconds.recordValues([0.2, 0.3, 0.4]);
 * const { lower, upper }: Bounds = findQuantile(seconds, 0.5);
 * [lower, upper]; //=> [0.25, 0.5]
 * ```
 */
export interface Bounds {
  /** At least this, in the unit of the number. */
  readonly lower: number;
  /** At most this, in the unit of the number. */
  readonly upper: number;
}

/** The bounds of a number that is known exactly. */
export function exactly(value: number): Bounds {
  return { lower: value, upper: value };
}
