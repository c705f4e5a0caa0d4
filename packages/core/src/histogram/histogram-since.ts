import type { Counted } from '../counted.ts';
import { SparseCounts } from '../counts/sparse.ts';
import { type CounterOptions, increase } from '../increase.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { Histogram } from './histogram.ts';
import { histogramOver } from './histogram-over.ts';

/**
 * The values that were counted after an earlier state, as a histogram of its own: see `increase`.
 *
 * @param before The earlier state. Left out, all values are new.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` as `increase` does.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { histogramSince } from '@hdrscope/core/internal';
 *
 * const all = new Histogram({ highestTrackableValue: 1000 });
 * all.record(7);
 * const before = all.copy();
 * all.record(42);
 * histogramSince(all, before).min; //=> 42
 * ```
 */
export function histogramSince(
  now: Counted<HdrLayout>,
  before: Counted<HdrLayout> | undefined,
  options?: CounterOptions,
): Histogram {
  const { counts } = increase(now, before, options);
  const { layout, placedFrom, weight } = now;
  if (counts instanceof SparseCounts && counts !== now.counts)
    return histogramOver(layout, counts, placedFrom, weight);
  const histogram = new Histogram({ layout, storage: 'sparse' });
  histogram.add({ layout, counts, placedFrom, weight });
  return histogram;
}
