import type { SeriesSnapshot } from './series-snapshot.ts';

/** A series that has changed, has begun or has ended. */
export interface SeriesChange {
  /** Where the series stood in its family. */
  readonly place: number;
  /** Its state before; `undefined` when it has begun. */
  readonly before: SeriesSnapshot | undefined;
  /** Its state now, or its last one. */
  readonly now: SeriesSnapshot;
}

/**
 * The changes of a family after one of its snapshots, until the next one. Each of these leads to the next one and not back: the
 * holder of an old snapshot can walk forward from it, and those before the oldest snapshot in use are garbage.
 */
export interface ChangesAfter {
  readonly changes: SeriesChange[];
  next: ChangesAfter | undefined;
}

export function noChangesYet(): ChangesAfter {
  return { changes: [], next: undefined };
}

/** All changes from `from` up to `to`, without those of `to`: one for each series. `undefined` when `from` does not lead to `to`. */
export function changesBetween(from: ChangesAfter, to: ChangesAfter): Iterable<SeriesChange> | undefined {
  if (from.next === to) return from.changes;
  // All states of a series share their attributes.
  const changes = new Map<SeriesSnapshot['attributes'], SeriesChange>();
  for (let after = from; after !== to; after = after.next) {
    if (after.next === undefined) return undefined;
    for (const change of after.changes) {
      const { attributes } = change.now;
      const earlier = changes.get(attributes);
      changes.set(attributes, earlier === undefined ? change : { ...change, before: earlier.before });
    }
  }
  return changes.values();
}
