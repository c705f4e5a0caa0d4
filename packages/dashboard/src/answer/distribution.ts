import type { ReadonlyCounts, ReadonlyHistogram } from '@hdrscope/core';
import { histogramOver, packCounts, packedRuns, SparseCounts } from '@hdrscope/core/internal';
import type { SlotReaches } from '@hdrscope/registry/internal';
import { countsAcross, type EndCounts, endCounts } from '@hdrscope/registry/internal';
import type { FamilyDefinition } from '../history/history.ts';
import type { PackedSeries } from '../history/packed-interval.ts';

/** Counts of a slot whose values may lie in others. */
export interface ReachingCount {
  readonly slot: number;
  /** The first slot where the values may lie. */
  readonly first: number;
  /** The last slot where the values may lie. */
  readonly last: number;
  readonly count: number;
}

/** What one series or several counted in some time. */
export interface Distribution {
  /** In ticks of the family's resolution. */
  readonly histogram: ReadonlyHistogram;
  /** The sum of the values, in the unit of the family. */
  readonly sum: number;
  /** The counts between the boundaries of the family; `undefined` for a family without boundaries. */
  readonly buckets: ReadonlyCounts | undefined;
  /** Where the values may lie. */
  readonly ends: EndCounts;
  /** The counts whose values may lie in other slots. */
  readonly reaching: readonly ReachingCount[];
  /** For each boundary of the family, how many values may lie on either side of it. `buckets` has each of them on one side. */
  readonly across: readonly number[];
}

/** A distribution in few bytes. */
export interface PackedDistribution extends PackedSeries {
  /** Left out when all values lie in their slots. */
  readonly ends?: { readonly lower: Uint8Array; readonly upper: Uint8Array; readonly wide: number };
  /** Left out when all values lie in their slots. */
  readonly reaching?: readonly ReachingCount[];
  /** Left out when no value may lie on either side of a boundary. */
  readonly across?: readonly number[];
}

/** Adds up counts of one family. */
export class DistributionSum {
  readonly #family: Pick<FamilyDefinition, 'layout' | 'unitLayout'>;
  readonly #boundaries: readonly number[];
  readonly #counts: SparseCounts;
  readonly #buckets: SparseCounts | undefined;
  #sum = 0;
  /** `undefined` while all values lie in their slots. */
  #ends: { readonly lower: SparseCounts; readonly upper: SparseCounts } | undefined;
  #wide = 0;
  /** By slots. */
  readonly #reaching = new Map<string, ReachingCount>();
  readonly #across: number[];

  constructor(family: FamilyDefinition) {
    const { layout, boundaries } = family;
    this.#family = family;
    this.#boundaries = boundaries ?? [];
    this.#across = this.#boundaries.map(() => 0);
    this.#counts = new SparseCounts(layout.slotCount);
    this.#buckets = boundaries && new SparseCounts(boundaries.length + 1);
  }

  /** @param reaches Where the values of the series may lie. */
  add(
    { counts, sum, buckets }: Pick<Distribution, 'sum' | 'buckets'> & { readonly counts: ReadonlyCounts },
    reaches: SlotReaches | undefined,
  ): void {
    this.#addReaches(counts, reaches);
    this.#counts.addAll(counts);
    if (buckets !== undefined) this.#buckets?.addAll(buckets);
    this.#sum += sum;
  }

  /** @param reaches Where the values of a series may lie. A distribution of several has its ends. */
  addPacked(
    { counts, sum, buckets, ends, reaching = [], across }: PackedDistribution,
    reaches?: SlotReaches,
  ): void {
    for (const [i, count] of across?.entries() ?? []) this.#across[i]! += count;
    for (const one of reaching) this.#addReaching(one);
    if (ends !== undefined) {
      const [lower, upper] = [this.#unpacked(ends.lower), this.#unpacked(ends.upper)];
      this.#addEnds({ lower, upper, wide: ends.wide });
    } else if (reaches !== undefined || this.#ends !== undefined) {
      this.#addReaches(this.#unpacked(counts), reaches);
    }
    this.#counts.addRuns(packedRuns(counts, this.#counts.length));
    if (this.#buckets !== undefined && buckets.length > 0) {
      this.#buckets.addRuns(packedRuns(buckets, this.#buckets.length));
    }
    this.#sum += sum;
  }

  /** What was added. Nothing may be added afterwards. */
  result(): Distribution {
    const counts = this.#counts.freeze();
    const { lower = counts, upper = counts } = this.#ends ?? {};
    return {
      histogram: histogramOver(this.#family.layout, counts),
      sum: this.#sum,
      buckets: this.#buckets?.freeze(),
      ends: { lower, upper, wide: this.#wide },
      reaching: [...this.#reaching.values()],
      across: this.#across,
    };
  }

  #addReaches(counts: ReadonlyCounts, reaches: SlotReaches | undefined): void {
    this.#addEnds(endCounts(counts, reaches));
    const across = countsAcross(this.#boundaries, this.#family, counts, reaches);
    for (const [i, count] of across.entries()) this.#across[i]! += count;
    for (const [slot, { first, last }] of reaches ?? []) {
      const count = first < slot || last > slot ? counts.at(slot) : 0;
      if (count > 0) this.#addReaching({ slot, first, last, count });
    }
  }

  #addReaching({ slot, first, last, count }: ReachingCount): void {
    const key = `${slot} ${first} ${last}`;
    this.#reaching.set(key, { slot, first, last, count: count + (this.#reaching.get(key)?.count ?? 0) });
  }

  /** Comes before the counts are added: they are the ends of what was added before. */
  #addEnds({ lower, upper, wide }: EndCounts): void {
    if (wide === 0 && this.#ends === undefined) return;
    this.#ends ??= { lower: this.#counts.clone(), upper: this.#counts.clone() };
    this.#ends.lower.addAll(lower);
    this.#ends.upper.addAll(upper);
    this.#wide += wide;
  }

  #unpacked(bytes: Uint8Array): SparseCounts {
    const counts = new SparseCounts(this.#counts.length);
    counts.addRuns(packedRuns(bytes, counts.length));
    return counts;
  }
}

/** A distribution in few bytes, which no series has made alone. */
export function packDistribution({
  histogram,
  sum,
  buckets,
  ends,
  reaching,
  across,
}: Distribution): PackedDistribution {
  const { lower, upper, wide } = ends;
  return {
    ...{ id: -1, sum },
    counts: packCounts(histogram.counts),
    buckets: buckets === undefined ? new Uint8Array(0) : packCounts(buckets),
    ...(wide > 0 && { ends: { lower: packCounts(lower), upper: packCounts(upper), wide }, reaching }),
    ...(across.some((count) => count > 0) && { across }),
  };
}
