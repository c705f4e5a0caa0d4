import { LARGEST_COUNT } from '../counts/largest-count.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { EncodedRuns } from './encoded-runs.ts';

/** Bytes of a count, equal for all counts of a payload. */
export type WordSize = 2 | 4 | 8;

const TWO_POW_32 = 2 ** 32;
const RUN_SLOTS = 1024;

/** The payload of V0 and V1: the counts from slot 0 on, as big-endian signed integers of one width. */
export class WordRuns extends EncodedRuns {
  readonly slots: Int32Array = new Int32Array(RUN_SLOTS);
  readonly counts: Float64Array = new Float64Array(RUN_SLOTS);
  readonly #wordSize: WordSize;

  /**
   * @throws HdrscopeError `ERR_DECODE` when the payload ends inside a count or has more counts than slots, or when a count or
   *   their total is outside [0, 2^53 − 1].
   */
  constructor(payload: Uint8Array, wordSize: WordSize, slotCount: number) {
    super(payload, slotCount);
    this.#wordSize = wordSize;
    const words = payload.length / wordSize;
    if (!Number.isInteger(words)) {
      const allowed = `a multiple of the ${wordSize} bytes of a count`;
      throw mustBe('ERR_DECODE', 'the payload length', allowed, payload.length);
    }
    if (words > slotCount) {
      throw new HdrscopeError(
        'ERR_DECODE',
        `the payload must fill at most the ${slotCount} slots of its range, got ${words}`,
      );
    }
    this.readFirst();
  }

  protected readRun(): number {
    const { payload, slots, counts } = this;
    const wordSize = this.#wordSize;
    const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    let length = 0;
    this.sum = 0;
    for (; this.at < payload.length && length < RUN_SLOTS; this.at += wordSize, this.slot++) {
      const count = wordAt(view, this.at, wordSize);
      if (count === 0) continue;
      if (!(count > 0 && count <= LARGEST_COUNT)) {
        throw mustBe('ERR_DECODE', `the count of slot ${this.slot}`, 'from 0 to 2^53 - 1', count);
      }
      slots[length] = this.slot;
      counts[length++] = count;
      this.sum += count;
    }
    return length;
  }
}

function wordAt(view: DataView, at: number, wordSize: WordSize): number {
  switch (wordSize) {
    case 2:
      return view.getInt16(at);
    case 4:
      return view.getInt32(at);
    case 8:
      // A number above 2^53 is rounded here, and refused afterwards.
      return view.getInt32(at) * TWO_POW_32 + view.getUint32(at + 4);
  }
}
