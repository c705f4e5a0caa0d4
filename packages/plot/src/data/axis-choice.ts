import type { ReadonlyHistogram } from '@hdrscope/core';

// From this ratio of maximum to median on, a linear axis shows half of the values as a flat line.
const LONG_TAIL = 25;

/**
 * The value axis that shows both the bulk of a distribution and its largest value: logarithmic when the maximum is more than
 * 25 times the median.
 *
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { valueAxisOf } from '@hdrscope/plot';
 *
 * const latencies = new Histogram({ highestTrackableValue: 1_000_000 });
 * for (const us of [10, 20, 30]) latencies.record(us);
 * valueAxisOf(latencies); //=> 'linear'
 * latencies.record(9000);
 * valueAxisOf(latencies); //=> 'log'
 * ```
 */
export function valueAxisOf(histogram: ReadonlyHistogram): 'linear' | 'log' {
  const median = histogram.valueAtPercentile(50);
  return median > 0 && histogram.max > LONG_TAIL * median ? 'log' : 'linear';
}
