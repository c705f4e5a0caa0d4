import {
  type Axis,
  type CephIngestion,
  dumpIncrease,
  type ImportedHistogram,
  type PerfHistogram,
} from '@hdrscope/ceph';
import { axisTitle } from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import type { DashboardTab } from '@hdrscope/dashboard';
import { formatCount } from '@hdrscope/kit';
import { axesToDraw, type HeatMapPlot, heatMapOfCells } from '@hdrscope/plot';
import { heatMapOfSlots, slotsOf } from '@hdrscope/plot/internal';

/** One counter, summed over all daemons that have it with the same axes. */
interface Counter {
  readonly name: string;
  readonly daemons: string[];
  /** By the name of the source and that of the daemon. */
  readonly members: Map<string, ImportedHistogram>;
  /** The sum of their counts. */
  readonly histogram: PerfHistogram;
}

// The page gets all heat maps at every update, and nobody looks at more.
const MOST_MAPS = 12;

// Ceph's own histograms have 1024 cells.
const MOST_CELLS = 2 ** 14;

const MOST_NAMES = 3;

/** The values of counters over time, by the names and the axes of the counters. */
export type OverTimeOfCounters = Map<string, LatencyOverTime>;

/**
 * Heat maps of the counters of Ceph's daemons, for counters with two axes of more than one slot: both axes, cumulative since the
 * daemons began, and the first axis over time, since the page looks. Daemons with equal axes share a heat map. Counters with the
 * largest counts come first.
 *
 * @param overTime Kept from one call to the next.
 */
