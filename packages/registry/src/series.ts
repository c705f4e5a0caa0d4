import type { Counted, HdrLayout, Layout, Resolution } from '@hdrscope/core';
import type { ThresholdCounts } from '@hdrscope/core/internal';
import {
  assertCounted,
  computeMean,
  fromTicks,
  histogramOver,
  isHdrLayout,
  mustBe,
  NOTHING_PLACED,
  type Placement,
  placeCounts,
  RunBuffer,
  type SlotRange,
  type SlotRuns,
  SparseCounts,
} from '@hdrscope/core/internal';
import type { Attributes } from './attributes.ts';
import type { Clock } from './clock.ts';
import { type AddedCounts, assertFacts, type CountedFacts } from './counted-facts.ts';
import { addEstimated, countEstimated, countSampled, type EstimatedCounts } from './estimated.ts';
import { type Exemplar, ExemplarReservoir } from './exemplars.ts';
import { type Interval, newInterval } from './intervals.ts';
import { knownExtremes, narrowed } from './known-extremes.ts';
import { hasReach, ReachList, reachBeyond, reachesIn, type SlotReach, type SlotReaches } from './reach.ts';
import {
  addRejected,
  emptyTally,
  NOTHING_REJECTED,
  type RejectedCounts,
  type RejectedTally,
  rejectedCount,
} from './rejected.ts';
import { type CurrentState, NO_EXEMPLARS, type SeriesSnapshot, StateSnapshot } from './series-snapshot.ts';
import type { SlotPlans } from './slot-plans.ts';
import { startStopWatch } from './stop-watch.ts';
import {
  assertDivides,
  countAtThresholds,
  countsAt,
  divideAdded,
  type FamilyThresholds,
  firstThreshold,
  LAST_MARK,
  undividedSlots,
} from './thresholds.ts';

/** The setup that all series of a family share. */
export interface SeriesSetup {
  readonly layout: HdrLayout;
  /** The same layout in the family's unit. */
  readonly unitLayout: Layout;
  readonly resolution: Resolution;
  readonly ticksPerUnit: number;
  readonly unit: string;
  /** Nanoseconds in one unit; `undefined` when the unit does not measure time. */
  readonly nsPerUnit: number | undefined;
  readonly thresholds: FamilyThresholds;
  /** What all series do with slots of other layouts. */
  readonly plans: SlotPlans;
  /** Those of `thresholds`: a record that finds them here saves a step. */
  readonly marks: FamilyThresholds['marks'];
  /** The highest trackable number of ticks, or 2^31 − 1 when that is less. */
  readonly highestInt: number;
  readonly clock: Clock;
  /** Whether series end when they have no values for some time. */
  readonly expires: boolean;
  /** Called with a series at its first change after a snapshot. */
  readonly onChange: (series: Series) => void;
  /** The series that counts from now on what an ended one is given. */
  readonly heirOf: (series: Series) => Series;
}

/**
 * One distribution of a family: the handle to keep and to record with. `Family.with` makes it.
 *
 * All values are in the family's unit. `record` never throws: values that cannot be counted show in the snapshot as
 * `rejected`.
 *
 * @example
 * ```ts
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const series = createRegistry().histogram({ name: 'jobs', unit: 's' }).with({ queue: 'mail' });
 * [series.record(0.25), series.record(-1)]; //=> [true, false]
 * const { histogram, sum, rejected } = series.snapshot();
 * [histogram.totalCount, sum, rejected.negative]; //=> [1, 0.25, 1]
 * ```
 */
export class Series {
  /** @internal Where the series stands among those of its family, from 0. */
  place: number;
  /** @internal When a reader found it changed last, on the monotonic clock; only in families whose series expire. */
  activeMs: number | undefined = undefined;
  /** @internal Another number after each change that follows a `markRead`. */
  version = 0;
  // The fields that `record` changes. They are only declared here: V8 treats a field that is assigned once as a constant.
  /** Frozen while the last snapshot holds them: the next change goes the slow way, which copies them. */
  declare private counts: SparseCounts;
  declare private readonly setup: SeriesSetup;
  #attributes: Attributes;
  #sum = 0;
  // The extremes of the values since the last snapshot.
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #startTimeMs: number;
  /** The interval since the last snapshot; `undefined` before the first one. */
  #interval: Interval | undefined;
  #rejected: RejectedTally | undefined;
  #exemplars: ExemplarReservoir | undefined;
  /** See `SeriesSnapshot.atThresholds`; `undefined` while it is that of the last snapshot. */
  #atThresholds: number[] | undefined;
  /** See `SeriesSnapshot.reaches`; `undefined` while it is that of the last snapshot. */
  #reaches: ReachList | undefined;
  /** See `SeriesSnapshot.estimated`. */
  #estimated: EstimatedCounts | undefined;
  /** The last snapshot, which is the state of the series while it has not changed. */
  #last: StateSnapshot | undefined;
  /** Whether anything has changed since the last snapshot. */
  #isChanged = true;
  /** Whether nothing has changed since the last `markRead`. */
  #isRead = false;
  #hasEnded = false;

