import {
  type Counted,
  type HdrLayout,
  increase,
  type Layout,
  type ReadonlyCounts,
  type ReadonlyHistogram,
  type Resolution,
} from '@hdrscope/core';
import { fromTicks, histogramOver, histogramSince, type SparseCounts } from '@hdrscope/core/internal';
import type { Attributes } from './attributes.ts';
import { type EstimatedCounts, estimatedSince } from './estimated.ts';
import type { Exemplar } from './exemplars.ts';
import { type Extremes, extremesBetween, type Interval, joinUpTo } from './intervals.ts';
import { placedFromReaches, type SlotReaches } from './reach.ts';
import { NOTHING_REJECTED, type RejectedCounts, rejectedSince } from './rejected.ts';

/** A series at one moment. Immutable. */
export interface SeriesSnapshot extends Counted<HdrLayout> {
  /** Frozen, and the same object in all snapshots of the series. */
  readonly attributes: Attributes;
  /** When the counting began, in milliseconds since 1970. */
  readonly startTimeMs: number;
  /** The layout of the family, in ticks of its resolution. */
  readonly layout: HdrLayout;
  /** The counts of all slots of the layout. */
  readonly counts: ReadonlyCounts;
  /**
   * The counts as a histogram, in ticks of the family's resolution. `valuesAtPercentiles` reads them in the family's unit.
   * It is made when it is asked for: whoever needs the counts only reads `counts`.
   */
  readonly histogram: ReadonlyHistogram;
  /**
   * The sum of the counted values, in the family's unit. Recorded values are added as they are. Added counts have the
   * sum that came with them, or else the sum of the values that stand for their slots.
   */
  readonly sum: number;
  /**
   * The smallest counted value, in the family's unit: exact when it was recorded, else within its slot. 0 when empty.
   */
  readonly min: number;
  /**
   * The largest counted value, in the family's unit: exact when it was recorded, else within its slot. 0 when empty.
   */
  readonly max: number;
  /** The values that could not be counted. */
  readonly rejected: RejectedCounts;
  /** Ascending by value; empty when no exemplar was offered. */
  readonly exemplars: readonly Exemplar[];
  /**
   * For each threshold of the family, the values in its slot that are at most the threshold and above the threshold before it:
   * the part of the counts that slots cannot show. `bucketCounts` reads it. `undefined` when no value shares a slot with a
   * threshold.
   */
  readonly atThresholds: readonly number[] | undefined;
  /**
   * The slots whose values may lie in other slots too, because counts of wider slots were added: of buckets, or of an HDR layout with
   * fewer digits. A slot with a threshold is among them, with itself as its reach, when nobody knows on which side of the threshold added
   * values lie. `undefined` when no such counts were added.
   */
  readonly reaches: SlotReaches | undefined;
  /**
   * How many values came without their sum or extremes, which are estimates then, and what values of a sample stand for: the `weight` of the
   * counts. `undefined` when all came with them.
   */
  readonly estimated: EstimatedCounts | undefined;
}

/** A series as it is now: the next record changes its counts and its divisions at thresholds. Whoever gets it reads it at once. */
export type CurrentState = Omit<SeriesSnapshot, 'histogram' | 'placedFrom' | 'weight'>;

/** The facts of a state besides its counts. */
type Facts = Omit<CurrentState, 'counts' | 'layout'>;

/** The state of a series. It shares its counts with the series until the next record. */
export class StateSnapshot implements SeriesSnapshot {
  readonly attributes: Attributes;
  readonly startTimeMs: number;
  readonly layout: HdrLayout;
  /** Frozen. */
  readonly counts: SparseCounts;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly rejected: RejectedCounts;
  readonly exemplars: readonly Exemplar[];
  readonly atThresholds: readonly number[] | undefined;
  readonly reaches: SlotReaches | undefined;
  readonly estimated: EstimatedCounts | undefined;
  /** The interval that begins at this state. */
  readonly #interval: Interval;
  #histogram: ReadonlyHistogram | undefined;

  constructor(layout: HdrLayout, counts: SparseCounts, interval: Interval, facts: Facts) {
    this.attributes = facts.attributes;
    this.startTimeMs = facts.startTimeMs;
    this.layout = layout;
    this.counts = counts;
    this.sum = facts.sum;
    this.min = facts.min;
    this.max = facts.max;
    this.rejected = facts.rejected;
    this.exemplars = facts.exemplars;
    this.atThresholds = facts.atThresholds;
    this.reaches = facts.reaches;
    this.estimated = facts.estimated;
    this.#interval = interval;
    Object.freeze(this);
  }

  get histogram(): ReadonlyHistogram {
    this.#histogram ??= histogramOver(this.layout, this.counts, this.placedFrom, this.weight);
    return this.#histogram;
  }

  get placedFrom(): readonly Layout[] | undefined {
    return placedFromReaches(this.layout, this.counts, this.reaches);
  }

  get weight(): number | undefined {
    return this.estimated?.weight;
  }

  toJSON(): object {
    return jsonOf(this);
  }

