import { type Counted, explicitLayout, type HdrLayout, hdrLayout, type Layout } from '@hdrscope/core';
import { mustBe, SparseCounts } from '@hdrscope/core/internal';
import { assertRow, type Distribution } from './row.ts';
import { weightProperty } from './row-weight.ts';
import { bitsOf, MOST_BITS, slotBounds } from './slots.ts';

// One for each number of digits.
const LAYOUTS: readonly HdrLayout[] = /* @__PURE__ */ Array.from({ length: 6 }, (_, significantDigits) =>
  hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits }),
);

/** The most bits of a row that `countedOfRow` takes: those of 5 digits. */
export const MOST_BITS_OF_HDR: number = /* @__PURE__ */ bitsOf(LAYOUTS.at(-1)!);

/**
 * The counts of a row as counts over an HDR layout, in ticks: what `Histogram.add`, `findQuantiles` and all else in `@hdrscope/core`
 * takes. Rows of a registry give its very slots back. A row with other `bits` gets the layout of the next finer digits, and the counts
 * of each slot are at its largest tick.
 * Counts of several slots are at the largest tick of the last one, and `placedFrom` says so: intervals reach to where their values may lie.
 * The `weight` of a sample is that of the row.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the row is not an object, or `bits` is more than 5 digits have; `ERR_INVALID_COUNT` when
 *   a count is no integer from 0 to 2^53 − 1, or `k`, `c` and `w` differ in length; `ERR_INVALID_VALUE` when a slot has no integer up to
 *   2^53 − 1; `ERR_COUNT_OVERFLOW` when the sum of the counts passes 2^53 − 1.
 */
export function countedOfRow(
  row: Pick<Distribution, 'bits' | 'k' | 'c' | 'weight'> & Partial<Pick<Distribution, 'w'>>,
): Counted<HdrLayout> {
  assertRow(row);
  const { bits, k, c, w = [], weight } = row;
  const layout = layoutOf(bits);
  assertLengths({ k, c, w });
  const counts = new SparseCounts(layout.slotCount);
  for (const [i, count] of c.entries()) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw mustBe('ERR_INVALID_COUNT', `c[${i}]`, 'an integer from 0 to 2^53 - 1', count);
    }
    const slot = layout.slotOf(slotBounds(k[i]! + (w[i] ?? 0), bits).upper);
    if (!(slot >= 0 && slot < layout.slotCount)) {
      throw mustBe('ERR_INVALID_VALUE', `k[${i}]`, 'the slot of an integer from 0 to 2^53 - 1', k[i]);
    }
    counts.assertRoomFor(count);
    counts.add(slot, count);
  }
  const placedFrom = w.length === 0 ? undefined : [widthsOf(bits, k, w)];
  return { layout, counts, ...(placedFrom && { placedFrom }), ...weightProperty(weight) };
}

/**
 * @param at The row, before the names of its lists: `rows[0].`.
 * @throws HdrscopeError `ERR_INVALID_COUNT` when `k`, `c` and `w` differ in length, or one of them is no list
 */
export function assertLengths({ k, c, w }: Pick<Distribution, 'k' | 'c' | 'w'>, at = ''): void {
  for (const [name, list] of Object.entries({ k, c, w })) {
    if (!Number.isInteger(list?.length))
      throw mustBe('ERR_INVALID_COUNT', `${at}${name}`, 'a list of integers', list);
  }
  if (k.length !== c.length) {
    throw mustBe('ERR_INVALID_COUNT', `${at}c`, `${k.length} counts, one for each slot`, c.length);
  }
  if (w.length !== 0 && w.length !== k.length) {
    throw mustBe('ERR_INVALID_COUNT', `${at}w`, `${k.length} widths, one for each slot, or none`, w.length);
  }
}

/** The slots of which rows with widths know the counts: those that overlap are one. */
function widthsOf(bits: number, k: readonly number[], w: readonly number[]): Layout {
  const edges: number[] = [];
  let end = -1;
  for (const [i, first] of k.entries()) {
    const last = first + w[i]!;
    if (first > end) edges.push(slotBounds(first, bits).lower);
    else if (last > end) edges.pop();
    else continue;
    edges.push(slotBounds(last, bits).upper + 1);
    end = last;
  }
  return explicitLayout([...new Set(edges)], 'lower');
}

function layoutOf(bits: number): HdrLayout {
  const layout = LAYOUTS.find((one) => bits <= bitsOf(one));
  if (!Number.isInteger(bits) || bits < 0 || layout === undefined) {
    const allowed = `an integer from 0 to ${MOST_BITS_OF_HDR}, of at most ${MOST_BITS} in files`;
    throw mustBe('ERR_INVALID_OPTION', 'bits', allowed, bits);
  }
  return layout;
}
