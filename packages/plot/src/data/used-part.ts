import type { Bounds } from '@hdrscope/core';
import type { HeatAxis, HeatMapPlot } from '../plot.ts';

/** The slots from one place up to another, which is not included. */
type Span = readonly [from: number, to: number];

/**
 * A heat map without the empty slots at the ends of its axes; `undefined` when all counts are 0. A time axis keeps its empty
 * slots, because a time in which nothing happened is worth seeing.
 */
export function usedPart(plot: HeatMapPlot): HeatMapPlot | undefined {
  const { x, y, counts, lower, upper } = plot;
  const columns = usedSpan(
    x,
    x.slots.map((_, column) => counts.reduce((sum, row) => sum + row[column]!, 0)),
  );
  const rows = usedSpan(y, counts.map(totalOf));
  if (columns === undefined || rows === undefined) return undefined;
  const [left, right] = columns;
  const [lowest, highest] = rows;
  const part = (cells: HeatMapPlot['counts']): HeatMapPlot['counts'] =>
    cells.slice(lowest, highest).map((row) => row.slice(left, right));
  return {
    ...plot,
    x: { ...x, slots: x.slots.slice(left, right) },
    y: { ...y, slots: y.slots.slice(lowest, highest) },
    counts: part(counts),
    ...(lower && { lower: part(lower) }),
    ...(upper && { upper: part(upper) }),
  };
}

/** The bounds of a count; empty where it is known. */
export function boundsOfCount(lower: number | undefined, upper: number | undefined): Partial<Bounds> {
  return lower === undefined || upper === undefined ? {} : { lower, upper };
}

/** The bounds of a cell; empty where its count is known. */
export function boundsOfCell({ lower, upper }: HeatMapPlot, row: number, column: number): Partial<Bounds> {
  return boundsOfCount(lower?.[row]?.[column], upper?.[row]?.[column]);
}

export function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function usedSpan({ unit }: HeatAxis, totals: readonly number[]): Span | undefined {
  const first = totals.findIndex((total) => total > 0);
  if (first < 0) return undefined;
  return unit === 'time' ? [0, totals.length] : [first, totals.findLastIndex((total) => total > 0) + 1];
}
