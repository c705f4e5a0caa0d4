import type { BarPlot, ComparisonPlot, Curve, HeatMapPlot, Plot, TimePlot } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { differenceText } from './comparison-chart.ts';
import { percentileText } from './percentile-axis.ts';
import { intervalText } from './percentile-chart.ts';
import { slotText } from './slot-text.ts';
import { pointAt } from './steps.ts';
import { dateTimeText } from './time-text.ts';

/** The values of a plot as texts. */
export interface PlotTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many rows more there would be. */
  readonly leftOut: number;
}

const MOST_ROWS = 1000;
const PERCENTILES = [0, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100];

/**
 * The values of a plot as a table, for those who would rather read than look. A heat map's are its most frequent cells.
 */
export function plotTable(plot: Plot): PlotTable {
  const { columns, rows } = tableOf(plot);
  return { columns, rows: rows.slice(0, MOST_ROWS), leftOut: Math.max(0, rows.length - MOST_ROWS) };
}

function tableOf(plot: Plot): Omit<PlotTable, 'leftOut'> {
  switch (plot.kind) {
    case 'percentiles':
      return curveTable(plot.curves, plot.unit);
    case 'comparison':
      return changeTable(plot);
    case 'over-time':
      return timeTable(plot);
    case 'heat-map':
      return cellTable(plot);
    case 'bars':
      return slotTable(plot);
  }
}

function curveTable(curves: readonly Curve[], unit: ComparisonPlot['unit']): Omit<PlotTable, 'leftOut'> {
  const rows = PERCENTILES.map((percentile) => [
    percentileText(percentile),
    ...curves.map((curve) => {
      const point = pointAt(curve, percentile);
      if (point === undefined) return '-';
      return `${formatValue(point.value, unit)}${intervalText(point.lower, point.upper, unit)}`;
    }),
  ]);
  const totals = ['values', ...curves.map(({ totalCount }) => String(totalCount))];
  return { columns: ['percentile', ...curves.map(({ name }) => name)], rows: [...rows, totals] };
}

function changeTable({ before, after, changes, unit }: ComparisonPlot): Omit<PlotTable, 'leftOut'> {
  return {
    columns: ['percentile', before.name, after.name, 'difference'],
    rows: changes.map((change) => [
      percentileText(change.percentile),
      formatValue(change.before, unit),
      formatValue(change.after, unit),
      differenceText(change, unit),
    ]),
  };
}

function timeTable({ timesMs, lines, unit }: TimePlot): Omit<PlotTable, 'leftOut'> {
  return {
    columns: ['time (UTC)', ...lines.map(({ name }) => name)],
    rows: timesMs.map((time, i) => [
      dateTimeText(time),
      ...lines.map(({ values }) => {
        const value = values[i] ?? null;
        return value === null ? '-' : formatValue(value, unit);
      }),
    ]),
  };
}

function cellTable({ x, y, counts, countName = 'count' }: HeatMapPlot): Omit<PlotTable, 'leftOut'> {
  const cells = counts.flatMap((row, j) => row.flatMap((count, i) => (count > 0 ? [{ i, j, count }] : [])));
  cells.sort((a, b) => b.count - a.count);
  return {
    columns: [x.name, y.name, countName],
    rows: cells.map(({ i, j, count }) => [
      slotText(x.slots[i]!, x.unit),
      slotText(y.slots[j]!, y.unit),
      String(count),
    ]),
  };
}

function slotTable({ slots, counts, unit, isInteger, name = 'value' }: BarPlot): Omit<PlotTable, 'leftOut'> {
  return {
    columns: [name, 'count'],
    rows: slots.map((slot, i) => [slotText(slot, unit, isInteger), String(counts[i] ?? 0)]),
  };
}
