import type { HdrLayout, ReadonlyCounts, ReadonlyHistogram } from '@hdrscope/core';
import { histogramOver, histogramSince, SparseCounts } from '@hdrscope/core/internal';
import { type SeriesSnapshot, valuesAtPercentiles } from '@hdrscope/registry';
import type { FamilyDefinition } from './history/history.ts';
import { ROW_PERCENTILES, type RowValues } from './messages.ts';

/** Counts as a histogram. It reads sparse counts where they lie, so they must not change afterwards. */
export function histogramOf(layout: HdrLayout, counts: ReadonlyCounts): ReadonlyHistogram {
  return counts instanceof SparseCounts
    ? histogramOver(layout, counts)
    : histogramSince({ layout, counts }, undefined);
}

/** The values of a row, in the unit of the family. */
export function valuesOf(
  family: FamilyDefinition,
  { histogram }: Pick<SeriesSnapshot, 'histogram'>,
): RowValues {
  return histogram.totalCount === 0 ? null : valuesAtPercentiles(family, { histogram }, ROW_PERCENTILES);
}
