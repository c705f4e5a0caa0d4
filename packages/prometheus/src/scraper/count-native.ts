import { type Counted, countedIn } from '@hdrscope/core';
import type { IndexRange } from '@hdrscope/core/internal';
import type { Budget } from '@hdrscope/kit';
import { type CountedBuckets, countTooLarge, malformed, type SeriesProblem, unsupported } from './buckets.ts';
import type { LayoutPool } from './layout-pool.ts';
import { SLOT_COST } from './limits.ts';
import type { RawHistogram, RawNative, RawSide } from './raw-histogram.ts';

// The schemas of exponential buckets: https://prometheus.io/docs/specs/native_histograms/#schema
const MIN_SCHEMA = -4;
const MAX_SCHEMA = 8;
/** The schema of custom boundaries. Remote write states the boundaries, and no format of a scrape has a place for them. */
const CUSTOM_BOUNDARIES = -53;
/** From the first used bucket to the last. At the finest schema, values of a nanosecond and of a year are 14,000 buckets apart. */
const MOST_SLOTS = 65_536;
const UNUSED: IndexRange = { minIndex: 0, maxIndex: 0 };

/** Converts native buckets to counts over an exponential layout. */
export function countNative(
  raw: RawHistogram & { readonly native: RawNative },
  layouts: LayoutPool,
  budget: Budget,
): CountedBuckets | SeriesProblem {
  const { schema, zeroThreshold, zeroCount, customValues, ...sides } = raw.native;
  if (schema === CUSTOM_BOUNDARIES) {
    if (customValues !== undefined) return countCustom(raw, customValues, layouts);
    return unsupported('has custom boundaries (schema -53), which the answer does not state');
  }
  if (!Number.isInteger(schema) || schema < MIN_SCHEMA || schema > MAX_SCHEMA) {
    return malformed(`has schema ${schema}, which must be from ${MIN_SCHEMA} to ${MAX_SCHEMA}`);
  }
  if (!(zeroThreshold >= 0 && zeroThreshold < Number.POSITIVE_INFINITY)) {
    return malformed(`has the zero threshold ${zeroThreshold}, which must be finite and at least 0`);
  }
  const indexes = indexesAt(schema);
  const positive = usedBuckets(sides.positive, indexes);
  const negative = usedBuckets(sides.negative, indexes);
  if ('reason' in positive) return positive;
  if ('reason' in negative) return negative;
  const total = zeroCount + positive.total + negative.total;
  const problem = problemOfTotal(raw, total);
  if (problem !== undefined) return problem;
  const layout = layouts.exponential({
    scale: schema,
    zeroThreshold,
    ...(positive.range ?? UNUSED),
    ...(negative.total > 0 && { negative: negative.range ?? UNUSED }),
  });
  if (layout.slotCount > MOST_SLOTS) {
    return malformed(`has buckets that are ${layout.slotCount} apart, which must be at most ${MOST_SLOTS}`);
  }
  budget.takeElements(layout.slotCount * SLOT_COST);
  const { zeroSlot, minIndex } = layout;
  const counts = new Float64Array(layout.slotCount);
  counts[zeroSlot] = zeroCount;
  for (const [index, count] of positive.used) counts[zeroSlot + index - minIndex + 1] = count;
  for (const [index, count] of negative.used)
    counts[zeroSlot - (index - layout.negative!.minIndex) - 1] = count;
  counts[layout.slotCount - 1]! += positive.infinite;
  if (negative.infinite > 0) counts[0]! += negative.infinite;
  return withoutNumbers(countedIn(layout, counts), raw.count! - total);
}

