import { ByteWriter } from 'hyparquet-writer';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import type { HistoryRow } from '../rows/row.ts';
import { assertIntegers, plainIntegers } from './integer-bytes.ts';

/** Numbers each text of a column, in the order of their first use. */
export class TextDictionary {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  /** All texts, as a page of a dictionary has them. */
  bytes(): Uint8Array {
    const writer = new ByteWriter();
    for (const text of this.#numbers.keys()) {
      const bytes = Buffer.from(text);
      writer.appendUint32(bytes.length);
      writer.appendBytes(bytes);
    }
    return writer.getBytes();
  }
}

const MOST_COUNTS = 256;
const SMALL = 4096;

/** Numbers the counts of slots, ascending. */
export class CountDictionary {
  readonly #counts: readonly number[];
  // Most counts are small, and a table is much faster than a map.
  readonly #small = new Uint8Array(SMALL);
  readonly #large = new Map<number, number>();

  private constructor(counts: readonly number[]) {
    this.#counts = counts;
    for (const [number, count] of counts.entries()) {
      if (count < SMALL) this.#small[count] = number;
      else this.#large.set(count, number);
    }
  }

  /** `undefined` when more than 256 counts occur: differences are smaller then. @throws Error when a count is no integer from 0 on. */
  static of(rows: readonly HistoryRow[]): CountDictionary | undefined {
    const isKnown = new Uint8Array(SMALL);
    const known = new Set<number>();
    for (const { c } of rows) {
      for (let i = 0; i < c.length; i++) {
        const count = c[i]!;
        if (isKnown[count] === 1) continue;
        isKnown[count] = 1;
        known.add(count);
      }
      if (known.size > MOST_COUNTS) return undefined;
    }
    const counts = [...known].sort((a, b) => a - b);
    assertIntegers(counts, 0, Number.MAX_SAFE_INTEGER);
    return new CountDictionary(counts);
  }

  get size(): number {
    return this.#counts.length;
  }

  /** All counts, as a page of a dictionary has them. */
  get bytes(): Uint8Array {
    return plainIntegers(this.#counts);
  }

  numbersOf(counts: Float64Array): Uint8Array {
    const numbers = new Uint8Array(counts.length);
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      numbers[i] = count < SMALL ? this.#small[count]! : this.#large.get(count)!;
    }
    return numbers;
  }
}

/** Writes numbers below `size`, where long runs of one number are likely. */
export function repeatedNumbers(numbers: number[], size: number): Uint8Array {
  const writer = new ByteWriter();
  const width = widthOf(size);
  writer.appendUint8(width);
  writeRleBitPackedHybrid(writer, numbers, width);
  return writer.getBytes();
}

/** Writes numbers below `size`, where long runs are unlikely: all bits in one piece. At most 256 numbers. */
export function mixedNumbers(numbers: Uint8Array, size: number): Uint8Array {
  const width = widthOf(size);
  // Runs that repeat a number take no bits.
  if (width === 0) return repeatedNumbers([...numbers], size);
  const writer = new ByteWriter();
  const groups = Math.ceil(numbers.length / 8);
  writer.appendUint8(width);
  writer.appendVarInt(groups * 2 + 1);
  const packed = new Uint8Array(groups * width);
  for (let i = 0, bit = 0; i < numbers.length; i++, bit += width)
    packed[bit >> 3]! |= numbers[i]! << (bit & 7);
  writer.appendBytes(packed);
  return writer.getBytes();
}

/** Widths that bytes are a multiple of, so that equal numbers are equal bytes, which compress well. */
function widthOf(size: number): number {
  if (size <= 1) return 0;
  return [1, 2, 4, 8, 16].find((width) => size <= 2 ** width) ?? 24;
}
