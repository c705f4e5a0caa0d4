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
 * What changed in a family after one of its snapshots, until the next one. Each step leads to the next one and not back: the holder of
 * an old snapshot can walk forward from it, and steps before the oldest snapshot in use are garbage.
 */
export interface Step {
  readonly changes: SeriesChange[];
  next: Step | undefined;
}

export function newStep(): Step {
  return { changes: [], next: undefined };
}

/**
 * The changes of the steps from `from` up to `to`, without `to`: one for each series. `undefined` when `from` does not lead to `to`.
 */
export function changesBetween(from: Step, to: Step): Iterable<SeriesChange> | undefined {
  if (from.next === to) return from.changes;
  // All states of a series share their attributes.
  const changes = new Map<SeriesSnapshot['attributes'], SeriesChange>();
  for (let step = from; step !== to; step = step.next) {
    if (step.next === undefined) return undefined;
    for (const change of step.changes) {
      const { attributes } = change.now;
      const earlier = changes.get(attributes);
      changes.set(attributes, earlier === undefined ? change : { ...change, before: earlier.before });
    }
  }
  return changes.values();
}
