import {
  type Bounds,
  type Counted,
  type HdrLayout,
  type PercentileDifference,
  percentileDifference,
  percentileInterval,
} from '@hdrscope/core';
import { countIndependent, fromTicks } from '@hdrscope/core/internal';
import type { AttributeSide, ChangeQuestion, ExplainedSide } from './explanation.ts';
import {
  indexOfPercentile,
  type Pooled,
  type PooledEnds,
  type SlotAxis,
  type TwoSides,
  totalOf,
} from './pooled.ts';

/** Where the percentile of no values lies. */
const NOWHERE = { lower: undefined, isWide: false } as const;

/** Reads a percentile of pooled counts. Values are in the unit. */
export interface Figures {
  /** The slot in which it lies. */
  slot(pool: Pooled): number;
  /** Where it may lie. */
  value(pool: PooledEnds): Bounds;
  /** As of an attribute value with so many values. @param own Divided, as the counts are. */
  attributeSide(pool: PooledEnds, own: number): AttributeSide;
  /** As of a whole side. */
  side(pool: PooledEnds, confidence: number): ExplainedSide;
  /** After less before: the interval contains it wherever values lie in their buckets. */
  difference(sides: TwoSides, confidence: number): PercentileDifference;
  /** Whether the difference is significant for some places of the values in their buckets. */
  maySignify(sides: TwoSides, confidence: number): boolean;
}

/** What the counts on an axis are. */
interface SampleFacts {
  /** See `SeriesChange`. */
  readonly weight: number;
  /** The number by which counts were divided. */
  readonly divisor: number;
}

/** Reads percentiles of sums on an axis. */
export function readFigures(
  axis: SlotAxis,
  { percentile, slots }: ChangeQuestion,
  { weight, divisor }: SampleFacts,
): Figures {
  const { resolution } = slots;
  const counted = (pool: Pooled): Counted<HdrLayout> => {
    const all = divisor === 1 ? pool : pool.map((count) => count * divisor);
    const { layout, counts } = slots.placeCounts(axis.slots, all);
    return { layout, counts, weight };
  };
  const isEndless = (ticks: number): boolean => axis.isWide && ticks === slots.lastTick;
  const inUnit = (ticks: number): number =>
    isEndless(ticks) ? Number.POSITIVE_INFINITY : fromTicks(resolution, ticks);
  const slot = (pool: Pooled): number => axis.slots[indexOfPercentile(pool, percentile)]!;
  const whereIn = ({ first, last }: PooledEnds): { readonly lower: number; readonly isWide: boolean } => {
    const from = slot(first);
    return { lower: fromTicks(resolution, slots.boundsAt(from).lower), isWide: from !== slot(last) };
  };
  const value = (pool: PooledEnds): Bounds => {
    const { lower, isWide } = whereIn(pool);
    const upper = inUnit(slots.boundsAt(slot(pool.last)).upper);
    // Values of one slot are all at its end.
    return { lower: isWide ? lower : upper, upper };
  };
  const measure = (after: Pooled, before: Pooled, confidence: number): PercentileDifference =>
    percentileDifference(counted(after), counted(before), percentile, { confidence });
  return {
    slot,
    value,
    attributeSide: (pool: PooledEnds, own: number): AttributeSide => {
      const count = own * divisor;
      if (count === 0) return { count, value: undefined, ...NOWHERE };
      return { count, value: value(pool).upper, ...whereIn(pool) };
    },
    side: (pool: PooledEnds, confidence: number): ExplainedSide => {
      const count = totalOf(pool.last) * divisor;
      if (count === 0) return { count, percentile: undefined, ...NOWHERE };
      const last = counted(pool.last);
      const asGoodAs = countIndependent(last);
      const found = percentileInterval(last, percentile, { confidence });
      const least = percentileInterval(counted(pool.first), percentile, { confidence });
      const ends = { lower: fromTicks(resolution, least.lower), upper: inUnit(found.upper) };
      return {
        count,
        ...(asGoodAs < count && { asGoodAs }),
        percentile: { ...found, value: inUnit(found.value), ...ends },
        ...whereIn(pool),
      };
    },
    difference: ({ before, after }: TwoSides, confidence: number): PercentileDifference => {
      const found = measure(after.last, before.last, confidence);
      const least = axis.isWide ? measure(after.first, before.last, confidence) : found;
      const most = axis.isWide ? measure(after.last, before.first, confidence) : found;
      const isApart = least.lower > 0 || most.upper < 0;
      const significant = found.confidence >= confidence && isApart;
      const hasEnd = (pool: PooledEnds): boolean =>
        !isEndless(percentileInterval(counted(pool.last), percentile, { confidence }).upper);
      return {
        ...found,
        difference: value(after).upper - value(before).upper,
        lower: hasEnd(before) ? fromTicks(resolution, least.lower) : Number.NEGATIVE_INFINITY,
        upper: hasEnd(after) ? fromTicks(resolution, most.upper) : Number.POSITIVE_INFINITY,
        significant,
      };
    },
    maySignify: ({ before, after }: TwoSides, confidence: number): boolean =>
      [measure(after.first, before.last, confidence), measure(after.last, before.first, confidence)].some(
        ({ significant }) => significant,
      ),
  };
}
