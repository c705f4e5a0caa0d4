import { DenseCounts } from '../counts/dense.ts';
import { wordsFor } from '../counts/words.ts';
import { assertTotal, EncodedRuns } from './encoded-runs.ts';
import { readVarint } from './varint.ts';

// A run is the content of so many bytes, more than nearly every payload has. V8 treats arrays that a module does not export as
// constants, so the bytes are copied into one: the loop takes two thirds of the time then.
const RUN_BYTES = 4096;
/** Bytes of the payload: a run, and two more for a number that starts at its end. */
const bytes = /* @__PURE__ */ new Uint8Array(RUN_BYTES + 2);
const slots = /* @__PURE__ */ new Int32Array(RUN_BYTES);
const counts = /* @__PURE__ */ new Float64Array(RUN_BYTES);

const TWO_POW_31 = 2 ** 31;

/** The payload of V2. */
export class VarintRuns extends EncodedRuns {
  readonly slots: Int32Array = slots;
  readonly counts: Float64Array = counts;

  /**
   * @throws HdrscopeError `ERR_DECODE` when a short payload is broken, has more slots than its range, or a total above
   *   2^53 − 1. A long payload is checked while it is read.
   */
  constructor(payload: Uint8Array, slotCount: number) {
    super(payload, slotCount);
    // A long payload is worth the memory that its header asks for.
    if (payload.length <= RUN_BYTES) this.readFirst();
  }

  /** A long payload has many neighbouring used slots. Written straight into the words they take half the time. */
  override toDense(slotCount: number): DenseCounts {
    const { payload, slotCount: mostSlots } = this;
    const { length } = payload;
    if (length <= RUN_BYTES) return super.toDense(slotCount);
    const low = new Uint32Array(wordsFor(slotCount));
    const large: [slot: number, count: number][] = [];
    let slot = 0;
    let total = 0; // of the counts in the words
    for (let at = 0; at < length; ) {
      let zigZag = payload[at++]!;
      if (zigZag >= 128) {
        const second = at < length ? payload[at]! : 128;
        if (second >= 128) {
          const { number, end } = readVarint(payload, at - 1);
          if (number >= TWO_POW_31) large.push([slot, number]);
          else if (number > 0) {
            low[slot] = number;
            total += number;
          }
          slot = this.passed(Math.max(1, -number), slot);
          at = end;
          continue;
        }
        zigZag = (zigZag & 127) | (second << 7);
        at++;
      }
      if ((zigZag & 1) !== 0) slot = this.passed((zigZag >> 1) + 1, slot);
      else {
        if (slot >= mostSlots) this.passed(1, slot);
        low[slot++] = zigZag >> 1;
        total += zigZag >> 1;
      }
    }
    assertTotal(total);
    let [first, last] = [0, slot - 1];
    while (first < last && low[first] === 0) first++;
    while (last > first && low[last] === 0) last--;
    const counts = DenseCounts.holdingSmall(slotCount, low, { total, first, last });
    for (const [at, count] of large) {
      assertTotal(counts.total + count);
      counts.add(at, count);
    }
    return counts;
  }

  protected readRun(): number {
    const { payload, slotCount, at: start } = this;
    const copied = payload.subarray(start, start + RUN_BYTES + 2);
    bytes.set(copied);
    const available = copied.length;
    const end = Math.min(available, RUN_BYTES);
    let { slot } = this;
    let at = 0;
    let length = 0;
    let small = 0;
    let large = 0;
    while (at < end) {
      let zigZag = bytes[at++]!;
      if (zigZag >= 128) {
        const second = at < available ? bytes[at]! : 128;
        const third = second < 128 ? 0 : at + 1 < available ? bytes[at + 1]! : 128;
        if (third >= 128) {
          // Nearly no number has more than three bytes, and this loop is fast because its integers are small.
          const varint = readVarint(payload, start + at - 1);
          if (varint.number > 0) {
            slots[length] = slot;
            counts[length++] = varint.number;
            large += varint.number;
          }
          slot = this.passed(Math.max(1, -varint.number), slot);
          at = varint.end - start;
          continue;
        }
        zigZag = (zigZag & 127) | ((second & 127) << 7) | (third << 14);
        at += second < 128 ? 1 : 2;
      }
      // Counts and runs of empty slots follow each other unpredictably, so the loop has no branch. Each number makes an entry,
      // and `length` only passes entries with a count above 0:
      //
      //   zigZag        magnitude  isRun  length   slot
      //   6, a count    3          0      + 1      + 1
      //   0, a count    0          0      + 0      + 1
      //   5, empty      2          1      + 0      + 3
      const magnitude = zigZag >> 1;
      const isRun = zigZag & 1;
      slots[length] = slot;
      counts[length] = magnitude;
      length += (-magnitude >>> 31) & (isRun ^ 1);
      small += magnitude & (isRun - 1);
      const after = slot + 1 + (magnitude & -isRun);
      if (after > slotCount) this.passed(after - slot, slot);
      slot = after;
    }
    this.at = start + at;
    this.slot = slot;
    this.sum = small + large;
    return length;
  }
}
