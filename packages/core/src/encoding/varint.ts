import { LARGEST_COUNT } from '../counts/largest-count.ts';
import { HdrscopeError } from '../errors.ts';

/**
 * ZigZag LEB128 in the variant of HdrHistogram's V2 payload: groups of seven bits, lowest first, and after eight groups a ninth
 * byte with eight bits, so that 64 bits fit into nine bytes. A run of empty slots is minus its length.
 * Source: HdrHistogram (Java), `ZigZagEncoding`.
 */
export const LONGEST_VARINT = 9;

const TWO_POW_28 = 2 ** 28;

/** Writes `count`, at most 2^53 − 1, and returns the position after it. */
export function writeCount(bytes: Uint8Array, position: number, count: number): number {
  // The double is exact: it is even, and at most 2^54 - 2.
  return writeGroups(bytes, position, count * 2);
}

/** Writes a run of `slots` empty slots, at least 0, and returns the position after it. */
export function writeEmptySlots(bytes: Uint8Array, position: number, slots: number): number {
  if (slots === 0) return position;
  // One empty slot is a count of 0, as all other writers have it.
  return writeGroups(bytes, position, slots === 1 ? 0 : slots * 2 - 1);
}

function writeGroups(bytes: Uint8Array, position: number, zigZag: number): number {
  let rest = zigZag;
  while (rest >= TWO_POW_28) {
    bytes[position++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  // Nearly every number is small, and integers are faster.
  let small = rest | 0;
  while (small >= 128) {
    bytes[position++] = (small & 127) | 128;
    small >>= 7;
  }
  bytes[position++] = small;
  return position;
}

/** A number of any length, and the position after it. */
export interface Varint {
  /** A count, or minus the length of a run of empty slots. */
  readonly number: number;
  readonly end: number;
}

/**
 * Reads the number at `start`.
 *
 * @throws HdrscopeError `ERR_DECODE` when the number is cut off or above 2^53 − 1.
 */
export function readVarint(bytes: Uint8Array, start: number): Varint {
  let low = 0; // 28 bits
  let high = 0; // 28 bits
  let ninth = 0;
  let end = start;
  for (let group = 0; group < LONGEST_VARINT; group++) {
    const byte = bytes[end++];
    if (byte === undefined) {
      throw new HdrscopeError(
        'ERR_DECODE',
        `the payload must not end inside a number, got one cut off at byte ${start}`,
      );
    }
    if (group < 4) low |= (byte & 127) << (7 * group);
    else if (group < 8) high |= (byte & 127) << (7 * (group - 4));
    else ninth = byte;
    if (byte < 128) break;
  }
  const isRun = (low & 1) === 1;
  const magnitude = high * (TWO_POW_28 / 2) + (low >> 1);
  if (ninth !== 0 || magnitude > LARGEST_COUNT) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `a count must be at most 2^53 - 1, got a larger one at byte ${start}`,
    );
  }
  return { number: isRun ? -magnitude - 1 : magnitude, end };
}
