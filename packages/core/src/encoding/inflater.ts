// Entry `@hdrscope/core/internal/inflater`: for the other packages of hdrscope only. Names here may change in any release.
import { LONGEST_CODE, PrefixCode } from './prefix-code.ts';

// Source of all numbers: RFC 1951.
const END_OF_BLOCK = 256;
const MOST_LITERALS = 286;
const MOST_DISTANCES = 30;
const LONGEST_COPY = 258;
const WINDOW_BYTES = 2 ** 15;
const LENGTH_ORDER = Uint8Array.of(16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15);
const COPY_BITS = Uint8Array.from({ length: 29 }, (_, at) => (at < 8 || at === 28 ? 0 : (at >> 2) - 1));
const COPIES = firstOfEach(3, COPY_BITS);
COPIES[28] = LONGEST_COPY;
const DISTANCE_BITS = Uint8Array.from({ length: MOST_DISTANCES }, (_, at) => Math.max(0, (at >> 1) - 1));
const DISTANCES = firstOfEach(1, DISTANCE_BITS);

/** The first number of each symbol, when the numbers of all symbols follow each other. */
function firstOfEach(first: number, bits: Uint8Array): Uint16Array {
  let next = first;
  return Uint16Array.from(bits, (count) => {
    const number = next;
    next += 1 << count;
    return number;
  });
}

const LITERAL_TABLE_BITS = 9;
const DISTANCE_TABLE_BITS = 6;
const LENGTH_TABLE_BITS = 7;
const FIXED_LITERALS = 288;
const FIXED_LENGTHS = new Uint8Array(320)
  .fill(8, 0, 144)
  .fill(9, 144, 256)
  .fill(7, 256, 280)
  .fill(8, 280, 288)
  .fill(5, 288);

const SMALLEST_OUTPUT = 2 ** 16;
const LARGEST_KEPT = 2 ** 20;
const NOTHING = new Uint8Array(0);

type Place = 'between blocks' | 'in a stored block' | 'in a block of codes' | 'after the end';

/**
 * Inflates deflate streams (RFC 1951), one after the other, in pieces of any length. Streams share its memory, because an interval log has a
 * small stream in each line.
 */
export class Inflater {
  readonly #literals = new PrefixCode(LITERAL_TABLE_BITS);
  readonly #distances = new PrefixCode(DISTANCE_TABLE_BITS);
  readonly #lengths = new PrefixCode(LENGTH_TABLE_BITS);
  readonly #codeLengths = new Uint8Array(MOST_LITERALS + MOST_DISTANCES);
  #mostBytes = Number.POSITIVE_INFINITY;
  #place: Place = 'between blocks';
  #isLastBlock = false;
  /** Bytes of a stored block that have not come yet. */
  #storedBytes = 0;

  /** What was inflated. Bytes before `#taken` are the window into which distances point. */
  #output: Uint8Array = NOTHING;
  #length = 0;
  #taken = 0;

  #input: Uint8Array = NOTHING;
  #at = 0;
  /** The next `#bits` bits of the stream, at most 31. Bytes after the end of the input are 0, and `#at` counts them. */
  #hold = 0;
  #bits = 0;