  /** Makes the intervals between two states one, when nobody asks any more for a time between them. */
  static joinIntervals(from: SeriesSnapshot | undefined, to: SeriesSnapshot): void {
    if (from instanceof StateSnapshot && to instanceof StateSnapshot) joinUpTo(from.#interval, to.#interval);
  }

  /** The extremes of the values between two states; `undefined` unless `from` is an earlier state of the same series. */
  static extremesBetween(from: SeriesSnapshot, to: SeriesSnapshot): Extremes | undefined {
    if (!(from instanceof StateSnapshot && to instanceof StateSnapshot)) return undefined;
    return extremesBetween(from.#interval, to.#interval);
  }
}

/**
 * The values that a series counted between two states of it.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a count is smaller than in `then`: both are not of one series.
 */
export function differenceOf(
  now: SeriesSnapshot,
  then: SeriesSnapshot,
  resolution: Resolution,
  sinceMs: number,
): SeriesSnapshot {
  const exact = StateSnapshot.extremesBetween(then, now);
  const isEmpty = exact !== undefined && now.counts.total === then.counts.total;
  const extremes = isEmpty ? EMPTY_EXTREMES : (exact ?? extremesOf(now, then, resolution));
  const known = estimatedSince(now.estimated, then.estimated);
  const count = now.counts.total - then.counts.total;
  const estimated = exact === undefined && count > 0 ? { sum: 0, ...known, min: count, max: count } : known;
  return new Difference(now, then, { ...extremes, estimated }, sinceMs);
}

/** The difference of two states. Its counts are computed when they are asked for, and kept. */
class Difference implements SeriesSnapshot {
  readonly attributes: Attributes;
  readonly startTimeMs: number;
  readonly layout: HdrLayout;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly rejected: RejectedCounts;
  readonly exemplars: readonly Exemplar[];
  readonly reaches: SlotReaches | undefined;
  readonly estimated: EstimatedCounts | undefined;
  readonly #now: SeriesSnapshot;
  readonly #then: SeriesSnapshot;
  #counts: ReadonlyCounts | undefined;
  #histogram: ReadonlyHistogram | undefined;

  constructor(
    now: SeriesSnapshot,
    then: SeriesSnapshot,
    { min, max, estimated }: Extremes & Pick<SeriesSnapshot, 'estimated'>,
    sinceMs: number,
  ) {
    this.attributes = now.attributes;
    this.startTimeMs = sinceMs;
    this.layout = now.layout;
    this.sum = now.sum - then.sum;
    // Adding 0 turns -0 into 0.
    this.min = min + 0;
    this.max = max + 0;
    this.reaches = now.reaches;
    this.estimated = estimated;
    this.rejected =
      now.rejected === then.rejected ? NOTHING_REJECTED : rejectedSince(now.rejected, then.rejected);
    const { exemplars } = now;
    this.exemplars =
      exemplars.length === 0
        ? NO_EXEMPLARS
        : Object.freeze(exemplars.filter(({ timeMs }) => timeMs >= sinceMs));
    this.#now = now;
    this.#then = then;
    Object.freeze(this);
  }

  get histogram(): ReadonlyHistogram {
    const { layout, placedFrom, weight } = this;
    const { counts } = this.#now;
    this.#histogram ??= histogramSince({ layout, counts, placedFrom, weight }, this.#then, {
      resets: 'never',
    });
    return this.#histogram;
  }

  get placedFrom(): readonly Layout[] | undefined {
    return placedFromReaches(this.layout, this.counts, this.reaches);
  }

  get weight(): number | undefined {
    return this.estimated?.weight;
  }

  get atThresholds(): readonly number[] | undefined {
    return atThresholdsSince(this.#now, this.#then);
  }

  get counts(): ReadonlyCounts {
    this.#counts ??= this.#increase();
    return this.#counts;
  }

  #increase(): ReadonlyCounts {
    const [now, then] = [this.#now, this.#then];
    // Counts of one series know what has changed, so they need no checks.
    if (now instanceof StateSnapshot && then instanceof StateSnapshot && now.layout === then.layout) {
      const listed = now.counts.listedSince(then.counts);
      if (listed !== undefined) return listed;
    }
    return increase(now, then, { resets: 'never' }).counts;
  }

  toJSON(): object {
    return jsonOf(this);
  }
}

/** What a series has counted at thresholds between two states. */
function atThresholdsSince(
  { atThresholds: now }: Pick<SeriesSnapshot, 'atThresholds'>,
  { atThresholds: then }: Pick<SeriesSnapshot, 'atThresholds'>,
): readonly number[] | undefined {
  // Without a new value in a slot with a threshold, both states share the list.
  return now === then ? undefined : now?.map((count, i) => count - (then?.[i] ?? 0));
}

/** A snapshot as plain data. The histogram has the layout and the counts. */
function jsonOf(snapshot: SeriesSnapshot): object {
  const { attributes, startTimeMs, histogram, sum, min, max, rejected, exemplars, atThresholds } = snapshot;
  return { attributes, startTimeMs, histogram, sum, min, max, rejected, exemplars, atThresholds };
}

const EMPTY_EXTREMES: Extremes = { min: 0, max: 0 };

export const NO_EXEMPLARS: readonly Exemplar[] = /* @__PURE__ */ Object.freeze([]);

/** The extremes within their slots, of states that no chain of intervals connects. */
function extremesOf(now: SeriesSnapshot, then: SeriesSnapshot, resolution: Resolution): Extremes {
  const { counts, layout } = histogramSince(now, then, { resets: 'never' });
  if (counts.total === 0) return EMPTY_EXTREMES;
  return {
    min: Math.max(now.min, fromTicks(resolution, layout.lower(counts.first))),
    max: Math.min(now.max, fromTicks(resolution, layout.upper(counts.last))),
  };
}
