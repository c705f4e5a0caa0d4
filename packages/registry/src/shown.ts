import type { SlotRange, SparseCounts } from '@hdrscope/core/internal';
import type { FamilySnapshot } from './family.ts';
import type { RejectedCounts } from './rejected.ts';
import type { LiveSeries } from './series.ts';
import type { CurrentState, SeriesSnapshot } from './series-snapshot.ts';
import type { Snapshot, SourceFailure } from './snapshot.ts';

/** A family, without its series. */
export type FamilyFacts = Omit<FamilySnapshot, 'series' | 'endedRejected'>;

/** What a reader gets of a series: the series itself, to take its state when it comes to it, or a state of a snapshot. */
export type Shown = LiveSeries | SeriesSnapshot;

/** A family for a reader. */
export interface ShownFamily {
  readonly family: FamilyFacts;
  readonly series: readonly Shown[];
  /** See `FamilySnapshot.endedRejected`. */
  readonly endedRejected: RejectedCounts;
}

/** A registry for a reader that shows all series, and needs no difference from an earlier time. */
export interface ShownRegistry {
  /** In milliseconds since 1970. States are taken later, each at one moment. */
  readonly timeMs: number;
  readonly families: readonly ShownFamily[];
  /** See `Snapshot.errors`. */
  readonly errors: readonly SourceFailure[];
}

/** A snapshot for a reader. */
export function showSnapshot({ timeMs, families, errors }: Snapshot): ShownRegistry {
  return { timeMs, families: families.map(showFamily), errors };
}

/** A family of a snapshot for a reader. */
export function showFamily(family: FamilySnapshot): ShownFamily {
  return { family, series: family.series, endedRejected: family.endedRejected };
}

/** Whether what a reader gets is a series itself. By its methods, as the reader may have another copy of this package. */
export function isLive(shown: Shown): shown is LiveSeries {
  return 'markRead' in shown;
}

/** What a series is at this moment. Whoever converts it notes that by `markRead` before anything is recorded again. */
export function readState(shown: Shown): CurrentState {
  return isLive(shown) ? shown.current() : shown;
}

/** A number that changes with the state of a series; 0 for a state of a snapshot, which does not change. */
export function readVersion(shown: Shown): number {
  return isLive(shown) ? shown.version : 0;
}

/** Slots among which are all that have changed since an earlier state was read; `undefined` when they are not known. */
export function findChangedSlots(
  earlier: { readonly shown: Shown; readonly version: number },
  now: Shown,
): SlotRange | undefined {
  if (isLive(now)) return earlier.shown === now ? now.changedSince(earlier.version) : undefined;
  const { counts } = now;
  // Not by their class, which programs without sparse counts need not bundle.
  if (isLive(earlier.shown) || !('changedSince' in counts)) return undefined;
  return (counts as SparseCounts).changedSince(earlier.shown.counts);
}