export function cephTabs(
  ingestions: ReadonlyMap<string, Pick<CephIngestion, 'latest'>>,
  overTime: OverTimeOfCounters,
  nowMs: number,
): DashboardTab[] {
  const counters: Counter[] = [];
  for (const [source, { latest }] of ingestions) {
    for (const one of latest) if (canBeShown(one.histogram)) addTo(counters, one, source);
  }
  const plots = counters
    .map((counter) => ({ counter, count: counter.histogram.totalCount }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => magnitude(b.count) - magnitude(a.count) || compare(a.counter.name, b.counter.name))
    .slice(0, MOST_MAPS)
    .flatMap(({ counter, count }) =>
      [heatMapOf(counter, count), overTimeOf(counter, overTime, nowMs) ?? []].flat(),
    );
  // The families of the daemons have a tab of this name too.
  return plots.length === 0 ? [] : [{ name: 'Ceph', plots }];
}

function canBeShown({ layouts }: PerfHistogram): boolean {
  const { x, y } = axesToDraw(layouts);
  return x !== undefined && layouts[x]!.slotCount * layouts[y]!.slotCount <= MOST_CELLS;
}

function addTo(counters: Counter[], imported: ImportedHistogram, source: string): void {
  const { daemon, logger, counter, histogram } = imported;
  const name = `${logger}.${counter}`;
  const daemonName = daemon ?? source;
  const member = JSON.stringify([source, daemon]);
  for (const known of counters) {
    if (known.name === name && isAdded(histogram, known.histogram)) {
      known.daemons.push(daemonName);
      known.members.set(member, imported);
      return;
    }
  }
  const members = new Map([[member, imported]]);
  counters.push({ name, daemons: [daemonName], members, histogram: histogram.copy() });
}

/** False when the axes differ, or the sum of the counts would be too large; the sum is unchanged then. */
function isAdded(histogram: PerfHistogram, sum: PerfHistogram): boolean {
  try {
    sum.add(histogram);
    return true;
  } catch (error) {
    if (error instanceof HdrscopeError) return false;
    throw error;
  }
}

/** Orders counts by powers of two, so counters with similar counts do not swap places while they grow. */
function magnitude(count: number): number {
  return Math.floor(Math.log2(count));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function overTimeOf(
  { name, daemons, members, histogram }: Counter,
  overTime: OverTimeOfCounters,
  nowMs: number,
): HeatMapPlot | undefined {
  const { y } = axesToDraw(histogram.layouts);
  const axis = shownAxis(histogram.axes[y]!);
  const key = JSON.stringify([
    name,
    histogram.axes.map((one) => ({ ...one, edges: one.edges?.map(String) })),
  ]);
  const known = overTime.get(key) ?? new LatencyOverTime({ at: y, ...axis });
  overTime.set(key, known);
  known.add(members, nowMs);
  return known.plot(`${axis.name} of ${name} of ${namesText(daemons)}, over time`);
}

function namesText(daemons: readonly string[]): string {
  return daemons.length > MOST_NAMES ? `${daemons.length} daemons` : daemons.join(', ');
}

/** The slots are shown with their unit, so the name drops its unit, which may be wrong. */
function shownAxis({ name, unit = 'none' }: Axis): {
  readonly name: string;
  readonly unit: NonNullable<Axis['unit']>;
} {
  return { name: unit === 'none' ? name : axisTitle({ name }), unit };
}

function heatMapOf({ name, daemons, histogram }: Counter, count: number): HeatMapPlot {
  const { x, y } = axesToDraw(histogram.layouts);
  const { layouts, cells } = histogram;
  const axes = histogram.axes.map(shownAxis);
  const since = daemons.length === 1 ? 'since the daemon began' : 'together, since the daemons began';
  return heatMapOfCells(
    { axes, layouts, cells },
    {
      x: x!,
      y,
      title: `${name} of ${namesText(daemons)}`,
      subtitle: `${formatCount(count)} values ${since}`,
    },
  );
}

// Five minutes, as the rest of the page shows by default.
const COLUMN_MS = 5000;
const MOST_COLUMNS = 60;

interface Column {
  readonly startMs: number;
  endMs: number;
  /** By slot of the axis. */
  readonly counts: number[];
}

/** The axis that goes from bottom to top. */
interface OverTimeAxis {
  /** Its place among the axes of the histograms. */
  readonly at: number;
  readonly name: string;
  readonly unit: HeatMapPlot['y']['unit'];
}

/** The values of one axis of a counter over time: a column for each few seconds, of all daemons together. */
export class LatencyOverTime {
  readonly #axis: OverTimeAxis;
  /** The last histogram of each daemon. */
  readonly #last = new Map<string, ImportedHistogram>();
  #columns: Column[] = [];
  #atMs: number | undefined;

  constructor(axis: OverTimeAxis) {
    this.#axis = axis;
  }

  /** Adds what daemons have counted since their histograms before. The axes of all histograms are equal. */
  add(histograms: ReadonlyMap<string, ImportedHistogram>, nowMs: number): void {
    const since = this.#atMs;
    this.#atMs = nowMs;
    for (const [daemon, now] of histograms) {
      const before = this.#last.get(daemon);
      this.#last.set(daemon, now);
      // A first answer has no known start.
      if (before === undefined || before === now || since === undefined) continue;
      const [increase] = dumpIncrease([before], [now]);
      this.#count(increase!, since, nowMs);
    }
    if (since !== undefined) this.#column(since, nowMs, this.#slotCount(histograms));
  }

  /** `undefined` before anything was counted. */
  plot(title: string): HeatMapPlot | undefined {
    const [one] = this.#last.values();
    if (one === undefined || !this.#columns.some(({ counts }) => counts.some((count) => count > 0)))
      return undefined;
    const { at, name, unit } = this.#axis;
    return heatMapOfSlots(slotsOf(one.histogram.layouts[at]!), this.#columns, { title, name, unit });
  }

  #slotCount(histograms: ReadonlyMap<string, ImportedHistogram>): number {
    const [one] = histograms.values();
    return one === undefined ? 0 : one.histogram.layouts[this.#axis.at]!.slotCount;
  }

  #count({ histogram }: ImportedHistogram, since: number, nowMs: number): void {
    try {
      const { counts } = histogram.marginal(this.#axis.at);
      const column = this.#column(since, nowMs, counts.length);
      for (let slot = 0; slot < counts.length; slot++) column.counts[slot]! += counts.at(slot);
    } catch (error) {
      // More than 2^53 - 1 values in a few seconds are no counts of operations.
      if (!(error instanceof HdrscopeError && error.code === 'ERR_COUNT_OVERFLOW')) throw error;
    }
  }

  /** The column of this time: the last one until it is wide enough, then a new one. */
  #column(since: number, nowMs: number, slotCount: number): Column {
    const last = this.#columns.at(-1);
    if (last !== undefined && (last.endMs === nowMs || nowMs - last.startMs <= COLUMN_MS)) {
      last.endMs = nowMs;
      return last;
    }
    const column = { startMs: since, endMs: nowMs, counts: new Array<number>(slotCount).fill(0) };
    this.#columns = [...this.#columns.slice(1 - MOST_COLUMNS), column];
    return column;
  }
}
