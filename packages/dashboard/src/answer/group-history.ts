import type { Slices } from '@hdrscope/kit';
import type { FamilyDefinition } from '../history/history.ts';
import { type PackedInterval, seriesIn } from '../history/packed-interval.ts';
import type { RowValues } from '../messages.ts';
import { valuesOf } from '../row-values.ts';
import {
  type Distribution,
  DistributionSum,
  type PackedDistribution,
  packDistribution,
} from './distribution.ts';
import type { Group } from './groups.ts';

/** What a group counted in an interval of the history. */
export interface GroupInterval {
  readonly startMs: number;
  readonly endMs: number;
  /** The counts of all of its series; `undefined` when they counted nothing. */
  readonly packed: PackedDistribution | undefined;
  /** `null` when nothing was counted. */
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
   * @param group Series that later calls add to it may have counted in later intervals only.
   */
  async intervals(
    intervals: readonly PackedInterval[],
    group: Pick<Group, 'ids' | 'reaches'>,
    slices: Slices,
  ): Promise<readonly GroupInterval[]> {
    const all: GroupInterval[] = [];
    for (const interval of intervals) {
      const known = this.#known.get(interval) ?? this.#added(interval, group);
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

  #added(interval: PackedInterval, { ids, reaches }: Pick<Group, 'ids' | 'reaches'>): GroupInterval {
    const { startMs, endMs } = interval;
    const parts = ids.map((id) => seriesIn(interval, id)).filter((part) => part !== undefined);
    if (parts.length === 0) return { startMs, endMs, packed: undefined, values: null };
    const sum = new DistributionSum(this.#family);
    for (const part of parts) sum.addPacked(part, reaches.get(part.id));
    const whole = sum.result();
    const isOne = parts.length === 1 && reaches.get(parts[0]!.id) === undefined;
    return {
      ...{ startMs, endMs },
      packed: isOne ? parts[0] : packDistribution(whole),
      values: valuesOf(this.#family, whole.ends),
    };
  }
}