  /** @internal @param place Index of the series among those of its family. */
  constructor(attributes: Attributes, setup: SeriesSetup, place: number) {
    this.#attributes = attributes;
    this.place = place;
    this.counts = new SparseCounts(setup.layout.slotCount);
    this.setup = setup;
    this.#startTimeMs = setup.clock.nowMs();
  }

  /** Frozen. */
  get attributes(): Attributes {
    return this.#attributes;
  }

  /** @internal Whether it was removed from its family, and counts for another series. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** When the counting began, in milliseconds since 1970. */
  get startTimeMs(): number {
    return this.#startTimeMs;
  }

  /**
   * Counts a value at the nearest tick of the family's resolution.
   *
   * @param value At least 0, in the family's unit.
   * @returns Whether the value was counted. Otherwise it is tallied as rejected.
   */
  record(value: number): boolean {
    if (typeof value === 'number' && value >= 0) {
      const { layout, ticksPerUnit, highestInt, marks } = this.setup;
      const nearTicks = value * ticksPerUnit + ALMOST_HALF;
      let slot = -1;
      if (nearTicks < TWO_POW_31) {
        const ticks = nearTicks | 0;
        if (ticks <= highestInt) slot = layout.slotOfInt(ticks);
      } else {
        const ticks = Math.round(value * ticksPerUnit);
        if (ticks <= layout.highestTrackableValue) slot = layout.slotOf(ticks);
      }
      if (slot >= 0) {
        if (marks[slot & LAST_MARK] !== 0 || !this.counts.tryIncrement(slot)) {
          return this.#recordSlowly(value, slot);
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
   * Starts a stop-watch.
   *
   * @returns A function that records the time since the start, and returns it in the family's unit. Every call records: a second call
   *   adds another value, the time since the same start. `startTimer` of `@hdrscope/core` returns a `Timer`, which records once.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the family's unit is not a unit of time: `ns`, `us`, `ms`, `s`,
   *   `min` or `h`.
   * @example
   * ```ts
   * import { createRegistry } from '@hdrscope/registry';
   *
   * const series = createRegistry().histogram({ name: 'jobs', unit: 'ms' }).with({});
   * const stop = series.startTimer();
   * stop() >= 0; //=> true
   * series.snapshot().histogram.totalCount; //=> 1
   * ```
   */
  startTimer(): () => number {
    const watch = startStopWatch(this.setup);
    return () => {
      const elapsed = watch();
      this.record(elapsed);
      return elapsed;
    };
  }

  /**
   * Adds counts that were made elsewhere. Values that this series cannot count are tallied as rejected.
   *
   * @param counted Counts over an HDR layout are in ticks of the family's resolution. Values of any other layout are
   *   in the family's unit, and `placeCounts` of `@hdrscope/core` places each slot as a whole: at its midpoint, or at
   *   its bound when it is open. `rebucket(counted.layout, family.unitLayout)` states how far that can be trusted.
   *   At a threshold of the family, such counts are exact when no slot reaches beyond the threshold on both sides.
   * @throws HdrscopeError `ERR_INVALID_COUNT` when there are not as many counts as slots, or `atThresholds` is more
   *   than the counts of its slots; `ERR_INVALID_OPTION` when another fact is not as stated on it; `ERR_INVALID_VALUE` when
   *   the sum is negative or not finite; `ERR_VALUE_OUT_OF_RANGE` when a tick does not fit; `ERR_COUNT_OVERFLOW` when
   *   the total count would pass 2^53 − 1. Nothing is added then.
   * @example
   * ```ts
   * import { countedIn, explicitLayout } from '@hdrscope/core';
   * import { createRegistry } from '@hdrscope/registry';
   *
   * const series = createRegistry().histogram({ name: 'rpc.duration', unit: 's' }).with({});
   * series.add(countedIn(explicitLayout([0.1, 0.5]), [0, 3, 1]), { sum: 1.4 }); //=> { count: 4, open: 1 }
   * ```
   */
  add(counted: Counted, facts: CountedFacts = NO_FACTS): AddedCounts {
    const { count, open } = this.addCounted(counted, facts);
    return { count, open };
  }

  /** @internal `add`, and how many of the counted values are in slots that reach beyond those of the series. */
  addCounted(counted: Counted, facts: CountedFacts): AddedPlacement {
    assertCounted('add', counted);
    assertFacts(facts);
    const { layout, counts, weight = 1 } = counted;
    const { sum } = facts;
    if (sum !== undefined && !(Number.isFinite(sum) && sum >= 0)) {
      throw mustBe('ERR_INVALID_VALUE', 'sum', 'a finite number of at least 0', sum);
    }
    const heir = this.#heir;
    if (heir !== this) return heir.addCounted(counted, facts);
    const own = this.setup;
    const isOfOwnSlots = isHdrLayout(layout) && layout.sharesSlotsWith(own.layout);
    const division = isOfOwnSlots ? facts.atThresholds : undefined;
    if (division !== undefined) assertDivides(division, own.unitLayout, (slot) => counts.at(slot));
    this.#change();
    const placed = isHdrLayout(layout)
      ? this.#addTicks(counted as Counted<HdrLayout>, facts, division)
      : this.#place(counted, facts);
    if (placed.count > 0) {
      // Known facts are about rejected values too, which the series has not counted.
      const known = placed.negative + placed.tooLarge === 0 ? facts : NO_FACTS;
      this.#sum += known.sum ?? placed.sum;
      const { min, max } = knownExtremes(known, placed);
      this.#min = Math.min(this.#min, min);
      this.#max = Math.max(this.#max, max);
      const isKnown = { sum: known.sum !== undefined, min: min === known.min, max: max === known.max };
      this.#estimated = addEstimated(
        this.#estimated,
        weight > 1 ? countSampled(placed.count, weight) : countEstimated(placed.count, isKnown),
      );
    } else if (counts.total === 0) this.#sum += sum ?? 0;
    this.#tally(placed);
    if (facts.rejected !== undefined) this.#tally(facts.rejected);
    for (const exemplar of facts.exemplars ?? []) this.offerExemplar(exemplar);
    // A start that a snapshot has shown stays: another start would look like a restart, after which all counts are new.
    if (this.#last === undefined && facts.startTimeMs !== undefined) {
      this.#startTimeMs = Math.min(this.#startTimeMs, facts.startTimeMs);
    }
    return placed;
  }

  /**
   * @internal Adds counts by slots of the family's own layout, which takes a fraction of the time of `add`.
   *
   * @param runs Counts of slots below `slotCount`, at least one of them.
   * @param facts The exact sum and extremes of the values: at least 0, in the family's unit. `atThresholds` is a division
   *   of these counts: see `assertDivides`. `reaches` are slots; those beyond the last one count as the last one.
   * @throws HdrscopeError `ERR_COUNT_OVERFLOW` when the total count would pass 2^53 − 1. Nothing is added then.
   */
  addSlots(
    runs: SlotRuns,
    facts: Pick<SeriesSnapshot, 'sum' | 'min' | 'max'> &
      Pick<CountedFacts, 'atThresholds'> &
      Partial<Pick<SeriesSnapshot, 'reaches' | 'estimated'>>,
  ): void {
    const heir = this.#heir;
    if (heir !== this) {
      heir.addSlots(runs, facts);
      return;
    }
    const { sum, min, max, atThresholds, reaches = NO_REACHES, estimated } = facts;
    this.counts.assertRoomFor(runs.total);
    this.#change();
    const end = this.setup.layout.slotCount - 1;
    for (const [slot, { first, last }] of reaches) {
      this.#widen(slot, reachBeyond(slot, { first, last: Math.min(last, end) }, this.setup.thresholds));
    }
    this.#addWhole(() => this.counts.addRuns(runs), atThresholds);
    this.#estimated = addEstimated(this.#estimated, estimated);
    this.#sum += sum;
    this.#min = Math.min(this.#min, min);
    this.#max = Math.max(this.#max, max);
  }

  /**
   * @internal Counts a value that stands for several: the others were left out at random. The sum of the others is an estimate, and so
   * are the extremes: see `SeriesSnapshot.estimated`.
   *
   * @param count How many values it stands for, with itself: an integer of at least 1.
   */
  recordSample(value: number, count: number): boolean {
    const heir = this.#heir;
    if (heir !== this) return heir.recordSample(value, count);
    const { layout, ticksPerUnit } = this.setup;
    const ticks = Math.round(value * ticksPerUnit);
    if (!(value >= 0 && ticks <= layout.highestTrackableValue)) {
      this.#reject(value, count);
      return false;
    }
    if (!this.#recordSlowly(value, layout.slotOf(ticks), count)) return false;
    if (count > 1) this.#estimated = addEstimated(this.#estimated, countSampled(count - 1, count));
    return true;
  }

  /**
   * Keeps an exemplar of a recorded value. It replaces an earlier exemplar whose value lies between the same powers
   * of two; a series keeps at most 20 of them.
   */
  offerExemplar(exemplar: Exemplar): void {
    const heir = this.#heir;
    if (heir !== this) {
      heir.offerExemplar(exemplar);
      return;
    }
    this.#change();
    this.#exemplars ??= new ExemplarReservoir();
    this.#exemplars.offer(exemplar);
  }

  /** The state, which later records do not change. Until the next change it is the same object. */
  snapshot(): SeriesSnapshot {
    if (!this.#isChanged && this.#last !== undefined) return this.#last;
    const next = newInterval();
    const ended = this.#interval;
    if (ended !== undefined) {
      ended.min = this.#min;
      ended.max = this.#max;
      ended.next = next;
    }
    this.#interval = next;
    if (this.#atThresholds !== undefined) Object.freeze(this.#atThresholds);
    this.#last = new StateSnapshot(this.setup.layout, this.counts.freeze(), next, this.current());
    this.#atThresholds = undefined;
    this.#reaches = undefined;
    this.#min = Number.POSITIVE_INFINITY;
    this.#max = Number.NEGATIVE_INFINITY;
    this.#isChanged = false;
    return this.#last;
  }

  /** @internal What it is now. Reading it costs a fraction of a snapshot, after which the next record copies the counts. */
  current(): CurrentState {
    const { counts } = this;
    const last = this.#last;
    const isEmpty = counts.total === 0;
    const earlier = last === undefined || last.counts.total === 0 ? NO_EXTREMES : last;
    return {
      attributes: this.#attributes,
      startTimeMs: this.#startTimeMs,
      layout: this.setup.layout,
      counts,
      sum: this.#sum,
      // Adding 0 turns -0 into 0.
      min: isEmpty ? 0 : Math.min(earlier.min, this.#min) + 0,
      max: isEmpty ? 0 : Math.max(earlier.max, this.#max) + 0,
      rejected: this.#rejected === undefined ? NOTHING_REJECTED : Object.freeze({ ...this.#rejected }),
      exemplars: this.#exemplars?.snapshot() ?? NO_EXEMPLARS,
      atThresholds: this.#atThresholds ?? last?.atThresholds,
      reaches: this.#reaches ?? last?.reaches,
      estimated: this.#estimated,
    };
  }

  /** @internal Notes that a reader has taken the current state: the next change makes another version. */
  markRead(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.counts.mark();
    this.noteActivity();
  }

  /** @internal Notes that a reader has found it changed. */
  noteActivity(): void {
    if (this.setup.expires) this.activeMs = this.setup.clock.monotonicMs();
  }

  /** @internal The number of counted values. */
  get totalCount(): number {
    return this.counts.total;
  }

  /** @internal Whether some values were rejected, came in wide buckets, or without their sum. */
  get hasProblems(): boolean {
    const reaches = this.#reaches ?? this.#last?.reaches;
    return this.#rejected !== undefined || reaches !== undefined || this.#estimated !== undefined;
  }

  /** @internal Whether nothing has changed since a reader took the current state. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** @internal Slots among which are all that have changed since a version; `undefined` when they are not known. */
  changedSince(version: number): SlotRange | undefined {
    return !this.#isRead && version === this.version - 1 ? this.counts.changedSlots : undefined;
  }

  /** @internal Takes the last snapshot. Whatever is recorded here afterwards begins anew. */
  end(): SeriesSnapshot {
    const last = this.snapshot();
    this.#hasEnded = true;
    return last;
  }

  /** @internal Begins anew after the end, with another identity. */
  restart(place: number): void {
    this.#attributes = Object.freeze({ ...this.#attributes });
    this.place = place;
    this.activeMs = undefined;
    this.counts = new SparseCounts(this.setup.layout.slotCount);
    this.#sum = 0;
    // Not the same as before: readers take another start for a new series.
    this.#startTimeMs = Math.max(this.setup.clock.nowMs(), this.#startTimeMs + 1);
    this.#interval = undefined;
    this.#rejected = undefined;
    this.#exemplars = undefined;
    this.#atThresholds = undefined;
    this.#reaches = undefined;
    this.#estimated = undefined;
    this.#last = undefined;
    this.#isChanged = true;
    this.#isRead = false;
    // No reader has read the version before: all slots have changed.
    this.version += 2;
    this.#hasEnded = false;
  }

  /** The series that counts: this one, unless it has ended. */
  get #heir(): Series {
    return this.#hasEnded ? this.setup.heirOf(this) : this;
  }

  /** `record` where that takes more than one step. @param count How often. The caller has found the heir where it is more than 1. */
  #recordSlowly(value: number, slot: number, count = 1): boolean {
    if (count > 1 || !this.counts.tryIncrement(slot)) {
      const heir = this.#heir;
      if (heir !== this) return heir.record(value);
      if (this.counts.total > Number.MAX_SAFE_INTEGER - count) {
        this.#tally({ overflowing: count });
        return false;
      }
      this.#change();
      this.counts.add(slot, count);
    }
    const { thresholds } = this.setup;
    const first = firstThreshold(slot, thresholds);
    if (first >= 0) {
      countAtThresholds(this.#atThresholds ?? this.#ownAtThresholds(), first, value, count, thresholds);
    }
    this.#sum += value * count;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    return true;
  }

  /** Runs before each change, except for records of the fast way, which come after one of the slow way. */
  #change(): void {
    if (this.#isRead) {
      this.#isRead = false;
      this.version++;
    }
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.counts = this.counts.clone();
    this.setup.onChange(this);
  }

  /** The list that counts at thresholds: one that no snapshot has. */
  #ownAtThresholds(): number[] {
    const { length } = this.setup.thresholds.values;
    this.#atThresholds ??= this.#last?.atThresholds?.slice() ?? new Array<number>(length).fill(0);
    return this.#atThresholds;
  }

  /** Adds counts to whole slots, and divides those of slots with thresholds. */
  #addWhole(add: () => void, division: ThresholdCounts | undefined): void {
    const { thresholds, unitLayout } = this.setup;
    const before = countsAt(thresholds, this.counts);
    add();
    const added = countsAt(thresholds, this.counts).map((count, i) => count - before[i]!);
    if (added.every((count) => count === 0)) return;
    divideAdded(this.#ownAtThresholds(), added, division, thresholds, unitLayout);
    for (const slot of undividedSlots(added, division, thresholds, unitLayout)) {
      this.#widen(slot, reachBeyond(slot, { first: slot, last: slot }, thresholds));
    }
  }

  /** Notes where the values of a slot may lie: see `reachBeyond`. */
  #widen(slot: number, reach: SlotReach | undefined): void {
    if (reach === undefined) return;
    const known = (this.#reaches ?? this.#last?.reaches)?.get(slot);
    if (known && hasReach(known, reach)) return;
    this.#reaches ??= new ReachList(this.#last?.reaches);
    this.#reaches.widen(slot, reach);
  }

  #addTicks(
    { layout, counts, placedFrom }: Counted<HdrLayout>,
    { sum, within = {} }: CountedFacts,
    division: ThresholdCounts | undefined,
  ): AddedPlacement {
    if (counts.total === 0) return NOTHING_ADDED;
    const { resolution } = this.setup;
    const own = histogramOver(this.setup.layout, this.counts);
    this.#addWhole(() => own.add({ layout, counts }), division);
    const { layout: slots, thresholds } = this.setup;
    if (placedFrom?.length || !slots.contains(layout)) {
      for (const [slot, reach] of reachesIn(slots, { layout, counts, placedFrom })) {
        this.#widen(slot, reachBeyond(slot, reach, thresholds));
      }
    }
    const [lower, upper] = [layout.lower(counts.first), layout.upper(counts.last)];
    const ofSlots = { min: fromTicks(resolution, lower), max: fromTicks(resolution, upper) };
    return {
      ...NOTHING_ADDED,
      count: counts.total,
      sum: sum ?? fromTicks(resolution, computeMean({ layout, counts }) * counts.total),
      ...narrowed(ofSlots, within),
    };
  }

  #place(counted: Counted, { within = {} }: CountedFacts): AddedPlacement {
    const { layout, counts } = counted;
    if (counts.length !== layout.slotCount) {
      const allowed = `one for each of the ${layout.slotCount} slots`;
      throw mustBe('ERR_INVALID_COUNT', 'counts', allowed, counts.length);
    }
    this.counts.assertRoomFor(counts.total);
    const { thresholds, plans } = this.setup;
    let straddling = 0;
    PLACED.clear();
    const placed = placeCounts(counts, plans.finder(counted, within), (plan, count) => {
      PLACED.push(plan.slot, count);
      if (plan.reach !== undefined) this.#widen(plan.slot, plan.reach);
      if (plan.firstThreshold >= 0) {
        countAtThresholds(this.#ownAtThresholds(), plan.firstThreshold, plan.inside, count, thresholds);
      }
      if (plan.straddles) straddling += count;
    });
    this.counts.addRuns(PLACED);
    return { ...placed, straddling };
  }

  #reject(value: unknown, count = 1): void {
    const heir = this.#heir;
    if (heir !== this) {
      heir.#reject(value, count);
      return;
    }
    if (typeof value !== 'number' || Number.isNaN(value)) this.#tally({ notANumber: count });
    else if (value < 0) this.#tally({ negative: count });
    else this.#tally({ tooLarge: count, largest: value });
  }

  #tally(rejected: Partial<RejectedCounts>): void {
    if (rejectedCount(rejected) === 0) return;
    this.#change();
    this.#rejected ??= emptyTally();
    addRejected(this.#rejected, rejected);
  }
}

/**
 * Counts a value that stands for several, of which the others were left out at random. The series knows how many of its values are such
 * others, and the most values that one stands for: the `estimated` of its snapshot. Never throws.
 *
 * @param count How many values it stands for, with itself: an integer of at least 1.
 * @returns Whether the values were counted. Otherwise all of them are tallied as rejected.
 * @example
 * ```ts
 * import { createRegistry } from '@hdrscope/registry';
 * import { recordSample } from '@hdrscope/registry/internal';
 *
 * const series = createRegistry().histogram({ name: 'jobs', unit: 's' }).with({});
 * recordSample(series, 0.5, 10); //=> true
 * const { histogram, sum, estimated } = series.snapshot();
 * [histogram.totalCount, sum, estimated]; //=> [10, 5, { sum: 9, min: 9, max: 9, weight: 10 }]
 * ```
 */
export function recordSample(series: Series, value: number, count: number): boolean {
  return series.recordSample(value, count);
}

/** A series as a reader of another package takes it: what `Series` has for packages of hdrscope only. */
export interface LiveSeries {
  readonly attributes: Attributes;
  readonly hasEnded: boolean;
  /** The number of counted values. */
  readonly totalCount: number;
  /** Whether some values were rejected, came in wide buckets, or without their sum. */
  readonly hasProblems: boolean;
  /** Another number after each change that follows a `markRead`. */
  readonly version: number;
  /** What the series is now. */
  current(): CurrentState;
  /** Slots among which are all that have changed since a version; `undefined` when they are not known. */
  changedSince(version: number): SlotRange | undefined;
  /** Notes that a reader has taken the current state. */
  markRead(): void;
}

const NO_FACTS: CountedFacts = {};

/** What a series has done with counts. */
interface AddedPlacement extends Placement {
  /** How many of the counted values are in slots of another kind of layout that reach beyond the slots that took their counts. */
  readonly straddling: number;
}

const NOTHING_ADDED: AddedPlacement = { ...NOTHING_PLACED, straddling: 0 };

/** The counts that a series is about to add. */
const PLACED = /* @__PURE__ */ new RunBuffer();
const NO_REACHES: SlotReaches = /* @__PURE__ */ new ReachList();

const TWO_POW_31 = 2 ** 31;
/** A number of at least 0, rounded, is the integer part of its sum with this. With 0.5 itself, 0.5 − 2^-54 would be rounded up. */
const ALMOST_HALF = 0.5 - 2 ** -54;
const NO_EXTREMES = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY } as const;
