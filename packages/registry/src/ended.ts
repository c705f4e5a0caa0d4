import type { SeriesSnapshot } from './series-snapshot.ts';

/**
 * The series that end after a moment. Each ended series leads to the next one and not back: the holder of an old snapshot can walk
 * forward from it, and those before the oldest snapshot in use are garbage.
 */
export interface EndedAfter {
  next: EndedSeries | undefined;
}

/** A series that has ended. */
export interface EndedSeries {
  /** Its family: any object that is the same for all of its series. */
  readonly family: object;
  /** Its last state. */
  readonly state: SeriesSnapshot;
  readonly after: EndedAfter;
}

/** The series of one registry that end. */
export class EndedList {
  #tail: EndedAfter = { next: undefined };

  /** The moment until which series have ended. */
  get tail(): EndedAfter {
    return this.#tail;
  }

  add(family: object, state: SeriesSnapshot): void {
    const after: EndedAfter = { next: undefined };
    this.#tail.next = { family, state, after };
    this.#tail = after;
  }
}

/** The last states of the series of a family that ended between two moments. */
export function* endedBetween(from: EndedAfter, to: EndedAfter, family: object): Generator<SeriesSnapshot> {
  for (let moment = from; moment !== to && moment.next !== undefined; moment = moment.next.after) {
    if (moment.next.family === family) yield moment.next.state;
  }
}
