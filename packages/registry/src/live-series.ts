import type { SlotRange } from '@hdrscope/core/internal';
import { Series } from './series.ts';
import type { CurrentState, SeriesSnapshot } from './series-snapshot.ts';

/** A series as a reader of another package takes it: what `Series` has for packages of hdrscope only. */
export interface LiveSeries {
  readonly hasEnded: boolean;
  /** Another number after each change that follows a `markRead`. */
  readonly version: number;
  /** What the series is now. */
  current(): CurrentState;
  /** Slots among which are all that have changed since a version; `undefined` when they are not known. */
  changedSince(version: number): SlotRange | undefined;
  /** Notes that a reader has taken the current state. */
  markRead(): void;
}

/** Whether what a reader shows is a series itself, and not a state of a snapshot. */
export function isLive(shown: LiveSeries | SeriesSnapshot): shown is LiveSeries {
  return shown instanceof Series;
}
