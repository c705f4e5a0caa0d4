import type { Axis, PerfHistogram } from '@hdrscope/ceph';
import { axisNames, axisTitle, countValues, findAxis } from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import { formatCount } from '@hdrscope/kit';
import { type BarPlot, type HeatMapPlot, informativeAxes, type PlotTitles } from '@hdrscope/plot';
import { plotOfCells } from '@hdrscope/plot/internal';
import { type Io, Refusal, UsageError } from '../../command.ts';
import type { Sourced } from './histograms.ts';

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
  const shown = axes.map((axis) => ({ ...axis, name: shownName(axis) }));
  return plotOfCells({ axes: shown, layouts, cells }, indexesOf(axes, chosen), titles);
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

/** One counter of several daemons. */
interface Counter {
  readonly name: string;
  readonly members: readonly Sourced[];
  readonly total: bigint;
}

/** Chooses the counter with the most values. Standard error lists the other counters. */
export async function chooseCounter(
  histograms: readonly Sourced[],
  io: Io,
): Promise<{ readonly name: string; readonly members: readonly Sourced[] }> {
  const counters = countersOf(histograms);
  // Among counters of equal totals, the one with more axes shows more.
  const [most, ...others] = counters.toSorted(
    (a, b) => Number(b.total - a.total) || axisCount(b.members[0]!) - axisCount(a.members[0]!),
  );
  if (others.length > 0) {
    const list = others.map(({ name, total }) => `${name} (${formatCount(total)})`).join(', ');
    await io.stderr.write(`hdrscope: this is ${most!.name}; --counter chooses another one: ${list}\n`);
  }
  return most!;
}

/** The histograms of one counter, one for each daemon. */
export function membersOf<One extends Sourced>(histograms: readonly One[], name: string): One[] {
  return histograms.filter((one) => nameOf(one) === name);
}

function countersOf(histograms: readonly Sourced[]): Counter[] {
  const names = [...new Set(histograms.map(nameOf))];
  return names.map((name) => {
    const members = membersOf(histograms, name);
    return { name, members, total: members.reduce((sum, one) => sum + countValues(one), 0n) };
  });
}

function axisCount({ histogram }: Sourced): number {
  return informativeAxes(histogram.layouts).length;
}

function nameOf({ logger, counter }: Sourced): string {
  return `${logger}.${counter}`;
}

/**
 * The sum of histograms of several daemons.
 *
 * @throws Refusal when their axes differ.
 */
export function merged([first, ...others]: readonly [Sourced, ...Sourced[]]): Sourced['histogram'] {
  const histogram = first.histogram.copy();
  for (const other of others) {
    try {
      histogram.add(other.histogram);
    } catch (cause) {
      if (!(cause instanceof HdrscopeError && cause.code === 'ERR_INCOMPATIBLE')) throw cause;
      const whose = `${nameOf(first)} of ${first.source} and of ${other.source}`;
      throw new Refusal(
        `${whose} cannot be added up: ${cause.message}; --each draws each daemon separately`,
        {
          cause,
        },
      );
    }
  }
  return histogram;
}
