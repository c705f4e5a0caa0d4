import type { ReadonlyCounts } from '@hdrscope/core';
import { fromBase64, malformed, type SlotRuns, toBase64 } from '@hdrscope/core/internal';
import type { Budget } from '@hdrscope/kit';
import type { Extremes } from '../intervals.ts';

// The numbers of changed series are in two arrays, as bytes of the machine: both sides of a port are on one machine.
//
//   facts   sum, min, max                       three doubles for each series
//   words   id, n, and then n words of counts   integers of 32 bits for each series
//
// A word of counts has the slot in its upper 24 bits and the count in its lower 8. A count that does not fit leaves these bits 0,
// and is in the next two words: its lower 32 bits, and the rest. Example: slot 3 has counted 7, slot 4 has counted 300:
//
//   (3 << 8 | 7)   (4 << 8 | 0)   300   0
//
// Slots from 2^23 on, which no layout has, are the thresholds of the family: see `SeriesSnapshot.atThresholds`.

/** The arrays: as buffers where the port can hand them over, else as base64. */
export interface WireNumbers {
  readonly facts: ArrayBuffer | string;
  readonly words: ArrayBuffer | string;
}

/** The arrays of `WireNumbers`, whose structure was checked. */
export interface Numbers {
  readonly facts: Float64Array;
  readonly words: Uint32Array;
}

/** The facts of counts besides their slots, in the unit of their family. */
export interface SlotFacts extends Extremes {
  readonly sum: number;
  readonly atThresholds?: readonly number[] | undefined;
}

const FACTS_PER_SERIES = 3;
const COUNT_BITS = 8;
const COUNT_MASK = 2 ** COUNT_BITS - 1;
const TWO_POW_32 = 2 ** 32;
const FIRST_THRESHOLD = 2 ** 23;

const PAGE_SLOTS = 64;
const MOST_WORDS_PER_SLOT = 3;

const pageCounts = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/** Collects the numbers of changed series. */
export class NumbersWriter {
  #facts = new Float64Array(16 * FACTS_PER_SERIES);
  #words = new Uint32Array(256);
  #factCount = 0;
  #wordCount = 0;

  /** Adds the new counts of a series, at least one. The slots are below 2^23. */
  add(id: number, counts: ReadonlyCounts, facts: SlotFacts): void {
    this.#addFacts(facts);
    const header = this.#reserve(2);
    this.#wordCount += 2;
    for (let slot = counts.first; slot < counts.length; ) {
      const page = slot - (slot % PAGE_SLOTS);
      counts.read(page, pageCounts);
      this.#addPage(page);
      slot = counts.next(page + PAGE_SLOTS);
    }
    const { atThresholds = [] } = facts;
    for (let i = 0; i < atThresholds.length; i++) {
      if (atThresholds[i] === 0) continue;
      this.#reserve(MOST_WORDS_PER_SLOT);
      this.#addCount(FIRST_THRESHOLD + i, atThresholds[i]!);
    }
    this.#words[header] = id;
    this.#words[header + 1] = this.#wordCount - header - 2;
  }

  /** Copies of the arrays, as long as their contents. */
  take(isText: boolean): WireNumbers {
    const facts = this.#facts.slice(0, this.#factCount).buffer;
    const words = this.#words.slice(0, this.#wordCount).buffer;
    if (!isText) return { facts, words };
    return { facts: toBase64(new Uint8Array(facts)), words: toBase64(new Uint8Array(words)) };
  }

  #addFacts({ sum, min, max }: SlotFacts): void {
    if (this.#factCount + FACTS_PER_SERIES > this.#facts.length) {
      const larger = new Float64Array(this.#facts.length * 2);
      larger.set(this.#facts);
      this.#facts = larger;
    }
    // A sum beyond all doubles does not grow any more.
    this.#facts[this.#factCount++] = Number.isNaN(sum) ? 0 : sum;
    this.#facts[this.#factCount++] = min;
    this.#facts[this.#factCount++] = max;
  }

  #addPage(page: number): void {
    this.#reserve(PAGE_SLOTS * MOST_WORDS_PER_SLOT);
    for (let i = 0; i < PAGE_SLOTS; i++) {
      const count = pageCounts[i]!;
      if (count !== 0) this.#addCount(page + i, count);
    }
  }

