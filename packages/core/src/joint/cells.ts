import { HdrscopeError } from '@hdrscope/core';

// The place of the lower half of a 64-bit word: 0 on all machines that Node.js supports, except for IBM's.
const LOW = /* @__PURE__ */ lowHalf();
const HIGH = 1 - LOW;

function lowHalf(): number {
  return new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
}

const LARGEST = 2n ** 64n - 1n;

/** Counts of 64 bits. An increment costs as much as one of 32 bits and creates no bigint. */
export class Cells {
  readonly length: number;
  /** All counts, exact. Callers must not write to them. */
  readonly all: BigUint64Array<ArrayBuffer>;
  /** A second view of the memory of `all`. */
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

  /** A count as a number; above 2^53 the nearest double. */
  numberAt(cell: number): number {
    const { words } = this;
    const [low, high] = [words[2 * cell + LOW]!, words[2 * cell + HIGH]!];
    return high === 0 ? low : high * 2 ** 32 + low;
  }

  /**
   * Adds counts cell by cell.
   *
   * @throws HdrscopeError `ERR_COUNT_OVERFLOW` when a sum would exceed 2^64 − 1. No cell has changed then.
   */
  add(counts: BigUint64Array): void {
    const { all, length } = this;
    for (let cell = 0; cell < length; cell++) if (counts[cell] !== 0n) assertFits(all[cell]! + counts[cell]!);
    for (let cell = 0; cell < length; cell++) if (counts[cell] !== 0n) all[cell]! += counts[cell]!;
  }

  /** @throws HdrscopeError `ERR_COUNT_OVERFLOW` when the sum would exceed 2^64 − 1. */
  addAt(cell: number, count: bigint): void {
    const sum = this.all[cell]! + count;
    assertFits(sum);
    this.all[cell] = sum;
  }
}

function assertFits(sum: bigint): void {
  if (sum > LARGEST)
    throw new HdrscopeError('ERR_COUNT_OVERFLOW', `a cell must be at most 2^64 - 1, got ${sum}`);
}
