import type { TimeRange } from '../question.ts';

/** The part of an interval that says when it was. */
export interface Timed {
  readonly startMs: number;
  readonly endMs: number;
}

/** Which neighbours are merged first, when there is no room for all intervals. */
export type Coarsening =
  /** Older intervals are coarser: beyond the first minute, their length grows with their age. */
  | 'older'
  /** All times alike, as in a record, in which no time matters more. */
  | 'evenly';

// So much time before now has intervals as short as there are.
const FINE_MS = 60_000;

/**
 * The place of the first of the two neighbours whose merging loses least. Neighbours with a gap between them are not merged: nothing is known
 * of the gap, so a rate across it would be a guess.
 *
 * @param intervals At least one, ascending.
 * @returns `undefined` when no two can be merged.
 */
export function placeToMerge(intervals: readonly Timed[], coarsening: Coarsening): number | undefined {
  const nowMs = intervals.at(-1)!.endMs;
  let best: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i + 1 < intervals.length; i++) {
    const { startMs, endMs } = intervals[i + 1]!;
    if (startMs > intervals[i]!.endMs) continue;
    const lengthMs = endMs - intervals[i]!.startMs;
    const loss = coarsening === 'evenly' ? lengthMs : lengthMs / (nowMs - endMs + FINE_MS);
    if (loss < least) [least, best] = [loss, i];
  }
  return best;
}

/** The whole time of intervals, ascending; empty when there are none. */
export function timeOf(intervals: readonly Timed[]): TimeRange {
  return { fromMs: intervals[0]?.startMs ?? 0, toMs: intervals.at(-1)?.endMs ?? 0 };
}

/** The stretches of time between intervals of which nothing is known. */
export function gapsBetween(intervals: readonly Timed[]): TimeRange[] {
  const gaps: TimeRange[] = [];
  for (let i = 1; i < intervals.length; i++) {
    const [fromMs, toMs] = [intervals[i - 1]!.endMs, intervals[i]!.startMs];
    if (toMs > fromMs) gaps.push({ fromMs, toMs });
  }
  return gaps;
}

/** The intervals that share time with a range. */
export function intervalsWithin<T extends Timed>(
  intervals: readonly T[],
  { fromMs, toMs }: TimeRange,
): readonly T[] {
  const from = intervals.findIndex(({ endMs }) => endMs > fromMs);
  if (from < 0) return [];
  const after = intervals.findIndex(({ startMs }) => startMs >= toMs);
  return intervals.slice(from, after < 0 ? intervals.length : after);
}
