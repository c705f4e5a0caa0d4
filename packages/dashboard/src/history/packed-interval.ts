import type { ReadonlyCounts } from '@hdrscope/core';
import { packCounts, packedRuns, SparseCounts } from '@hdrscope/core/internal';
import type { Slices } from '@hdrscope/kit';

/** What a series counted in an interval. */
export interface SeriesIncrease {
  /** The id of the series. */
  readonly id: number;
  readonly counts: ReadonlyCounts;
  /** The sum of the values, in the unit of the family. */
  readonly sum: number;
  /** The counts between the boundaries of the family; `undefined` for a family without boundaries. */
  readonly buckets: ReadonlyCounts | undefined;
}

/**
 * What all series counted in an interval, in few bytes. An array for each series would take more memory than its counts do, so
 * all of them lie in one:
 *
 * ```
 * ids       3                        8
 * offsets   0        52        52    60        …
 * bytes     counts │ buckets │ counts │ buckets │ …
 * ```
 *
 * Immutable.
 */
export interface PackedInterval {
  readonly startMs: number;
  readonly endMs: number;
  /** The series that counted something, ascending. */
  readonly ids: Int32Array;
  /** For each of `ids` where its counts begin, and where its buckets do; and last the end. */
  readonly offsets: Uint32Array;
  /** For each of `ids` the sum of its values. */
  readonly sums: Float64Array;
  readonly bytes: Uint8Array;
  /** The memory that it takes. */
  readonly byteLength: number;
}

/** The objects of an interval, and its place in a list. */
const OBJECT_BYTES = 600;

const NO_BYTES = new Uint8Array(0);

/**
 * Packs what series counted in an interval.
 *
 * @param increases Of each series at most one, in any order.
 */
export async function packInterval(
  startMs: number,
  endMs: number,
  increases: Iterable<SeriesIncrease>,
  slices: Slices,
): Promise<PackedInterval> {
  const entries: PackedSeries[] = [];
  for (const { id, counts, sum, buckets } of [...increases].sort((a, b) => a.id - b.id)) {
    const packedBuckets = buckets === undefined ? NO_BYTES : packCounts(buckets);
    entries.push({ id, sum, counts: packCounts(counts), buckets: packedBuckets });
    if (slices.isOver()) await slices.next();
  }
  return joinSeries(startMs, endMs, entries, slices);
}

/** What a series counted in an interval, packed. */
export interface PackedSeries {
  readonly id: number;
  readonly sum: number;
  readonly counts: Uint8Array;
  /** Empty for a family without boundaries. */
  readonly buckets: Uint8Array;
}

async function joinSeries(
  startMs: number,
  endMs: number,
  entries: readonly PackedSeries[],
  slices: Slices,
): Promise<PackedInterval> {
  const ids = new Int32Array(entries.length);
  const sums = new Float64Array(entries.length);
  const offsets = new Uint32Array(2 * entries.length + 1);
  const length = entries.reduce((sum, { counts, buckets }) => sum + counts.length + buckets.length, 0);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const [i, { id, sum, counts, buckets }] of entries.entries()) {
    ids[i] = id;
    sums[i] = sum;
    offsets[2 * i] = at;
    bytes.set(counts, at);
    at += counts.length;
    offsets[2 * i + 1] = at;
    bytes.set(buckets, at);
    at += buckets.length;
    if (slices.isOver()) await slices.next();
  }
  offsets[2 * entries.length] = at;
  return sizedInterval({ startMs, endMs, ids, offsets, sums, bytes });
}

/** An interval with the memory that it takes. */
export function sizedInterval(parts: Omit<PackedInterval, 'byteLength'>): PackedInterval {
  const { ids, offsets, sums, bytes } = parts;
  const arrays = ids.byteLength + sums.byteLength + offsets.byteLength + bytes.length;
  return { ...parts, byteLength: OBJECT_BYTES + arrays };
}

/** What a series counted in an interval; `undefined` when it counted nothing. */
export function seriesIn(interval: PackedInterval, id: number): PackedSeries | undefined {
  const at = placeOf(interval.ids, id);
  return at < 0 ? undefined : seriesAt(interval, at);
}

/** The series at a place of `ids`. */
export function seriesAt({ ids, offsets, sums, bytes }: PackedInterval, at: number): PackedSeries {
  const [from, middle, to] = [offsets[2 * at]!, offsets[2 * at + 1]!, offsets[2 * at + 2]!];
  return {
    id: ids[at]!,
    sum: sums[at]!,
    counts: bytes.subarray(from, middle),
    buckets: bytes.subarray(middle, to),
  };
}

/** The place of a number in an ascending array, or -1. */
function placeOf(ascending: Int32Array, wanted: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ascending[middle]! < wanted) from = middle + 1;
    else to = middle;
  }
  return ascending[from] === wanted ? from : -1;
}

/** How many slots the counts of a series have, and how many its buckets. */
export interface SlotCounts {
  readonly slots: number;
  readonly buckets: number;
}

/**
 * The counts of two intervals in one: that of all time from the start of the first to the end of the second.
 *
 * @param slotCountsOf The slots of a series.
 */
export async function mergedInterval(
  first: PackedInterval,
  second: PackedInterval,
  slotCountsOf: (id: number) => SlotCounts,
  slices: Slices,
): Promise<PackedInterval> {
  const merged: PackedSeries[] = [];
  let [i, j] = [0, 0];
  while (i < first.ids.length || j < second.ids.length) {
    const [a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY] = [first.ids[i], second.ids[j]];
    if (a < b) merged.push(seriesAt(first, i++));
    else if (b < a) merged.push(seriesAt(second, j++));
    else merged.push(mergedSeries(seriesAt(first, i++), seriesAt(second, j++), slotCountsOf(a)));
    if (slices.isOver()) await slices.next();
  }
  return joinSeries(first.startMs, second.endMs, merged, slices);
}

function mergedSeries(a: PackedSeries, b: PackedSeries, { slots, buckets }: SlotCounts): PackedSeries {
  return {
    id: a.id,
    sum: a.sum + b.sum,
    counts: mergedBytes(a.counts, b.counts, slots),
    buckets: buckets === 0 ? NO_BYTES : mergedBytes(a.buckets, b.buckets, buckets),
  };
}

function mergedBytes(a: Uint8Array, b: Uint8Array, slots: number): Uint8Array {
  const sum = new SparseCounts(slots);
  for (const bytes of [a, b]) sum.addRuns(packedRuns(bytes, slots));
  return packCounts(sum);
}
