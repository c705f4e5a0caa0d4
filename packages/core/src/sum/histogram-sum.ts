import { assertPercentile, type ConfidenceOptions } from '../analysis/checks.ts';
import { findInterval, type PercentileInterval } from '../analysis/percentile-interval.ts';
import type { Bounds } from '../bounds.ts';
import type { Counted } from '../counted.ts';
import { assertTotal } from '../counts/largest-count.ts';
import type { SlotRuns } from '../counts/slot-runs.ts';
import { bytesOf } from '../encoding/base64.ts';
import { decode } from '../encoding/decode.ts';
import { mustBe } from '../errors.ts';
import type { DoubleHistogram } from '../histogram/double-histogram.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { assertCounted } from '../histogram/operands.ts';
import { findRank } from '../histogram/percentiles.ts';
import { type StorageOptions, storageOf } from '../histogram/storage-options.ts';
import type { Layout } from '../layout/layout.ts';
import { resolutionOf, scaledLayout } from '../layout/scaled.ts';
import { countAlike } from './alike.ts';
import { type Group, isJoined, type Join, joinOf, withEnds } from './group.ts';
import {
  boundDeviation,
  boundMean,
  boundRank,
  type RankedIntervals,
  rankIntervals,
} from './interval-statistics.ts';
import {
  type CountedInterval,
  IntervalMap,
  type IntervalStore,
  intervalOfSlot,
  SlotStore,
} from './intervals.ts';
import { collectDoubles, collectIntegers } from './one-histogram.ts';
import { type AddOptions, type HistogramSumOptions, readAddOptions, readSumOptions } from './options.ts';
import {
  addTallies,
  assertFacts,
  countOfPart,
  type Ends,
  findEnds,
  type KnownFacts,
  keyOfFacts,
  NOTHING_KNOWN,
  narrow,
  narrowedIntervals,
  outerEnds,
  type Part,
  type Tally,
  tallyOf,
} from './part.ts';

/** More layouts than this share slots: a sum of a hostile stream of layouts must not grow without end. */
const MOST_LAYOUTS = 16;

const NOTHING: Bounds = { lower: Number.NaN, upper: Number.NaN };

/**
 * The sum of distributions that need not have one layout. It keeps what each layout knows, so every answer is an interval that
 * contains the truth, and is the same in any order and grouping of the parts. Where all parts have one layout, the two ends of
 * an answer are those of one slot.
 *
 * `Histogram.add` moves counts to the slots of one histogram instead. Its results are numbers, which look as certain as before.
 *
 * @example
 * ```ts
 * import { explicitLayout, Histogram, HistogramSum, LayoutHistogram } from '@hdrscope/core';
 *
 * const fine = new Histogram({ significantDigits: 3, highestTrackableValue: 3_600_000 });
 * fine.record(1200, 3);
 * const coarse = new LayoutHistogram(explicitLayout([1000, 2500]));
 * coarse.record(2000, 2);
 *
 * const sum = new HistogramSum();
 * sum.add(fine);
 * sum.add(coarse);
 * sum.totalCount; //=> 5
 * sum.percentile(50); //=> { lower: 1200, upper: 1200 }
 * sum.percentile(80); //=> { lower: 1200, upper: 2500 }
 * sum.countWithin(2000); //=> { lower: 3, upper: 5 }
 * ```
 */
export class HistogramSum {
  readonly #storage: 'dense' | 'sparse';
  #unit: string | undefined;
  #total = 0;
  /** The largest weight of all additions: see `Counted`. */
  #weight = 1;
  #groups: Group[] = [];
  /** The group of a layout that was added before. */
  #groupOf = new WeakMap<Layout, Group>();
  /** The latest store of counts of which nothing is known beyond their slots. Most sums add to it all the time. */
  #latest: SlotStore | undefined;
  /** The values by rank; `undefined` after an addition. */
  #ranked: RankedIntervals | undefined;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is not what it may be. */
  constructor(options: HistogramSumOptions = {}) {
    const { unit, storage } = readSumOptions(options);
    this.#unit = unit;
    this.#storage = storage;
  }

