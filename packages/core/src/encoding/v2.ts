import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { V2_COMPRESSED_COOKIE, V2_RAW_COOKIE } from './cookies.ts';
import { LONGEST_VARINT, writeCount, writeEmptySlots } from './varint.ts';
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
const HEADER_BYTES = 40;

// Slots are read in runs of this length, and encoded into `runBytes`, each count with the empty slots before it. V8 treats
// arrays that a module does not export as constants, which halves the time of a loop over them.
const RUN_SLOTS = 1024;
const run = /* @__PURE__ */ new Float64Array(RUN_SLOTS);
const runBytes = /* @__PURE__ */ new Uint8Array(RUN_SLOTS * LONGEST_VARINT + LONGEST_VARINT);

// The first buffer has at most so many bytes, however many slots there are.
const MOST_AT_FIRST = 2 ** 16;

/** The raw V2 encoding of counts over an HDR layout. */
export function encodeV2(histogram: Counted<HdrLayout>, normalizingOffset = 0): Uint8Array<ArrayBuffer> {
  return rawV2(histogram, normalizingOffset).slice();
}

/** The compressed V2 encoding of counts over an HDR layout, at a level from 0 to 9. */
export function encodeCompressedV2(
  histogram: Counted<HdrLayout>,
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
function rawV2({ layout, counts }: Counted<HdrLayout>, normalizingOffset: number): Uint8Array<ArrayBuffer> {
  const { first, last } = counts;
  const guess = Math.min(MOST_AT_FIRST, 2 * Math.max(0, last - first + 1));
  let bytes = new Uint8Array(HEADER_BYTES + 1 + guess);
  let length = HEADER_BYTES;
  /** Slots below this one are written. */
  let next = 0;
  for (let slot = first; slot <= last; slot = counts.next(slot + RUN_SLOTS)) {
    counts.read(slot, run);
    let end = 0;
    for (let i = 0; i < RUN_SLOTS; i++) {
      const count = run[i]!;
      if (count === 0) continue;
      const empty = slot + i - next;
      if (empty !== 0) end = writeEmptySlots(runBytes, end, empty);
      next = slot + i + 1;
      // Nearly every count takes one byte or two.
      if (count < 64) runBytes[end++] = count * 2;
      else if (count < 8192) {
        runBytes[end++] = ((count & 63) * 2) | 128;
        runBytes[end++] = count >> 6;
      } else end = writeCount(runBytes, end, count);
    }
    while (length + end > bytes.length) bytes = doubled(bytes);
    bytes.set(runBytes.subarray(0, end), length);
    length += end;
  }
  // An empty histogram has one count of 0.
  if (next === 0) bytes[length++] = 0;
  const header = new DataView(bytes.buffer);
  header.setInt32(0, V2_RAW_COOKIE);
  header.setInt32(4, length - HEADER_BYTES);
  header.setInt32(8, normalizingOffset);
  header.setInt32(12, layout.significantDigits);
  header.setBigInt64(16, layout.lowestDiscernibleBigInt);
  header.setBigInt64(24, layout.highestTrackableBigInt);
  header.setFloat64(32, 1);
  return bytes.subarray(0, length);
}

function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}
