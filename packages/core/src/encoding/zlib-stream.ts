import { deflate, inflate, inflateStart } from '#zlib';
import { HdrscopeError, mustBe } from '../errors.ts';
import { assertOptions } from '../options.ts';

/** How strongly an encoding is compressed. */
export interface CompressionOptions {
  /** An integer from 0, stored as it is, to 9, smallest and slowest. @default zlib's default, 6 */
  readonly level?: number;
}

/**
 * The level asked for; `undefined` is zlib's default.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the level is outside [0, 9], or there are other options.
 */
export function levelOf(options: CompressionOptions): number | undefined {
  assertOptions<CompressionOptions>(options, { name: 'encodeCompressed', names: { level: true } });
  const { level } = options;
  if (level === undefined || (Number.isInteger(level) && level >= 0 && level <= 9)) return level;
  throw mustBe('ERR_INVALID_OPTION', 'level', 'an integer from 0 to 9', level);
}

// A compressed encoding of any version: cookie, length of the zlib stream, zlib stream of the raw encoding.
const HEADER_BYTES = 8;

// Nearly all encodings inflate to less than this, and by less than this factor. Only others have their header read beforehand.
const USUAL_BYTES = 2 ** 16;
const USUAL_RATIO = 16;

/** Wraps a raw encoding into a compressed one, at a level from 0 to 9. */
export function compress(raw: Uint8Array, cookie: number, level?: number): Uint8Array<ArrayBuffer> {
  const deflated = deflate(raw, level);
  const bytes = new Uint8Array(HEADER_BYTES + deflated.length);
  const header = new DataView(bytes.buffer);
  header.setInt32(0, cookie);
  header.setInt32(4, deflated.length);
  bytes.set(deflated, HEADER_BYTES);
  return bytes;
}

/**
 * The raw encoding in a compressed one, whose cookie the caller has checked. A small stream can inflate to a thousand times its
 * size, so no more memory is allocated than its header asks for.
 *
 * @param mostRawBytes The largest raw encoding that begins with these bytes.
 * @throws HdrscopeError `ERR_DECODE` when the encoding is cut off, or its stream is broken or larger than its header states.
 */
export function decompress(bytes: Uint8Array, mostRawBytes: (start: Uint8Array) => number): Uint8Array {
  assertLength(bytes, HEADER_BYTES);
  const length = int32At(bytes, 4);
  const available = bytes.length - HEADER_BYTES;
  if (length < 0 || length > available) {
    const allowed = `from 0 to the ${available} bytes that follow`;
    throw mustBe('ERR_DECODE', 'the compressed length', allowed, length);
  }
  const stream = bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
  try {
    return inflate(stream, Math.max(USUAL_BYTES, USUAL_RATIO * length));
  } catch {
    // The stream is unusually dense, or broken.
  }
  const most = mostRawBytes(checked('broken', () => inflateStart(stream)));
  return checked(`broken, or longer than the ${most} bytes that its header asks for`, () =>
    inflate(stream, most),
  );
}

function checked(fault: string, inflated: () => Uint8Array): Uint8Array {
  try {
    return inflated();
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the zlib stream is ${fault}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/**
 * @throws HdrscopeError `ERR_DECODE` when there are fewer than `atLeast` bytes.
 */
export function viewOf(bytes: Uint8Array, atLeast: number): DataView {
  assertLength(bytes, atLeast);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The big-endian integer at an existing position. For a single integer, a `DataView` would take longer to make than to read. */
export function int32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

/**
 * @throws HdrscopeError `ERR_DECODE` when there are fewer than `atLeast` bytes.
 */
export function assertLength(bytes: Uint8Array, atLeast: number): void {
  if (bytes.length >= atLeast) return;
  const message = `an encoding must have at least ${atLeast} bytes, got ${bytes.length}`;
  throw new HdrscopeError('ERR_DECODE', message);
}