  #addCount(slot: number, count: number): void {
    const words = this.#words;
    if (count <= COUNT_MASK) {
      words[this.#wordCount++] = (slot << COUNT_BITS) | count;
      return;
    }
    words[this.#wordCount++] = slot << COUNT_BITS;
    words[this.#wordCount++] = count % TWO_POW_32;
    words[this.#wordCount++] = Math.floor(count / TWO_POW_32);
  }

  /** Makes room for so many words more. Returns the address of the first one. */
  #reserve(words: number): number {
    const needed = this.#wordCount + words;
    if (needed > this.#words.length) {
      const larger = new Uint32Array(Math.max(needed, this.#words.length * 2));
      larger.set(this.#words);
      this.#words = larger;
    }
    return this.#wordCount;
  }
}

/**
 * Checks everything but the slots and counts themselves, which `ReceivedSlots` checks.
 *
 * @param seriesCount The number of known series: all ids are below it.
 * @param budget The bytes of both arrays are taken from it.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function readNumbers(
  wire: Record<keyof WireNumbers, unknown>,
  where: string,
  seriesCount: number,
  budget: Budget,
): Numbers {
  const facts = arrayOf(Float64Array, wire.facts, `${where}.facts`, budget);
  const words = arrayOf(Uint32Array, wire.words, `${where}.words`, budget);
  let changed = 0;
  for (let at = 0; at < words.length; changed++) {
    const id = words[at]!;
    if (id >= seriesCount) {
      throw malformed(`${where}.words[${at}]`, `the id of one of ${seriesCount} series`, id);
    }
    const length = words[at + 1] ?? 0;
    at += 2 + length;
    if (length === 0 || at > words.length)
      throw malformed(`${where}.words`, 'counts of whole series', length);
  }
  if (facts.length !== changed * FACTS_PER_SERIES) {
    throw malformed(`${where}.facts`, `${FACTS_PER_SERIES} for each of ${changed} series`, facts.length);
  }
  return { facts, words };
}

/** The facts of the nth changed series. @throws HdrscopeError `ERR_DECODE` */
export function factsAt(facts: Float64Array, nth: number): SlotFacts {
  const at = nth * FACTS_PER_SERIES;
  const sum = facts[at]!;
  const min = facts[at + 1]!;
  const max = facts[at + 2]!;
  if (!(sum >= 0)) throw malformed('the sum', 'a number from 0', sum);
  if (!(min >= 0 && min <= max)) throw malformed('the smallest value', `from 0 to the largest, ${max}`, min);
  return { sum, min, max };
}

/** The counts of one series at a time, as runs of slots. It is read again for the next series. */
export class ReceivedSlots implements SlotRuns {
  slots: Int32Array = new Int32Array(256);
  counts: Float64Array = new Float64Array(256);
  total = 0;
  /** The counts at the thresholds of the family. */
  atThresholds: number[] = [];
  #length = 0;
  #isNextDue = true;

  get first(): number {
    return this.slots[0]!;
  }

  get last(): number {
    return this.slots[this.#length - 1]!;
  }

  /**
   * Reads words of counts, at least one.
   *
   * @param slotCount All slots are below it.
   * @param thresholdCount How many thresholds the family has.
   * @throws HdrscopeError `ERR_DECODE`
   */
  read(words: Uint32Array, from: number, to: number, slotCount: number, thresholdCount: number): void {
    const most = MOST_WORDS_PER_SLOT * (slotCount + thresholdCount);
    if (to - from > most) throw malformed('the words of counts', `at most ${most}`, to - from);
    this.#makeRoom(to - from);
    const { slots, counts } = this;
    let length = 0;
    let total = 0;
    let before = -1;
    this.atThresholds = new Array<number>(thresholdCount).fill(0);
    for (let at = from; at < to; ) {
      const word = words[at++]!;
      const slot = word >>> COUNT_BITS;
      let count = word & COUNT_MASK;
      if (count === 0) {
        count = at + 1 < to ? words[at]! + words[at + 1]! * TWO_POW_32 : 0;
        at += 2;
      }
      const threshold = slot - FIRST_THRESHOLD;
      const isKnown = threshold < 0 ? slot < slotCount : threshold < thresholdCount;
      if (slot <= before || !isKnown) throw malformed('slots', `ascending and below ${slotCount}`, slot);
      if (count === 0 || count > Number.MAX_SAFE_INTEGER)
        throw malformed('counts', 'from 1 to 2^53 - 1', count);
      before = slot;
      if (threshold >= 0) {
        this.atThresholds[threshold] = count;
        continue;
      }
      slots[length] = slot;
      counts[length++] = count;
      total += count;
    }
    if (length === 0) throw malformed('counts', 'of at least one slot', length);
    if (total > Number.MAX_SAFE_INTEGER) throw malformed('the total count', 'at most 2^53 - 1', total);
    this.total = total;
    this.#length = length;
    this.#isNextDue = true;
  }

  /** The count of a slot. A family may have thousands of thresholds, each of which asks for its slot. */
  at(slot: number): number {
    let from = 0;
    for (let to = this.#length; from < to; ) {
      const middle = (from + to) >>> 1;
      if (this.slots[middle]! < slot) from = middle + 1;
      else to = middle;
    }
    return from < this.#length && this.slots[from] === slot ? this.counts[from]! : 0;
  }

  next(): number {
    const length = this.#isNextDue ? this.#length : 0;
    this.#isNextDue = !this.#isNextDue;
    return length;
  }

  #makeRoom(length: number): void {
    if (length <= this.slots.length) return;
    this.slots = new Int32Array(length * 2);
    this.counts = new Float64Array(length * 2);
  }
}

function arrayOf<Items extends Float64Array | Uint32Array>(
  Type: { new (buffer: ArrayBuffer): Items; readonly BYTES_PER_ELEMENT: number },
  wire: unknown,
  where: string,
  budget: Budget,
): Items {
  const buffer = typeof wire === 'string' ? bufferOfText(wire, where) : wire;
  // Not `instanceof`: the buffer may be of another realm.
  const isBuffer = Object.prototype.toString.call(buffer) === '[object ArrayBuffer]';
  if (!isBuffer) throw malformed(where, 'a buffer, or bytes as base64', wire);
  const { byteLength } = buffer as ArrayBuffer;
  if (byteLength % Type.BYTES_PER_ELEMENT !== 0) {
    throw malformed(where, `whole elements of ${Type.BYTES_PER_ELEMENT} bytes`, byteLength);
  }
  budget.takeBytes(byteLength);
  try {
    return new Type(buffer as ArrayBuffer);
  } catch {
    throw malformed(where, 'a buffer that nobody has transferred away', buffer);
  }
}

function bufferOfText(text: string, where: string): ArrayBuffer {
  try {
    // A copy, as the bytes may begin at any address.
    return new Uint8Array(fromBase64(text)).buffer;
  } catch {
    throw malformed(where, 'bytes as base64', text.slice(0, 40));
  }
}
