import { mustBe } from '../errors.ts';
import { slotsOfRanks } from './ranks.ts';
import type { ReadonlyCounts } from './readonly-counts.ts';
import { PAGE_SLOTS as pageSlots } from './words.ts';

// A copy: V8 reads numbers that another file exports anew at each use.
const PAGE_SLOTS = pageSlots;

/** Counts of neighbouring slots in an array that somebody else made; all other slots are empty. */
export class RunCounts implements ReadonlyCounts {
  readonly length: number;
  readonly total: number;
  readonly first: number;
  readonly last: number;
  /** The slot of `#counts[0]`. */
  readonly #from: number;
  readonly #counts: ArrayLike<number>;

  /** @throws HdrscopeError `ERR_INVALID_COUNT` when a count or their sum is not an integer from 0 to 2^53 − 1. */
  constructor(length: number, from: number, counts: ArrayLike<number>) {
    let total = 0;
    let first = length;
    let last = -1;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      if (count === 0) continue;
      if (!Number.isSafeInteger(count) || count < 0) {
        throw mustBe('ERR_INVALID_COUNT', `counts[${i}]`, 'an integer from 0 to 2^53 - 1', count);
      }
      total += count;
      if (last < 0) first = from + i;
      last = from + i;
    }
    if (total > Number.MAX_SAFE_INTEGER) {
      throw mustBe('ERR_INVALID_COUNT', 'the sum of the counts', 'at most 2^53 - 1', total);
    }
    this.length = length;
    this.total = total;
    this.first = first;
    this.last = last;
    this.#from = from;
    this.#counts = counts;
  }

  get byteLength(): number {
    return this.#counts.length * Float64Array.BYTES_PER_ELEMENT;
  }

  /** The increase since earlier counts of the same slots; `undefined` when a count has fallen. */
  since(before: RunCounts): RunCounts | undefined {
    if (before.first < this.first || before.last > this.last) return undefined;
    const length = Math.max(this.last - this.first + 1, 0);
    // A short array takes less time to make than a typed one.
    const counts = new Array<number>(length);
    const [own, others] = [this.first - this.#from, this.first - before.#from];
    for (let i = 0; i < length; i++) {
      const count = this.#counts[own + i]! - (before.#counts[others + i] ?? 0);
      if (count < 0) return undefined;
      counts[i] = count;
    }
    return new RunCounts(this.length, this.first, counts);
  }

  at(slot: number): number {
    return this.#counts[slot - this.#from] ?? 0;
  }

  next(slot: number): number {
    if (slot <= this.first) return this.first;
    for (let at = slot; at <= this.last; at++) if (this.at(at) !== 0) return at;
    return this.length;
  }

  read(slot: number, into: Float64Array): boolean {
    for (let i = 0; i < into.length; i++) into[i] = this.at(slot + i);
    return slot <= this.last && slot + into.length > this.first;
  }

  slotOfRank(rank: number): number {
    return this.slotsOfRanks([rank])[0]!;
  }

  slotsOfRanks(ranks: readonly number[]): number[] {
    return slotsOfRanks(this, ranks);
  }

  /** The sum over the page that begins with a slot. */
  sumOfPage(slot: number): number {
    let sum = 0;
    for (let at = slot; at < slot + PAGE_SLOTS; at++) sum += this.at(at);
    return sum;
  }
}
