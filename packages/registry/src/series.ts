import {
  fromTicks,
  type HdrLayout,
  HdrscopeError,
  Histogram,
  type Layout,
  mustBe,
  type ReadonlyCounts,
  type ReadonlyHistogram,
  type Rebucketing,
  type Resolution,
  rebucket,
} from '@hdrscope/core';
import type { Attributes } from './attributes.ts';
import type { Clock } from './clock.ts';

/** Values that a series was given and could not count. */
export interface Rejected {
  /** NaN, or no number at all. */
  readonly notANumber: number;
  readonly negative: number;
  /** Above the highest value that the resolution reaches. */
  readonly tooLarge: number;
  /** The largest of those, or 0. */
  readonly largest: number;
  /** Refused because the total count would no longer be exact. */
  readonly overflowing: number;
}

/** What all series of a family have in common. */
export interface SeriesSetup {
  readonly layout: HdrLayout;
  /** The same layout in the family's unit. */
  readonly unitLayout: Layout;
  readonly resolution: Resolution;
  /** Seconds in one unit, or `undefined` where the unit is none of time. */
  readonly secondsPerUnit: number | undefined;
  readonly clock: Clock;
}

/** A series at one moment. Immutable. */
export interface SeriesSnapshot {
  readonly attributes: Attributes;
  /** When the counting began, in milliseconds since 1970. */
  readonly startTimeMs: number;
  /** The counts, in ticks of the family's resolution: `valuesAtPercentiles` reads them in its unit. */
  readonly histogram: ReadonlyHistogram;
  /** In the family's unit. Of what was recorded, exactly; of what came as counts, by the middle of each slot. */
  readonly sum: number;
  /** As recorded, in the family's unit, so within the slots that percentiles name; 0 when nothing was counted. */
  readonly min: number;
  readonly max: number;
  readonly rejected: Rejected;
}

/**
 * One distribution with its attributes: the handle to keep and record with. Recording never throws; what cannot be
 * counted is tallied and shows in the snapshot.
 */
