import type { HeatAxis, HeatMapPlot } from '../plot.ts';

/** Slots from one to another, which is left out. */
type Span = readonly [from: number, to: number];

/**
 * A heat map without the slots at its ends that nobody hit; `undefined` where nothing was counted at all. Time is left as it
 * is: that nothing happened in it is worth seeing.
 */
export function usedPart(plot: HeatMapPlot): HeatMapPlot | undefined {
  const { x, y, counts } = plot;
  const columns = usedSpan(
    x,
    x.slots.map((_, column) => counts.reduce((sum, row) => sum + row[column]!, 0)),
  );
  const rows = usedSpan(y, counts.map(totalOf));
  if (columns === undefined || rows === undefined) return undefined;
  return {
    ...plot,
    x: { ...x, slots: x.slots.slice(...columns) },
    y: { ...y, slots: y.slots.slice(...rows) },
    counts: counts.slice(...rows).map((row) => row.slice(...columns)),
  };
}

export function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function usedSpan({ unit }: HeatAxis, totals: readonly number[]): Span | undefined {
  const first = totals.findIndex((total) => total > 0);
  if (first < 0) return undefined;
  return unit === 'time' ? [0, totals.length] : [first, totals.findLastIndex((total) => total > 0) + 1];
}
