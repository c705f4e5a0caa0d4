import { DenseCounts } from '../counts/dense.ts';
import { wordsFor } from '../counts/words.ts';
import { assertTotal, EncodedRuns } from './encoded-runs.ts';
import { readVarint } from './varint.ts';
import { viewOf } from './zlib-stream.ts';

// A run is the content of so many bytes, more than nearly every payload has. V8 treats arrays that a module does not export as
// constants, so the bytes are copied into one: the loop takes two thirds of the time then. Variables in front of the loop hold
// them, because V8 11 compiles their addresses into the loop only then.
const RUN_BYTES = 4096;
/** Bytes of the payload: a run, and two more for a number that starts at its end. */
const bytes = /* @__PURE__ */ new Uint8Array(RUN_BYTES + 2);
const bytesView = /* @__PURE__ */ viewOf(bytes, 0);
const slots = /* @__PURE__ */ new Int32Array(RUN_BYTES);
const counts = /* @__PURE__ */ new Float64Array(RUN_BYTES);

const TWO_POW_31 = 2 ** 31;

type SlotAndCount = readonly [slot: number, count: number];

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
    const { length } = this.payload;
    if (length <= RUN_BYTES) return super.toDense(slotCount);
    const low = new Uint32Array(wordsFor(slotCount));
    const large: SlotAndCount[] = [];
    let total = 0; // of the counts in the words
    while (this.at < length) {
      this.#placeRun(low, large);
      total += this.sum;
    }
    assertTotal(total);
    let [first, last] = [0, this.slot - 1];
    this.rewind();
    while (first < last && low[first] === 0) first++;
    while (last > first && low[last] === 0) last--;
    const counts = DenseCounts.holdingSmall(slotCount, low, { total, first, last });
    for (const [at, count] of large) {
      assertTotal(counts.total + count);
      counts.add(at, count);
    }
    return counts;
  }

  /** Reads a run, as `readRun` does, into words; counts from 2^31 on into `large`. */
  #placeRun(low: Uint32Array, large: SlotAndCount[]): void {
    const start = this.at;
    const available = this.#copy(start);
    const end = Math.min(available, RUN_BYTES);
    const numbers = bytes;
    const view = bytesView;
    const slotCount = this.slotCount | 0;
    let slot = this.slot | 0;
    let at = 0;
    let small = 0; // the sum of the counts of one byte or two
    let others = 0;
    while (at < end) {
      if (slot + 4 <= slotCount && at + 4 <= available) {
        // Most numbers are counts of one byte, or of two, with neighbours like them.
        const four = view.getUint32(at, true);
        if ((four & 0x81818181) === 0) {
          low[slot] = (four >>> 1) & 63;
          low[slot + 1] = (four >>> 9) & 63;
          low[slot + 2] = (four >>> 17) & 63;
          low[slot + 3] = four >>> 25;
          small = (small + (Math.imul(four >>> 1, 0x01010101) >>> 24)) | 0;
          slot = (slot + 4) | 0;
          at = (at + 4) | 0;
          continue;
        }
        if ((four & 0x80818081) === 0x00800080) {
          const first = ((four >>> 1) & 0x3f) | ((four >>> 2) & 0x1fc0);
          const second = ((four >>> 17) & 0x3f) | ((four >>> 18) & 0x1fc0);
          low[slot] = first;
          low[slot + 1] = second;
          small = (small + first + second) | 0;
          slot = (slot + 2) | 0;
          at = (at + 4) | 0;
          continue;
        }
      }
      let zigZag = numbers[at]! | 0;
      at = (at + 1) | 0;
      if (zigZag >= 128) {
        const second = at < available ? numbers[at]! : 128;
        if (second >= 128) {
          const varint = readVarint(this.payload, start + at - 1);
          if (varint.number >= TWO_POW_31) large.push([slot, varint.number]);
          else if (varint.number > 0) {
            low[slot] = varint.number;
            others += varint.number;
          }
          slot = this.passed(Math.max(1, -varint.number), slot) | 0;
          at = (varint.end - start) | 0;
          continue;
        }
        zigZag = (zigZag & 127) | (second << 7);
        at = (at + 1) | 0;
      }
      if ((zigZag & 1) !== 0) slot = this.passed((zigZag >> 1) + 1, slot) | 0;
      else {
        if (slot >= slotCount) this.passed(1, slot);
        low[slot] = zigZag >> 1;
        small = (small + (zigZag >> 1)) | 0;
        slot = (slot + 1) | 0;
      }
    }
    this.at = start + at;
    this.slot = slot;
    this.sum = small + others;
  }

  /** Copies the payload from `start` on into `bytes`. Returns how many bytes it has copied. */
  #copy(start: number): number {
    const copied = this.payload.subarray(start, start + bytes.length);
    bytes.set(copied);
    return copied.length;
  }

  protected readRun(): number {
    const { payload, slotCount, at: start } = this;
    const available = this.#copy(start);
    const numbers = bytes;
    const runSlots = slots;
    const runCounts = counts;
    const end = Math.min(available, RUN_BYTES);
    let { slot } = this;
    let at = 0;
    let length = 0;
    let small = 0;
    let large = 0;
    while (at < end) {
      let zigZag = numbers[at++]!;
      if (zigZag >= 128) {
        const second = at < available ? numbers[at]! : 128;
        const third = second < 128 ? 0 : at + 1 < available ? numbers[at + 1]! : 128;
        if (third >= 128) {
          // Nearly no number has more than three bytes, and this loop is fast because its integers are small.
          const varint = readVarint(payload, start + at - 1);
          if (varint.number > 0) {
            runSlots[length] = slot;
            runCounts[length++] = varint.number;
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
      runSlots[length] = slot;
      runCounts[length] = magnitude;
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
