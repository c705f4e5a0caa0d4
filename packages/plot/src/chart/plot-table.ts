import { assertPlot } from '../assert-plot.ts';
import { boundedCount, formatCount } from '../count-text.ts';
import { boundsOfCell, boundsOfCount } from '../data/used-part.ts';
import type { BarPlot, ComparisonPlot, Curve, HeatAxis, HeatMapPlot, Plot, TimePlot } from '../plot.ts';
import { boundedText, formatValue, intervalText } from '../value-text.ts';
import { visiblePlot } from '../visible-plot.ts';
import { differenceText } from './comparison-chart.ts';
import { percentileText } from './percentile-axis.ts';
import { slotText } from './slot-text.ts';
import { pointAt } from './steps.ts';
import { dateTimeText, type Zone, zoneOfPlot } from './time-text.ts';

/** The values of a plot as text. */
export interface PlotTable {
  /** A title for each cell of a row. */
  readonly columns: readonly string[];
  /** At most 1000. */
  readonly rows: readonly (readonly string[])[];
  /** How many rows were cut off. */
  readonly leftOut: number;
}

const MOST_ROWS = 1000;
const PERCENTILES = [0, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100];

/**
 * The values of a plot as a table, for people who read rather than look. Moments come newest first, and the cells of a heat
 * map with the largest count first: so what is cut off matters least.
 *
 * @param zone The time zone of times. @default that of the plot
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `plot` is not a plot.
 * @example
 * ```ts
 * import { plotTable } from '@hdrscope/plot';
 *
 * const slots = [{ lower: 0, upper: 4096 }, { lower: 4096, upper: Infinity }];
 * const { columns, rows } = plotTable({ kind: 'bars', unit: 'bytes', slots, counts: [1200, 7] });
 * columns; //=> ['value', 'count']
 * rows; //=> [['0 B – 4 KiB', '1,200'], ['from 4 KiB', '7']]
 * ```
 */
export function plotTable(plot: Plot, zone?: Zone): PlotTable {
  assertPlot(plot);
  const { columns, rows } = tableOf(visiblePlot(plot), zone ?? zoneOfPlot(plot));
  return { columns, rows: rows.slice(0, MOST_ROWS), leftOut: Math.max(0, rows.length - MOST_ROWS) };
}

type WholeTable = Omit<PlotTable, 'leftOut'>;

function tableOf(plot: Plot, zone: Zone): WholeTable {
  switch (plot.kind) {
    case 'percentiles':
      return curveTable(plot.curves, plot.unit);
    case 'comparison':
      return changeTable(plot);
    case 'over-time':
      return timeTable(plot, zone);
    case 'heat-map':
      return cellTable(plot, zone);
    case 'bars':
      return slotTable(plot);
  }
}

function curveTable(curves: readonly Curve[], unit: ComparisonPlot['unit']): WholeTable {
  const rows = PERCENTILES.map((percentile) => [
    percentileText(percentile),
    ...curves.map((curve) => {
      const point = pointAt(curve, percentile);
      if (point === undefined) return '-';
      return `${formatValue(point.value, unit)}${intervalText(point.lower, point.upper, unit)}`;
    }),
  ]);
  const totals = ['values', ...curves.map(({ totalCount }) => formatCount(totalCount))];
  return { columns: ['percentile', ...curves.map(({ name }) => name)], rows: [...rows, totals] };
}

function changeTable({ before, after, changes, unit }: ComparisonPlot): WholeTable {
  return {
    columns: ['percentile', before.name, after.name, 'difference'],
    rows: changes.map((change) => [
      percentileText(change.percentile),
      boundedText(change.beforeLower, change.before, unit),
      boundedText(change.afterLower, change.after, unit),
      differenceText(change, unit),
    ]),
  };
}

function timeTable({ timesMs, lines, unit }: TimePlot, zone: Zone): WholeTable {
  return {
    columns: [`time (${zone.name})`, ...lines.map(({ name }) => name)],
    rows: timesMs
      .map((time, i) => [
        dateTimeText(time, zone),
        ...lines.map(({ values, lower }) =>
          boundedText(lower?.[i] ?? undefined, values[i] ?? Number.NaN, unit),
        ),
      ])
      .reverse(),
  };
}

function cellTable(plot: HeatMapPlot, zone: Zone): WholeTable {
  const { x, y, counts, countName = 'values' } = plot;
  const title = ({ name, unit }: HeatAxis): string => (unit === 'time' ? `${name} (${zone.name})` : name);
  const cells = counts.flatMap((row, j) => row.flatMap((count, i) => (count > 0 ? [{ i, j, count }] : [])));
  cells.sort((a, b) => b.count - a.count);
  return {
    columns: [title(x), title(y), countName],
    rows: cells.map(({ i, j, count }) => [
      slotText(x.slots[i]!, x.unit, false, zone),
      slotText(y.slots[j]!, y.unit, false, zone),
      boundedCount(count, boundsOfCell(plot, j, i)),
    ]),
  };
}

function slotTable({ slots, counts, lower, upper, unit, isInteger, name = 'value' }: BarPlot): WholeTable {
  return {
    columns: [name, 'count'],
    rows: slots.map((slot, i) => [
      slotText(slot, unit, isInteger),
      boundedCount(counts[i] ?? 0, boundsOfCount(lower?.[i], upper?.[i])),
    ]),
  };
}
