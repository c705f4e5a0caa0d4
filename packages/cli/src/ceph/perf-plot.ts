import { type Axis, axisTitle, type PerfHistogram } from '@hdrscope/ceph';
import {
  axesToDraw,
  type BarPlot,
  barsOf,
  type HeatMapPlot,
  heatMapOfCells,
  type PlotTitles,
} from '@hdrscope/plot';
import { UsageError } from '../command.ts';
import { axisNames, findAxis } from './axes.ts';

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
  const { axes, layouts, cells } = histogram;
  const { x, y } = axesToDraw(layouts, placesOf(axes, asked));
  const shown = axes.map((axis) => ({ ...axis, name: shownName(axis) }));
  if (x !== undefined) return heatMapOfCells({ axes: shown, layouts, cells }, { ...titles, x, y });
  const { name, unit = 'none' } = shown[y]!;
  const subtitle = [...(titles.subtitle === undefined ? [] : [titles.subtitle]), name].join(', by ');
  // The others have a slot each, so there is a cell for each slot of this one.
  return barsOf(layouts[y]!, [...cells].map(Number), { ...titles, subtitle, unit, name });
}

/** Where bounds have units of their own, that of the name says nothing, or something wrong. */
function shownName(axis: Axis): string {
  return (axis.unit ?? 'none') === 'none' ? axis.name : axisTitle(axis);
}

function placesOf(axes: readonly Axis[], asked: PlotAxes): { x: number | undefined; y: number | undefined } {
  const x = asked.x === undefined ? undefined : placeOf('--x', asked.x, axes);
  const y = asked.y === undefined ? undefined : placeOf('--y', asked.y, axes);
  if (x !== undefined && (x === y || axes.length === 1)) {
    throw new UsageError(`--x and --y must be two axes, of ${axisNames(axes)}`);
  }
  return { x, y };
}

function placeOf(option: string, name: string, axes: readonly Axis[]): number {
  const at = findAxis(axes, name);
  if (at === undefined) throw new UsageError(`${option} must be one of ${axisNames(axes)}, got '${name}'`);
  return at;
}
