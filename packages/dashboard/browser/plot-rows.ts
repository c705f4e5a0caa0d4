import { type AxisSlot, type Curve, formatValue, type HeatMapPlot, type Plot } from '@hdrscope/plot';
import { clockText, countText } from './texts.ts';

/** A plot as a table. */
export interface PlotRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const PERCENTILES = [0, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100];
const MOST_MOMENTS = 60;
const MOST_CELLS = 1000;

/** What a plot shows, as texts: for those who cannot see it, and those who want the figures. */
export function plotRows(plot: Plot): PlotRows {
  switch (plot.kind) {
    case 'percentiles':
      return {
        columns: ['percentile', ...plot.curves.map(({ name }) => name)],
        rows: PERCENTILES.map((percentile) => [
          percentile === 100 ? 'max' : `${percentile} %`,
          ...plot.curves.map((curve) => formatValue(valueAt(curve, percentile), plot.unit)),
        ]),
      };
    case 'over-time':
      return {
        columns: ['time', ...plot.lines.map(({ name }) => name)],
        rows: plot.timesMs
          .map((ms, i) => [clockText(ms), ...plot.lines.map(({ values }) => orDash(values[i], plot.unit))])
          .slice(-MOST_MOMENTS)
          .reverse(),
      };
    case 'heat-map':
      return plot.x.unit === 'time' ? rowSums(plot) : cellRows(plot);
    case 'bars':
      return {
        columns: [plot.name ?? 'value', 'count'],
        rows: plot.slots.map((slot, i) => [slotText(slot, plot.unit), countText(plot.counts[i] ?? 0)]),
      };
    case 'comparison':
      return {
        columns: ['percentile', plot.before.name, plot.after.name],
        rows: plot.changes.map(({ percentile, before, after }) => [
          `${percentile} %`,
          formatValue(before, plot.unit),
          formatValue(after, plot.unit),
        ]),
      };
  }
}

/** How often which values were counted, whenever that was. */
function rowSums({ y, counts, countName = 'count' }: HeatMapPlot): PlotRows {
  return {
    columns: [y.name, countName],
    rows: y.slots.map((slot, i) => [slotText(slot, y.unit), countText(sum(counts[i] ?? []))]).reverse(),
  };
}

/** What was counted most, first. */
function cellRows({ x, y, counts, countName = 'count' }: HeatMapPlot): PlotRows {
  const cells = counts.flatMap((row, j) => row.map((count, i) => ({ i, j, count })));
  return {
    columns: [x.name, y.name, countName],
    rows: cells
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .slice(0, MOST_CELLS)
      .map(({ i, j, count }) => [
        slotText(x.slots[i]!, x.unit),
        slotText(y.slots[j]!, y.unit),
        countText(count),
      ]),
  };
}

function valueAt({ points }: Curve, percentile: number): number {
  return (points.find((point) => point.percentile >= percentile) ?? points.at(-1))?.value ?? Number.NaN;
}

function orDash(value: number | null | undefined, unit: Parameters<typeof formatValue>[1]): string {
  return value === null || value === undefined ? '-' : formatValue(value, unit);
}

function slotText({ lower, upper }: AxisSlot, unit: Parameters<typeof formatValue>[1] | 'time'): string {
  const text = (value: number): string => (unit === 'time' ? clockText(value) : formatValue(value, unit));
  if (lower === Number.NEGATIVE_INFINITY) return `up to ${text(upper)}`;
  return upper === Number.POSITIVE_INFINITY ? `above ${text(lower)}` : `${text(lower)} to ${text(upper)}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
