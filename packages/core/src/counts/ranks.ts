import { PAGE_SLOTS, SLOT_IN_PAGE } from './words.ts';

/** What ranks are looked up in. */
export interface RankedCounts {
  readonly total: number;
  /** The lowest and the highest used slot. */
  readonly first: number;
  readonly last: number;
  at(slot: number): number;
  /** The sum over the page that begins with a slot. */
  sumOfPage(slot: number): number;
}

/**
 * For each rank the lowest slot up to which at least so many values are counted. Each is looked for from the nearer
 * end, as tails are what is asked for most: page by page, and in its page slot by slot.
 *
 * @param ranks Ascending, each from 1 to the total.
 */
export function slotsOfRanks(counts: RankedCounts, ranks: readonly number[]): number[] {
  const { total } = counts;
  const slots = new Array<number>(ranks.length).fill(0);
  let lower = 0;
  if (ranks[0]! <= total / 2) {
    let page = counts.first & ~SLOT_IN_PAGE;
    let below = 0; // values counted below the page
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
  let above = 0; // values counted above the page
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

/** The slot of a page up to which it holds at least `rank` values. There is one. */
function slotFromStart(counts: RankedCounts, page: number, rank: number): number {
  let slot = page;
  for (let sum = counts.at(slot); sum < rank; sum += counts.at(slot)) slot++;
  return slot;
}

/** The highest slot of a page above which it holds at most `left` values, though not together with its own. There is one. */
function slotFromEnd(counts: RankedCounts, page: number, left: number): number {
  let slot = Math.min(page + SLOT_IN_PAGE, counts.last);
  for (let sum = counts.at(slot); sum <= left; sum += counts.at(slot)) slot--;
  return slot;
}
