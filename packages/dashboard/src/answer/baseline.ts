import { DAY_MS, MINUTE_MS } from '@hdrscope/kit';
import { intervalsWithin } from '../history/coarsening.ts';
import type { PackedInterval } from '../history/packed-interval.ts';
import type { Against, Question, TimeRange } from '../question.ts';
import type { TwoTimes } from './series-changes.ts';

/** The recent time, where the reader has chosen no time. */
const RECENT_MS = MINUTE_MS;

/** The time right before the recent one that it is compared with first. */
const USUAL_MS = 10 * MINUTE_MS;

// A change that began so long ago has ended the time right before it. Each length is that of the time compared with, too: a change is seen
// against a time as long as it has lasted at most.
const AGES_MS = [10, 30, 90, 270].map((minutes) => minutes * MINUTE_MS);

/** The time around the same time of an earlier day, on either side: intervals that far back may be long. */
const AROUND_MS = 30 * MINUTE_MS;

/** A shorter time says too little of what is usual. */
const LEAST_KNOWN_MS = 5 * MINUTE_MS;

// Counts of one series in one interval. With 5000 series these are the last 100 intervals.
const MOST_COUNTS = 500_000;

/** Two times, by their intervals. */
export interface ComparedTimes extends TwoTimes {
  /** The time between the two, in which the change began. */
  readonly between: readonly PackedInterval[];
  /** What the earlier time is to the later one; `null` where the reader has chosen the later one. */
  readonly against: Against | null;
  /** How long before the later time the earlier one ended. */
  readonly ageMs: number;
  /** Whether earlier intervals of these times were left out, because they have too many counts. */
  readonly isShortened: boolean;
}

/**
 * The times that a question is about, each with at most 500,000 counts. Where the reader has chosen no time, the last minute is compared
 * with several: the ten minutes before it, then earlier stretches of the last hours, each three times as far back and as long, then the same time
 * a day and a week before. Those that are not remembered are left out, but for the first one.
 *
 * @param endMs The end of the last minute; `undefined` for a record, whose time does not go on.
 * @returns The nearest one first; empty when there are no two times.
 */
export function listTimes(
  question: Question,
  all: readonly PackedInterval[],
  endMs: number | undefined,
): readonly ComparedTimes[] {
  const { range, baseline } = question;
  if (range !== undefined) {
    const { fromMs, toMs } = range;
    const before = baseline ?? { fromMs: fromMs - (toMs - fromMs), toMs: fromMs };
    return [compareTimes(all, { before, after: range, against: null, usesBetween: false })];
  }
  if (endMs === undefined) return [];
  const after = { fromMs: endMs - RECENT_MS, toMs: endMs };
  const times = listBaselines(after.fromMs).map((one) =>
    compareTimes(all, { before: one.range, after, against: one.against, usesBetween: true }),
  );
  return times.filter(({ before }, i) => i === 0 || countMs(before) >= LEAST_KNOWN_MS);
}

/** The times that a question names; all of them where it names none, or one that is not remembered. */
export function chooseTimes(all: readonly ComparedTimes[], { against }: Question): readonly ComparedTimes[] {
  const chosen = all.filter((one) => one.against === against);
  return chosen.length === 0 ? all : chosen;
}

/** Ends the earlier time where a change began, so that it is a quiet one. As it was, where too little of it is left. */
export function endBefore(times: ComparedTimes, startMs: number | undefined): ComparedTimes {
  if (times.against === null || startMs === undefined) return times;
  const isQuiet = ({ endMs }: PackedInterval): boolean => endMs <= startMs;
  const before = times.before.filter(isQuiet);
  if (before.length === times.before.length || countMs(before) < LEAST_KNOWN_MS) return times;
  return { ...times, before, between: [...times.before.filter((one) => !isQuiet(one)), ...times.between] };
}

interface Baseline {
  readonly against: Against;
  readonly range: TimeRange;
}

/** @param fromMs The start of the recent time. */
function listBaselines(fromMs: number): readonly Baseline[] {
  const around = (ms: number): TimeRange => ({
    fromMs: fromMs - ms - AROUND_MS,
    toMs: fromMs - ms + AROUND_MS,
  });
  return [
    { against: 'recent', range: { fromMs: fromMs - USUAL_MS, toMs: fromMs } },
    ...AGES_MS.map(
      (ms): Baseline => ({ against: 'earlier', range: { fromMs: fromMs - 2 * ms, toMs: fromMs - ms } }),
    ),
    { against: 'day', range: around(DAY_MS) },
    { against: 'week', range: around(7 * DAY_MS) },
  ];
}

function compareTimes(
  all: readonly PackedInterval[],
  {
    before,
    after,
    against,
    usesBetween,
  }: {
    readonly before: TimeRange;
    readonly after: TimeRange;
    readonly against: Against | null;
    readonly usesBetween: boolean;
  },
): ComparedTimes {
  const afterAll = intervalsWithin(all, after);
  const afterUsed = takeLatest(afterAll, MOST_COUNTS);
  // Both are widened to whole intervals, which may be the same.
  const others = intervalsWithin(all, before).filter((one) => !afterAll.includes(one));
  // A process that slept for a day has an interval of a day without counts, which says nothing of what is usual.
  const beforeAll = usesBetween ? others.filter(hasCounts) : others;
  const beforeUsed = takeLatest(beforeAll, MOST_COUNTS - countIn(afterUsed));
  const [fromMs, toMs] = [beforeUsed.at(-1)?.endMs ?? 0, afterUsed[0]?.startMs ?? 0];
  const between = usesBetween
    ? all.filter((one) => one.startMs >= fromMs && one.endMs <= toMs && hasCounts(one))
    : [];
  return {
    ...{ before: beforeUsed, after: afterUsed, between: takeLatest(between, MOST_COUNTS), against },
    ageMs: after.fromMs - before.toMs,
    isShortened: afterUsed.length < afterAll.length || beforeUsed.length < beforeAll.length,
  };
}

function hasCounts({ ids }: PackedInterval): boolean {
  return ids.length > 0;
}

function countIn(intervals: readonly PackedInterval[]): number {
  return intervals.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** How long intervals are together, in milliseconds. */
export function countMs(intervals: readonly PackedInterval[]): number {
  return intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** The latest intervals with at most so many counts, but at least one. */
function takeLatest(intervals: readonly PackedInterval[], most: number): readonly PackedInterval[] {
  let from = intervals.length - 1;
  for (let left = most - countIn(intervals.slice(-1)); from > 0; from--) {
    left -= intervals[from - 1]!.ids.length;
    if (left < 0) break;
  }
  return intervals.slice(Math.max(0, from));
}
