import { ListedCounts } from './listed.ts';
import type { PlaceTable } from './readonly-counts.ts';
import { PAGE_BITS as pageBits, PAGE_SLOTS as pageSlots } from './words.ts';

// Copies: V8 reads numbers that another file exports anew at each use.
const PAGE_BITS = pageBits;
const SLOT_IN_PAGE = pageSlots - 1;

/**
 * The slots of a few values as characters, in the order in which the values came. That takes the least memory, two bytes for each value and
 * 16 for all, where a typed array has two hundred around it; and a copy costs nothing.
 */
export type FewValues = string;

/** To read a longer list, or to add to it, takes longer than with pages. */
export const MOST_VALUES = 64;
const LARGEST_CHARACTER = 0xffff;

/** The list of counts without values; `undefined` for layouts with more slots than there are characters. */
export function emptyFew(length: number): FewValues | undefined {
  return length <= LARGEST_CHARACTER + 1 ? '' : undefined;
}

/** The list with `count` more values in a slot. */
export function appendFew(few: FewValues, slot: number, count: number): FewValues {
  const more = few + String.fromCharCode(slot).repeat(count);
  // V8 keeps the parts of a text until somebody reads it.
  more.charCodeAt(0);
  return more;
}

/** Adds a factor for each value to the number of its place in `into`: those of the slots from the first to the last one. */
export function addFewPlaced(
  few: FewValues,
  into: Float64Array | number[],
  first: number,
  last: number,
  table: PlaceTable,
  factor: number,
): void {
  for (let i = 0; i < few.length; i++) {
    const slot = few.charCodeAt(i);
    if (slot >= first && slot <= last)
      into[(table.placesOf(slot >> PAGE_BITS)[slot & SLOT_IN_PAGE]! >> table.shift) - table.offset]! +=
        factor;
  }
}

/** Adds a factor for each value to the number of its slot in `into`, which begins at `first`. Returns whether there is any. */
export function addFewTo(few: FewValues, into: Float64Array, first: number, factor: number): boolean {
  const last = first + into.length - 1;
  let isUsed = false;
  for (let i = 0; i < few.length; i++) {
    const slot = few.charCodeAt(i);
    if (slot >= first && slot <= last) {
      into[slot - first]! += factor;
      isUsed = true;
    }
  }
  return isUsed;
}

// Whoever asks for one slot after the other gets all of them from one list.
let lastSorted: FewValues | undefined;
let lastSlots: Int32Array = /* @__PURE__ */ new Int32Array();

/** How many values are in slots from the first to the last one. */
export function countFew(few: FewValues, first: number, last: number): number {
  if (few === lastSorted) return placeFrom(last + 1) - placeFrom(first);
  let count = 0;
  for (let i = 0; i < few.length; i++) {
    const slot = few.charCodeAt(i);
    if (slot >= first && slot <= last) count++;
  }
  return count;
}

/** Finds the lowest slot from `slot` on that has a value. Without one, it returns `length`. */
export function findNextFew(few: FewValues, slot: number, length: number): number {
  if (few !== lastSorted) {
    lastSlots = sortFew(few);
    lastSorted = few;
  }
  return lastSlots[placeFrom(slot)] ?? length;
}

/** The place in the list of the first value whose slot is not lower. */
function placeFrom(slot: number): number {
  let from = 0;
  let to = lastSlots.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (lastSlots[middle]! < slot) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Finds the lowest and the highest slot that have values. Without values, it returns `length` and -1. */
export function findFewBounds(few: FewValues, length: number): [first: number, last: number] {
  let [first, last] = [length, -1];
  for (let i = 0; i < few.length; i++) {
    const slot = few.charCodeAt(i);
    first = Math.min(first, slot);
    last = Math.max(last, slot);
  }
  return [first, last];
}

/** The slots of the values, ascending. */
export function sortFew(few: FewValues): Int32Array {
  const slots = new Int32Array(few.length);
  for (let i = 0; i < few.length; i++) slots[i] = few.charCodeAt(i);
  return slots.sort();
}

/** The counts of the values. */
export function listFew(few: FewValues, length: number): ListedCounts {
  const slots: number[] = [];
  const counts: number[] = [];
  for (let slot = findNextFew(few, 0, length); slot < length; slot = findNextFew(few, slot + 1, length)) {
    slots.push(slot);
    counts.push(countFew(few, slot, slot));
  }
  return new ListedCounts(length, slots, counts);
}
