import type { Counted } from '../counted.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { DoubleRange, octaveOf } from '../histogram/double-range.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import {
  DOUBLE_COMPRESSED_COOKIE as COMPRESSED_COOKIE,
  cookieText,
  DOUBLE_RAW_COOKIE as RAW_COOKIE,
  V2_COMPRESSED_COOKIE,
  V2_RAW_COOKIE,
} from './cookies.ts';
import { type Decoded, decode, isIntegerCookie, mostRawBytes } from './decode.ts';
import { compressV2, encodeV2 } from './v2.ts';
import { decompress, viewOf } from './zlib-stream.ts';

// All numbers are big-endian. Source: HdrHistogram (Java), `DoubleHistogram.encodeIntoByteBuffer`.
//
//   offset  raw or compressed encoding of doubles
//        0  cookie                   i32
//        4  significant digits       i32
//        8  highest to lowest ratio  i64
//       16  the integers, in a raw or compressed encoding with the value of the integer 1 in its header
const HEADER_BYTES = 16;
const INNER_HEADER_BYTES = 40;
const CONVERSION_RATIO_AT = 32;

/** The content of an encoding of doubles. */
export interface DecodedDoubles {
  readonly range: DoubleRange;
  readonly integers: Decoded;
}

/** The raw encoding of doubles that are counted as integers. */
export function encodeDoubles(integers: Counted<HdrLayout>, range: DoubleRange): Uint8Array<ArrayBuffer> {
  return withHeader(RAW_COOKIE, range, rawIntegers(integers, range));
}

/** The compressed encoding of doubles that are counted as integers, at a level from 0 to 9. */
export function encodeCompressedDoubles(
  integers: Counted<HdrLayout>,
  range: DoubleRange,
  level?: number,
): Uint8Array<ArrayBuffer> {
  return withHeader(COMPRESSED_COOKIE, range, compressV2(rawIntegers(integers, range), level));
}

/**
 * Reads an encoding of doubles, compressed or not.
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are not such an encoding.
 */
export function decodeDoubles(bytes: Uint8Array): DecodedDoubles {
  const view = viewOf(bytes, HEADER_BYTES + 8);
  const cookie = view.getInt32(0);
  if (isIntegerCookie(cookie)) {
    throw new HdrscopeError(
      'ERR_DECODE',
      'this is the encoding of a Histogram of integers: read it with Histogram.decode',
    );
  }
  assertCookie('the cookie', cookie, [RAW_COOKIE, COMPRESSED_COOKIE]);
  const isCompressed = cookie === COMPRESSED_COOKIE;
  const innerCookie = isCompressed ? V2_COMPRESSED_COOKIE : V2_RAW_COOKIE;
  assertCookie('the inner cookie', view.getInt32(HEADER_BYTES), [innerCookie]);
  const inner = bytes.subarray(HEADER_BYTES);
  const raw = isCompressed ? decompress(inner, mostRawBytes) : inner;
  const integers = decode(raw);
  const range = rangeOf(integers, {
    significantDigits: view.getInt32(4),
    highestToLowestRatio: view.getBigInt64(8),
    conversionRatio: viewOf(raw, INNER_HEADER_BYTES).getFloat64(CONVERSION_RATIO_AT),
  });
  return { range, integers };
}

interface Header {
  readonly significantDigits: number;
  readonly highestToLowestRatio: bigint;
  readonly conversionRatio: number;
}

/** The range in the header, checked against the integers. */
function rangeOf(
  { layout, normalizingOffset }: Decoded,
  { significantDigits, highestToLowestRatio, conversionRatio }: Header,
): DoubleRange {
  if (significantDigits !== layout.significantDigits) {
    const allowed = `those of the integers, ${layout.significantDigits}`;
    throw mustBe('ERR_DECODE', 'the significant digits', allowed, significantDigits);
  }
  if (highestToLowestRatio < 2n || highestToLowestRatio > 2n ** 62n) {
    throw mustBe('ERR_DECODE', 'the highest to lowest ratio', 'from 2 to 2^62', highestToLowestRatio);
  }
  const halfBits = layout.subBucketBits - 1;
  const range = new DoubleRange({
    significantDigits,
    highestToLowestRatio,
    autoResize: true,
    octave: octaveOf(conversionRatio) + halfBits,
  });
  if (range.ratio !== conversionRatio || range.octave < halfBits - 1022 || range.octave > 1022) {
    const allowed = `a power of two from 2^-1022 to 2^${1022 - halfBits}`;
    throw mustBe('ERR_DECODE', 'the conversion ratio', allowed, conversionRatio);
  }
  const half = 2 ** halfBits;
  const highest = 2n ** BigInt(halfBits + range.octaves) - 1n;
  if (layout.lowestDiscernibleBigInt !== 1n || layout.highestTrackableBigInt !== highest) {
    const got = `${layout.lowestDiscernibleBigInt} to ${layout.highestTrackableBigInt}`;
    throw new HdrscopeError(
      'ERR_DECODE',
      `the integers must reach from 1 to ${highest} with that ratio, got ${got}`,
    );
  }
  range.moved = Math.trunc(normalizingOffset / half);
  return range;
}

function assertCookie(what: string, cookie: number, allowed: readonly number[]): void {
  if (allowed.includes(cookie)) return;
  const message = `${what} must be ${allowed.map(cookieText).join(' or ')}, got ${cookieText(cookie)}`;
  throw new HdrscopeError('ERR_DECODE', message);
}

function rawIntegers(integers: Counted<HdrLayout>, range: DoubleRange): Uint8Array<ArrayBuffer> {
  const raw = encodeV2(integers, range.moved * 2 ** range.halfBits);
  new DataView(raw.buffer).setFloat64(CONVERSION_RATIO_AT, range.ratio);
  return raw;
}

function withHeader(
  cookie: number,
  { significantDigits, highestToLowestRatio }: DoubleRange,
  integers: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + integers.length);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, cookie);
  header.setInt32(4, significantDigits);
  header.setBigInt64(8, highestToLowestRatio);
  bytes.set(integers, HEADER_BYTES);
  return bytes;
}