  /**
   * Begins a stream.
   *
   * @param mostBytes The most bytes that may come between two calls of `take`. @default any number
   */
  begin(mostBytes: number = Number.POSITIVE_INFINITY): void {
    if (this.#output.length > LARGEST_KEPT) this.#output = NOTHING;
    this.#mostBytes = mostBytes;
    this.#place = 'between blocks';
    this.#input = NOTHING;
    this.#length = this.#taken = this.#at = this.#hold = this.#bits = 0;
  }

  /** Whether the stream has ended. */
  get isDone(): boolean {
    return this.#place === 'after the end';
  }

  /** The input that was not used: what follows the stream, or the beginning of a symbol or a block whose end has not come. */
  get rest(): Uint8Array {
    return this.#input.subarray(this.#at);
  }

  /**
   * Inflates a piece of the stream, which must not change before the next one.
   *
   * @throws RangeError when the stream is broken or has more content than allowed.
   */
  push(piece: Uint8Array): void {
    this.#input = join(this.rest, piece);
    this.#at = 0;
    let [at, hold, bits] = [this.#at, this.#hold, this.#bits];
    while (!this.isDone && this.#step()) [at, hold, bits] = [this.#at, this.#hold, this.#bits];
    if (this.#isBeyondInput()) [this.#at, this.#hold, this.#bits] = [at, hold, bits];
    this.#returnBytes();
    this.#assertLength();
  }

  /** Copies what was inflated since the call before. */
  take(): Uint8Array {
    const text = this.#output.slice(this.#taken, this.#length);
    if (this.#length > WINDOW_BYTES) {
      this.#output.copyWithin(0, this.#length - WINDOW_BYTES, this.#length);
      this.#length = WINDOW_BYTES;
    }
    this.#taken = this.#length;
    return text;
  }

  /** Reads a header, or a block. Returns false when the input ends before. */
  #step(): boolean {
    if (this.#place === 'in a stored block') return this.#copyStored();
    if (this.#place === 'in a block of codes') return this.#decodeBlock();
    this.#isLastBlock = this.#read(1) === 1;
    const kind = this.#read(2);
    if (this.#isBeyondInput()) return false;
    if (kind === 3) throw new RangeError('a block has an unknown kind');
    if (kind === 0) return this.#beginStored();
    if (kind === 2) return this.#readCodes();
    this.#literals.build(FIXED_LENGTHS, 0, FIXED_LITERALS);
    this.#distances.build(FIXED_LENGTHS, FIXED_LITERALS, FIXED_LENGTHS.length);
    return this.#goTo('in a block of codes');
  }

  #goTo(place: Place): true {
    this.#place = place;
    return true;
  }

  #endBlock(): true {
    return this.#goTo(this.#isLastBlock ? 'after the end' : 'between blocks');
  }

  // Stored blocks.

  #beginStored(): boolean {
    this.#read(this.#bits & 7);
    const [length, complement] = [this.#read(16), this.#read(16)];
    if (this.#isBeyondInput()) return false;
    if ((length ^ complement) !== 0xffff) throw new RangeError('a stored block has a wrong length');
    this.#returnBytes();
    this.#storedBytes = length;
    return this.#goTo('in a stored block');
  }

  #copyStored(): boolean {
    const bytes = this.#input.subarray(this.#at, this.#at + this.#storedBytes);
    this.#makeRoom(bytes.length);
    this.#output.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#at += bytes.length;
    this.#storedBytes -= bytes.length;
    return this.#storedBytes === 0 && this.#endBlock();
  }

  // Blocks of codes.

  #readCodes(): boolean {
    const literals = this.#read(5) + 257;
    const distances = this.#read(5) + 1;
    const stated = this.#read(4) + 4;
    const lengths = this.#codeLengths;
    lengths.fill(0, 0, LENGTH_ORDER.length);
    for (let i = 0; i < stated; i++) lengths[LENGTH_ORDER[i]!] = this.#read(3);
    if (this.#isBeyondInput()) return false;
    if (literals > MOST_LITERALS || distances > MOST_DISTANCES)
      throw new RangeError('a block has too many symbols');
    this.#lengths.build(lengths, 0, LENGTH_ORDER.length);
    if (!this.#readCodeLengths(literals + distances)) return false;
    if (lengths[END_OF_BLOCK] === 0) throw new RangeError('a block has no end');
    this.#literals.build(lengths, 0, literals);
    this.#distances.build(lengths, literals, literals + distances);
    return this.#goTo('in a block of codes');
  }

  #readCodeLengths(count: number): boolean {
    const [input, lengths, { table, mask }] = [this.#input, this.#codeLengths, this.#lengths];
    const end = input.length;
    let [at, hold, bits] = [this.#at, this.#hold, this.#bits];
    let fault: string | undefined;
    for (let i = 0; i < count && fault === undefined; ) {
      // A code has at most 7 bits, and what follows it as many.
      for (; bits < 16; bits += 8, at++) if (at < end) hold |= input[at]! << bits;
      const entry = table[hold & mask]!;
      const symbol = entry >> 4;
      const codeBits = entry === 0 ? LENGTH_TABLE_BITS : entry & 15;
      const moreBits = symbol < 16 ? 0 : symbol === 16 ? 2 : symbol === 17 ? 3 : 7;
      const more = (hold >> codeBits) & ((1 << moreBits) - 1);
      hold >>= codeBits + moreBits;
      bits -= codeBits + moreBits;
      if (8 * (at - end) > bits) break;
      if (entry === 0) fault = 'a block has an unknown length';
      else if (symbol < 16) lengths[i++] = symbol;
      else if (symbol === 16 && i === 0) fault = 'a block repeats a length before the first one';
      else {
        const stop = i + more + (symbol === 18 ? 11 : 3);
        if (stop > count) fault = 'a block has too many lengths';
        else for (const length = symbol === 16 ? lengths[i - 1]! : 0; i < stop; i++) lengths[i] = length;
      }
    }
    if (fault !== undefined) throw new RangeError(fault);
    [this.#at, this.#hold, this.#bits] = [at, hold, bits];
    return !this.#isBeyondInput();
  }

  /** Decodes to the end of the block. Returns false when the input ends before: then the last symbol is read again. */
  #decodeBlock(): boolean {
    const [input, literals, distances] = [this.#input, this.#literals, this.#distances];
    const [literalTable, distanceTable, end] = [literals.table, distances.table, input.length];
    const [literalMask, distanceMask] = [literals.mask, distances.mask];
    let [output, length] = [this.#output, this.#length];
    let [at, hold, bits] = [this.#at, this.#hold, this.#bits];
    let [symbolAt, symbolHold, symbolBits] = [at, hold, bits];
    let fault: string | undefined;
    for (;;) {
      if (length + LONGEST_COPY > output.length) {
        this.#length = length;
        output = this.#makeRoom(LONGEST_COPY);
      }
      symbolAt = at;
      symbolHold = hold;
      symbolBits = bits;
      for (; bits < 24; bits += 8, at++) if (at < end) hold |= input[at]! << bits;
      const entry = literalTable[hold & literalMask]! || literals.find(hold);
      const symbol = entry >> 4;
      hold >>= entry & 15;
      bits -= entry & 15;
      if (entry !== 0 && symbol < END_OF_BLOCK) {
        if (8 * (at - end) > bits) break;
        output[length++] = symbol;
        continue;
      }
      if (symbol === END_OF_BLOCK) break;
      const copy = symbol - END_OF_BLOCK - 1;
      if (entry === 0 || copy >= COPIES.length) {
        if (entry === 0) bits -= LONGEST_CODE;
        fault = 'a block has an unknown code';
        break;
      }
      const copyBits = COPY_BITS[copy]!;
      const copied = COPIES[copy]! + (hold & ((1 << copyBits) - 1));
      hold >>= copyBits;
      bits -= copyBits;
      for (; bits < 24; bits += 8, at++) if (at < end) hold |= input[at]! << bits;
      const back = distanceTable[hold & distanceMask]! || distances.find(hold);
      hold >>= back & 15;
      bits -= back & 15;
      if (back === 0 || back >> 4 >= MOST_DISTANCES) {
        if (back === 0) bits -= LONGEST_CODE;
        fault = 'a block has an unknown distance';
        break;
      }
      for (; bits < 24; bits += 8, at++) if (at < end) hold |= input[at]! << bits;
      const distanceBits = DISTANCE_BITS[back >> 4]!;
      const distance = DISTANCES[back >> 4]! + (hold & ((1 << distanceBits) - 1));
      hold >>= distanceBits;
      bits -= distanceBits;
      if (8 * (at - end) > bits) break;
      if (distance > length) {
        fault = 'a block points before the beginning';
        break;
      }
      for (let from = length - distance, left = copied; left > 0; left--) output[length++] = output[from++]!;
    }
    this.#length = length;
    const isWhole = 8 * (at - end) <= bits;
    this.#at = isWhole ? at : symbolAt;
    this.#hold = isWhole ? hold : symbolHold;
    this.#bits = isWhole ? bits : symbolBits;
    if (isWhole && fault !== undefined) throw new RangeError(fault);
    return isWhole && this.#endBlock();
  }

  // Input and output.

  /** Takes at most 16 bits. */
  #read(count: number): number {
    this.#fillHold();
    const number = this.#hold & ((1 << count) - 1);
    this.#hold >>= count;
    this.#bits -= count;
    return number;
  }

  #fillHold(): void {
    for (; this.#bits < 16; this.#bits += 8, this.#at++)
      if (this.#at < this.#input.length) this.#hold |= this.#input[this.#at]! << this.#bits;
  }

  /** Whether bits were used that have not come yet. */
  #isBeyondInput(): boolean {
    return 8 * (this.#at - this.#input.length) > this.#bits;
  }

  /** Gives back the bytes of which no bit was used. */
  #returnBytes(): void {
    this.#at -= this.#bits >> 3;
    this.#bits &= 7;
    this.#hold &= (1 << this.#bits) - 1;
  }

  #makeRoom(bytes: number): Uint8Array {
    this.#assertLength();
    if (this.#length + bytes > this.#output.length) {
      const longer = new Uint8Array(Math.max(SMALLEST_OUTPUT, 2 * this.#output.length, this.#length + bytes));
      longer.set(this.#output.subarray(0, this.#length));
      this.#output = longer;
    }
    return this.#output;
  }

  #assertLength(): void {
    if (this.#length - this.#taken <= this.#mostBytes) return;
    throw new RangeError(`cannot inflate to more than ${this.#mostBytes} bytes`);
  }
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
