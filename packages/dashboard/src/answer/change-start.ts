import { PackedSum } from '@hdrscope/core/internal';
import type { Slices } from '@hdrscope/kit';
import type { HistorySeries } from '../history/history.ts';
import { type PackedInterval, seriesIn } from '../history/packed-interval.ts';
import { type ComparedTimes, countMs } from './baseline.ts';
import { CumulativeCounts } from './cumulative-counts.ts';
import type { Beyond, Shift } from './shift.ts';

/** The part of the time before that is usual at least. */
const LEAST_USUAL = 0.5;

// Stretches of the time before, in which the share of slow values varies.
const STRETCHES = 10;

/** How many values are beyond a limit in each interval of two times and of the time between. */
export type BeyondInTime = ReadonlyMap<PackedInterval, Beyond>;

/** Reads how many values of some series are above a slot in each interval. */
export async function readBeyond(
  members: readonly HistorySeries[],
  { limit, slotCount }: { readonly limit: number; readonly slotCount: number },
  times: ComparedTimes,
  slices: Slices,
): Promise<BeyondInTime> {
  const sum = new PackedSum(slotCount);
  const counts = new CumulativeCounts();
  const found = new Map<PackedInterval, Beyond>();
  for (const interval of listIntervals(times)) {
    for (const { facts } of members) {
      const series = seriesIn(interval, facts.id);
      if (series !== undefined) sum.add(series.counts, 0, series.counts.length);
      if (slices.isOver()) await slices.next();
    }
    counts.take(sum);
    found.set(interval, { beyond: counts.countAbove(limit), count: counts.count });
  }
  return found;
}

/** All intervals of two times and of the time between, ascending. */
export function listIntervals({ before, between, after }: ComparedTimes): PackedInterval[] {
  return [...before, ...between, ...after].sort((a, b) => a.startMs - b.startMs);
}

/** When a change began: the start of the interval from which on most is beyond the limit, by cumulative sums. */
export function findStart({ before, after }: Pick<Shift, 'before' | 'after'>, inTime: BeyondInTime): number {
  const [from, to] = [before.beyond / before.count, after.beyond / after.count];
  const intervals = [...inTime];
  let [sum, least] = [0, 0];
  let startMs = intervals[0]![0].startMs;
  intervals.forEach(([, { beyond, count }], i) => {
    sum += Math.sign(to - from) * (beyond - ((from + to) / 2) * count);
    if (sum > least || i + 1 === intervals.length) return;
    least = sum;
    startMs = intervals[i + 1]![0].startMs;
  });
  return startMs;
}

/** The part of the time before in which a change had not begun. A change of five minutes ago is no noise of the usual time. */
function listUsual({ before, between }: ComparedTimes, sinceMs: number): readonly PackedInterval[] {
  const usual = [...before, ...between].filter(({ endMs }) => endMs <= sinceMs);
  return countMs(usual) < countMs(before) * LEAST_USUAL ? before : usual;
}

/** How many values were beyond the limit in ten stretches of equal length, in whole intervals, while a change had not begun. */
export function readStretches(times: ComparedTimes, sinceMs: number, inTime: BeyondInTime): Beyond[] {
  const usual = listUsual(times, sinceMs);
  const lengthMs = countMs(usual) / STRETCHES;
  const stretches = new Map<number, { beyond: number; count: number }>();
  let ms = 0;
  for (const interval of usual) {
    // An interval is in the stretch that has its middle.
    const half = (interval.endMs - interval.startMs) / 2;
    const at = Math.floor((ms + half) / lengthMs);
    ms += 2 * half;
    const stretch = stretches.get(at) ?? { beyond: 0, count: 0 };
    stretches.set(at, stretch);
    const { beyond, count } = inTime.get(interval)!;
    stretch.beyond += beyond;
    stretch.count += count;
  }
  return [...stretches.values()];
}
