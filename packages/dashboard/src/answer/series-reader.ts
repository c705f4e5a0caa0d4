import type { PackedSum } from '@hdrscope/core/internal';
import type { PackedInterval } from '../history/packed-interval.ts';

/**
 * Reads series of some intervals, one series after another. It takes a fraction of the time that one interval after another does, because the
 * sums of a series stay in the cache of the processor. Fastest when ids ascend.
 */
export class SeriesReader {
  readonly #intervals: readonly PackedInterval[];
  /** The place in each interval from which on ids are at least that of the last series. */
  readonly #places: Int32Array;

  constructor(intervals: readonly PackedInterval[]) {
    this.#intervals = intervals;
    this.#places = new Int32Array(intervals.length);
  }

  /** Adds what the series with an id counted in all intervals. */
  addTo(sum: PackedSum, id: number): void {
    const intervals = this.#intervals;
    for (let i = 0; i < intervals.length; i++) {
      const { ids, offsets, bytes } = intervals[i]!;
      const place = findPlace(ids, id, this.#places[i]!);
      this.#places[i] = place;
      if (ids[place] === id) sum.add(bytes, offsets[2 * place]!, offsets[2 * place + 1]!);
    }
  }
}

/** The first place of an id that is at least `id`. It takes the shorter, the nearer the place is to `near`. */
function findPlace(ids: Int32Array, id: number, near: number): number {
  let low = near;
  let high = near;
  if (near < ids.length && ids[near]! < id) {
    high = near + 1;
    for (let step = 1; high < ids.length && ids[high]! < id; step *= 2) {
      low = high;
      high += step;
    }
    low++;
    high = Math.min(high, ids.length);
  } else {
    low = near - 1;
    for (let step = 1; low >= 0 && ids[low]! >= id; step *= 2) {
      high = low;
      low -= step;
    }
    low = Math.max(0, low + 1);
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