/** Converts buckets with boundaries of their own, whose index is that of their upper bound, to counts between these bounds. */
function countCustom(
  raw: RawHistogram & { readonly native: RawNative },
  bounds: readonly number[],
  layouts: LayoutPool,
): CountedBuckets | SeriesProblem {
  const { zeroCount, positive, negative } = raw.native;
  if (bounds.length === 0)
    return unsupported('has only the bucket +Inf, so the size of its values is unknown');
  for (const [i, bound] of bounds.entries()) {
    if (!Number.isFinite(bound)) return malformed(`has the boundary ${bound}, which must be finite`);
    if (i > 0 && !(bound > bounds[i - 1]!)) {
      return malformed(`has the boundary ${bound} after ${bounds[i - 1]}: boundaries must ascend`);
    }
  }
  if (zeroCount !== 0 || negative.lengths.length > 0) {
    return malformed('has custom boundaries beside a zero bucket or negative buckets');
  }
  const found = usedBuckets(positive, {
    ...{ least: -1, most: bounds.length - 2 },
    outside: `has values beyond its ${bounds.length} boundaries`,
  });
  if ('reason' in found) return found;
  const problem = problemOfTotal(raw, found.total);
  if (problem !== undefined) return problem;
  const counts = new Float64Array(bounds.length + 1);
  for (const [index, count] of found.used) counts[index + 1] = count;
  counts[bounds.length] = found.infinite;
  return withoutNumbers(countedIn(layouts.explicit(bounds), counts), raw.count! - found.total);
}

/** Adds the values that are not numbers: they are in the count and in no bucket. */
function withoutNumbers(counted: Counted, notANumber: number): CountedBuckets {
  if (notANumber === 0) return { counted };
  return { counted, rejected: { notANumber, negative: 0, tooLarge: 0, largest: 0, overflowing: 0 } };
}

function problemOfTotal({ count, sum, native }: RawHistogram, total: number): SeriesProblem | undefined {
  const { zeroCount } = native!;
  if (count === undefined) return malformed('has no count');
  if (!isCount(zeroCount)) return problemOfCount(zeroCount);
  if (!isCount(count)) return problemOfCount(count);
  if (!Number.isSafeInteger(total)) return countTooLarge();
  // A value that is not a number is in the count and in no bucket, and makes the sum one that is not a number.
  if (count === total || (count > total && Number.isNaN(sum))) return undefined;
  return malformed(`has buckets of ${total} values, but its count is ${count}`);
}

interface UsedBuckets {
  /** Index in the layout and count of each bucket with values. */
  readonly used: readonly (readonly [index: number, count: number])[];
  /** The range of all indexes; `undefined` when no bucket has values. */
  readonly range: IndexRange | undefined;
  /** The count of the bucket for infinite values. */
  readonly infinite: number;
  readonly total: number;
}

/** The indexes that buckets of finite values can have. Infinite values have the one after `most`. */
interface BucketIndexes {
  readonly least: number;
  readonly most: number;
  /** The problem of any other index. */
  readonly outside: string;
}

/** The indexes of the buckets that hold doubles. */
function indexesAt(schema: number): BucketIndexes {
  return {
    least: Math.ceil(-1074 * 2 ** schema) - 1,
    most: Math.floor(1024 * 2 ** schema) - 1,
    outside: `has values beyond the largest or smallest double, at schema ${schema}`,
  };
}

/** Reads the runs of one side. Prometheus numbers a bucket by its upper bound: one more than a layout does. */
function usedBuckets(
  { offsets, lengths, counts }: RawSide,
  { least, most, outside }: BucketIndexes,
): UsedBuckets | SeriesProblem {
  const used: (readonly [number, number])[] = [];
  let infinite = 0;
  let total = 0;
  let at = 0;
  let index = -1;
  for (let span = 0; span < lengths.length; span++) {
    const offset = offsets[span]!;
    if (span > 0 && offset < 0)
      return malformed(`has a span that begins ${-offset} buckets before the end of the one before`);
    index += offset;
    const end = at + lengths[span]!;
    if (!(end <= counts.length)) return malformed(`has spans of ${end} buckets, but ${counts.length} counts`);
    for (; at < end; at++, index++) {
      const count = counts[at]!;
      if (count === 0) continue;
      if (!isCount(count)) return problemOfCount(count);
      total += count;
      if (index === most + 1) infinite = count;
      else if (index < least || index > most) {
        return malformed(outside);
      } else used.push([index, count]);
    }
  }
  if (at < counts.length) return malformed(`has spans of ${at} buckets, but ${counts.length} counts`);
  const range = used.length === 0 ? undefined : { minIndex: used[0]![0], maxIndex: used.at(-1)![0] };
  return { used, range, infinite, total };
}

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0;
}

function problemOfCount(count: number): SeriesProblem {
  if (count > Number.MAX_SAFE_INTEGER) return countTooLarge();
  if (count > 0) return unsupported(`has the count ${count}: only integers can be counted`);
  return malformed(`has a bucket with the count ${count}`);
}
