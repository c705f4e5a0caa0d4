import { fromTicks, packCounts } from '@hdrscope/core/internal';
import type { Slices } from '@hdrscope/kit';
import type { FamilyDefinition } from '../history/history.ts';
import { type PackedInterval, type PackedSeries, seriesIn } from '../history/packed-interval.ts';
import { ROW_PERCENTILES, type RowValues } from '../messages.ts';
import { type Distribution, DistributionSum } from './distribution.ts';

/** What a group counted in an interval of the history. */
export interface GroupInterval {
  readonly startMs: number;
  readonly endMs: number;
  /** The counts of all of its series; `undefined` when they counted nothing. */
  readonly packed: PackedSeries | undefined;
  /** The values at `ROW_PERCENTILES`; `null` when nothing was counted. */
  readonly values: RowValues;
}

/**
 * What a group counted in each interval. An interval never changes, so each is added up once, and a page that shows a group of a
 * thousand series costs no more at each update than one that shows one.
 */
export class GroupHistory {
  readonly #family: FamilyDefinition;
  readonly #known = new WeakMap<PackedInterval, GroupInterval>();

  constructor(family: FamilyDefinition) {
    this.#family = family;
  }

  /**
   * The intervals of the group, one for each of `intervals`.
   *
   * @param ids The series of the group. Those of later calls may have counted in later intervals only.
   */
  async intervals(
    intervals: readonly PackedInterval[],
    ids: readonly number[],
    slices: Slices,
  ): Promise<readonly GroupInterval[]> {
    const all: GroupInterval[] = [];
    for (const interval of intervals) {
      const known = this.#known.get(interval) ?? this.#added(interval, ids);
      this.#known.set(interval, known);
      all.push(known);
      if (slices.isOver()) await slices.next();
    }
    return all;
  }

  /** The counts of intervals of the group. */
  sumOf(intervals: readonly GroupInterval[]): Distribution {
    const sum = new DistributionSum(this.#family);
    for (const { packed } of intervals) if (packed !== undefined) sum.addPacked(packed);
    return sum.result();
  }

  #added(interval: PackedInterval, ids: readonly number[]): GroupInterval {
    const { startMs, endMs } = interval;
    const parts = ids.map((id) => seriesIn(interval, id)).filter((part) => part !== undefined);
    if (parts.length === 0) return { startMs, endMs, packed: undefined, values: null };
    const sum = new DistributionSum(this.#family);
    for (const part of parts) sum.addPacked(part);
    const whole = sum.result();
    const { resolution } = this.#family;
    return {
      ...{ startMs, endMs },
      packed: parts.length === 1 ? parts[0] : packedOf(whole),
      values: whole.histogram
        .valuesAtPercentiles(ROW_PERCENTILES)
        .map((ticks) => fromTicks(resolution, ticks)),
    };
  }
}

function packedOf({ histogram, sum, buckets }: Distribution): PackedSeries {
  return {
    ...{ id: -1, sum },
    counts: packCounts(histogram.counts),
    buckets: buckets === undefined ? new Uint8Array(0) : packCounts(buckets),
  };
}
