import {
  type Counted,
  type HdrLayout,
  HdrscopeError,
  Histogram,
  type Layout,
  type ReadonlyCounts,
  type ReadonlyHistogram,
} from '@hdrscope/core';
import {
  fromTicks,
  isHdrLayout,
  type KnownRange,
  meanOf,
  mustBe,
  type Placement,
  placeCounts,
  type Resolution,
} from '@hdrscope/core/internal';
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
  /** Nanoseconds in one unit; `undefined` when the unit does not measure time. */
  readonly nsPerUnit: number | undefined;
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

const NO_EXEMPLARS: readonly Exemplar[] = /* @__PURE__ */ Object.freeze([]);

/** What is known of counts besides their slots. Values are in the family's unit. */
export interface CountedFacts {
  /** The sum of the values: finite and at least 0. @default that of the values that stand for the slots */
  readonly sum?: number | undefined;
  /** The smallest value. @default the one that stands for the lowest used slot */
  readonly min?: number | undefined;
  /** The largest value. @default the one that stands for the highest used slot */
  readonly max?: number | undefined;
  /** A range that holds all values, which narrows slots that reach beyond it. @default not known */
  readonly within?: KnownRange | undefined;
  /** Values that could not be counted where the counts were made. @default no values */
  readonly rejected?: Partial<Rejected> | undefined;
  /** @default no exemplars */
  readonly exemplars?: readonly Exemplar[] | undefined;
  /**
   * When the counting began, in milliseconds since 1970. The series starts at the earlier of both times, unless a snapshot has
   * shown its own already. @default the start of the series
   */
  readonly startTimeMs?: number | undefined;
}

/** How counts went into the slots of a series. */
export interface Added {
  /** How many values were counted. */
  readonly count: number;
  /** How many of them were in slots that are open on a side: they are counted at its bound, and may lie far beyond it. */
  readonly open: number;
}

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
    const { nsPerUnit, clock } = this.#setup;
    if (nsPerUnit === undefined) {
      throw new HdrscopeError(
        'ERR_INVALID_OPTION',
        'a timer needs a family with a unit of time (s, ms, us, ns)',
      );
    }
    const startMs = clock.monotonicMs();
    return () => {
      const elapsed = (clock.monotonicMs() - startMs) / (nsPerUnit / 1e6);
      this.record(elapsed);
      return elapsed;
    };
  }

  /**
   * Adds counts that somebody else made. An HDR layout counts ticks of the family's resolution; values of any other layout
   * are in its unit, and each slot counts as `placeCounts` of `@hdrscope/core` says: whole, at its midpoint, or at its bound where it is open.
   * `rebucket(layout, family.unitLayout)` states how far that can be trusted. Values that this series cannot count are
   * tallied as rejected.
   *
   * @throws HdrscopeError `ERR_INVALID_COUNT` when there are not as many counts as slots; `ERR_INVALID_VALUE` when the sum is
   *   negative or not finite; `ERR_VALUE_OUT_OF_RANGE` when a tick does not fit; `ERR_COUNT_OVERFLOW`. Nothing is added then.
   * @example
   * ```ts
   * import { countedIn, explicitLayout } from '@hdrscope/core';
   * import { createRegistry } from '@hdrscope/registry';
   *
   * const series = createRegistry().histogram({ name: 'rpc.duration', unit: 's' }).with({});
   * series.add(countedIn(explicitLayout([0.1, 0.5]), [0, 3, 1]), { sum: 1.4 }); //=> { count: 4, open: 1 }
   * ```
   */
  add(counted: Counted, facts: CountedFacts = {}): Added {
    const { layout, counts } = counted;
    const { sum, min, max } = facts;
    if (sum !== undefined && !(Number.isFinite(sum) && sum >= 0)) {
      throw mustBe('ERR_INVALID_VALUE', 'sum', 'a finite number of at least 0', sum);
    }
    const placed = isHdrLayout(layout) ? this.#merge(layout, counts, facts) : this.#place(counted, facts);
    if (placed.count > 0) {
      // A sum that is known has rejected values in it too, which the series has not counted.
      const isWhole = placed.negative + placed.tooLarge === 0;
      this.#sum += isWhole && sum !== undefined ? sum : placed.sum;
      this.#min = Math.min(this.#min, isWhole && min !== undefined && min >= 0 ? min : placed.min);
      this.#max = Math.max(this.#max, isWhole && max !== undefined ? max : placed.max);
    } else if (counts.total === 0) this.#sum += sum ?? 0;
    this.#tally(placed);
    this.#tally(facts.rejected ?? {});
    for (const exemplar of facts.exemplars ?? []) this.offerExemplar(exemplar);
    if (!this.#isStartShown && facts.startTimeMs !== undefined) {
      this.#startTimeMs = Math.min(this.#startTimeMs, facts.startTimeMs);
    }
    return { count: placed.count, open: placed.open };
  }

  /** Takes an exemplar of a value that was recorded, in place of an earlier one of its octave. */
  offerExemplar(exemplar: Exemplar): void {
    this.#exemplars ??= new ExemplarReservoir();
    this.#exemplars.offer(exemplar);
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

  /** Adds ticks. */
  #merge(layout: HdrLayout, counts: ReadonlyCounts, { sum, within = {} }: CountedFacts): Placement {
    if (counts.total === 0) return NOTHING_PLACED;
    const { resolution } = this.#setup;
    this.histogram.add({ layout, counts });
    return {
      ...NOTHING_PLACED,
      count: counts.total,
      sum: sum ?? fromTicks(resolution, meanOf({ layout, counts }) * counts.total),
      min: Math.max(fromTicks(resolution, layout.lower(counts.first)), within.min ?? 0),
      max: Math.min(fromTicks(resolution, layout.upper(counts.last)), within.max ?? Number.POSITIVE_INFINITY),
    };
  }

  #place(counted: Counted, { within }: CountedFacts): Placement {
    const { layout, counts } = counted;
    if (counts.length !== layout.slotCount) {
      throw mustBe(
        'ERR_INVALID_COUNT',
        'counts',
        `one for each of the ${layout.slotCount} slots`,
        counts.length,
      );
    }
    const { histogram } = this;
    if (histogram.totalCount + counts.total > Number.MAX_SAFE_INTEGER) {
      throw mustBe(
        'ERR_COUNT_OVERFLOW',
        'the total count',
        'at most 2^53 - 1',
        `${histogram.totalCount} + ${counts.total}`,
      );
    }
    return placeCounts(counted, this.#setup, (ticks, count) => histogram.record(ticks, count), within);
  }

  #ticksOf(value: number): number {
    return Math.round(value * this.ticksPerUnit);
  }

  #reject(value: unknown): void {
    if (typeof value !== 'number' || Number.isNaN(value)) this.#tally({ notANumber: 1 });
    else if (value < 0) this.#tally({ negative: 1 });
    else this.#tally({ tooLarge: 1, largest: value });
  }

  #tally({
    notANumber = 0,
    negative = 0,
    tooLarge = 0,
    largest = 0,
    overflowing = 0,
  }: Partial<Rejected>): void {
    const rejected = this.#rejected;
    rejected.notANumber += notANumber;
    rejected.negative += negative;
    rejected.tooLarge += tooLarge;
    rejected.largest = Math.max(rejected.largest, largest);
    rejected.overflowing += overflowing;
  }
}

const NOTHING_PLACED: Placement = {
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  negative: 0,
  tooLarge: 0,
  largest: 0,
  open: 0,
};
