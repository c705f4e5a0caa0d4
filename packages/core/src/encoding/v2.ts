import { deflate, inflate } from '#zlib';
import { LARGEST_COUNT } from '../counts/counts.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import type { HdrCounts } from '../histogram/iteration.ts';
import { HdrLayout } from '../layout/hdr.ts';
import { LONGEST_VARINT, VarintReader, writeCount, writeEmptySlots } from './varint.ts';

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
const RAW_COOKIE = 0x1c849313;
const COMPRESSED_COOKIE = 0x1c849314;
const HEADER_BYTES = 40;
const COMPRESSED_HEADER_BYTES = 8;

// Slots that are read at a time.
const RUN = 512;

// Room for the largest layout there is, 5 digits up to 2^63 - 1, with every slot in nine bytes.
const MOST_RAW_BYTES = HEADER_BYTES + LONGEST_VARINT * 2 ** 17 * 48;

/** What a V2 encoding holds: its layout, and the used slots with their counts. */
export interface DecodedV2 {
  readonly layout: HdrLayout;
  /** The used slots, ascending. */
  readonly slots: Int32Array;
  /** The count of each of them; their sum is at most 2^53 − 1. */
  readonly counts: Float64Array;
  /** By how many slots the writer had shifted its counts. */
  readonly normalizingOffset: number;
}

/** The raw V2 encoding of counts over an HDR layout. */
export function encodeV2(histogram: HdrCounts, normalizingOffset = 0): Uint8Array<ArrayBuffer> {
  const { layout, counts } = histogram;
  const bytes = new Uint8Array(HEADER_BYTES + Math.max(1, counts.last + 1) * LONGEST_VARINT);
  let end = HEADER_BYTES;
  let empty = 0;
  const run = new Float64Array(RUN);
  for (let slot = 0; slot <= counts.last; slot += RUN) {
    counts.read(slot, run);
    const length = Math.min(RUN, counts.last + 1 - slot);
    for (let i = 0; i < length; i++) {
      if (run[i] === 0) empty++;
      else {
        end = writeEmptySlots(bytes, end, empty);
        empty = 0;
        end = writeCount(bytes, end, run[i]!);
      }
    }
  }
  // Without a value there is still one slot.
  if (counts.total === 0) bytes[end++] = 0;
  const header = new DataView(bytes.buffer);
  header.setInt32(0, RAW_COOKIE);
  header.setInt32(4, end - HEADER_BYTES);
  header.setInt32(8, normalizingOffset);
  header.setInt32(12, layout.significantDigits);
  header.setBigInt64(16, layout.lowestDiscernibleBigInt);
  header.setBigInt64(24, layout.highestTrackableBigInt);
  header.setFloat64(32, 1);
  return bytes.slice(0, end);
}

/** Wraps a raw V2 encoding into a compressed one. */
export function compressV2(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const deflated = deflate(raw);
  const bytes = new Uint8Array(COMPRESSED_HEADER_BYTES + deflated.length);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, COMPRESSED_COOKIE);
  header.setInt32(4, deflated.length);
  bytes.set(deflated, COMPRESSED_HEADER_BYTES);
  return bytes;
}

/**
 * Reads a V2 encoding, compressed or not. Memory is bounded by the range that the header asks for.
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are no such encoding.
 */
export function decodeV2(bytes: Uint8Array): DecodedV2 {
  const view = viewOf(bytes, COMPRESSED_HEADER_BYTES);
  const cookie = view.getInt32(0);
  if (cookie === RAW_COOKIE) return decodeRaw(bytes);
  if (cookie !== COMPRESSED_COOKIE) {
    const allowed = `${hex(RAW_COOKIE)} or ${hex(COMPRESSED_COOKIE)} (a V2 encoding)`;
    throw new HdrscopeError('ERR_DECODE', `the cookie must be ${allowed}, got ${hex(cookie)}`);
  }
  const length = view.getInt32(4);
  const available = bytes.length - COMPRESSED_HEADER_BYTES;
  if (length < 0 || length > available) {
    throw mustBe(
      'ERR_DECODE',
      'the compressed length',
      `from 0 to the ${available} bytes that follow`,
      length,
    );
  }
  return decodeRaw(inflated(bytes.subarray(COMPRESSED_HEADER_BYTES, COMPRESSED_HEADER_BYTES + length)));
}

function decodeRaw(bytes: Uint8Array): DecodedV2 {
  const view = viewOf(bytes, HEADER_BYTES);
  if (view.getInt32(0) !== RAW_COOKIE) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `the inner cookie must be ${hex(RAW_COOKIE)}, got ${hex(view.getInt32(0))}`,
    );
  }
  const payloadLength = view.getInt32(4);
  const available = bytes.length - HEADER_BYTES;
  if (payloadLength < 0 || payloadLength > available) {
    throw mustBe(
      'ERR_DECODE',
      'the payload length',
      `from 0 to the ${available} bytes that follow`,
      payloadLength,
    );
  }
  // The normalizing offset (8) and the ratio (32) say how the writer kept its counts, not what they are: the payload
  // is in the order of values, so nothing here depends on them.
  const layout = decodedLayout(view);
  return {
    layout,
    normalizingOffset: view.getInt32(8),
    ...decodePayload(bytes.subarray(HEADER_BYTES, HEADER_BYTES + payloadLength), layout.slotCount),
  };
}

function decodedLayout(view: DataView): HdrLayout {
  try {
    return new HdrLayout({
      significantDigits: view.getInt32(12),
      lowestDiscernibleValue: view.getBigInt64(16),
      highestTrackableValue: view.getBigInt64(24),
    });
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the header is impossible: ${(cause as Error).message}`, { cause });
  }
}

function decodePayload(payload: Uint8Array, slotCount: number): Pick<DecodedV2, 'slots' | 'counts'> {
  // Each takes a byte at least, and a broken payload may be longer than there are slots.
  const most = Math.min(payload.length, slotCount);
  const slots = new Int32Array(most);
  const counts = new Float64Array(most);
  let used = 0;
  const reader = new VarintReader(payload, 0);
  let slot = 0;
  let total = 0;
  while (!reader.atEnd) {
    const number = reader.next();
    const covered = number < 0 ? -number : 1;
    if (covered > slotCount - slot) {
      throw new HdrscopeError(
        'ERR_DECODE',
        `the payload must fill at most the ${slotCount} slots of its range, got ${covered} more after slot ${slot}`,
      );
    }
    if (number > 0) {
      total += number;
      if (total > LARGEST_COUNT) throw mustBe('ERR_DECODE', 'the total count', 'at most 2^53 - 1', total);
      slots[used] = slot;
      counts[used++] = number;
    }
    slot += covered;
  }
  return { slots: slots.subarray(0, used), counts: counts.subarray(0, used) };
}

function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return inflate(bytes, MOST_RAW_BYTES);
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the zlib stream is broken: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function viewOf(bytes: Uint8Array, atLeast: number): DataView {
  if (bytes.length < atLeast) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `an encoding must have at least ${atLeast} bytes, got ${bytes.length}`,
    );
  }
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function hex(cookie: number): string {
  return `0x${(cookie >>> 0).toString(16).padStart(8, '0')}`;
}
