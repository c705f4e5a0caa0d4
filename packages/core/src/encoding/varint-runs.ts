import { DenseCounts } from '../counts/dense.ts';
import { wordsFor } from '../counts/words.ts';
import { assertTotal, EncodedRuns } from './encoded-runs.ts';
import { readVarint } from './varint.ts';

// A run is what so many bytes hold; nearly every payload has less. All of it is known to V8, as it belongs to this module
// and is not exported, and so are the bytes once they are copied: the loop takes two thirds of the time then.
const RUN_BYTES = 4096;
/** Of the payload, with the second and third byte of a number that begins at the end of the run. */
const bytes = /* @__PURE__ */ new Uint8Array(RUN_BYTES + 2);
const slots = /* @__PURE__ */ new Int32Array(RUN_BYTES);
const counts = /* @__PURE__ */ new Float64Array(RUN_BYTES);

const TWO_POW_31 = 2 ** 31;

/** The payload of V2. */
export class VarintRuns extends EncodedRuns {
  readonly slots: Int32Array = slots;
  readonly counts: Float64Array = counts;

  /**
   * @throws HdrscopeError `ERR_DECODE` when it is short, and broken, holds more than its slots, or is above 2^53 − 1 in all.
   */
  constructor(payload: Uint8Array, slotCount: number) {
    super(payload, slotCount);
    // A long one is worth the memory that its header asks for.
    if (payload.length <= RUN_BYTES) this.readFirst();
  }

  /** A long payload is one of many used slots side by side: straight into the words, they take half the time. */
  override toDense(slotCount: number): DenseCounts {
    const { payload, slotCount: mostSlots } = this;
    const { length } = payload;
    if (length <= RUN_BYTES) return super.toDense(slotCount);
    const low = new Uint32Array(wordsFor(slotCount));
    const large: [slot: number, count: number][] = [];
    let slot = 0;
    let total = 0; // of what is in the words
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
          // Nearly no number has more than three bytes; it is kept out of a loop over small integers.
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
      // What comes next can hardly be predicted, so there is no branch: an entry for each number, of which only those of
      // counts above 0 stay.
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
