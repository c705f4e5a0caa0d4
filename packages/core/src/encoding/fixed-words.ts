import { LARGEST_COUNT } from '../counts/counts.ts';
import { DenseCounts } from '../counts/dense.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { assertTotal } from './v2.ts';

/** Bytes that a count takes: all of a payload take the same. */
export type WordSize = 2 | 4 | 8;

const TWO_POW_32 = 2 ** 32;

/**
 * Reads the payload of V0 and V1: the counts from slot 0 on, as signed integers of one width, big-endian.
 *
 * @throws HdrscopeError `ERR_DECODE` when it ends inside a count, holds more than its slots, or a count is negative or
 *   above 2^53 − 1.
 */
export function decodeWords(payload: Uint8Array, wordSize: WordSize, slotCount: number): DenseCounts {
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
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const counts = new DenseCounts(slotCount);
  for (let slot = 0; slot < words; slot++) {
    const count = wordAt(view, slot * wordSize, wordSize);
    if (count === 0) continue;
    if (!(count > 0 && count <= LARGEST_COUNT)) {
      throw mustBe('ERR_DECODE', `the count of slot ${slot}`, 'from 0 to 2^53 - 1', count);
    }
    assertTotal(counts.total + count);
    counts.add(slot, count);
  }
  return counts;
}

function wordAt(view: DataView, at: number, wordSize: WordSize): number {
  switch (wordSize) {
    case 2:
      return view.getInt16(at);
    case 4:
      return view.getInt32(at);
    case 8:
      // Rounded where it is above 2^53, but then it is refused.
      return view.getInt32(at) * TWO_POW_32 + view.getUint32(at + 4);
  }
}
