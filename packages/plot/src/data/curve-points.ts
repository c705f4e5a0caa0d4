import { axisEnd, ninesOf, percentileAt } from '../chart/percentile-axis.ts';
import type { CurvePoint } from '../plot.ts';

/** A slot that was hit, as a step of a curve. Its place among all slots is its order. */
export interface SlotStep {
  /** The value of the step: the largest of its slot. */
  readonly value: number;
  /** How many values are counted up to here. */
  readonly countTo: number;
  /** The bounds of a slot that is too wide to be one value. */
  readonly lower?: number;
  readonly upper?: number;
}

/** How finely a curve is read. */
export interface Sampling {
  /** The number of equal parts of the axis, such as the pixels of a picture. */
  readonly columns: number;
  /** Whether a wide slot has a point for each column too, as bounds that change within a slot need it. */
  readonly isSplit: boolean;
}

/** The percentiles that people ask for. Their slots have points, so that texts and tables show exact values. */
const USUAL = [25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999];

/**
 * The points of a curve, read off the slots at the columns of the axis. Each point is the end of a slot. A slot within a column,
 * which no picture shows, has no point, unless people ask for a percentile in it.
 *
 * @param steps Ascending. A step without counts has no point.
 */
export function pointsOfSteps(
  steps: Iterable<SlotStep>,
  total: number,
  { columns, isSplit }: Sampling,
): CurvePoint[] {
  const end = axisEnd([Math.log10(Math.max(1, total))]);
  const columnOf = (percentile: number): number =>
    percentile >= 100 ? columns : Math.floor((Math.min(ninesOf(percentile), end) / end) * columns);
  const points: CurvePoint[] = [];
  let [from, isGap] = [0, false];
  for (const { value, countTo, ...bounds } of steps) {
    const to = countTo >= total ? 100 : percentileOf(countTo, total);
    if (to <= from) continue;
    const [first, last] = [columnOf(from), columnOf(to)];
    const usual = USUAL.filter((one) => one > from && one <= to && ninesOf(one) < end);
    if (from === 0 || to === 100 || first !== last || usual.length > 0) {
      const ends = isSplit
        ? [...edgesBetween(first, last).filter((edge) => edge > from && edge < to), ...usual, to]
        : [to];
      for (const percentile of [...new Set(ends)].sort((a, b) => a - b)) {
        points.push({ percentile, ...(isGap && { from }), value, ...bounds });
        isGap = false;
      }
    } else isGap = true;
    from = to;
  }
  return points;

  /** The percentiles at the edges of columns. */
  function edgesBetween(first: number, last: number): number[] {
    return Array.from({ length: Math.max(0, last - first) }, (_, i) =>
      percentileAt(((first + 1 + i) / columns) * end),
    );
  }
}

function percentileOf(count: number, total: number): number {
  // A percentile just below 100 may round to 100, which is the maximum only.
  return Math.min((100 * count) / total, LARGEST_BELOW);
}

const LARGEST_BELOW = 100 - 2 ** -46;
