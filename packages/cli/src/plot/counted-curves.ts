import {
  type BarPlot,
  type Curve,
  curveOfSlots,
  type HeatMapPlot,
  type PercentilePlot,
  type Plot,
} from '@hdrscope/plot';

/**
 * Percentile curves of plots that have counts in slots: bars, and heat maps by their vertical axis. Curves of one unit share a plot;
 * other plots stay.
 *
 * @param columns How many columns the picture has.
 */
export function withCurves(plots: readonly Plot[], columns: number): Plot[] {
  const others: Plot[] = [];
  const byUnit = new Map<PercentilePlot['unit'], Curve[]>();
  for (const plot of plots) {
    const found = plot.kind === 'bars' ? curveOfBars(plot, columns) : curveOfMap(plot, columns);
    if (found === undefined) {
      others.push(plot);
      continue;
    }
    const curves = byUnit.get(found.unit) ?? [];
    byUnit.set(found.unit, curves);
    curves.push(found.curve);
  }
  return [...others, ...[...byUnit].map(([unit, curves]): Plot => ({ kind: 'percentiles', unit, curves }))];
}

interface Found {
  readonly unit: PercentilePlot['unit'];
  readonly curve: Curve;
}

function curveOfBars({ unit, name, title, slots, counts }: BarPlot, columns: number): Found {
  return { unit, curve: curveOfSlots(title ?? name ?? 'value', slots, counts, { columns }) };
}

/** @returns `undefined` for a plot that is no heat map of values. */
function curveOfMap(plot: Plot, columns: number): Found | undefined {
  if (plot.kind !== 'heat-map' || plot.y.unit === 'time') return undefined;
  const { y, counts, title = y.name } = plot as HeatMapPlot;
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  return { unit: plot.y.unit, curve: curveOfSlots(title, y.slots, totals, { columns }) };
}
