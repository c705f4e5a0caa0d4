/** How many values of a series came without a fact, so that the series estimates it from their slots. */
export interface EstimatedCounts {
  /** Values that came without their sum: an integer from 0 on. */
  readonly sum: number;
  /** Values that came without the smallest of them: an integer from 0 on. */
  readonly min: number;
  /** Values that came without the largest of them: an integer from 0 on. */
  readonly max: number;
  /**
   * The most values that one of the counted ones stands for, where values came from a sample: an integer of at least 2. See `Counted`
   * of `@hdrscope/core`. @default each value stands for itself
   */
  readonly weight?: number | undefined;
}

/** A fact that values may come with. */
export type EstimatedFact = 'sum' | 'min' | 'max';

/** How many values came without each fact; `undefined` when they came with all facts. */
export function countEstimated(
  count: number,
  isKnown: Readonly<Record<EstimatedFact, boolean>>,
): EstimatedCounts | undefined {
  if (isKnown.sum && isKnown.min && isKnown.max) return undefined;
  const without = (fact: EstimatedFact): number => (isKnown[fact] ? 0 : count);
  return { sum: without('sum'), min: without('min'), max: without('max') };
}

/** Counts of a sample: all facts of the values that did not come are estimates. @param weight At least 2. */
export function countSampled(count: number, weight: number): EstimatedCounts {
  return { sum: count, min: count, max: count, weight };
}

/** The sum of both; `undefined` when every fact is known. */
export function addEstimated(
  a: EstimatedCounts | undefined,
  b: EstimatedCounts | undefined,
): EstimatedCounts | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const weight = Math.max(a.weight ?? 1, b.weight ?? 1);
  return { sum: a.sum + b.sum, min: a.min + b.min, max: a.max + b.max, ...(weight > 1 && { weight }) };
}

/** What came between two states of a series; `undefined` when every fact of it is known. */
export function estimatedSince(
  now: EstimatedCounts | undefined,
  then: EstimatedCounts | undefined,
): EstimatedCounts | undefined {
  if (now === undefined || then === undefined) return now;
  const { weight } = now;
  const since = { sum: now.sum - then.sum, min: now.min - then.min, max: now.max - then.max, weight };
  return since.sum + since.min + since.max === 0 ? undefined : since;
}
