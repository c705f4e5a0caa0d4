import { countedIn, explicitLayout, increase, type Layout, type ReadonlyCounts } from '@hdrscope/core';
import { bucketCounts, type SeriesSnapshot } from '@hdrscope/registry';
import type { FamilyDefinition, HistorySeries, Increase } from './history/history.ts';

/**
 * What a series counted between two of its states.
 *
 * @param before The earlier state. Without it, all values are new.
 */
export function increaseOf(
  series: HistorySeries,
  now: SeriesSnapshot,
  before: SeriesSnapshot | undefined,
): Increase {
  const { counts, isReset } = increase(now, before);
  const earlier = isReset ? undefined : before;
  return {
    ...{ id: series.facts.id, series, counts },
    sum: now.sum - (earlier?.sum ?? 0),
    buckets: bucketsSince(series.family, now, earlier),
  };
}

/**
 * What a series counted between the boundaries of its family. Its slots do not show that when a boundary lies within a slot.
 *
 * @param before An earlier state of the series. Without it, all values are new.
 * @returns `undefined` for a family without boundaries.
 */
export function bucketsSince(
  family: FamilyDefinition,
  now: SeriesSnapshot,
  before: SeriesSnapshot | undefined,
): ReadonlyCounts | undefined {
  const { boundaries } = family;
  if (boundaries === undefined) return undefined;
  const earlier = before && bucketCounts(family, before, boundaries);
  const counts = bucketCounts(family, now, boundaries).map((count, i) => count - (earlier?.[i] ?? 0));
  return countedIn(layoutOf(boundaries), counts).counts;
}

const layouts = new WeakMap<readonly number[], Layout>();

/** Boundaries are one list in all snapshots of a family. */
function layoutOf(boundaries: readonly number[]): Layout {
  const layout = layouts.get(boundaries) ?? explicitLayout(boundaries);
  layouts.set(boundaries, layout);
  return layout;
}
