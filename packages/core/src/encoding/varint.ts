import { LARGEST_COUNT } from '../counts/counts.ts';
import { HdrscopeError } from '../errors.ts';

/**
 * ZigZag LEB128 in the variant of HdrHistogram's V2 payload: groups of seven bits, lowest first, and after eight of
 * them a ninth byte with eight bits, so that 64 bits fit in nine bytes.
 * A count is written as it is, a run of empty slots as minus its length.
 * Source: HdrHistogram (Java), `ZigZagEncoding`.
 */
export const LONGEST_VARINT = 9;

const TWO_POW_28 = 2 ** 28;

/** Writes `count`, at most 2^53 − 1, and returns the position after it. */
export function writeCount(bytes: Uint8Array, position: number, count: number): number {
  // Doubling stays exact: up to 2^54 - 2, even.
  return writeGroups(bytes, position, count * 2);
}

/** Writes a run of `slots` empty slots, and returns the position after it. */
export function writeEmptyRun(bytes: Uint8Array, position: number, slots: number): number {
  return writeGroups(bytes, position, slots * 2 - 1);
}

function writeGroups(bytes: Uint8Array, position: number, zigZag: number): number {
  let rest = zigZag;
  while (rest >= 128) {
    bytes[position++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  bytes[position++] = rest;
  return position;
}

/** Reads one number after the other. */
export class VarintReader {
  position: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.#bytes.length;
  }

  /** The next number: a count, or minus the length of a run of empty slots. */
  next(): number {
    const start = this.position;
    let low = 0;
    let high = 0;
    let ninth = 0;
    for (let group = 0; group < LONGEST_VARINT; group++) {
      const byte = this.#bytes[this.position++];
      if (byte === undefined) {
        throw new HdrscopeError(
          'ERR_DECODE',
          `the payload must not end inside a number, got one cut off at byte ${start}`,
        );
      }
      if (group < 4) low += (byte & 127) * 2 ** (7 * group);
      else if (group < 8) high += (byte & 127) * 2 ** (7 * (group - 4));
      else ninth = byte;
      if (byte < 128) break;
    }
    const isRun = low % 2 === 1;
    const magnitude = high * (TWO_POW_28 / 2) + Math.floor(low / 2);
    if (ninth !== 0 || magnitude > LARGEST_COUNT) {
      throw new HdrscopeError(
        'ERR_DECODE',
        `a count must be at most 2^53 - 1, got a larger one at byte ${start}`,
      );
    }
    return isRun ? -magnitude - 1 : magnitude;
  }
}
