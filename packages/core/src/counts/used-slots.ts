import type { ReadonlyCounts } from './readonly-counts.ts';

/** The used slots and their counts, ascending. */
export function* usedSlots(
  counts: ReadonlyCounts,
): Generator<readonly [slot: number, count: number], void, undefined> {
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1))
    yield [slot, counts.at(slot)];
}
