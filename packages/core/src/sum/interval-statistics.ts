import type { Bounds } from '../bounds.ts';
import { edgesBelow } from '../layout/edges.ts';
import type { CountedInterval } from './intervals.ts';
import { narrowedIntervals, type Part } from './part.ts';

// What can be said of values that are known to lie in intervals.

/** The mean of all values of some parts. */
export function boundMean(parts: readonly Part[], total: number): Bounds {
  const lower: [value: number, count: number][] = [];
  const upper: [value: number, count: number][] = [];
  for (const part of parts) {
    const { sum } = part.tally;
    for (const interval of sum === undefined ? narrowedIntervals(part) : []) {
      lower.push([interval.lower, interval.count]);
      upper.push([interval.upper, interval.count]);
    }
    if (sum === undefined) continue;
    lower.push([sum, 1]);
    upper.push([sum, 1]);
  }
  return { lower: meanOfEnds(lower, total), upper: meanOfEnds(upper, total) };
}

/** The mean of values, each as often as it counts. */
function meanOfEnds(ends: readonly (readonly [value: number, count: number])[], total: number): number {
  let sum = 0;
  // What rounding took from the sum: source: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation" (1974).
  let lost = 0;
  for (const [value, count] of ends) {
    const product = value * count;
    const next = sum + product;
    lost += Math.abs(sum) >= Math.abs(product) ? sum - next + product : product - next + sum;
    sum = next;
  }
  if (Number.isFinite(sum)) return (sum + lost) / total;
  // Shares do not exceed the largest double. An infinite end stays infinite.
  return ends.reduce((mean, [value, count]) => mean + value * (count / total), 0);
}

/** The standard deviation of the values of some intervals, which all lie between two others. */
export function boundDeviation(
  intervals: readonly CountedInterval[],
  total: number,
  { lower: from, upper: to }: Bounds,
): Bounds {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return { lower: 0, upper: Number.POSITIVE_INFINITY };
  // The squares of distances relative to the largest value do not exceed the largest double.
  const size = Math.max(Math.abs(from), Math.abs(to));
  if (size === 0) return { lower: 0, upper: 0 };
  // The variance is the least mean square of distances to any centre, so each centre is a bound of the greatest one.
  const nearest = (centre: number) => (interval: CountedInterval) =>
    Math.max(interval.lower - centre, centre - interval.upper, 0) / size;
  const farthest = (centre: number) => (interval: CountedInterval) =>
    Math.max(interval.upper - centre, centre - interval.lower) / size;
  const least = (distance: typeof nearest): number =>
    Math.sqrt(leastOf((centre) => meanSquare(intervals, distance(centre), total), from, to));
  // The root falls by at most as much as the centre moves, and the best centre is closer than this.
  const missed = 1e-9;
  return { lower: Math.max(0, least(nearest) - missed) * size, upper: least(farthest) * size };
}

/** The mean of squared distances. */
function meanSquare(
  intervals: readonly CountedInterval[],
  distanceTo: (interval: CountedInterval) => number,
  total: number,
): number {
  return intervals.reduce((mean, interval) => mean + distanceTo(interval) ** 2 * (interval.count / total), 0);
}

/** The least value of a convex function between two ends, which need not be found exactly. */
function leastOf(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 100 && high - low > 1e-12 * Math.abs(high); step++) {
    const third = (high - low) / 3;
    if (f(low + third) <= f(high - third)) high -= third;
    else low += third;
  }
  return f(low + (high - low) / 2);
}

/** The ends of intervals by the rank of their values. */
export interface RankedIntervals {
  readonly lower: RankedEnds;
  readonly upper: RankedEnds;
}

/** The ends of values, ascending, and how many values have an end up to each. */
interface RankedEnds {
  readonly ends: readonly number[];
  readonly ranks: readonly number[];
}

export function rankIntervals(intervals: readonly CountedInterval[]): RankedIntervals {
  return {
    lower: rankEnds(intervals, ({ lower }) => lower),
    upper: rankEnds(intervals, ({ upper }) => upper),
  };
}

function rankEnds(
  intervals: readonly CountedInterval[],
  endOf: (interval: CountedInterval) => number,
): RankedEnds {
  const ascending = [...intervals].sort((a, b) => endOf(a) - endOf(b));
  let rank = 0;
  return { ends: ascending.map(endOf), ranks: ascending.map(({ count }) => (rank += count)) };
}

/** Where the value of a rank lies: above the lower ends of as many intervals, and below the upper ends of as many. */
export function boundRank({ lower, upper }: RankedIntervals, rank: number): Bounds {
  return { lower: endOfRank(lower, rank), upper: endOfRank(upper, rank) };
}

function endOfRank({ ends, ranks }: RankedEnds, rank: number): number {
  return ends[edgesBelow(ranks, rank)]!;
}
