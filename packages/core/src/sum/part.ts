import { type Bounds, exactly } from '../bounds.ts';
import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { mustBe } from '../errors.ts';
import { type CountedInterval, type IntervalMap, intervalOfSlot, type SlotStore } from './intervals.ts';

/** How many values are at most a limit. */
export interface CountWithin {
  /** In the unit of the sum: finite. */
  readonly limit: number;
  /** An integer from 0 to the number of values. */
  readonly count: number;
}

/** What is known of counted values beyond their slots, in the unit of the sum. The slots say the rest. */
export interface KnownFacts {
  /** The sum of all values. @default not known */
  readonly sum?: number;
  /** The smallest value, in the unit of the sum. @default not known */
  readonly min?: number;
  /** The largest value, in the unit of the sum. @default not known */
  readonly max?: number;
  /** Counts at limits, ascending. @default not known */
  readonly within?: readonly CountWithin[];
}

/** Whether a value is counts at limits, both ascending. */
export function areAscending(within: unknown): boolean {
  const isAfter = (at: CountWithin, before: CountWithin | undefined): boolean =>
    before === undefined || (at.limit > before.limit && at.count >= before.count);
  return (
    Array.isArray(within) &&
    within.every(
      (at: CountWithin, i) =>
        Number.isFinite(at?.limit) &&
        Number.isSafeInteger(at.count) &&
        at.count >= 0 &&
        isAfter(at, within[i - 1]),
    )
  );
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when facts contradict each other, or the number of values. */
export function assertFacts({ min, max, within = [] }: KnownFacts, total: number): void {
  if (min !== undefined && max !== undefined && min > max) {
    throw mustBe('ERR_INVALID_OPTION', 'min', `at most max, which is ${max}`, min);
  }
  const most = within.at(-1)?.count ?? 0;
  if (most > total) throw mustBe('ERR_INVALID_OPTION', 'within', `counts of at most ${total} values`, most);
}

/** Where the smallest and the largest of some values lie. */
export interface Ends {
  readonly low: Bounds;
  readonly high: Bounds;
}

/** What is known of some values beyond the slots that they are in. */
export interface Tally {
  /** The sum of all values; `undefined` when it is not known. */
  readonly sum: number | undefined;
  /** `undefined` where nothing more is known than the first and the last slot of the store, which says it. */
  readonly ends: Ends | undefined;
  /** Counts at limits, ascending. */
  readonly within: readonly CountWithin[];
}

/** Nothing is known beyond the slots. */
export const NOTHING_KNOWN: Tally = { sum: undefined, ends: undefined, within: [] };

/** Counts of which the ends are known. */
interface EndsOfCounts extends Pick<Counted, 'layout' | 'placedFrom'> {
  readonly counts: Pick<ReadonlyCounts, 'first' | 'last'>;
}

/**
 * The tally of counts that are not empty: facts, and what the slots say where a fact is not known.
 *
 * @param hasSlots Whether the store of the counts keeps their slots, which then say the ends.
 */
export function tallyOf(counted: EndsOfCounts, facts: KnownFacts, hasSlots: boolean): Tally {
  const { sum, min, max, within = [] } = facts;
  if (min !== undefined || max !== undefined || !hasSlots)
    return { sum, ends: narrowedEnds(counted, min, max), within };
  return sum === undefined && within.length === 0 ? NOTHING_KNOWN : { sum, ends: undefined, within };
}

function narrowedEnds({ layout, counts, placedFrom }: EndsOfCounts, min?: number, max?: number): Ends {
  const first = intervalOfSlot(layout, counts.first, 1, placedFrom);
  const last = intervalOfSlot(layout, counts.last, 1, placedFrom);
  return {
    low:
      min === undefined
        ? { lower: first.lower, upper: Math.min(first.upper, max ?? first.upper) }
        : exactly(min),
    high:
      max === undefined
        ? { lower: Math.max(last.lower, min ?? last.lower), upper: last.upper }
        : exactly(max),
  };
}

/**
 * Values in alike slots, of which the same facts are known: so nothing that is known is lost when counts are added. The tally of an
 * `IntervalMap` has ends.
 */
export interface Part {
  readonly store: SlotStore | IntervalMap;
  tally: Tally;
  /** How many of the values are in slots that were widened. */
  widened: number;
}

/** Where the smallest and the largest value of a part lie. */
export function findEnds({ store, tally }: Part): Ends {
  return tally.ends ?? narrowedEnds(store as SlotStore);
}

/** Tallies with one key can be added without a loss. */
export function keyOfFacts({ sum, ends, within }: Tally): string {
  return `${sum !== undefined} ${ends !== undefined} ${within.map(({ limit }) => limit).join(' ')}`;
}

/** The tally of the values of both, which have one key. */
export function addTallies(a: Tally, b: Tally): Tally {
  return {
    sum: a.sum === undefined || b.sum === undefined ? undefined : a.sum + b.sum,
    ends: a.ends && b.ends && outerEnds(a.ends, b.ends),
    within: a.within.map(({ limit, count }, i) => ({ limit, count: count + b.within[i]!.count })),
  };
}

/** Where the smallest and the largest value of both lie. */
export function outerEnds(a: Ends, b: Ends): Ends {
  return {
    low: { lower: Math.min(a.low.lower, b.low.lower), upper: Math.min(a.low.upper, b.low.upper) },
    high: { lower: Math.max(a.high.lower, b.high.lower), upper: Math.max(a.high.upper, b.high.upper) },
  };
}

const EVERYWHERE: Ends = {
  low: { lower: Number.NEGATIVE_INFINITY, upper: Number.NEGATIVE_INFINITY },
  high: { lower: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY },
};

/** The intervals of a part, ascending by their lower ends, without what lies beyond its smallest and largest value. */
export function* narrowedIntervals({ store, tally: { ends } }: Part): Generator<CountedInterval> {
  const { low, high } = ends ?? EVERYWHERE;
  for (const interval of store.intervals()) {
    if (interval.lower >= low.lower && interval.upper <= high.upper) yield interval;
    else yield { count: interval.count, lowerInclusive: true, ...narrow(interval, low.lower, high.upper) };
  }
}

/** What two ends leave of an interval. A fact may lie beside its slot by a rounding: then what lies between them. */
export function narrow({ lower, upper }: Bounds, from: number, to: number): Bounds {
  const low = Math.min(Math.max(lower, from), to);
  const high = Math.max(Math.min(upper, to), from);
  return { lower: Math.min(low, high), upper: Math.max(low, high) };
}

/** How many values of a part are at most a limit. */
export function countOfPart(part: Part, limit: number): Bounds {
  let [lower, upper] = [0, 0];
  for (const interval of narrowedIntervals(part)) {
    if (interval.upper <= limit) lower += interval.count;
    if (interval.lower < limit || (interval.lower === limit && interval.lowerInclusive))
      upper += interval.count;
  }
  for (const known of part.tally.within) {
    if (known.limit <= limit) lower = Math.max(lower, known.count);
    if (known.limit >= limit) upper = Math.min(upper, known.count);
  }
  // Facts may contradict the slots.
  return { lower: Math.min(lower, upper), upper: Math.max(lower, upper) };
}
