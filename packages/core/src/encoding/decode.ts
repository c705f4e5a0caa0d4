import { HdrscopeError, mustBe } from '../errors.ts';
import { HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import {
  cookieText,
  DOUBLE_COMPRESSED_COOKIE,
  DOUBLE_RAW_COOKIE,
  V2_COMPRESSED_COOKIE,
  V2_RAW_COOKIE,
} from './cookies.ts';
import type { EncodedRuns } from './encoded-runs.ts';
import { WordRuns, type WordSize } from './fixed-words.ts';
import { LONGEST_VARINT } from './varint.ts';
import { VarintRuns } from './varint-runs.ts';
import { assertLength, decompress, int32At, viewOf } from './zlib-stream.ts';

// Sources: HdrHistogram (Java), `AbstractHistogram.decodeFromByteBuffer`, `decodeFromCompressedByteBuffer`.
// In the cookies of V0 and V1, bits 4 to 7 hold the bytes of a count: 2, 4 or 8.
//
//           raw         compressed  header
//   V0      1c849308    1c849309    cookie i32, significant digits i32, lowest i64, highest i64, total i64
//   V1      1c849301    1c849302    that of V2
//   V2      1c849313    1c849314    in v2.ts
const WORD_BITS = 0xf0;
const V0_RAW_BASE = 0x1c849308;
const V0_COMPRESSED_BASE = 0x1c849309;
const V1_RAW_BASE = 0x1c849301;
const V1_COMPRESSED_BASE = 0x1c849302;
const V0_HEADER_BYTES = 32;
const HEADER_BYTES = 40;

/** The content of an encoding. */
export interface Decoded {
  readonly layout: HdrLayout;
  /** How many slots the writer had shifted its counts by. */
  readonly normalizingOffset: number;
  /** The counts, all in slots of the layout. Reading another encoding before they are stored means reading them twice. */
  readonly runs: EncodedRuns;
}

/** The layout of the latest encoding. Most logs have the same one for all intervals; it is small and has no counts. */
let latestLayout: HdrLayout | undefined;

/** The format that a cookie stands for. */
interface Format {
  readonly version: 0 | 1 | 2;
  readonly isCompressed: boolean;
  /** Bytes of a count, in V0 and V1. */
  readonly wordSize: WordSize;
}

/**
 * Reads the header of an encoding of version 0, 1 or 2, compressed or not. The caller reads the runs, into a new store or
 * with `readThrough`.
 *
 * @param reaching The layout reaches to this value at least.
 * @throws HdrscopeError `ERR_DECODE` when the bytes are not such an encoding, `ERR_INVALID_OPTION` when `reaching` is not an
 *   integer from 0 to 2^63 − 1.
 */
export function decode(bytes: Uint8Array, reaching?: number | bigint): Decoded {
  const atLeast = reaching === undefined ? undefined : asValue(reaching);
  const { version, isCompressed } = formatOf(bytes, 'the cookie');
  const raw = isCompressed ? decompress(bytes, mostRawBytes) : bytes;
  const inner = formatOf(raw, 'the inner cookie');
  if (inner.isCompressed || inner.version !== version) {
    throw mustBe(
      'ERR_DECODE',
      'the inner cookie',
      `that of a raw V${version} encoding`,
      cookieText(int32At(raw, 0)),
    );
  }
  const decoded = version === 0 ? decodeV0(raw, inner, isCompressed) : decodeV1OrV2(raw, inner);
  if (atLeast === undefined || atLeast <= decoded.layout.highestTrackableBigInt) return decoded;
  return { ...decoded, layout: decoded.layout.reaching(atLeast) };
}

/**
 * The size of the largest raw encoding that begins with these bytes.
 *
 * @throws HdrscopeError `ERR_DECODE` when they are not the header of a raw encoding.
 */
export function mostRawBytes(start: Uint8Array): number {
  const { version, wordSize } = formatOf(start, 'the inner cookie');
  if (version === 0) {
    const { slotCount } = layoutAt(viewOf(start, V0_HEADER_BYTES), 4);
    return V0_HEADER_BYTES + slotCount * wordSize;
  }
  const view = viewOf(start, HEADER_BYTES);
  // A number has at most nine bytes, and takes at least one slot.
  const most = layoutAt(view, 12).slotCount * LONGEST_VARINT;
  const length = view.getInt32(4);
  if (length < 0 || length > most) {
    throw mustBe(
      'ERR_DECODE',
      'the payload length',
      `from 0 to the ${most} bytes that its range can take`,
      length,
    );
  }
  return HEADER_BYTES + length;
}

function decodeV0(bytes: Uint8Array, { wordSize }: Format, wasCompressed: boolean): Decoded {
  const view = viewOf(bytes, V0_HEADER_BYTES);
  // The total at 24 is not read, as the counts have their own sum.
  const layout = layoutAt(view, 4);
  let end = bytes.length;
  if (!wasCompressed) {
    // V0 has no payload length. A raw payload has a count for each slot; the end of a compressed stream may cut it off.
    end = V0_HEADER_BYTES + layout.slotCount * wordSize;
    if (end > bytes.length) {
      const allowed = `at least the ${end} that its range takes`;
      throw mustBe('ERR_DECODE', 'the number of bytes', allowed, bytes.length);
    }
  }
  const payload = bytes.subarray(V0_HEADER_BYTES, end);
  return { layout, normalizingOffset: 0, runs: new WordRuns(payload, wordSize, layout.slotCount) };
}

function decodeV1OrV2(bytes: Uint8Array, { version, wordSize }: Format): Decoded {
  const view = viewOf(bytes, HEADER_BYTES);
  const length = view.getInt32(4);
  const available = bytes.length - HEADER_BYTES;
  if (length < 0 || length > available) {
    const allowed = `from 0 to the ${available} bytes that follow`;
    throw mustBe('ERR_DECODE', 'the payload length', allowed, length);
  }
  // The normalizing offset (8) and the ratio (32) describe how the writer kept its counts in memory. The payload is in the
  // order of values, so nothing here depends on them.
  const layout = layoutAt(view, 12);
  const payload = bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
  const { slotCount } = layout;
  const runs =
    version === 2 ? new VarintRuns(payload, slotCount) : new WordRuns(payload, wordSize, slotCount);
  return { layout, runs, normalizingOffset: view.getInt32(8) };
}

/** The layout from three neighbouring fields: digits, lowest and highest value. */
function layoutAt(view: DataView, at: number): HdrLayout {
  const significantDigits = view.getInt32(at);
  const lowestDiscernibleValue = view.getBigInt64(at + 4);
  const highestTrackableValue = view.getBigInt64(at + 12);
  if (
    latestLayout?.significantDigits === significantDigits &&
    latestLayout.lowestDiscernibleBigInt === lowestDiscernibleValue &&
    latestLayout.highestTrackableBigInt === highestTrackableValue
  ) {
    return latestLayout;
  }
  try {
    latestLayout = new HdrLayout({ significantDigits, lowestDiscernibleValue, highestTrackableValue });
    return latestLayout;
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the header is impossible: ${(cause as Error).message}`, { cause });
  }
}

function formatOf(bytes: Uint8Array, what: string): Format {
  assertLength(bytes, 8);
  const cookie = int32At(bytes, 0);
  const format = known(cookie);
  if (format !== undefined) return format;
  if (cookie === DOUBLE_RAW_COOKIE || cookie === DOUBLE_COMPRESSED_COOKIE) {
    throw new HdrscopeError(
      'ERR_DECODE',
      'this is the encoding of a DoubleHistogram: read it with DoubleHistogram.decode',
    );
  }
  const allowed = 'that of an encoding of version 0, 1 or 2';
  throw new HdrscopeError('ERR_DECODE', `${what} must be ${allowed}, got ${cookieText(cookie)}`);
}

function known(cookie: number): Format | undefined {
  if (cookie === V2_RAW_COOKIE) return { version: 2, isCompressed: false, wordSize: 8 };
  if (cookie === V2_COMPRESSED_COOKIE) return { version: 2, isCompressed: true, wordSize: 8 };
  const base = cookie & ~WORD_BITS;
  const wordSize = ((cookie & WORD_BITS) >> 4) as WordSize;
  if (wordSize !== 2 && wordSize !== 4 && wordSize !== 8) return undefined;
  switch (base) {
    case V0_RAW_BASE:
      return { version: 0, isCompressed: false, wordSize };
    case V0_COMPRESSED_BASE:
      return { version: 0, isCompressed: true, wordSize };
    case V1_RAW_BASE:
      return { version: 1, isCompressed: false, wordSize };
    case V1_COMPRESSED_BASE:
      return { version: 1, isCompressed: true, wordSize };
    default:
      return undefined;
  }
}

/** Whether the cookie begins an encoding that `decode` reads. */
export function isIntegerCookie(cookie: number): boolean {
  return known(cookie) !== undefined;
}

function asValue(reaching: number | bigint): bigint {
  const isInteger = typeof reaching === 'bigint' || Number.isSafeInteger(reaching);
  if (!isInteger || reaching < 0 || reaching > LARGEST_VALUE) {
    const allowed = `an integer from 0 to ${LARGEST_VALUE}`;
    throw mustBe('ERR_INVALID_OPTION', 'highestTrackableValue', allowed, reaching);
  }
  return BigInt(reaching);
}
