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
  /** How many slots a column has; the last may have fewer. */
  readonly slotsPerColumn: number;
  /** How many slots a row has; the last may have fewer. */
  readonly slotsPerRow: number;
}

/** A grid with one cell for each combination of slots. */
export function wholeGrid({ x, y, counts }: HeatMapPlot): HeatGrid {
  return { x: x.slots, y: y.slots, counts, slotsPerColumn: 1, slotsPerRow: 1 };
}

/** A grid of at most so many columns and rows, with as many neighbours merged as it takes. */
export function fitted({ x, y, counts }: HeatGrid, most: { columns: number; rows: number }): HeatGrid {
  const slotsPerColumn = Math.ceil(x.length / most.columns);
  const slotsPerRow = Math.ceil(y.length / most.rows);
  const rows = inGroups(counts, slotsPerRow);
  return {
    x: inGroups(x, slotsPerColumn).map(unionOf),
    y: inGroups(y, slotsPerRow).map(unionOf),
    counts: rows.map((group) =>
      inGroups(group[0]!, slotsPerColumn).map((columns, i) => {
        const from = i * slotsPerColumn;
        return totalOf(group.map((row) => totalOf(row.slice(from, from + columns.length))));
      }),
    ),
    slotsPerColumn,
    slotsPerRow,
  };
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function unionOf(slots: readonly AxisSlot[]): AxisSlot {
  return { lower: slots[0]!.lower, upper: slots.at(-1)!.upper };
}
