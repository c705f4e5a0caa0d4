import type { Layout } from '../layout/layout.ts';
import { type CountedInterval, IntervalMap, joinIntervals, totalWidth } from './intervals.ts';
import { addTallies, findEnds, keyOfFacts, type Part, type Tally } from './part.ts';

/** Counts whose layouts have alike slots; after a join, those of two layouts and more. */
export interface Group {
  readonly layouts: readonly Layout[];
  /** By what is known of the counts. */
  readonly parts: Map<string, Part>;
}

/** Two groups as one. */
export interface Join {
  readonly of: readonly Group[];
  readonly group: Group;
  /** By how much slots with values are wider, relative to their size. */
  readonly widening: number;
}

/** A group remembers as many layouts, more than there are HDR layouts: those that it has forgotten begin a new group. */
const MOST_REMEMBERED = 512;

export function joinOf(a: Group, b: Group): Join {
  const parts = new Map<string, Part>();
  let widening = 0;
  for (const part of [...a.parts.values(), ...b.parts.values()]) {
    const own = { tally: withEnds(part), widened: part.widened };
    const key = `false ${keyOfFacts(own.tally)}`;
    const other = parts.get(key);
    const store = new IntervalMap();
    if (other === undefined) {
      store.add(part.store);
      parts.set(key, { store, ...own });
      continue;
    }
    const { joined, widened: newly } = joinIntervals(other.store, part.store);
    store.addAll(joined);
    widening += totalWidth(joined) - totalWidth(other.store.intervals()) - totalWidth(part.store.intervals());
    const widened = Math.min(countIn(joined), newly + other.widened + part.widened);
    parts.set(key, { store, tally: addTallies(other.tally, own.tally), widened });
  }
  return {
    of: [a, b],
    group: { layouts: [...a.layouts, ...b.layouts].slice(-MOST_REMEMBERED), parts },
    widening,
  };
}

/** Whether the group has counts of several layouts, in common slots. */
export function isJoined({ layouts }: Group): boolean {
  return layouts.length > 1;
}

export function withEnds(part: Part): Tally {
  return { ...part.tally, ends: findEnds(part) };
}

function countIn(intervals: readonly CountedInterval[]): number {
  return intervals.reduce((sum, { count }) => sum + count, 0);
}
