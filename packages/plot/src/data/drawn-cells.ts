import type { Layout } from '@hdrscope/core';
import { integerAfter } from '@hdrscope/core/internal';
import { axesToDraw, barsOf, heatMapOfCells } from '@hdrscope/plot';
import type { AxisSlot, BarPlot, HeatMapPlot, PlotTitles } from '../plot.ts';
import type { CellCounts } from './cells.ts';

/**
 * Two axes of cells as a heat map, with the other axes added up; bars when only one axis is informative. Bars say in the subtitle what
 * the values are.
 *
 * @param asked The places of axes that are already chosen.
 */
export function plotOfCells(
  given: CellCounts,
  asked: { readonly x?: number | undefined; readonly y?: number | undefined },
  titles: PlotTitles,
): HeatMapPlot | BarPlot {
  const { axes, layouts, cells } = given;
  const { x, y } = axesToDraw(layouts, asked);
  if (x !== undefined) return heatMapOfCells(given, { ...titles, x, y });
  const { name, unit = 'none' } = axes[y]!;
  const subtitle = [...(titles.subtitle === undefined ? [] : [titles.subtitle]), name].join(', by ');
  // The other axes have a single slot, so there is one cell for each slot of this axis.
  return barsOf(layouts[y]!, [...cells].map(Number), { ...titles, subtitle, unit, name });
}

/** The counts of a time. */
export interface TimedSlots {
  /** In ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** By slot. A count that is left out is 0. */
  readonly counts: ArrayLike<number>;
}

/** A heat map over time whose rows are slots as they are, with a column for each time. */
export function heatMapOfSlots(
  slots: readonly AxisSlot[],
  columns: readonly TimedSlots[],
  { name, unit, ...titles }: PlotTitles & Pick<HeatMapPlot['y'], 'name' | 'unit'>,
): HeatMapPlot {
  return {
    kind: 'heat-map',
    ...titles,
    x: {
      name: 'time',
      unit: 'time',
      slots: columns.map(({ startMs, endMs }) => ({ lower: startMs, upper: endMs })),
    },
    y: { name, unit, slots },
    counts: slots.map((_, slot) => columns.map(({ counts }) => counts[slot] ?? 0)),
    countName: 'values',
  };
}

/** The slots of a layout, which touch on an axis, also where they hold integers. */
export function slotsOf(layout: Layout): AxisSlot[] {
  const areIntegers = layout.lowerInclusive && layout.upperInclusive;
  return Array.from({ length: layout.slotCount }, (_, slot) => {
    const upper = layout.upper(slot);
    const end = areIntegers && Number.isFinite(upper) ? integerAfter(upper) : upper;
    return { lower: layout.lower(slot), upper: end };
  });
}
