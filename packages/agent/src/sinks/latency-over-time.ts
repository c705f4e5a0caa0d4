import { dumpIncrease, type ImportedHistogram } from '@hdrscope/ceph';
import { HdrscopeError } from '@hdrscope/core';
import type { HeatMapPlot } from '@hdrscope/plot';

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
export interface OverTimeAxis {
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
    const layout = one.histogram.layouts[at]!;
    const slots = Array.from({ length: layout.slotCount }, (_, slot) => ({
      lower: layout.lower(slot),
      upper: layout.upper(slot),
    }));
    const columns = this.#columns;
    return {
      kind: 'heat-map',
      title,
      x: {
        name: 'time',
        unit: 'time',
        slots: columns.map(({ startMs, endMs }) => ({ lower: startMs, upper: endMs })),
      },
      y: { name, unit, slots },
      counts: slots.map((_, slot) => columns.map(({ counts }) => counts[slot]!)),
      countName: 'values',
    };
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
