import type { ReadonlyCounts, ReadonlyHistogram } from '@hdrscope/core';
import { packedRuns, SparseCounts } from '@hdrscope/core/internal';
import type { FamilyDefinition } from '../history/history.ts';
import type { PackedSeries } from '../history/packed-interval.ts';
import { histogramOf } from '../row-values.ts';

/** What one series or several counted in some time. */
export interface Distribution {
  /** In ticks of the family's resolution. */
  readonly histogram: ReadonlyHistogram;
  /** The sum of the values, in the unit of the family. */
  readonly sum: number;
  /** The counts between the boundaries of the family; `undefined` for a family without boundaries. */
  readonly buckets: ReadonlyCounts | undefined;
}

/** Adds up counts of one family. */
export class DistributionSum {
  readonly #layout: FamilyDefinition['layout'];
  readonly #counts: SparseCounts;
  readonly #buckets: SparseCounts | undefined;
  #sum = 0;

  constructor({ layout, boundaries }: FamilyDefinition) {
    this.#layout = layout;
    this.#counts = new SparseCounts(layout.slotCount);
    this.#buckets = boundaries && new SparseCounts(boundaries.length + 1);
  }

  add(counts: ReadonlyCounts, sum: number, buckets: ReadonlyCounts | undefined): void {
    this.#counts.addAll(counts);
    if (buckets !== undefined) this.#buckets?.addAll(buckets);
    this.#sum += sum;
  }

  addPacked({ counts, sum, buckets }: PackedSeries): void {
    this.#counts.addRuns(packedRuns(counts, this.#counts.length));
    if (this.#buckets !== undefined && buckets.length > 0) {
      this.#buckets.addRuns(packedRuns(buckets, this.#buckets.length));
    }
    this.#sum += sum;
  }

  /** What was added. Nothing may be added afterwards. */
  result(): Distribution {
    const counts = this.#counts.freeze();
    return { histogram: histogramOf(this.#layout, counts), sum: this.#sum, buckets: this.#buckets?.freeze() };
  }
}
