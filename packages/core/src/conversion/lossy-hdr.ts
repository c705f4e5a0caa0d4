import type { Counted } from '../counted.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { Histogram } from '../histogram/histogram.ts';
import type { IntegerLayout } from '../layout/integer.ts';

/**
 * The value at which a slot counts: `'lower'` never reports too much, `'upper'` never too little, and `'geometric'` lies
 * between, at the square root of the product of both ends.
 */
export type SlotValueStrategy = 'lower' | 'geometric' | 'upper';

/** An HDR histogram of values that nobody recorded. */
export interface LossyHdr {
  readonly histogram: Histogram;
  /** How many values were in slots that are open on a side. They count at the bound, and may lie far beyond it. */
  readonly open: number;
}

/**
 * Counts over integer slots as an HDR histogram, for tools that read nothing else: each slot counts, whole, at one of its
 * values. Values below 0 count as 0, since an HDR histogram has no others.
 *
 * @param significantDigits Decimal digits of the histogram, from 0 to 5.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the digits are outside their range, `ERR_VALUE_OUT_OF_RANGE` when a used slot
 *   counts at a value above 2^63 − 1, `ERR_COUNT_OVERFLOW` when the total passes 2^53 − 1.
 * @example
 * ```ts
 * import { countedIn } from '@hdrscope/core';
 * import { integerLayout, lossyHdr } from '@hdrscope/core/internal';
 *
 * const sizes = countedIn(integerLayout([511, 1023], 0), [0, 3, 1]);
 * const { histogram, open } = lossyHdr(sizes, 'lower', 2);
 * [histogram.min, histogram.countAt(512), open]; //=> [512, 3, 1]
 * ```
 */
export function lossyHdr(
  { layout, counts }: Counted<IntegerLayout>,
  strategy: SlotValueStrategy,
  significantDigits: number,
): LossyHdr {
  const histogram = new Histogram({ autoResize: true, significantDigits });
  let open = 0;
  for (const [slot, count] of usedSlots(counts)) {
    const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
    const isClosed = Number.isFinite(lower) && Number.isFinite(upper);
    histogram.record(isClosed ? valueIn(strategy, lower, upper) : boundOf(lower, upper), count);
    if (!isClosed) open += count;
  }
  return { histogram, open };
}

function valueIn(strategy: SlotValueStrategy, lower: number, upper: number): number {
  const [from, to] = [Math.max(0, lower), Math.max(0, upper)];
  if (strategy === 'lower') return from;
  if (strategy === 'upper') return to;
  return from === 0 ? Math.round(to / 2) : Math.round(Math.sqrt(from) * Math.sqrt(to));
}

function boundOf(lower: number, upper: number): number {
  if (Number.isFinite(lower)) return Math.max(0, lower);
  return Number.isFinite(upper) ? Math.max(0, upper) : 0;
}
