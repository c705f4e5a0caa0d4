import type { ReadonlyHistogram } from '@hdrscope/core';

// From there on, half of the values would lie on the floor of a linear axis.
const LONG_TAIL = 25;

/** Which axis shows both where most values are and where the largest is. */
export function valueAxisOf(histogram: ReadonlyHistogram): 'linear' | 'log' {
  const median = histogram.valueAtPercentile(50);
  return median > 0 && histogram.max > LONG_TAIL * median ? 'log' : 'linear';
}
