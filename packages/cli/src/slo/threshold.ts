import { exponentialBound, exponentialIndex } from '@hdrscope/core/internal';

/**
 * How Prometheus stores a histogram: `native` with exponential buckets, `custom` as a native histogram with custom bounds (NHCB),
 * `classic` as series with the label `le`.
 */
export type HistogramForm = 'native' | 'custom' | 'classic';

export const HISTOGRAM_FORMS: readonly HistogramForm[] = ['native', 'custom', 'classic'];

/** A threshold in the unit of a histogram, and how the histogram answers it. */
export interface Threshold {
  readonly value: number;
  /** The threshold as the person wrote it. */
  readonly text: string;
  readonly form: HistogramForm;
  /** The coarsest schema of a native histogram. */
  readonly schema: number;
  /**
   * The bounds of the bucket that holds the threshold, if the threshold is not one of them: the share of values in this bucket bounds
   * the error of a ratio. `undefined` when ratios are exact.
   */
  readonly bucket: readonly [lower: number, upper: number] | undefined;
}

/** The bucket of a native histogram that a value divides. `undefined` when the value is the upper bound of its bucket. */
export function dividedBucket(
  value: number,
  schema: number,
): readonly [lower: number, upper: number] | undefined {
  const index = exponentialIndex(schema, value);
  const upper = exponentialBound(schema, index + 1);
  return upper === value ? undefined : [exponentialBound(schema, index), upper];
}

/** The bounds next to a value that is not one of them: one or two. */
export function neighbours(value: number, bounds: readonly number[]): readonly number[] {
  const sorted = [...bounds].sort((a, b) => a - b);
  const below = sorted.findLast((bound) => bound < value);
  const above = sorted.find((bound) => bound > value);
  return [below, above].filter((bound) => bound !== undefined);
}
