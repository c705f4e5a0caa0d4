import { curveOfSlots } from '@hdrscope/plot';
import type { BarPlot, Curve, HeatMapPlot, ObjectiveLine, PercentilePlot, Plot } from '../plot.ts';

/** A plot of a file. */
export interface SourcedPlot {
  readonly plot: Plot;
  /** The short name of the file. */
  readonly file: string;
}

/** A plot with counts of values: bars, or a heat map whose vertical axis has values. */
type CountedPlot = BarPlot | HeatMapPlot;

/** Whether percentiles can be read off the counts of a plot. */
export function hasCounts(plot: Plot): plot is CountedPlot {
  return plot.kind === 'bars' || (plot.kind === 'heat-map' && plot.y.unit !== 'time');
}

/**
 * The plots of all files as percentiles. Counts become curves, those of heat maps by their vertical axis. Curves of one unit share a
 * plot, with each other and with the curves of values; their objectives go along. Finished plots of percentiles stay.
 *
 * @param ofValues The plots of files with values.
 * @param columns How many columns the picture has.
 */
export function asCurves(ofValues: readonly Plot[], others: readonly SourcedPlot[], columns: number): Plot[] {
  const plots = [...ofValues];
  const finished: Plot[] = [];
  const nameOf = namesOf(ofValues, others);
  for (const { plot, file } of others) {
    if (!hasCounts(plot)) {
      finished.push(plot);
      continue;
    }
    const { unit, slos, slots, counts } = countsOf(plot);
    const curve = curveOfSlots(nameOf(plot, file), slots, counts, { columns });
    const at = plots.findIndex((one) => one.kind === 'percentiles' && one.unit === unit);
    const shared: PercentilePlot =
      at < 0 ? { kind: 'percentiles', unit, curves: [] } : (plots[at] as PercentilePlot);
    plots[at < 0 ? plots.length : at] = withCurve(shared, curve, slos);
  }
  return [...plots, ...finished];
}

function withCurve(plot: PercentilePlot, curve: Curve, objectives: readonly ObjectiveLine[]): PercentilePlot {
  const { slos = [], curves } = plot;
  // Plots of one run have the same objectives.
  const added = objectives.filter((objective) => !slos.some((known) => isSame(known, objective)));
  return {
    ...plot,
    curves: [...curves, curve],
    ...(slos.length + added.length > 0 && { slos: [...slos, ...added] }),
  };
}

function isSame(one: ObjectiveLine, other: ObjectiveLine): boolean {
  return one.name === other.name && one.value === other.value && one.percentile === other.percentile;
}

interface SlotCounts extends Pick<BarPlot, 'slots' | 'counts'> {
  readonly unit: PercentilePlot['unit'];
  readonly slos: readonly ObjectiveLine[];
}

function countsOf(plot: CountedPlot): SlotCounts {
  if (plot.kind === 'bars') {
    const { unit, slots, counts, slos = [] } = plot;
    return { unit, slots, counts, slos };
  }
  const { y, counts } = plot;
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  // `hasCounts` excludes an axis of times.
  return { unit: y.unit as PercentilePlot['unit'], slots: y.slots, counts: totals, slos: [] };
}

/** The names of curves. Equal names of several files also say which file is meant: hiding one curve must not hide the other. */
function namesOf(
  ofValues: readonly Plot[],
  others: readonly SourcedPlot[],
): (plot: CountedPlot, file: string) => string {
  const filesOf = new Map<string, Set<string>>();
  for (const { plot, file } of others) {
    if (!hasCounts(plot)) continue;
    const files = filesOf.get(ownName(plot)) ?? new Set();
    filesOf.set(ownName(plot), files.add(file));
  }
  const taken = new Set(
    ofValues.flatMap((plot) => (plot.kind === 'percentiles' ? plot.curves.map(({ name }) => name) : [])),
  );
  return (plot, file) => {
    const name = ownName(plot);
    return taken.has(name) || filesOf.get(name)!.size > 1 ? `${file} ${name}` : name;
  };
}

function ownName(plot: CountedPlot): string {
  return plot.title ?? (plot.kind === 'bars' ? (plot.name ?? 'value') : plot.y.name);
}

/** Whether the plot has no counts. */
export function isEmptyPlot(plot: Plot): boolean {
  switch (plot.kind) {
    case 'percentiles':
      return plot.curves.length === 0;
    case 'over-time':
      return plot.lines.every(({ values }) => values.every((value) => value === null));
    case 'heat-map':
      return plot.x.slots.length === 0 || plot.y.slots.length === 0;
    case 'bars':
      return plot.slots.length === 0;
    case 'comparison':
      return false;
  }
}
