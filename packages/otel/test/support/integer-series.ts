import {
  type HdrLayout,
  Histogram,
  hdrLayout,
  type ReadonlyHistogram,
  type UnitLayouts,
} from '@hdrscope/core';
import type { SeriesSnapshot } from '@hdrscope/registry';

/**
 * How far integers reach, in bits, by significant digits. Tables between layouts have an entry for each slot, so that
 * those of many digits take their time: where there are more digits the range is smaller.
 */
export const RANGE_BITS = [53, 53, 53, 36, 23] as const;

const layouts = RANGE_BITS.map((bits, significantDigits) =>
  hdrLayout({ highestTrackableValue: 2 ** bits - 1, significantDigits }),
);

/** A series of integers, each its own tick, whose layout has as few slots as the tests need. */
export class IntegerSeries {
  readonly layout: HdrLayout;
  /** As `toExponential` and `toExplicit` take them. */
  readonly family: UnitLayouts;
  readonly #histogram: Histogram;
  readonly #values: number[] = [];

  constructor(significantDigits = 2, values: Iterable<number> = []) {
    this.layout = layouts[significantDigits]!;
    this.family = { layout: this.layout, unitLayout: this.layout };
    this.#histogram = new Histogram({ layout: this.layout, storage: 'sparse' });
    this.record(...values);
  }

  record(...values: number[]): void {
    for (const value of values) this.#histogram.record(value);
    this.#values.push(...values);
  }

  /** What a family's snapshot would have of it. */
  snapshot(): SeriesSnapshot {
    const isEmpty = this.#values.length === 0;
    return {
      attributes: {},
      startTimeMs: 0,
      histogram: this.#histogram.copy(),
      sum: this.#values.reduce((sum, value) => sum + value, 0),
      min: isEmpty ? 0 : Math.min(...this.#values),
      max: isEmpty ? 0 : Math.max(...this.#values),
      exemplars: [],
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
