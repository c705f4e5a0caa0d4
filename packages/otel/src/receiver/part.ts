import { exponentialBound, type HdrLayout, Histogram, type Resolution } from '@hdrscope/core';
import type { CountedFacts, Family, Rejected } from '@hdrscope/registry';
import type { Buckets } from './counted.ts';
import type { Increase } from './increase.ts';

/**
 * What a series gets of an increase: each bucket, whole, at its middle, once the told minimum and maximum have narrowed
 * it; an open bucket that none of them closes at its bound. The HDR slot is one that lies within the bucket, where there
 * is one, so that the same buckets are read out again. Nothing of the series is changed.
 *
 * Values below 0, and those above what the family reaches, are rejected. The sum is as told, unless it tells of rejected
 * values too: then it is that of the middles. The histogram is good until the next call.
 *
 * @param startTimeMs When the counting began, in milliseconds since 1970.
 * @throws HdrscopeError `ERR_COUNT_OVERFLOW`
 */
export function partOf(family: Family, increase: Increase, startTimeMs: number): Part {
  const placing = new Placing(family, increase);
  placing.place(increase.buckets);
  return placing.part(startTimeMs);
}

/** What a series is given. */
export interface Part {
  readonly histogram: Histogram;
  readonly facts: CountedFacts;
}

/** Counts on their way to a series. */
class Placing {
  readonly #histogram: Histogram;
  readonly #layout: HdrLayout;
  readonly #resolution: Resolution;
  readonly #increase: Increase;
  readonly #least: number;
  readonly #most: number;
  /** Of the middles. */
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #negative = 0;
  #tooLarge = 0;
  #largest = 0;

  constructor({ layout, resolution }: Family, increase: Increase) {
    this.#histogram = emptyHistogram(layout);
    this.#layout = layout;
    this.#resolution = resolution;
    this.#increase = increase;
    this.#least = increase.min ?? Number.NEGATIVE_INFINITY;
    this.#most = increase.max ?? Number.POSITIVE_INFINITY;
  }

  place(buckets: Buckets): void {
    if (buckets.kind === 'explicit') {
      const { bounds, counts } = buckets;
      for (let i = 0; i < counts.length; i++) {
        if (counts[i] === 0) continue;
        this.#bucket(
          bounds[i - 1] ?? Number.NEGATIVE_INFINITY,
          bounds[i] ?? Number.POSITIVE_INFINITY,
          counts[i]!,
        );
      }
      return;
    }
    const { scale, zeroCount, positive, negative } = buckets;
    if (zeroCount > 0) this.#at(0, 0, zeroCount);
    for (const count of negative.counts) this.#negative += count;
    let upper = exponentialBound(scale, positive.offset);
    for (let i = 0; i < positive.counts.length; i++) {
      const lower = upper;
      upper = Math.min(exponentialBound(scale, positive.offset + i + 1), Number.MAX_VALUE);
      if (positive.counts[i] !== 0) this.#bucket(lower, upper, positive.counts[i]!);
    }
  }

  part(startTimeMs: number): Part {
    const { sum: told, newMin, newMax } = this.#increase;
    const isAll = this.#negative + this.#tooLarge === 0;
    const facts = {
      startTimeMs,
      sum: isAll && told !== undefined && told >= 0 ? told : this.#sum,
      min: isAll && newMin !== undefined && newMin >= 0 ? newMin : this.#min,
      max: isAll && newMax !== undefined ? newMax : this.#max,
      rejected: this.#rejected(),
    };
    return { histogram: this.#histogram, facts };
  }

  #bucket(lower: number, upper: number, count: number): void {
    const value = this.#valueWithin(lower, upper);
    if (value < 0) {
      this.#negative += count;
      return;
    }
    const ticks = this.#ticksOf(value);
    if (ticks > this.#layout.highestTrackableValue) {
      this.#tooLarge += count;
      this.#largest = Math.max(this.#largest, value);
      return;
    }
    this.#at(value, this.#fitting(ticks, lower, upper), count);
  }

  #at(value: number, ticks: number, count: number): void {
    this.#histogram.record(ticks, count);
    this.#sum += value * count;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  /** The value that stands for a bucket. */
  #valueWithin(lower: number, upper: number): number {
    let from = Math.max(lower, this.#least);
    let to = Math.min(upper, this.#most);
    // A sender's logarithm may have put its extremes beside their buckets.
    if (from > to) [from, to] = [lower, upper];
    if (from === Number.NEGATIVE_INFINITY) from = Math.min(to, 0);
    if (to === Number.POSITIVE_INFINITY) to = from;
    return from / 2 + to / 2;
  }

  /** The ticks, or those of the slot beside theirs where only that one lies within the bucket. */
  #fitting(ticks: number, lower: number, upper: number): number {
    const layout = this.#layout;
    // Slots hold whole ticks, of which the lower bound is not in the bucket.
    const [from, to] = [this.#exactTicksOf(lower), this.#exactTicksOf(upper)];
    const slot = layout.slotOf(ticks);
    if (layout.lower(slot) <= from && slot + 1 < layout.slotCount && layout.upper(slot + 1) <= to)
      return layout.lower(slot + 1);
    if (layout.upper(slot) > to && slot > 0 && layout.lower(slot - 1) > from) return layout.lower(slot - 1);
    return ticks;
  }

  #ticksOf(value: number): number {
    return Math.round(this.#exactTicksOf(value));
  }

  /** Not rounded, but for the error of the multiplication. */
  #exactTicksOf(value: number): number {
    const ticks = (value * this.#resolution.ticksPerUnit) / this.#resolution.unitsPerTick;
    const nearest = Math.round(ticks);
    return Math.abs(ticks - nearest) <= 1e-9 * nearest ? nearest : ticks;
  }

  #rejected(): Rejected {
    return {
      notANumber: 0,
      negative: this.#negative,
      tooLarge: this.#tooLarge,
      largest: this.#largest,
      overflowing: 0,
    };
  }
}

// As many slots as 3 digits have. Memory of one's own for each point would take longer than all the rest.
const MOST_KEPT_SLOTS = 2 ** 16;

const kept = new WeakMap<HdrLayout, Histogram>();

/** The same one for each point, where that is not too large to be kept. */
function emptyHistogram(layout: HdrLayout): Histogram {
  if (layout.slotCount > MOST_KEPT_SLOTS) return new Histogram({ layout, storage: 'sparse' });
  const known = kept.get(layout);
  if (known === undefined) {
    const histogram = new Histogram({ layout, storage: 'dense' });
    kept.set(layout, histogram);
    return histogram;
  }
  known.reset();
  return known;
}
