// The place of the lower half of a 64-bit word: 0 on all machines that Node.js supports, except for IBM's.
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;

/** The digits of counts. Only counts of 2^32 and more are read as bigints. */
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

  /** Whether all counts are 0 from one cell up to another, exclusive. */
  areZero(from: number, to: number): boolean {
    const words = this.#words;
    for (let i = 2 * from; i < 2 * to; i++) if (words[i] !== 0) return false;
    return true;
  }
}
