// In every storage the counts of 64 neighbouring slots, from a multiple of 64 on, are neighbours in memory: a page.
export const PAGE_BITS = 6;
export const PAGE_SLOTS: number = 2 ** PAGE_BITS;
export const SLOT_IN_PAGE: number = PAGE_SLOTS - 1;

// The processor runs eight independent operations at the same time.
const GROUP_SLOTS = 8;

/** How many words hold `length` slots in whole pages. */
export function wordsFor(length: number): number {
  return Math.ceil(length / PAGE_SLOTS) * PAGE_SLOTS;
}

/** A longer copy of the words. */
export function grown(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(length);
  copy.set(words);
  return copy;
}

/** Whether all words of a page are 0. */
export function areZero(words: Uint32Array, address: number): boolean {
  const end = (address + PAGE_SLOTS) | 0;
  for (let at = address | 0; at < end; at = (at + GROUP_SLOTS) | 0) {
    const bits =
      words[at]! |
      words[at | 1]! |
      words[at | 2]! |
      words[at | 3]! |
      words[at | 4]! |
      words[at | 5]! |
      words[at | 6]! |
      words[at | 7]!;
    if (bits !== 0) return false;
  }
  return true;
}

/** The sum of a page of words. */
export function sumOfPage(words: Uint32Array, address: number): number {
  const end = (address + PAGE_SLOTS) | 0;
  let sum = 0;
  for (let at = address | 0; at < end; at = (at + GROUP_SLOTS) | 0) {
    sum +=
      words[at]! +
      words[at | 1]! +
      (words[at | 2]! + words[at | 3]!) +
      (words[at | 4]! + words[at | 5]! + (words[at | 6]! + words[at | 7]!));
  }
  return sum;
}

/** The sum of a page of words that is known to be below 2^31: integer arithmetic takes two thirds of the time. */
export function smallSumOfPage(words: Uint32Array, address: number): number {
  const end = (address + PAGE_SLOTS) | 0;
  let sum = 0;
  for (let at = address | 0; at < end; at = (at + GROUP_SLOTS) | 0) {
    const first = ((words[at]! + words[at | 1]!) | 0) + ((words[at | 2]! + words[at | 3]!) | 0);
    const second = ((words[at | 4]! + words[at | 5]!) | 0) + ((words[at | 6]! + words[at | 7]!) | 0);
    sum = (sum + ((first | 0) + (second | 0))) | 0;
  }
  return sum;
}

// Words are added in runs of this length. V8 treats arrays that a module does not export as constants, and a loop over constant
// arrays of a constant length needs half the time, copies included.
const RUN_WORDS = 1024;
const sums = /* @__PURE__ */ new Uint32Array(RUN_WORDS);
const addends = /* @__PURE__ */ new Uint32Array(RUN_WORDS);

/** Adds `source` to `target`, which is as long, modulo 2^32. Returns a number below 0 when any sum has reached 2^31. */
export function addWords(target: Uint32Array, source: Uint32Array): number {
  const { length } = target;
  let bits = 0;
  for (let from = 0; from < length; from += RUN_WORDS) {
    const to = Math.min(from + RUN_WORDS, length);
    sums.set(target.subarray(from, to));
    addends.set(source.subarray(from, to));
    if (to < from + RUN_WORDS) {
      sums.fill(0, to - from);
      addends.fill(0, to - from);
    }
    bits |= addRun();
    target.set(sums.subarray(0, to - from), from);
  }
  return bits;
}

/** Adds `addends` to `sums`, and returns all bits of the sums. */
function addRun(): number {
  const to = sums;
  const from = addends;
  let bits = 0;
  for (let i = 0; i < RUN_WORDS; i += 4) {
    const first = (to[i]! + from[i]!) | 0;
    const second = (to[i + 1]! + from[i + 1]!) | 0;
    const third = (to[i + 2]! + from[i + 2]!) | 0;
    const fourth = (to[i + 3]! + from[i + 3]!) | 0;
    to[i] = first;
    to[i + 1] = second;
    to[i + 2] = third;
    to[i + 3] = fourth;
    bits |= first | second | third | fourth;
  }
  return bits;
}
