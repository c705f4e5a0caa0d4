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
import { type Exemplar, ExemplarReservoir } from './exemplars.ts';
import type { OpenInterval } from './intervals.ts';

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
  /**
   * In the family's unit. Of what was recorded, exactly; of what came as counts, what was told with them, or else by the
   * middle of each slot.
   */
  readonly sum: number;
  /** As recorded, in the family's unit, so within the slots that percentiles name; 0 when nothing was counted. */
  readonly min: number;
  readonly max: number;
  readonly rejected: Rejected;
  /** By value, ascending; empty unless somebody offered some. */
  readonly exemplars: readonly Exemplar[];
}

/** What follows each snapshot of a series. */
export const intervalsAfter: WeakMap<SeriesSnapshot, OpenInterval> = new WeakMap();

const NO_EXEMPLARS: readonly Exemplar[] = Object.freeze([]);

/** What is known of counts besides their slots. */
export interface AddCountsOptions {
  /** The sum of the values, in the family's unit: 0 or more. @default that of the middles of their slots */
  readonly sum?: number | undefined;
}

/** What another registry has counted of a series, or since it was last asked. */
export type SeriesPart = Omit<SeriesSnapshot, 'attributes'>;

/**
 * One distribution with its attributes: the handle to keep and record with. Recording never throws; what cannot be
 * counted is tallied and shows in the snapshot.
 */
export class Series {
  readonly attributes: Attributes;
  // What a record needs. Declared only: what is assigned once is a constant to V8.
  declare private readonly histogram: Histogram;
  declare private readonly ticksPerUnit: number;
  declare private readonly largestTicks: number;
  #sum = 0;
  // Of the values since the last snapshot, and of those before it.
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #earlierMin = Number.POSITIVE_INFINITY;
  #earlierMax = Number.NEGATIVE_INFINITY;
  #interval: OpenInterval = { ended: undefined };
  #exemplars: ExemplarReservoir | undefined;
  #startTimeMs: number;
  /** A start that somebody has seen stays: another one would look like a restart, whose counts are all new. */
  #isStartShown = false;
  readonly #setup: SeriesSetup;
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
    this.#startTimeMs = setup.clock.nowMs();
    this.#setup = setup;
    this.histogram = new Histogram({ layout: setup.layout, storage: 'sparse' });
    this.ticksPerUnit = setup.resolution.ticksPerUnit / setup.resolution.unitsPerTick;
    this.largestTicks = setup.layout.highestTrackableValue;
  }

  /** When the counting began, in milliseconds since 1970. */
  get startTimeMs(): number {
    return this.#startTimeMs;
  }

  /**
   * Counts a value, given in the family's unit, at the nearest tick of its resolution. Returns whether it was counted;
   * what is not, is tallied.
   */
  record(value: number): boolean {
    if (typeof value === 'number' && value >= 0) {
      const ticks = this.#ticksOf(value);
      if (ticks <= this.largestTicks) {
        try {
          this.histogram.record(ticks);
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
   *   `ERR_INVALID_VALUE` when the sum is negative, infinite or no number; `ERR_COUNT_OVERFLOW`.
   */
  addCounts(
    layout: Layout,
    counts: ReadonlyCounts | ArrayLike<number>,
    { sum: knownSum }: AddCountsOptions = {},
  ): Rebucketing {
    if (knownSum !== undefined && !(Number.isFinite(knownSum) && knownSum >= 0)) {
      throw mustBe('ERR_INVALID_VALUE', 'sum', 'a finite number of at least 0', knownSum);
    }
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
      if (!(middle >= 0 && this.#ticksOf(middle) <= this.largestTicks)) {
        rejected.push([middle, count]);
        continue;
      }
      added.record(ownLayout.lower(change.slotFor(slot)), count);
      sum += count * middle;
      min = Math.min(min, middle);
      max = Math.max(max, middle);
    }
    this.#addAll(added, knownSum ?? sum, min, max);
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

  /** Takes an exemplar of a value that was recorded, in place of an earlier one of its octave. */
  offerExemplar(exemplar: Exemplar): void {
    this.#exemplars ??= new ExemplarReservoir();
    this.#exemplars.offer(exemplar);
  }

  /**
   * Adds what another registry has counted: sum, minimum, maximum and what was rejected as they are told, which `merge`
   * has to estimate. The series then starts at the earlier of both times, unless a snapshot has told its own already.
   *
   * @throws HdrscopeError `ERR_VALUE_OUT_OF_RANGE`, `ERR_COUNT_OVERFLOW`.
   */
  addPart({ startTimeMs, histogram, sum, min, max, rejected, exemplars }: SeriesPart): void {
    if (histogram.totalCount > 0) this.#addAll(histogram, sum, min, max);
    const own = this.#rejected;
    own.notANumber += rejected.notANumber;
    own.negative += rejected.negative;
    own.tooLarge += rejected.tooLarge;
    own.largest = Math.max(own.largest, rejected.largest);
    own.overflowing += rejected.overflowing;
    for (const exemplar of exemplars) this.offerExemplar(exemplar);
    if (!this.#isStartShown) this.#startTimeMs = Math.min(this.#startTimeMs, startTimeMs);
  }

  /** A copy of the state that later records do not change. */
  snapshot(): SeriesSnapshot {
    this.#isStartShown = true;
    const isEmpty = this.histogram.totalCount === 0;
    const next: OpenInterval = { ended: undefined };
    this.#interval.ended = { min: this.#min, max: this.#max, next };
    this.#interval = next;
    this.#earlierMin = Math.min(this.#earlierMin, this.#min);
    this.#earlierMax = Math.max(this.#earlierMax, this.#max);
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
    const snapshot: SeriesSnapshot = Object.freeze({
      attributes: this.attributes,
      startTimeMs: this.startTimeMs,
      histogram: this.histogram.copy(),
      sum: this.#sum,
      // Plus 0, or -0 would show.
      min: isEmpty ? 0 : this.#earlierMin + 0,
      max: isEmpty ? 0 : this.#earlierMax + 0,
      rejected: Object.freeze({ ...this.#rejected }),
      exemplars: this.#exemplars?.snapshot() ?? NO_EXEMPLARS,
    });
    intervalsAfter.set(snapshot, next);
    return snapshot;
  }

  #addAll(histogram: ReadonlyHistogram, sum: number, min: number, max: number): void {
    this.histogram.add(histogram);
    this.#sum += sum;
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
  }

  #ticksOf(value: number): number {
    return Math.round(value * this.ticksPerUnit);
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
