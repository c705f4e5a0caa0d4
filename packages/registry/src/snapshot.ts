import { placesIn } from '@hdrscope/kit';
import { type EndedAfter, endedBetween } from './ended.ts';
import { type FamilySnapshot, origins } from './family.ts';
import type { Scope } from './family-options.ts';
import { rejectedCount } from './rejected.ts';
import { differenceOf, type SeriesSnapshot } from './series-snapshot.ts';

/** A source that failed during a gather. */
export interface SourceFailure {
  /** The name of the source. */
  readonly source: string;
  /** Whatever the source threw. */
  readonly error: unknown;
}

/**
 * All that a registry held at one moment. Immutable. Counts are cumulative: `since` gives those of an interval.
 *
 * @example
 * ```ts
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const jobs = registry.histogram({ name: 'jobs', unit: 's' }).with({});
 * jobs.record(8);
 * const before = await registry.gather();
 * jobs.record(0.25);
 * const [series] = (await registry.gather()).since(before).families[0]!.series;
 * [series!.histogram.totalCount, series!.max]; //=> [1, 0.25]
 * ```
 */
export interface Snapshot {
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly timeMs: number;
  /** In the order in which they were registered. */
  readonly families: readonly FamilySnapshot[];
  /** The sources that failed: their part is missing, or as old as their last answer. */
  readonly errors: readonly SourceFailure[];
  /**
   * The values that were counted after `previous`. Its families are those of this snapshot, with the series that have
   * a new value or a new rejection. Each series starts at the time of `previous`, or at its own start when it is
   * newer.
   *
   * The minimum and the maximum are exact between two snapshots of one registry, and within their slots otherwise.
   *
   * @param previous An earlier snapshot of the same registry, or `EMPTY_SNAPSHOT`.
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when a count is smaller than in `previous`.
   */
  since(previous: Snapshot): Snapshot;
  /**
   * The same values as `since`, family by family and series by series: for work on many series that must let other work run in
   * between.
   */
  changesSince(previous: Snapshot): Iterable<FamilyChanges>;
}

/** The values of a family that were counted after an earlier snapshot. */
export interface FamilyChanges {
  /** The family as it is in the later snapshot. */
  readonly family: FamilySnapshot;
  /** The series that have a new value or a new rejection. May be read once. */
  readonly series: Iterable<SeriesSnapshot>;
}

/** The moment until which series had ended when a snapshot was begun. */
const endings: WeakMap<Snapshot, EndedAfter> = new WeakMap();

/**
 * Makes a snapshot, and freezes its parts.
 *
 * @param ended The moment until which series had ended when the snapshot was begun. Left out, series that have ended since are
 *   not in the difference from it.
 */
export function createSnapshot(
  timeMs: number,
  families: readonly FamilySnapshot[],
  errors: readonly SourceFailure[],
  ended?: EndedAfter,
): Snapshot {
  const snapshot: Snapshot = Object.freeze({
    timeMs,
    families: Object.freeze(families),
    errors: Object.freeze(errors),
    since(previous: Snapshot): Snapshot {
      const differences = [...this.changesSince(previous)].map(({ family, series }) =>
        Object.freeze({ ...family, series: Object.freeze([...series]) }),
      );
      return createSnapshot(timeMs, differences, errors);
    },
    *changesSince(previous: Snapshot): Generator<FamilyChanges> {
      const before = new Map(previous.families.map((family) => [familyKey(family), family]));
      for (const family of families) {
        const known = before.get(familyKey(family));
        yield {
          family,
          series: seriesSince(family, known, endedSince(family, known, previous), previous.timeMs),
        };
      }
    },
  });
  if (ended !== undefined) endings.set(snapshot, ended);
  return snapshot;
}

/** The last states of the series of a family that have ended since a snapshot. */
function endedSince(
  family: FamilySnapshot,
  before: FamilySnapshot | undefined,
  previous: Snapshot,
): Iterable<SeriesSnapshot> {
  const to = origins.get(family);
  // The family is younger than a snapshot without it, so all of its series ended after that.
  const from = before === undefined ? endings.get(previous) : origins.get(before)?.ended;
  return to === undefined || from === undefined ? [] : endedBetween(from, to.ended, to.family);
}

/** The snapshot before the first one: the first interval is the difference from it. */
export const EMPTY_SNAPSHOT: Snapshot = /* @__PURE__ */ createSnapshot(0, [], []);

/** The part of the options that says which family is meant. */
export interface FamilyIdentity {
  readonly name: string;
  /** @default no scope */
  readonly scope?: Scope | undefined;
}

/**
 * The identity of a family in its registry. Names that differ in upper and lower case only are equal, as names of
 * instruments are: https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax
 */
export function familyKey({ name, scope }: FamilyIdentity): string {
  return JSON.stringify([scope?.name, scope?.version, scope?.schemaUrl, String(name).toLowerCase()]);
}

function* seriesSince(
  family: FamilySnapshot,
  before: FamilySnapshot | undefined,
  ended: Iterable<SeriesSnapshot>,
  sinceMs: number,
): Generator<SeriesSnapshot> {
  if (family === before) return;
  const earlier = before?.series ?? [];
  // All states of a series share their attributes.
  const placeOf = placesIn(earlier, ({ attributes }) => attributes);
  for (const now of withStates(family.series, ended)) {
    const place = placeOf(now.attributes);
    const then = place === undefined ? undefined : earlier[place];
    // A series that has not changed has the same state.
    if (then === now) continue;
    // Another start means that counts from before the first one came in: all counts are new.
    const isNew = then === undefined || then.startTimeMs !== now.startTimeMs;
    const increase = isNew ? now : differenceOf(now, then, family.resolution, sinceMs);
    if (hasIncrease(increase)) yield increase;
  }
}

function* withStates(
  live: readonly SeriesSnapshot[],
  ended: Iterable<SeriesSnapshot>,
): Generator<SeriesSnapshot> {
  yield* live;
  yield* ended;
}

function hasIncrease({ counts, rejected }: SeriesSnapshot): boolean {
  return counts.total > 0 || rejectedCount(rejected) > 0;
}
