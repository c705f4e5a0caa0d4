import { type Axis, axisTitle, type PerfHistogram } from '@hdrscope/ceph';
import { axisNames, findAxis } from '@hdrscope/ceph/internal';
import {
  axesToDraw,
  type BarPlot,
  barsOf,
  type HeatMapPlot,
  heatMapOfCells,
  type PlotTitles,
} from '@hdrscope/plot';
import { UsageError } from '../command.ts';

/** The axes that are drawn. */
export interface PlotAxes {
  /** From left to right. @default the second axis */
  readonly x?: string;
  /** From bottom to top. @default the first axis */
  readonly y?: string;
}

/**
 * Two axes of a histogram as a heat map, with the other axes added up. A histogram of one axis gives bars.
 *
 * @throws UsageError when there is no such axis, or both axes are the same.
 */
export function perfPlot(
  histogram: PerfHistogram,
  chosen: PlotAxes,
  titles: PlotTitles,
): HeatMapPlot | BarPlot {
  const { axes, layouts, cells } = histogram;
  const { x, y } = axesToDraw(layouts, indexesOf(axes, chosen));
  const shown = axes.map((axis) => ({ ...axis, name: shownName(axis) }));
  if (x !== undefined) return heatMapOfCells({ axes: shown, layouts, cells }, { ...titles, x, y });
  const { name, unit = 'none' } = shown[y]!;
  const subtitle = [...(titles.subtitle === undefined ? [] : [titles.subtitle]), name].join(', by ');
  // The other axes have a single slot, so there is one cell for each slot of this axis.
  return barsOf(layouts[y]!, [...cells].map(Number), { ...titles, subtitle, unit, name });
}

/** The name of an axis in a picture. Bounds have units, so the unit in the name would repeat or contradict them. */
function shownName(axis: Axis): string {
  return (axis.unit ?? 'none') === 'none' ? axis.name : axisTitle(axis);
}

function indexesOf(
  axes: readonly Axis[],
  { x: xName, y: yName }: PlotAxes,
): { x: number | undefined; y: number | undefined } {
  const x = xName === undefined ? undefined : indexOf('--x', xName, axes);
  const y = yName === undefined ? undefined : indexOf('--y', yName, axes);
  if (x !== undefined && (x === y || axes.length === 1)) {
    throw new UsageError(`--x and --y must be two of the axes ${axisNames(axes)}`);
  }
  return { x, y };
}

function indexOf(option: string, name: string, axes: readonly Axis[]): number {
  const at = findAxis(axes, name);
  if (at === undefined) throw new UsageError(`${option} must be one of ${axisNames(axes)}, got '${name}'`);
  return at;
}
