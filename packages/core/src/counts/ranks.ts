import { PAGE_SLOTS as pageSlots, SLOT_IN_PAGE as slotInPage } from './words.ts';

// Copies: V8 reads numbers that another file exports anew at each use.
const PAGE_SLOTS = pageSlots;
const SLOT_IN_PAGE = slotInPage;

/** Counts that ranks can be found in. */
export interface RankedCounts {
  readonly total: number;
  /** The lowest and the highest used slot. */
  readonly first: number;
  readonly last: number;
  at(slot: number): number;
  /** The sum of the counts in the page that starts at `slot`. */
  sumOfPage(slot: number): number;
}

/**
 * The lowest slot, for each rank, such that slots up to it hold at least `rank` values. The search starts at the nearer end,
 * since most questions are about tails, and goes page by page, and slot by slot in the right page.
 *
 * @param ranks Ascending, each from 1 to the total.
 */
export function slotsOfRanks(counts: RankedCounts, ranks: readonly number[]): number[] {
  const { total } = counts;
  const slots = new Array<number>(ranks.length);
  let lower = 0;
  if (ranks[0]! <= total / 2) {
    let page = counts.first & ~SLOT_IN_PAGE;
    let below = 0; // values below the page
    for (; lower < ranks.length && ranks[lower]! <= total / 2; lower++) {
      const rank = ranks[lower]!;
      for (let sum = counts.sumOfPage(page); below + sum < rank; sum = counts.sumOfPage(page)) {
        below += sum;
        page += PAGE_SLOTS;
      }
      slots[lower] = slotFromStart(counts, page, rank - below);
    }
  }
  if (lower === ranks.length) return slots;
  let page = counts.last & ~SLOT_IN_PAGE;
  let above = 0; // values above the page
  for (let upper = ranks.length - 1; upper >= lower; upper--) {
    const left = total - ranks[upper]!;
    for (let sum = counts.sumOfPage(page); above + sum <= left; sum = counts.sumOfPage(page)) {
      above += sum;
      page -= PAGE_SLOTS;
    }
    slots[upper] = slotFromEnd(counts, page, left - above);
  }
  return slots;
}

/** The lowest slot of a page such that the page holds at least `rank` values up to it. Such a slot exists. */
function slotFromStart(counts: RankedCounts, page: number, rank: number): number {
  let slot = page;
  for (let sum = counts.at(slot); sum < rank; sum += counts.at(slot)) slot++;
  return slot;
}

/** The slot of a page above which the page holds at most `left` values, and more than that with its own. Such a slot exists. */
function slotFromEnd(counts: RankedCounts, page: number, left: number): number {
  let slot = Math.min(page + SLOT_IN_PAGE, counts.last);
  for (let sum = counts.at(slot); sum <= left; sum += counts.at(slot)) slot--;
  return slot;
}
