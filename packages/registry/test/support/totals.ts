import type { Snapshot } from '../../src/index.ts';
import { canonicalText } from '../../src/internal.ts';
import { slotsOf } from './state.ts';

/** All facts of a series in a snapshot except its start. */
export interface Totals {
  readonly slots: readonly [slot: number, count: number][];
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly rejected: object;
}

/** By family and attributes, in the order of their texts. */
export function totalsOf({ families }: Snapshot): Map<string, Totals> {
  const totals = families.flatMap(({ name, scope, series }) =>
    series.map(({ attributes, histogram, sum, min, max, rejected }): [string, Totals] => [
      `${scope?.name ?? ''} ${name.toLowerCase()} ${canonicalText(attributes)}`,
      { slots: slotsOf(histogram), sum, min, max, rejected },
    ]),
  );
  return new Map(totals.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** How many values a snapshot holds. */
export function countOf({ families }: Snapshot): number {
  let count = 0;
  for (const { series } of families) for (const { histogram } of series) count += histogram.totalCount;
  return count;
}