  /** The unit of the values; `undefined` while nobody has stated one. */
  get unit(): string | undefined {
    return this.#unit;
  }

  /** How many values were added: exact, at most 2^53 − 1. */
  get totalCount(): number {
    return this.#total;
  }

  /**
   * How many of the values may lie in slots that were widened, because there were more than 16 different layouts: two of them then share
   * slots that contain those of both, the two that widen least. 0 as long as nothing was.
   */
  get widenedCount(): number {
    return this.#parts().reduce((count, { widened }) => count + widened, 0);
  }

  /**
   * Adds counts of any layout, or all of another sum. The counts are copied.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when `other` is neither a sum nor counts over a layout, or has another unit;
   *   `ERR_INVALID_OPTION` when an option is outside the range stated on it, or facts contradict each other or the counts;
   *   `ERR_COUNT_OVERFLOW` when the total would pass 2^53 − 1. Nothing is added then.
   */
  add(other: Counted | HistogramSum, options?: AddOptions): void {
    if (other instanceof HistogramSum) {
      this.#addSum(other, options);
      return;
    }
    assertCounted('add', other);
    const store = options === undefined && isNumbered(other) ? this.#storeLike(other.layout) : undefined;
    if (store === undefined) {
      this.#addCounted(other, options);
      return;
    }
    const { layout, counts } = other;
    assertTotal(this.#total, counts.total);
    store.add({ layout, counts });
    this.#noteAdded(counts.total, other.weight);
  }

  // Apart from `add`, which would make room for the function in each call.
  #addCounted(other: Counted, options: AddOptions | undefined): void {
    this.#addWith(other, options, (into, inUnit) => into.add({ ...inUnit, counts: other.counts }));
  }

