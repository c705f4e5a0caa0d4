import { HdrscopeError, type IntegerLayout } from '@hdrscope/core';
import { integerAfter, usedSlots } from '@hdrscope/core/internal';
import { type KernelIncrease, sumOfCpus } from '@hdrscope/ebpf';
import type { AxisSlot, HeatMapPlot } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { formatCount } from '../format.ts';

/** The counts of an interval, by slots. */
interface Column {
  readonly startMs: number;
  readonly endMs: number;
  readonly counts: Float64Array;
}

/** What a map counts over time, slot by slot. Histograms of several keys are added up. */
export class KernelHeatMap {
  readonly #argument: string;
  #unit: CountedUnit;
  #layout: IntegerLayout | undefined;
  #name: string | undefined;
  readonly #columns: Column[] = [];

  /** @param unit The unit of the values, unless the source knows it. */
  constructor(argument: string, unit: CountedUnit) {
    this.#argument = argument;
    this.#unit = unit;
  }

  /** The number of columns. */
  get columns(): number {
    return this.#columns.length;
  }

  /**
   * Adds a column. The times are those of `performance.now()`.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a histogram has other slots than the ones before.
   */
  add(increases: readonly KernelIncrease[], startMs: number, endMs: number): void {
    for (const { layout, name, metric } of increases) {
      this.#name ??= name;
      this.#unit = metric?.kernelUnit ?? this.#unit;
      this.#layout ??= layout.slots;
      if (layout.slots.bounds.join() === this.#layout.bounds.join()) continue;
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `${this.#argument} has other slots than before, and one picture cannot have both: begin another one`,
      );
    }
    const counts = new Float64Array(this.#layout?.slotCount ?? 0);
    for (const increase of increases) {
      for (const [slot, count] of usedSlots(sumOfCpus(increase).counts)) counts[slot]! += count;
    }
    this.#columns.push({ startMs, endMs, counts });
  }

  plot(): HeatMapPlot {
    const slots = this.#layout === undefined ? [{ lower: 0, upper: 1 }] : slotsOf(this.#layout);
    const columns = this.#columns.length === 0 ? [{ startMs: 0, endMs: 0, counts: [] }] : this.#columns;
    const counts = slots.map((_, slot) => columns.map((column) => column.counts[slot] ?? 0));
    const total = counts.flat().reduce((sum, count) => sum + count, 0);
    const seconds = columns.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1000, 0);
    const { timeOrigin } = performance;
    return {
      kind: 'heat-map',
      title: this.#name ?? this.#argument,
      subtitle: `${formatCount(total)} values in ${Number(seconds.toFixed(1))} s`,
      x: {
        name: 'time',
        unit: 'time',
        slots: columns.map(({ startMs, endMs }) => ({
          lower: timeOrigin + startMs,
          upper: timeOrigin + endMs,
        })),
      },
      y: { name: 'value', unit: this.#unit, slots },
      counts,
      countName: 'values',
    };
  }
}

/** Slots hold integers, and the slots of an axis touch. */
function slotsOf(layout: IntegerLayout): AxisSlot[] {
  return Array.from({ length: layout.slotCount }, (_, slot) => {
    const upper = layout.upper(slot);
    return { lower: layout.lower(slot), upper: Number.isFinite(upper) ? integerAfter(upper) : upper };
  });
}
