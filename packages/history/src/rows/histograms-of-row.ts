import { Histogram } from '@hdrscope/core';
import { countedOfRow } from './counted-of-row.ts';
import type { Distribution } from './row.ts';

/**
 * The histograms of a row, in ticks: with each value as small as it may be, and as large. They are one histogram unless values lie in wide
 * buckets.
 *
 * @throws HdrscopeError as `countedOfRow`.
 */
export function histogramsOfRow({
  bits,
  k,
  c,
  w,
  weight,
}: Pick<Distribution, 'bits' | 'k' | 'c' | 'w' | 'weight'>): Readonly<
  Record<'histogram' | 'lowest' | 'highest', Histogram>
> {
  const lowest = countSlots({ bits, k, c, weight });
  const highest =
    w.length === 0 ? lowest : countSlots({ bits, k: k.map((slot, i) => slot + (w[i] ?? 0)), c, weight });
  return { histogram: highest, lowest, highest };
}

function countSlots(slots: Pick<Distribution, 'bits' | 'k' | 'c' | 'weight'>): Histogram {
  const counted = countedOfRow(slots);
  const { significantDigits } = counted.layout;
  const options = { highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits };
  const histogram = new Histogram({ ...options, storage: 'sparse' });
  histogram.add(counted);
  return histogram;
}
