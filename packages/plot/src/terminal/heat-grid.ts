import type { Bounds } from '@hdrscope/core';
import { totalOf } from '../data/used-part.ts';
import type { AxisSlot, HeatMapPlot } from '../plot.ts';

/** A heat map whose neighbouring slots may be merged. */
export interface HeatGrid {
  /** Ascending. */
  readonly x: readonly AxisSlot[];
  /** Ascending. */
  readonly y: readonly AxisSlot[];
  /** `counts[y][x]` */
  readonly counts: readonly (readonly number[])[];
  /** How many counts each row has at least, and at most; left out when these are known. */
  readonly rowBounds?: readonly Bounds[] | undefined;
  /** How many slots a column has; the last may have fewer. */
  readonly slotsPerColumn: number;
  /** How many slots a row has; the last may have fewer. */
  readonly slotsPerRow: number;
}

/** A grid of at most so many columns and rows, with as many neighbours merged as it takes. */
export function fittedGrid(plot: HeatMapPlot, most: { columns: number; rows: number }): HeatGrid {
  const { x, y, counts } = plot;
  const slotsPerColumn = Math.ceil(x.slots.length / most.columns);
  const slotsPerRow = Math.ceil(y.slots.length / most.rows);
  const rows = inGroups(counts, slotsPerRow);
  return {
    x: inGroups(x.slots, slotsPerColumn).map(unionOf),
    y: inGroups(y.slots, slotsPerRow).map(unionOf),
    counts: rows.map((group) =>
      inGroups(group[0]!, slotsPerColumn).map((columns, i) => {
        const from = i * slotsPerColumn;
        return totalOf(group.map((row) => totalOf(row.slice(from, from + columns.length))));
      }),
    ),
    rowBounds: boundsOfRows(plot, slotsPerRow),
    slotsPerColumn,
    slotsPerRow,
  };
}

/** The bounds of the counts in merged rows: those of a wide bucket may lie in several of them, but a column has them once. */
function boundsOfRows({ counts, lower, upper }: HeatMapPlot, slotsPerRow: number): Bounds[] | undefined {
  if (lower === undefined || upper === undefined) return undefined;
  const columns = counts[0]!.map((_, column) => totalOf(counts.map((row) => row[column]!)));
  const most = inGroups(upper, slotsPerRow).map((group) =>
    totalOf(columns.map((whole, column) => Math.min(whole, totalOf(group.map((row) => row[column]!))))),
  );
  return inGroups(lower, slotsPerRow).map((group, i) => ({
    lower: totalOf(group.map(totalOf)),
    upper: most[i]!,
  }));
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function unionOf(slots: readonly AxisSlot[]): AxisSlot {
  return { lower: slots[0]!.lower, upper: slots.at(-1)!.upper };
}
