import type { Counted } from '../counted.ts';
import { DenseCounts } from '../counts/dense.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { V2_COMPRESSED_COOKIE, V2_RAW_COOKIE } from './cookies.ts';
import { LONGEST_VARINT, writeCount, writeEmptySlots } from './varint.ts';
import { compress, viewOf } from './zlib-stream.ts';

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

// Slots are read and encoded in runs of this length. V8 treats arrays that a module does not export as constants, which halves
// the time of a loop over them.
const RUN_SLOTS = 1024;
const run = /* @__PURE__ */ new Uint32Array(RUN_SLOTS);
const runOfDoubles = /* @__PURE__ */ new Float64Array(RUN_SLOTS);

// Encoded runs are collected here. Full buffers are put aside.
const PART_BYTES = 2 ** 16;
const part = /* @__PURE__ */ new Uint8Array(PART_BYTES);
const partView = /* @__PURE__ */ viewOf(part, 0);
/** The most bytes of a run, with the empty slots before it. */
const LONGEST_RUN = (RUN_SLOTS + 1) * LONGEST_VARINT;
/** Slots below this one are encoded. */
let written = 0;

// Counts below these take one byte and two. Nearly all counts do.
const ONE_BYTE = 2 ** 6;
const TWO_BYTES = 2 ** 13;

/** The raw V2 encoding of counts over an HDR layout. */
export function encodeV2(
  { layout, counts }: Counted<HdrLayout>,
  normalizingOffset = 0,
): Uint8Array<ArrayBuffer> {
  const bytes = payloadOf(counts, HEADER_BYTES);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, V2_RAW_COOKIE);
  header.setInt32(4, bytes.length - HEADER_BYTES);
  header.setInt32(8, normalizingOffset);
  header.setInt32(12, layout.significantDigits);
  header.setBigInt64(16, layout.lowestDiscernibleBigInt);
  header.setBigInt64(24, layout.highestTrackableBigInt);
  header.setFloat64(32, 1);
  return bytes;
}

/** The compressed V2 encoding of counts over an HDR layout, at a level from 0 to 9. */
export function encodeCompressedV2(
  histogram: Counted<HdrLayout>,
  normalizingOffset = 0,
  level?: number,
): Uint8Array<ArrayBuffer> {
  return compressV2(encodeV2(histogram, normalizingOffset), level);
}

/** Wraps a raw V2 encoding into a compressed one. */
export function compressV2(raw: Uint8Array<ArrayBuffer>, level?: number): Uint8Array<ArrayBuffer> {
  return compress(raw, V2_COMPRESSED_COOKIE, level);
}

/** The payload of the raw V2 encoding, after `room` bytes for something else. */
export function payloadOf(counts: ReadonlyCounts, room: number): Uint8Array<ArrayBuffer> {
  const { first, last } = counts;
  const parts: Uint8Array[] = [];
  let end = room;
  written = 0;
  for (let slot = first; slot <= last; slot = counts.next(slot + RUN_SLOTS)) {
    if (end > PART_BYTES - LONGEST_RUN) {
      parts.push(part.slice(0, end));
      end = 0;
    }
    readRun(counts, slot);
    end = encodeRun(counts, slot, end);
  }
  // An empty histogram has one count of 0.
  if (written === 0) part[end++] = 0;
  parts.push(part.subarray(0, end));
  return joined(parts);
}

/** Fills `run`. A count of 2^32 − 1 stands for larger ones too. */
function readRun(counts: ReadonlyCounts, slot: number): void {
  if (counts instanceof DenseCounts && counts.readWords(slot, run)) return;
  const doubles = runOfDoubles;
  counts.read(slot, doubles);
  for (let i = 0; i < RUN_SLOTS; i++) run[i] = Math.min(doubles[i]!, 2 ** 32 - 1);
}

/**
 * Encodes `run`, which begins with `slot`, into `part` from the position `start` on. Returns the position after it.
 */
function encodeRun(counts: ReadonlyCounts, slot: number, start: number): number {
  // V8 compiles the addresses of the arrays into the loop when variables in front of it hold them.
  const words = run;
  const bytes = part;
  const view = partView;
  let next = (written - slot) | 0;
  let end = start | 0;
  for (let i = 0; i < RUN_SLOTS; i += 4) {
    const a = words[i]! | 0;
    const b = words[i + 1]! | 0;
    const c = words[i + 2]! | 0;
    const d = words[i + 3]! | 0;
    const bits = (a | b | c | d) >>> 0;
    if (bits === 0) continue;
    // Most counts have neighbours of about their size, so four of them are written at once. A difference is negative when one
    // of the counts is too small.
    if (i === next) {
      if (bits < ONE_BYTE && ((a - 1) | (b - 1) | (c - 1) | (d - 1)) >= 0) {
        view.setUint32(end, (a | (b << 8) | (c << 16) | (d << 24)) << 1, true);
        end = (end + 4) | 0;
        next = (i + 4) | 0;
        continue;
      }
      if (bits < TWO_BYTES && ((a - ONE_BYTE) | (b - ONE_BYTE) | (c - ONE_BYTE) | (d - ONE_BYTE)) >= 0) {
        view.setUint32(end, pairOfTwoBytes(a, b), true);
        view.setUint32(end + 4, pairOfTwoBytes(c, d), true);
        end = (end + 8) | 0;
        next = (i + 4) | 0;
        continue;
      }
    }
    for (let at = i; at < i + 4; at++) {
      const count = words[at]!;
      if (count === 0) continue;
      end = writeEmptySlots(bytes, end, at - next) | 0;
      next = (at + 1) | 0;
      if (count < ONE_BYTE) {
        bytes[end] = count * 2;
        end = (end + 1) | 0;
      } else if (count < TWO_BYTES) {
        bytes[end] = (count * 2) | 128;
        bytes[end + 1] = count >> 6;
        end = (end + 2) | 0;
      } else end = writeCount(bytes, end, counts.at(slot + at)) | 0;
    }
  }
  written = slot + next;
  return end;
}

/**
 * The varints of two counts from 64 to 8191, the lowest byte first. The bits of each count move like this:
 *
 *   count          000hhhhhhhllllll
 *   count << 1     00hhhhhhhllllll0
 *   count << 2     0hhhhhhhllllll00
 *   varint         0hhhhhhh1llllll0
 */
function pairOfTwoBytes(first: number, second: number): number {
  const both = first | (second << 16);
  return ((both << 2) & 0x7f007f00) | 0x00800080 | ((both << 1) & 0x007e007e);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of parts) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}