  /** @param addInto Adds the counts to a store, over their layout in the unit of the sum. */
  #addWith(
    { layout, counts, placedFrom, weight }: NewCounts,
    options: AddOptions | undefined,
    addInto: (store: Part['store'], inUnit: Omit<Counted, 'counts'>) => void,
  ): void {
    const { unit, scale, ...facts } = readAddOptions(options);
    const { total } = counts;
    assertFacts(facts as KnownFacts, total);
    this.#assertUnit(unit);
    assertTotal(this.#total, total);
    this.#unit ??= unit;
    if (total === 0) return;
    const inUnit = {
      layout: scaledTo(layout, scale),
      placedFrom: placedFrom?.map((one) => scaledTo(one, scale)),
    };
    const numbered = isNumbered(inUnit) ? inUnit.layout : undefined;
    const group = this.#groupLike([inUnit.layout]);
    const hasSlots = numbered !== undefined && !isJoined(group);
    const tally = tallyOf({ ...inUnit, counts }, facts as KnownFacts, hasSlots);
    this.#addTo(group, tally, numbered, (store) => addInto(store, inUnit));
    this.#noteAdded(total, weight);
  }

  /**
   * Adds the values in an encoding, as `add(Histogram.decode(encoded), options)` does, but makes no histogram in between.
   *
   * @param encoded An encoding of version 0, 1 or 2, compressed or not, as bytes or as base64 text.
   * @throws HdrscopeError `ERR_DECODE` when the bytes are not such an encoding, otherwise as `add` does.
   * @example
   * ```ts
   * import { Histogram, HistogramSum } from '@hdrscope/core';
   *
   * const interval = new Histogram({ highestTrackableValue: 3_600_000_000 });
   * interval.record(1250, 2);
   * const sum = new HistogramSum();
   * for (let n = 0; n < 3; n++) sum.addEncoded(interval.toBase64(), { scale: 1e-6 });
   * [sum.totalCount, sum.percentile(50)]; //=> [6, { lower: 0.00125, upper: 0.00125 }]
   * ```
   */
  addEncoded(encoded: Uint8Array | string, options?: AddOptions): void {
    const { layout, runs } = decode(bytesOf(encoded));
    runs.readThrough();
    const store = options === undefined ? this.#storeLike(layout) : undefined;
    if (store === undefined) {
      this.#addWith({ layout, counts: runs }, options, (into, inUnit) => {
        if (into instanceof SlotStore) into.addRuns(inUnit.layout, runs);
        else into.add(sparseStore(inUnit.layout, runs));
      });
      return;
    }
    assertTotal(this.#total, runs.total);
    store.addRuns(layout, runs);
    this.#noteAdded(runs.total);
  }

  /** The different layouts that were added, each in the unit of the sum. */
  get layouts(): readonly Layout[] {
    return this.#groups.flatMap(({ layouts }) => layouts);
  }

  /** Bytes held by the counts, about. */
  get byteLength(): number {
    let bytes = 0;
    // Who adds many histograms asks after each.
    for (const { parts } of this.#groups) for (const { store } of parts.values()) bytes += store.byteLength;
    return bytes;
  }

  /** The smallest value; both ends are `NaN` in an empty sum. */
  get min(): Bounds {
    return this.#total === 0 ? NOTHING : this.#ends().low;
  }

  /** The largest value; both ends are `NaN` in an empty sum. */
  get max(): Bounds {
    return this.#total === 0 ? NOTHING : this.#ends().high;
  }

  /** The mean: infinite on a side where a slot with counts is open and no fact closes it. Both ends are `NaN` in an empty sum. */
  get mean(): Bounds {
    return this.#within(boundMean(this.#parts(), this.#total));
  }

  /**
   * The standard deviation of a population, for the least and the greatest one that the intervals allow; the greatest may be beyond what
   * they allow. Infinite where the mean is; both ends are `NaN` in an empty sum.
   */
  get standardDeviation(): Bounds {
    if (this.#total === 0) return NOTHING;
    const range = this.#within({ lower: this.min.lower, upper: this.max.upper });
    return boundDeviation([...this.intervals()], this.#total, range);
  }

  /**
   * The percentile: the value of rank `ceil(percentile / 100 * n)` of `n`, at least 1. Both ends are `NaN` in an empty sum.
   *
   * @param percentile From 0 to 100.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when it is outside its range.
   */
  percentile(percentile: number): Bounds {
    assertPercentile(percentile);
    return this.#total === 0 ? NOTHING : this.#valueOfRank(findRank(percentile, this.#total));
  }

  /**
   * How many values are at most a limit: certainly, and possibly.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the limit is not a number.
   */
  countWithin(limit: number): Bounds {
    if (typeof limit !== 'number' || Number.isNaN(limit)) {
      throw mustBe('ERR_INVALID_VALUE', 'limit', 'a number', limit);
    }
    let [lower, upper] = [0, 0];
    for (const part of this.#parts()) {
      const within = countOfPart(part, limit);
      lower += within.lower;
      upper += within.upper;
    }
    return { lower, upper };
  }

  /**
   * An interval for a percentile of the population from which the values are a random sample: see `percentileInterval`. It contains
   * what the slots leave open. `value` is the upper end of the percentile.
   *
   * @param percentile From 0 to 100.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the percentile is outside its range, `ERR_INVALID_OPTION` when the confidence is,
   *   `ERR_INCOMPATIBLE` when the sum is empty.
   */
  percentileInterval(percentile: number, options: ConfidenceOptions = {}): PercentileInterval {
    const sample = { counts: { total: this.#total }, weight: this.#weight };
    return findInterval(sample, percentile, options, (rank) => this.#valueOfRank(rank));
  }

  /**
   * All values in one histogram: in the finest layout whose slots contain those of all additions, so that no count leaves its slot.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when something was added that is no histogram of integers, or in another unit by `scale`.
   * @example
   * ```ts
   * import { Histogram, HistogramSum } from '@hdrscope/core';
   *
   * const sum = new HistogramSum();
   * for (const significantDigits of [3, 1]) {
   *   const histogram = new Histogram({ significantDigits, autoResize: true });
   *   histogram.record(1000);
   *   sum.add(histogram);
   * }
   * const { layout, min, max } = sum.toHistogram();
   * [layout.significantDigits, min, max]; //=> [1, 992, 1023]
   * ```
   */
  toHistogram(options: StorageOptions = {}): Histogram {
    const histogram = collectIntegers(
      this.layouts,
      this.#parts(),
      storageOf('toHistogram', options, 'dense'),
    );
    if (this.#weight > 1) histogram.weight = this.#weight;
    return histogram;
  }

  /**
   * All values in one histogram of doubles, with the fewest digits of all additions, so that no count leaves its slot.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when something was added that is no `DoubleHistogram`, or in another unit by `scale`;
   *   `ERR_VALUE_OUT_OF_RANGE` when the values are too far apart for one histogram.
   */
  toDoubleHistogram(options: StorageOptions = {}): DoubleHistogram {
    return collectDoubles(this.layouts, this.#parts(), storageOf('toDoubleHistogram', options, 'dense'));
  }

  /** All that is known of where the values lie, ascending by lower ends. Intervals of different layouts may overlap. */
  *intervals(): Generator<CountedInterval> {
    const all = this.#parts().map((part) => [...narrowedIntervals(part)]);
    yield* all.length === 1 ? all[0]! : all.flat().sort((a, b) => a.lower - b.lower || a.upper - b.upper);
  }

  #parts(): Part[] {
    return this.#groups.flatMap(({ parts }) => [...parts.values()]);
  }

  #ends(): Ends {
    return this.#parts().map(findEnds).reduce(outerEnds);
  }

  /** What the smallest and the largest value leave of an interval. */
  #within(bounds: Bounds): Bounds {
    if (this.#total === 0) return NOTHING;
    const { low, high } = this.#ends();
    return narrow(bounds, low.lower, high.upper);
  }

  #valueOfRank(rank: number): Bounds {
    if (rank === 1) return this.min;
    if (rank === this.#total) return this.max;
    const bounds = this.#within(this.#slotOfRank(rank));
    let { lower, upper } = bounds;
    for (const limit of new Set(
      this.#parts().flatMap(({ tally }) => tally.within.map((known) => known.limit)),
    )) {
      // A limit divides the values of its slot only.
      if (limit <= lower || limit >= upper) continue;
      const within = this.countWithin(limit);
      if (rank <= within.lower) upper = limit;
      if (rank > within.upper) lower = limit;
    }
    return { lower, upper };
  }

  #slotOfRank(rank: number): Bounds {
    const [first, second] = this.#parts();
    if (second === undefined && first!.store instanceof SlotStore) {
      const { layout, counts } = first!.store;
      return intervalOfSlot(layout, counts.slotOfRank(rank), 1);
    }
    this.#ranked ??= rankIntervals([...this.intervals()]);
    return boundRank(this.#ranked, rank);
  }

  #assertUnit(unit: string | undefined): void {
    if (unit === undefined || this.#unit === undefined || unit === this.#unit) return;
    throw mustBe('ERR_INCOMPATIBLE', 'add: the unit', `that of the sum, ${JSON.stringify(this.#unit)}`, unit);
  }

  #addSum(other: HistogramSum, options?: AddOptions): void {
    const { unit = other.unit, ...rest } = readAddOptions(options);
    const excess = Object.entries(rest).find(([, value]) => value !== undefined);
    if (excess !== undefined) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        excess[0],
        'left out when a sum is added, which knows it',
        excess[1],
      );
    }
    this.#assertUnit(unit);
    const total = other.#total;
    assertTotal(this.#total, total);
    this.#unit ??= unit;
    // A sum may be added to itself.
    const groups = other.#groups.map(({ layouts, parts }) => ({ layouts, parts: [...parts.values()] }));
    for (const { layouts, parts } of groups) {
      for (const part of parts) {
        // The part before may have made its group one with another.
        const group = this.#groupLike(layouts);
        const { store, widened } = part;
        const numbered = store instanceof SlotStore ? store.layout : undefined;
        const tally = isJoined(group) ? withEnds(part) : part.tally;
        this.#addTo(group, tally, numbered, (into) => into.add(store as Counted & IntervalStore), widened);
      }
    }
    this.#noteAdded(total, other.#weight);
  }

  /** The latest store, when it has slots like those of a layout. */
  #storeLike(layout: Layout): SlotStore | undefined {
    return this.#latest !== undefined && countAlike(this.#latest.layout, layout) ? this.#latest : undefined;
  }

  #noteAdded(total: number, weight: number = 1): void {
    this.#total += total;
    this.#weight = Math.max(this.#weight, weight);
    this.#ranked = undefined;
  }

  /** The group of counts in slots like those of a layout: a new one for the first of them. */
  #groupLike(layouts: readonly Layout[]): Group {
    const known = layouts
      .map((layout) => this.#groupOf.get(layout))
      // A group that was joined is no longer one of the sum.
      .find((group) => group !== undefined && this.#groups.includes(group));
    if (known !== undefined) return known;
    const isAlike = (group: Group): boolean =>
      group.layouts.some((a) => layouts.some((b) => countAlike(a, b)));
    const group = this.#groups.find(isAlike) ?? { layouts, parts: new Map<string, Part>() };
    for (const layout of layouts) this.#groupOf.set(layout, group);
    if (!this.#groups.includes(group)) this.#groups.push(group);
    return group;
  }

  /**
   * Adds to the part of a group that has the same facts.
   *
   * @param numbered A layout whose alike layouts number their slots alike; left out, the counts are kept as intervals, as in a group
   *   that was joined.
   */
  #addTo(
    group: Group,
    tally: Tally,
    numbered: Layout | undefined,
    addInto: (store: Part['store']) => void,
    widened = 0,
  ): void {
    const { parts } = group;
    const slots = isJoined(group) ? undefined : numbered;
    const key = `${slots !== undefined} ${keyOfFacts(tally)}`;
    const part = parts.get(key);
    const store = part?.store ?? (slots ? new SlotStore(slots, this.#storage) : new IntervalMap());
    addInto(store);
    if (part === undefined) {
      parts.set(key, { store, tally, widened });
    } else {
      part.tally = addTallies(part.tally, tally);
      part.widened += widened;
    }
    if (tally === NOTHING_KNOWN && store instanceof SlotStore) this.#latest = store;
    if (this.#groups.length > MOST_LAYOUTS) this.#joinTwoGroups();
  }

  /** Puts the counts of two groups into common slots. */
  #joinTwoGroups(): void {
    let least: Join | undefined;
    for (const [i, a] of this.#groups.entries()) {
      for (const b of this.#groups.slice(i + 1)) {
        const join = joinOf(a, b);
        if (least === undefined || join.widening < least.widening) least = join;
      }
    }
    const { group, of } = least!;
    this.#latest = undefined;
    this.#groups = [...this.#groups.filter((other) => !of.includes(other)), group];
    for (const layout of group.layouts) this.#groupOf.set(layout, group);
  }
}

function sparseStore(layout: Layout, runs: SlotRuns): SlotStore {
  const store = new SlotStore(layout, 'sparse');
  store.addRuns(layout, runs);
  return store;
}

/** Counts of which the ends and the total are known. */
interface NewCounts extends Omit<Counted, 'counts'> {
  readonly counts: Pick<Counted['counts'], 'first' | 'last' | 'total'>;
}

/** Whether all counts in alike slots number their slots alike: exponential buckets begin anywhere. */
function isNumbered({ layout, placedFrom }: Omit<Counted, 'counts'>): boolean {
  return layout.kind !== 'exponential' && (placedFrom === undefined || placedFrom.length === 0);
}

/** A layout in the unit of the sum. */
function scaledTo(layout: Layout, scale: number | undefined): Layout {
  return scale === undefined || scale === 1 ? layout : scaledLayout(layout, resolutionOf(scale));
}
