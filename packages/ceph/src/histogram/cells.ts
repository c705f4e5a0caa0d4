import { HdrscopeError } from '@hdrscope/core';

// Where the lower half of a 64-bit word lies: first on all machines that Node.js is built for, but for IBM's.
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;

const LARGEST = 2n ** 64n - 1n;

/** Counts of 64 bits, as Ceph has them. Adding one is as fast as in 32 bits, and makes no bigint. */
export class Cells {
  readonly length: number;
  /** All of them, exact. Not to be written to. */
  readonly all: BigUint64Array<ArrayBuffer>;
  /** The same memory. */
  declare private readonly words: Uint32Array<ArrayBuffer>;

  constructor(length: number) {
    this.length = length;
    this.all = new BigUint64Array(length);
    this.words = new Uint32Array(this.all.buffer);
  }

  increment(cell: number): void {
    const { words } = this;
    const low = 2 * cell + LOW;
    const next = (words[low]! + 1) >>> 0;
    words[low] = next;
    if (next === 0) words[2 * cell + HIGH]!++;
  }

  /**
   * Adds counts cell by cell.
   *
   * @throws HdrscopeError `ERR_COUNT_OVERFLOW` when one of the sums exceeds 2^64 − 1; then none has changed.
   */
  add(counts: BigUint64Array): void {
    const { all, length } = this;
    for (let cell = 0; cell < length; cell++) if (counts[cell] !== 0n) assertFits(all[cell]! + counts[cell]!);
    for (let cell = 0; cell < length; cell++) if (counts[cell] !== 0n) all[cell]! += counts[cell]!;
  }

  /** @throws HdrscopeError `ERR_COUNT_OVERFLOW` */
  addAt(cell: number, count: bigint): void {
    const sum = this.all[cell]! + count;
    assertFits(sum);
    this.all[cell] = sum;
  }
}

/** What was counted, as text, without making a bigint of what is below 2^32. */
export class CellTexts {
  readonly #counts: BigUint64Array;
  readonly #words: Uint32Array;

  constructor(counts: BigUint64Array<ArrayBuffer>) {
    this.#counts = counts;
    this.#words = new Uint32Array(counts.buffer, counts.byteOffset, 2 * counts.length);
  }

  at(cell: number): string {
    const isSmall = this.#words[2 * cell + HIGH] === 0;
    return isSmall ? `${this.#words[2 * cell + LOW]!}` : `${this.#counts[cell]!}`;
  }

  /** Whether nothing was counted from one cell up to another, which is left out. */
  areZero(from: number, to: number): boolean {
    const words = this.#words;
    for (let i = 2 * from; i < 2 * to; i++) if (words[i] !== 0) return false;
    return true;
  }
}

function assertFits(sum: bigint): void {
  if (sum > LARGEST)
    throw new HdrscopeError('ERR_COUNT_OVERFLOW', `a cell must be at most 2^64 - 1, got ${sum}`);
}
