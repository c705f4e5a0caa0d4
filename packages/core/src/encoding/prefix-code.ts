/** The most bits of a code. */
export const LONGEST_CODE = 15;
const MOST_SYMBOLS = 288;
/** A loop copies fewer entries in less time than a call. */
const FEW_ENTRIES = 32;

/**
 * A prefix code of a deflate stream. Its memory is allocated once and filled for each block: most encoded histograms are blocks of a few
 * hundred bytes, in which tables take longer than symbols. Source: RFC 1951, section 3.2.2.
 */
export class PrefixCode {
  /**
   * For the next bits of a stream, `symbol << 4 | length` of the code with which they begin; 0 for a longer code, and for bits with
   * which no code begins.
   */
  readonly table: Uint16Array;
  /** The bits with which the table is read. */
  mask = 0;
  readonly #tableBits: number;
  /** How many codes have each length. */
  readonly #counts = new Uint16Array(LONGEST_CODE + 1);
  readonly #nextOf = new Uint16Array(LONGEST_CODE + 2);
  /** The symbols in the order of their codes. */
  readonly #symbols = new Uint16Array(MOST_SYMBOLS);

  /** @param tableBits The longest code that the table has. */
  constructor(tableBits: number) {
    this.#tableBits = tableBits;
    this.table = new Uint16Array(1 << tableBits);
  }

  /**
   * Makes the code whose lengths are in [from, to), 0 for symbols without a code.
   *
   * @throws RangeError when no code has these lengths, or some bits begin no code: only a code of one symbol or none may have such bits.
   */
  build(lengths: Uint8Array, from: number, to: number): void {
    const [counts, nextOf, symbols] = [this.#counts, this.#nextOf, this.#symbols];
    counts.fill(0);
    for (let i = from; i < to; i++) counts[lengths[i]!]!++;
    const coded = to - from - counts[0]!;
    let [free, longest] = [1, 0];
    nextOf[1] = 0;
    for (let length = 1; length <= LONGEST_CODE; length++) {
      const count = counts[length]!;
      free = 2 * free - count;
      if (free < 0) throw new RangeError('a block has more codes than fit');
      if (count > 0) longest = length;
      nextOf[length + 1] = nextOf[length]! + count;
    }
    if (free > 0 && coded !== counts[1]) throw new RangeError('a block has too few codes');
    for (let i = from; i < to; i++) {
      const length = lengths[i]!;
      if (length > 0) symbols[nextOf[length]!++] = i - from;
    }
    this.#fillTable(Math.min(longest, this.#tableBits));
  }

  /**
   * Fills as much of the table as its longest code needs. It has the codes of each length once, and twice for the next length, which may be
   * followed by either bit:
   *
   *   codes 0, 10, 11    table of 1 bit: a -    of 2 bits: a b a c
   */
  #fillTable(bits: number): void {
    const [table, counts, symbols] = [this.table, this.#counts, this.#symbols];
    let at = 0;
    // Streams have the first bit of a code lowest.
    let reversed = 0;
    table[0] = 0;
    for (let length = 1; length <= bits; length++) {
      const half = 1 << (length - 1);
      if (half >= FEW_ENTRIES) table.copyWithin(half, 0, half);
      else for (let i = 0; i < half; i++) table[half + i] = table[i]!;
      for (let left = counts[length]!; left > 0; left--) {
        table[reversed] = (symbols[at++]! << 4) | length;
        let bit = half;
        while ((reversed & bit) !== 0) bit >>= 1;
        reversed = bit === 0 ? 0 : (reversed & (bit - 1)) | bit;
      }
    }
    this.mask = (1 << bits) - 1;
  }

  /** Finds the code with which 15 bits begin, as an entry of the table: 0 when no code begins so. */
  find(bits: number): number {
    let [code, first, at] = [0, 0, 0];
    for (let length = 1; length <= LONGEST_CODE; length++) {
      code |= (bits >> (length - 1)) & 1;
      const count = this.#counts[length]!;
      if (code - first < count) return (this.#symbols[at + code - first]! << 4) | length;
      at += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return 0;
  }
}
