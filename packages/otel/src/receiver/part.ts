import { exponentialBound, type HdrLayout, Histogram, type Resolution } from '@hdrscope/core';
import type { CountedFacts, Family, Rejected } from '@hdrscope/registry';
import type { Buckets } from './counted.ts';
import type { Increase } from './increase.ts';

/**
 * Makes the part that an increase adds to a series. Each bucket counts, whole, at its middle, after the minimum and the
 * maximum of the increase have narrowed it. An open bucket that they do not close counts at its bound. The counts go to an
 * HDR slot that lies within the bucket, if there is one, so that reading the same buckets back gives the same counts.
 *
 * Values below 0 and values above the family's range are rejected. The sum is the sender's, unless some of its values are
 * rejected: it is then the sum of the middles. The histogram is valid until the next call.
 *
 * @param startTimeMs When the sender began to count, in milliseconds since 1970.
 * @throws HdrscopeError `ERR_COUNT_OVERFLOW` when a count would exceed 2^53 − 1.
 */
export function partOf(family: Family, increase: Increase, startTimeMs: number): Part {
  const placement = new BucketPlacement(family, increase);
  placement.place(increase.buckets);
  return placement.part(startTimeMs);
}

/** The histogram and the facts that a series adds. */
export interface Part {
  readonly histogram: Histogram;
  readonly facts: CountedFacts;
}

/** Places the buckets of one increase into the slots of a family. */
class BucketPlacement {
  readonly #histogram: Histogram;
  readonly #layout: HdrLayout;
  readonly #resolution: Resolution;
  readonly #increase: Increase;
  readonly #least: number;
  readonly #most: number;
  // The sum and the extremes of the buckets' middles.
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
    const { sum, newMin, newMax } = this.#increase;
    const isComplete = this.#negative + this.#tooLarge === 0;
    const facts = {
      startTimeMs,
      sum: isComplete && sum !== undefined && sum >= 0 ? sum : this.#sum,
      min: isComplete && newMin !== undefined && newMin >= 0 ? newMin : this.#min,
      max: isComplete && newMax !== undefined ? newMax : this.#max,
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

  /** The value that a bucket counts at. */
  #valueWithin(lower: number, upper: number): number {
    let from = Math.max(lower, this.#least);
    let to = Math.min(upper, this.#most);
    // Rounding in a sender's logarithm may put an extreme into the bucket beside its own.
    if (from > to) [from, to] = [lower, upper];
    if (from === Number.NEGATIVE_INFINITY) from = Math.min(to, 0);
    if (to === Number.POSITIVE_INFINITY) to = from;
    return from / 2 + to / 2;
  }

  /** Ticks in the slot of `ticks`, or in the slot beside it when only that one lies within the bucket. */
  #fitting(ticks: number, lower: number, upper: number): number {
    const layout = this.#layout;
    // Slots hold whole ticks. A bucket excludes its lower bound.
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

  /** A value in ticks, not rounded except for the error of the multiplication. */
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

// Three digits need fewer slots than this. Allocating a histogram for each point would take longer than everything else.
const MOST_KEPT_SLOTS = 2 ** 16;

const kept = new WeakMap<HdrLayout, Histogram>();

/** The histogram that all points share, emptied, or a new one when the layout is too large for that. */
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
