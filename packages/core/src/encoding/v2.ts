import { LARGEST_COUNT } from '../counts/counts.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import type { HdrCounts } from '../histogram/iteration.ts';
import { LONGEST_VARINT, VarintReader, writeCount, writeEmptySlots } from './varint.ts';
import { compress } from './zlib-stream.ts';

// All numbers are big-endian. Source: HdrHistogram (Java), `AbstractHistogram.encodeIntoByteBuffer`.
//
//   offset  raw V2                                    offset  compressed V2
//        0  cookie             i32                         0  cookie   i32
//        4  payload length     i32                         4  length   i32
//        8  normalizing offset i32, 0 unless shifted       8  zlib stream of a raw V2 encoding
//       12  significant digits i32
//       16  lowest discernible i64
//       24  highest trackable  i64
//       32  int-to-double ratio f64, 1 for integers
//       40  payload: counts from slot 0 to the last used one, as varints
export const V2_RAW_COOKIE = 0x1c849313;
export const V2_COMPRESSED_COOKIE = 0x1c849314;
const HEADER_BYTES = 40;

// Slots that are read at a time: four pages.
const RUN = 256;

// No run takes more, with the empty slots before each of its counts.
const RUN_BYTES = RUN * LONGEST_VARINT + LONGEST_VARINT;

// What is made room for at first: two bytes for each slot between the ends, but no more than this.
const MOST_AT_FIRST = 2 ** 16;

/** The used slots of a payload, and their counts. */
export interface DecodedCounts {
  /** The used slots, ascending. */
  readonly slots: Int32Array;
  /** The count of each of them, from 1; their sum is at most 2^53 − 1. */
  readonly counts: Float64Array;
}

/** The raw V2 encoding of counts over an HDR layout. */
export function encodeV2(histogram: HdrCounts, normalizingOffset = 0): Uint8Array<ArrayBuffer> {
  return rawV2(histogram, normalizingOffset).slice();
}

/** The compressed V2 encoding of counts over an HDR layout, at a level from 0 to 9. */
export function encodeCompressedV2(
  histogram: HdrCounts,
  normalizingOffset = 0,
  level?: number,
): Uint8Array<ArrayBuffer> {
  return compressV2(rawV2(histogram, normalizingOffset), level);
}

/** Wraps a raw V2 encoding into a compressed one. */
export function compressV2(raw: Uint8Array<ArrayBuffer>, level?: number): Uint8Array<ArrayBuffer> {
  return compress(raw, V2_COMPRESSED_COOKIE, level);
}

/** The raw encoding, at the beginning of a larger buffer. */
function rawV2({ layout, counts }: HdrCounts, normalizingOffset: number): Uint8Array<ArrayBuffer> {
  const { first, last } = counts;
  const guess = Math.min(MOST_AT_FIRST, 2 * Math.max(0, last - first + 1));
  let bytes = new Uint8Array(HEADER_BYTES + guess + RUN_BYTES);
  let end = HEADER_BYTES;
  /** The slots below are written. */
  let next = 0;
  const run = new Float64Array(RUN);
  for (let slot = first; slot <= last; slot = counts.next(slot + RUN)) {
    if (end + RUN_BYTES > bytes.length) bytes = grown(bytes);
    counts.read(slot, run);
    for (let i = 0; i < RUN; i++) {
      const count = run[i]!;
      if (count === 0) continue;
      const empty = slot + i - next;
      if (empty !== 0) end = writeEmptySlots(bytes, end, empty);
      next = slot + i + 1;
      // Nearly every count takes one byte or two.
      if (count < 64) bytes[end++] = count * 2;
      else if (count < 8192) {
        bytes[end++] = ((count & 63) * 2) | 128;
        bytes[end++] = count >> 6;
      } else end = writeCount(bytes, end, count);
    }
  }
  // Without a value there is still one slot.
  if (next === 0) bytes[end++] = 0;
  const header = new DataView(bytes.buffer);
  header.setInt32(0, V2_RAW_COOKIE);
  header.setInt32(4, end - HEADER_BYTES);
  header.setInt32(8, normalizingOffset);
  header.setInt32(12, layout.significantDigits);
  header.setBigInt64(16, layout.lowestDiscernibleBigInt);
  header.setBigInt64(24, layout.highestTrackableBigInt);
  header.setFloat64(32, 1);
  return bytes.subarray(0, end);
}

function grown(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}

/**
 * Reads the payload of V2.
 *
 * @throws HdrscopeError `ERR_DECODE` when it is broken, or holds more than its slots.
 */
export function decodeVarints(payload: Uint8Array, slotCount: number): DecodedCounts {
  // Each takes a byte at least, and a broken payload may be longer than there are slots.
  const { length } = payload;
  const most = Math.min(length, slotCount);
  const slots = new Int32Array(most);
  const counts = new Float64Array(most);
  const reader = new VarintReader(payload, 0);
  let used = 0;
  let slot = 0;
  let total = 0;
  for (let at = 0; at < length; ) {
    // As the reader does it, brought here for the numbers that nearly all are.
    // Beyond the end there is no byte, and nothing is below 128.
    const lower = payload[at]!;
    const upper = lower < 128 ? 0 : payload[at + 1]!;
    let number: number;
    if (upper < 128) {
      const zigZag = (lower & 127) | (upper << 7);
      number = (zigZag >> 1) ^ -(zigZag & 1);
      at += lower < 128 ? 1 : 2;
    } else {
      reader.position = at;
      number = reader.next();
      at = reader.position;
    }
    const covered = number < 0 ? -number : 1;
    if (covered > slotCount - slot) throw tooMany(slotCount, covered, slot);
    if (number > 0) {
      total += number;
      slots[used] = slot;
      counts[used++] = number;
    }
    slot += covered;
  }
  assertTotal(total);
  return { slots: slots.subarray(0, used), counts: counts.subarray(0, used) };
}

/** For a sum of counts that may be rounded: beyond 2^53 − 1 it stays so however much is added. */
export function assertTotal(total: number): void {
  if (total > LARGEST_COUNT) throw mustBe('ERR_DECODE', 'the total count', 'at most 2^53 - 1', total);
}

function tooMany(slotCount: number, covered: number, slot: number): HdrscopeError {
  return new HdrscopeError(
    'ERR_DECODE',
    `the payload must fill at most the ${slotCount} slots of its range, got ${covered} more after slot ${slot}`,
  );
}