export class Series {
  readonly attributes: Attributes;
  readonly startTimeMs: number;
  readonly #setup: SeriesSetup;
  readonly #histogram: Histogram;
  readonly #ticksPerUnit: number;
  readonly #largestTicks: number;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #rejected: { -readonly [Reason in keyof Rejected]: number } = {
    notANumber: 0,
    negative: 0,
    tooLarge: 0,
    largest: 0,
    overflowing: 0,
  };

  /** Made by `Family.with`. */
  constructor(attributes: Attributes, setup: SeriesSetup) {
    this.attributes = attributes;
    this.startTimeMs = setup.clock.nowMs();
    this.#setup = setup;
    this.#histogram = new Histogram({ layout: setup.layout, storage: 'sparse' });
    this.#ticksPerUnit = setup.resolution.ticksPerUnit / setup.resolution.unitsPerTick;
    this.#largestTicks = setup.layout.highestTrackableValue;
  }

  /**
   * Counts a value, given in the family's unit, at the nearest tick of its resolution. Returns whether it was counted;
   * what is not, is tallied.
   */
  record(value: number): boolean {
    if (typeof value === 'number' && value >= 0) {
      const ticks = this.#ticksOf(value);
      if (ticks <= this.#largestTicks) {
        try {
          this.#histogram.record(ticks);
        } catch {
          this.#rejected.overflowing++;
          return false;
        }
        this.#sum += value;
        if (value < this.#min) this.#min = value;
        if (value > this.#max) this.#max = value;
        return true;
      }
    }
    this.#reject(value);
    return false;
  }

  /**
   * Starts a stop-watch; calling the result records the time since then, and returns it in the family's unit.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the family's unit is none of time.
   */
  startTimer(): () => number {
    const { secondsPerUnit, clock } = this.#setup;
    if (secondsPerUnit === undefined) {
      throw new HdrscopeError(
        'ERR_INVALID_OPTION',
        'a timer needs a family with a unit of time (s, ms, us, ns)',
      );
    }
    const startMs = clock.monotonicMs();
    return () => {
      const elapsed = (clock.monotonicMs() - startMs) / 1000 / secondsPerUnit;
      this.record(elapsed);
      return elapsed;
    };
  }

  /**
   * Adds counts that somebody else made, over a layout whose values are in the family's unit. Each slot is taken as
   * its middle, or as its finite bound where it is open; a slot whose middle this series cannot count is tallied as
   * rejected. Returns how far that can be trusted.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` when there are not as many counts as slots, or one is no count;
   *   `ERR_COUNT_OVERFLOW`.
   */
  addCounts(layout: Layout, counts: ReadonlyCounts | ArrayLike<number>): Rebucketing {
    if (counts.length !== layout.slotCount) {
      throw mustBe(
        'ERR_INVALID_COUNT',
        'counts',
        `one for each of the ${layout.slotCount} slots`,
        counts.length,
      );
    }
    const { layout: ownLayout, unitLayout } = this.#setup;
    const change = rebucket(layout, unitLayout);
    const added = new Histogram({ layout: ownLayout, storage: 'sparse' });
    const rejected: [value: number, count: number][] = [];
    let sum = 0;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let slot = 0; slot < layout.slotCount; slot++) {
      const count = isReadonlyCounts(counts) ? counts.at(slot) : (counts[slot] ?? Number.NaN);
      if (count === 0) continue;
      if (!Number.isSafeInteger(count) || count < 0) {
        throw mustBe('ERR_INVALID_COUNT', `counts[${slot}]`, 'an integer from 0 to 2^53 - 1', count);
      }
      const middle = layout.midpoint(slot);
      if (!(middle >= 0 && this.#ticksOf(middle) <= this.#largestTicks)) {
        rejected.push([middle, count]);
        continue;
      }
      added.record(ownLayout.lower(change.slotFor(slot)), count);
      sum += count * middle;
      min = Math.min(min, middle);
      max = Math.max(max, middle);
    }
    this.#addAll(added, sum, min, max);
    for (const [value, count] of rejected) this.#reject(value, count);
    return change;
  }

  /**
   * Adds a histogram whose values are ticks of the family's resolution.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE`, `ERR_COUNT_OVERFLOW`.
   */
  merge(histogram: ReadonlyHistogram): void {
    if (histogram.totalCount === 0) return;
    const { resolution } = this.#setup;
    this.#addAll(
      histogram,
      fromTicks(resolution, histogram.mean * histogram.totalCount),
      fromTicks(resolution, histogram.min),
      fromTicks(resolution, histogram.max),
    );
  }

  /** A copy of the state that later records do not change. */
  snapshot(): SeriesSnapshot {
    const isEmpty = this.#histogram.totalCount === 0;
    return Object.freeze({
      attributes: this.attributes,
      startTimeMs: this.startTimeMs,
      histogram: this.#histogram.copy(),
      sum: this.#sum,
      // Plus 0, or -0 would show.
      min: isEmpty ? 0 : this.#min + 0,
      max: isEmpty ? 0 : this.#max + 0,
      rejected: Object.freeze({ ...this.#rejected }),
    });
  }

  #addAll(histogram: ReadonlyHistogram, sum: number, min: number, max: number): void {
    this.#histogram.add(histogram);
    this.#sum += sum;
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
  }

  #ticksOf(value: number): number {
    return Math.round(value * this.#ticksPerUnit);
  }

  #reject(value: unknown, count = 1): void {
    const rejected = this.#rejected;
    if (typeof value !== 'number' || Number.isNaN(value)) rejected.notANumber += count;
    else if (value < 0) rejected.negative += count;
    else {
      rejected.tooLarge += count;
      rejected.largest = Math.max(rejected.largest, value);
    }
  }
}

function isReadonlyCounts(counts: ReadonlyCounts | ArrayLike<number>): counts is ReadonlyCounts {
  return 'slotOfRank' in counts;
}
