import { type Counted, type HdrLayout, hdrLayout } from '@hdrscope/core';
import { mustBe, SparseCounts } from '@hdrscope/core/internal';
import type { Distribution } from './row.ts';
import { MOST_BITS, slotBounds } from './slots.ts';

// By digits: `log2(subBucketCount) - 1` of HdrHistogram's layouts.
const BITS_OF_DIGITS = [0, 4, 7, 10, 14, 17] as const;

const layouts = new Map<number, HdrLayout>();

/**
 * The counts of a row as counts over an HDR layout, in ticks: what `Histogram.add`, `quantilesOf` and all else in `@hdrscope/core`
 * takes. Rows of a registry give its very slots back. A row with other `bits` gets the layout of the next finer digits, and its counts
 * are at the largest tick of each slot.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `bits` is more than 5 digits have; `ERR_INVALID_COUNT` when a count is no integer
 *   from 0 to 2^53 − 1, or `k` and `c` differ in length; `ERR_INVALID_VALUE` when a slot has no integer up to 2^53 − 1;
 *   `ERR_COUNT_OVERFLOW` when the sum of the counts passes 2^53 − 1.
 */
export function countedOfRow({ bits, k, c }: Pick<Distribution, 'bits' | 'k' | 'c'>): Counted<HdrLayout> {
  const layout = layoutOf(bits);
  if (k.length !== c.length)
    throw mustBe('ERR_INVALID_COUNT', 'c', `${k.length} counts, one for each slot`, c.length);
  const counts = new SparseCounts(layout.slotCount);
  for (const [i, count] of c.entries()) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw mustBe('ERR_INVALID_COUNT', `c[${i}]`, 'an integer from 0 to 2^53 - 1', count);
    }
    const slot = layout.slotOf(slotBounds(k[i]!, bits).upper);
    if (!(slot >= 0 && slot < layout.slotCount)) {
      throw mustBe('ERR_INVALID_VALUE', `k[${i}]`, 'the slot of an integer from 0 to 2^53 - 1', k[i]);
    }
    counts.assertRoomFor(count);
    counts.add(slot, count);
  }
  return { layout, counts };
}

function layoutOf(bits: number): HdrLayout {
  const significantDigits = BITS_OF_DIGITS.findIndex((most) => bits <= most);
  if (!Number.isInteger(bits) || bits < 0 || significantDigits === -1) {
    const allowed = `an integer from 0 to ${BITS_OF_DIGITS.at(-1)}, of at most ${MOST_BITS} in files`;
    throw mustBe('ERR_INVALID_OPTION', 'bits', allowed, bits);
  }
  const layout =
    layouts.get(significantDigits) ??
    hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits });
  layouts.set(significantDigits, layout);
  return layout;
}
