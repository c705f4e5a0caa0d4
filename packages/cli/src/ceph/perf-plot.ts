import type { Axis, PerfHistogram } from '@hdrscope/ceph';
import type { EdgeLayout } from '@hdrscope/core';
import {
  type AxisSlot,
  type BarPlot,
  barsOf,
  type HeatAxis,
  type HeatMapPlot,
  type PlotTitles,
} from '@hdrscope/plot';
import { UsageError } from '../command.ts';
import { axisNames, findAxis, tellingAxes } from './axes.ts';

/** Which axes are drawn. */
export interface PlotAxes {
  /** From left to right. @default the second */
  readonly x?: string;
  /** From bottom to top. @default the first */
  readonly y?: string;
}

/**
 * Two axes of a histogram as a heat map, whatever the others are; bars, where it has but one that tells anything.
 *
 * @throws UsageError where there is no such axis, or both are one.
 */
export function perfPlot(
  histogram: PerfHistogram,
  asked: PlotAxes,
  titles: PlotTitles,
): HeatMapPlot | BarPlot {
  const { axes, layouts } = histogram;
  const [x, y] = placesOf(axes, asked);
  if (x !== undefined) return heatMapOf(histogram, x, y, titles);
  const { name, unit = 'none' } = axes[y]!;
  const subtitle = [...(titles.subtitle === undefined ? [] : [titles.subtitle]), name].join(', by ');
  // The others have a slot each, so there is a cell for each slot of this one.
  return barsOf(layouts[y]!, [...histogram.cells].map(Number), { ...titles, subtitle, unit, name });
}

function heatMapOf(
  { axes, layouts, cells }: PerfHistogram,
  x: number,
  y: number,
  titles: PlotTitles,
): HeatMapPlot {
  const strides = layouts.map((_, at) =>
    layouts.slice(at + 1).reduce((product, { slotCount }) => product * slotCount, 1),
  );
  const slotAt = (cell: number, at: number): number =>
    Math.floor(cell / strides[at]!) % layouts[at]!.slotCount;
  const counts = Array.from({ length: layouts[y]!.slotCount }, () =>
    new Array<number>(layouts[x]!.slotCount).fill(0),
  );
  for (const [cell, count] of cells.entries()) {
    if (count > 0n) counts[slotAt(cell, y)]![slotAt(cell, x)]! += Number(count);
  }
  return {
    kind: 'heat-map',
    ...titles,
    x: heatAxis(axes[x]!, layouts[x]!),
    y: heatAxis(axes[y]!, layouts[y]!),
    counts,
    countName: 'values',
  };
}

/** No `x` where there is only one axis that tells anything. */
function placesOf(axes: readonly Axis[], asked: PlotAxes): [x: number | undefined, y: number] {
  const x = asked.x === undefined ? undefined : placeOf('--x', asked.x, axes);
  const y = asked.y === undefined ? undefined : placeOf('--y', asked.y, axes);
  const telling = tellingAxes(axes);
  if (x !== undefined && (x === y || axes.length === 1)) {
    throw new UsageError(`--x and --y must be two axes, of ${axisNames(axes)}`);
  }
  const ofY = y ?? telling.find((at) => at !== x) ?? [...axes.keys()].find((at) => at !== x)!;
  return [x ?? telling.find((at) => at !== ofY), ofY];
}

function placeOf(option: string, name: string, axes: readonly Axis[]): number {
  const at = findAxis(axes, name);
  if (at === undefined) throw new UsageError(`${option} must be one of ${axisNames(axes)}, got '${name}'`);
  return at;
}

function heatAxis({ name, unit = 'none' }: Axis, layout: EdgeLayout): HeatAxis {
  const slots = Array.from(
    { length: layout.slotCount },
    (_, slot): AxisSlot => ({ lower: layout.lower(slot), upper: layout.upper(slot) }),
  );
  return { name, unit, slots };
}
