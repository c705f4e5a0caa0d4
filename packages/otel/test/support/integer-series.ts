import { type HdrLayout, Histogram, hdrLayout, type ReadonlyHistogram } from '@hdrscope/core';
import type { UnitLayouts } from '@hdrscope/core/internal';
import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';

/**
 * The range of integers in bits, by significant digits. A table between layouts has an entry for each slot, so more
 * digits get a smaller range: their tables take long to build.
 */
export const RANGE_BITS = [53, 53, 53, 36, 23] as const;

const layouts = RANGE_BITS.map((bits, significantDigits) =>
  hdrLayout({ highestTrackableValue: 2 ** bits - 1, significantDigits }),
);

/** A series of integers with one tick each. Its layout has only as many slots as the tests need. */
export class IntegerSeries {
  readonly layout: HdrLayout;
  /** The layouts that `toExponential` and `toExplicit` expect. */
  readonly family: UnitLayouts & Pick<FamilySnapshot, 'thresholds'>;
  readonly #histogram: Histogram;
  readonly #values: number[] = [];

  constructor(significantDigits = 2, values: Iterable<number> = []) {
    this.layout = layouts[significantDigits]!;
    this.family = { layout: this.layout, unitLayout: this.layout, thresholds: [] };
    this.#histogram = new Histogram({ layout: this.layout, storage: 'sparse' });
    this.record(...values);
  }

  record(...values: number[]): void {
    for (const value of values) this.#histogram.record(value);
    this.#values.push(...values);
  }

  /** The series as a snapshot of its family would hold it. */
  snapshot(): SeriesSnapshot {
    const isEmpty = this.#values.length === 0;
    const histogram = this.#histogram.copy();
    return {
      attributes: {},
      startTimeMs: 0,
      layout: this.layout,
      counts: histogram.counts,
      histogram,
      sum: this.#values.reduce((sum, value) => sum + value, 0),
      min: isEmpty ? 0 : Math.min(...this.#values),
      max: isEmpty ? 0 : Math.max(...this.#values),
      exemplars: [],
      atThresholds: undefined,
      reaches: undefined,
      estimated: undefined,
      rejected: { notANumber: 0, negative: 0, tooLarge: 0, largest: 0, overflowing: 0 },
    };
  }
}

/** The used slots of a histogram: their bounds, both included, and their counts. */
export function usedSlots({
  layout,
  counts,
}: ReadonlyHistogram): { lower: number; upper: number; count: number }[] {
  const used: { lower: number; upper: number; count: number }[] = [];
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1)) {
    used.push({ lower: layout.lower(slot), upper: layout.upper(slot), count: counts.at(slot) });
  }
  return used;
}
