import type { SparseCounts } from '../counts/sparse.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import type { Layout } from '../layout/layout.ts';
import { Histogram } from './histogram.ts';
import { HistogramSetup } from './setup.ts';

/**
 * A histogram of a fixed range over counts that somebody else keeps: what changes it changes them. Frozen counts change by
 * nobody.
 *
 * @param placedFrom See `Counted`, as for the weight.
 * @example
 * ```ts
 * import { hdrLayout } from '@hdrscope/core';
 * import { histogramOver, SparseCounts } from '@hdrscope/core/internal';
 *
 * const layout = hdrLayout({ highestTrackableValue: 1000 });
 * const counts = new SparseCounts(layout.slotCount);
 * counts.increment(42);
 * histogramOver(layout, counts.freeze()).max; //=> 42
 * ```
 */
export function histogramOver(
  layout: HdrLayout,
  counts: SparseCounts,
  placedFrom?: readonly Layout[],
  weight?: number,
): Histogram {
  const histogram = Histogram.placed(new HistogramSetup(layout, counts, { autoResize: false }), placedFrom);
  if (weight) histogram.weight = weight;
  return histogram;
}
