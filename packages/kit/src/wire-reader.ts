import { HdrscopeError } from '@hdrscope/core';
import type { Budget } from './budget.ts';

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;
const LONGEST_VARINT = 10;
const TURN_32 = 2 ** 32;
/** A field of a number takes less memory than a line. */
const FIELD_COST = 1 / 4;

/**
 * A position in a message of protobuf's wire format. It never reads beyond the message that it is in, and takes fields from a budget while it
 * reads. `end` is where that message ends, in bytes.
 * Source: https://protobuf.dev/programming-guides/encoding/
 *
 * @example
 * ```ts
 * import { Budget, WireReader } from '@hdrscope/kit';
 *
 * const bytes = Uint8Array.of(0x08, 0x96, 0x01);
 * const reader = new WireReader(bytes, new Budget('the bytes', { elements: 10 }), 'the bytes are no message');
 * [reader.tag(3) >> 3, reader.varint(3)]; //=> [1, 150]
 * reader.varint(3); //=> throws ERR_DECODE
 * ```
 */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #budget: Budget;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #what: string;
  /** The next byte, counted from the beginning: at least 0. */
  at = 0;

  /** @param what What the bytes should be, for errors. */
  constructor(bytes: Uint8Array, budget: Budget, what = 'the answer is not protobuf of metrics') {
    this.#what = what;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = budget;
  }

  /** Counts an object that is made of fields. */
  takeElements(count: number): void {
    this.#budget.takeElements(count);
  }

  /**
   * Reads the tag of the next field of a message: its number times 8, and its wire type.
   *
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when the field has no number, or the message ends within it, `ERR_TOO_LARGE` when the budget is used up.
   */
  tag(end: number): number {
    this.#budget.takeElements(FIELD_COST);
    const tag = this.varint(end);
    if (tag < 8 || tag >= TURN_32) throw this.damaged('a field has no number');
    return tag;
  }

  /**
   * Reads a `uint64`, or a `uint32`. Above 2^53 it is the nearest number.
   *
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when the number has more than 10 bytes, or the message ends within it.
   */
  varint(end: number): number {
    let value = 0;
    let factor = 1;
    for (let length = 1; length <= LONGEST_VARINT; length++) {
      if (this.at >= end) throw this.damaged('a message ends within a number');
      const byte = this.#bytes[this.at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw this.damaged('a number is longer than 10 bytes');
  }

  /**
   * Reads an `int64` or an `int32`, of which negative ones have 10 bytes. Beyond 2^53 it is the nearest number.
   *
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when the number has more than 10 bytes, or the message ends within it.
   */
  signed(end: number): number {
    const value = this.varint(end);
    return value >= 2 ** 63 ? value - 2 ** 64 : value;
  }

  /**
   * Reads a `sint64` or a `sint32`. Beyond 2^53 it is the nearest number.
   *
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when the number has more than 10 bytes, or the message ends within it.
   */
  zigzag(end: number): number {
    const value = this.varint(end);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /**
   * Reads a number of 64 bits, as IEEE 754 has it.
   *
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when the message ends within it.
   */
  double(end: number): number {
    const from = this.at;
    this.#take(8, end);
    return this.#view.getFloat64(from, true);
  }

  /**
   * Whether the next 8 bytes are these, as two words of 32 bits: a NaN of JavaScript may lose its bits.
   *
   * @param end Where the message ends, in bytes from the beginning.
   */
  isNext(low: number, high: number, end: number): boolean {
    if (end - this.at < 8) return false;
    return this.#view.getUint32(this.at, true) === low && this.#view.getUint32(this.at + 4, true) === high;
  }

  /**
   * Reads a text in UTF-8.
   *
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when it is longer than the message, or not UTF-8.
   */
  text(end: number): string {
    const to = this.message(end);
    const bytes = this.#bytes.subarray(this.at, to);
    this.at = to;
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw this.damaged('a text is not UTF-8');
    }
  }

  /**
   * Reads the length of a message or a packed list. Returns where it ends.
   *
   * @param end Where the message around it ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when it is longer than the message around it.
   */
  message(end: number): number {
    const length = this.varint(end);
    if (length > end - this.at) throw this.damaged('a message is longer than the one around it');
    return this.at + length;
  }

  /**
   * Reads numbers of a list, packed or one of them.
   *
   * @param tag The tag of the field, whose lower 3 bits say which.
   * @param end Where the message ends, in bytes from the beginning.
   * @param into Gets the numbers: any, as `read` returns them.
   * @throws HdrscopeError `ERR_DECODE` when the message ends within a number, `ERR_TOO_LARGE` when the budget is used up.
   */
  numbers(tag: number, end: number, into: number[], read: (end: number) => number): void {
    if ((tag & 7) !== DELIMITED) {
      into.push(read(end));
      return;
    }
    const to = this.message(end);
    while (this.at < to) {
      this.#budget.takeElements(FIELD_COST);
      into.push(read(to));
    }
  }

  /**
   * Skips the field of a tag.
   *
   * @param tag The tag: the number of the field times 8, and its wire type.
   * @param end Where the message ends, in bytes from the beginning.
   * @throws HdrscopeError `ERR_DECODE` when the field is longer than the message, or has no wire type that exists.
   */
  skip(tag: number, end: number): void {
    const type = tag & 7;
    if (type === VARINT) this.varint(end);
    else if (type === FIXED_64) this.#take(8, end);
    else if (type === FIXED_32) this.#take(4, end);
    else if (type === DELIMITED) this.at = this.message(end);
    else throw this.damaged(`a field has the wire type ${type}`);
  }

  #take(length: number, end: number): void {
    if (length > end - this.at) throw this.damaged('a message ends within a number');
    this.at += length;
  }

  /** The error for bytes that are not what they should be. */
  damaged(problem: string): HdrscopeError {
    return new HdrscopeError('ERR_DECODE', `${this.#what}, at byte ${this.at}: ${problem}`);
  }
}
