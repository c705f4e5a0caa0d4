import { type Counted, countedIn, explicitLayout } from '@hdrscope/core';
import type { FamilyOptions, Reading, Registry, SeriesSnapshot } from '../../src/index.ts';
import { onlySeries } from './state.ts';
import { countOf } from './totals.ts';

/** The family of readings that do not name another one. */
export const FAMILY: FamilyOptions = { name: 'x', unit: 'By' };

const layout = explicitLayout([1, 2, 3]);

/** Counts of four slots: up to 1, up to 2, up to 3, and above. */
function counted(...counts: number[]): Counted {
  return countedIn(layout, counts);
}

/** A reading of the key `a` with counts of four slots, or over any layout. */
export function reading(counts: number[] | Counted, more: Partial<Reading> = {}): Reading {
  const state = Array.isArray(counts) ? counted(...counts) : counts;
  return { key: 'a', family: FAMILY, attributes: {}, counted: state, ...more };
}

/** How many values a registry has counted. */
export async function totalIn(registry: Registry): Promise<number> {
  return countOf(await registry.gather());
}

/** The only series of the only family of a registry. */
export async function onlySeriesIn(registry: Registry): Promise<SeriesSnapshot> {
  const { families } = await registry.gather();
  expect(families).toHaveLength(1);
  return onlySeries(families[0]!);
}
