import type { ReadonlyHistogram } from '@hdrscope/core';
import type { FamilySnapshot, SeriesSnapshot, Snapshot } from '../../src/index.ts';

/** The used slots of a histogram and their counts, ascending: histograms of one layout differ in nothing else. */
export function slotsOf({ counts }: ReadonlyHistogram): [slot: number, count: number][] {
  const used: [number, number][] = [];
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1))
    used.push([slot, counts.at(slot)]);
  return used;
}

/** The family of this name. The test fails when there is no such family. */
export function familyIn(snapshot: Snapshot, name: string): FamilySnapshot {
  const family = snapshot.families.find((one) => one.name === name);
  if (family === undefined)
    throw new Error(`no family ${name} in ${snapshot.families.map((one) => one.name)}`);
  return family;
}

/** The only series of a family. The test fails when there is another number of series. */
export function onlySeries({ name, series }: FamilySnapshot): SeriesSnapshot {
  if (series.length !== 1) throw new Error(`${name} must have one series, has ${series.length}`);
  return series[0]!;
}
