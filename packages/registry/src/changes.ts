import { type SeriesSnapshot, StateSnapshot } from './series-snapshot.ts';

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
 * holder of an old snapshot can walk forward from it, and those before the oldest snapshot in use are garbage. `ChangesChain` joins those
 * in between, so that the holder of an old snapshot does not keep all states since.
 */
export interface ChangesAfter {
  changes: SeriesChange[];
  next: ChangesAfter | undefined;
}

export function noChangesYet(): ChangesAfter {
  return { changes: [], next: undefined };
}

// Joining takes about as long as making the changes that are joined.
const JOIN_EVERY = 16;

interface Link {
  readonly after: WeakRef<ChangesAfter>;
  /** The snapshot before the changes. While somebody holds it, it may be asked for what came after it, or before it. */
  readonly snapshot: WeakRef<object>;
}

/** The changes of a family that somebody may still ask for. */
export class ChangesChain {
  #links: Link[] = [];
  #unjoined = 0;

  /** Adds the changes after a snapshot that was just made. */
  add(after: ChangesAfter, snapshot: object): void {
    this.#links.push({ after: new WeakRef(after), snapshot: new WeakRef(snapshot) });
    if (++this.#unjoined < JOIN_EVERY) return;
    this.#unjoined = 0;
    this.#join();
  }

  /** Joins the changes after each snapshot that is held with those up to the next one that is held. The last ones stay as they are. */
  #join(): void {
    const kept: Link[] = [];
    let held: ChangesAfter | undefined;
    for (const [at, link] of this.#links.entries()) {
      const after = link.after.deref();
      if (after === undefined) continue;
      const isLast = at === this.#links.length - 1;
      // Changes before all snapshots that are held are garbage.
      if (isLast || link.snapshot.deref() !== undefined) {
        if (held !== undefined) joinUpTo(held, after);
        held = after;
        kept.push(link);
      }
    }
    this.#links = kept;
  }
}

/** Joins the changes from `from` up to `to` into `from`, which then leads to `to`. */
function joinUpTo(from: ChangesAfter, to: ChangesAfter): void {
  const between = from.next === to ? undefined : changesBetween(from, to);
  if (between === undefined) return;
  from.changes = [...between];
  from.next = to;
  for (const { before, now } of from.changes) StateSnapshot.joinIntervals(before, now);
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
