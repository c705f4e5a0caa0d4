import { assertFollows, having, mustBe, type OptionRule } from '@hdrscope/core/internal';
import { placesIn } from '@hdrscope/kit';
import { changesBetween, type SeriesChange } from './changes.ts';
import { type EndedAfter, endedBetween } from './ended.ts';
import { type FamilySnapshot, origins } from './family.ts';
import type { Scope } from './family-options.ts';
import { NOTHING_REJECTED, rejectedCount } from './rejected.ts';
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
  /** The series that have a new value or a new rejection, in no particular order. May be read once. */
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
      const differences = [...familyChanges(families, previous, inOrder)].map(({ family, series }) =>
        Object.freeze({ ...family, series: Object.freeze([...series]), endedRejected: NOTHING_REJECTED }),
      );
      return createSnapshot(timeMs, differences, errors);
    },
    changesSince: (previous: Snapshot) => familyChanges(families, previous, (changes) => changes),
  });
  if (ended !== undefined) endings.set(snapshot, ended);
  return snapshot;
}

/** The same counts at another time, for intervals that begin then. */
export function snapshotAt(snapshot: Snapshot, timeMs: number): Snapshot {
  return createSnapshot(timeMs, snapshot.families, snapshot.errors, endings.get(snapshot));
}

/** The snapshot before the first one: the first interval is the difference from it. */
export const EMPTY_SNAPSHOT: Snapshot = /* @__PURE__ */ createSnapshot(0, [], []);

export const snapshot: OptionRule<Snapshot> = /* @__PURE__ */ having(
  'a snapshot of a registry',
  'since',
  'changesSince',
);

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertSnapshot(value: unknown): asserts value is Snapshot {
  assertFollows('the snapshot', snapshot, value);
}

/**
 * Refuses what lacks a fact of a family, in a nanosecond: it is called for each series.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function assertFamily<Fact extends keyof FamilySnapshot>(
  value: unknown,
  fact: Fact,
): asserts value is Pick<FamilySnapshot, Fact> {
  if ((value as Partial<FamilySnapshot> | null)?.[fact] !== undefined) return;
  throw mustBe('ERR_INVALID_OPTION', 'the family', 'a family of a snapshot', value);
}

/** The part of the options that says which family is meant. */
export interface FamilyIdentity {
  /** Name of the instrument. Upper and lower case are the same. */
  readonly name: string;
  /** The library that made the family. @default no scope */
  readonly scope?: Scope | undefined;
}

/**
 * The identity of a family in its registry. Names that differ in upper and lower case only are equal, as names of
 * instruments are: https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax
 */
export function familyKey({ name, scope }: FamilyIdentity): string {
  return JSON.stringify([scope?.name, scope?.version, scope?.schemaUrl, String(name).toLowerCase()]);
}

type Ordering = (changes: Iterable<SeriesChange>) => Iterable<SeriesChange>;

/** By their place in the family. */
function inOrder(changes: Iterable<SeriesChange>): Iterable<SeriesChange> {
  return [...changes].sort((a, b) => a.place - b.place);
}

function* familyChanges(
  families: readonly FamilySnapshot[],
  previous: Snapshot,
  ordered: Ordering,
): Generator<FamilyChanges> {
  const before = new Map(previous.families.map((family) => [familyKey(family), family]));
  for (const family of families) {
    const changes = seriesChanges(family, before.get(familyKey(family)), previous);
    yield { family, series: increases(ordered(changes), family, previous) };
  }
}

function* increases(
  changes: Iterable<SeriesChange>,
  { resolution }: FamilySnapshot,
  { timeMs }: Snapshot,
): Generator<SeriesSnapshot> {
  for (const { before, now } of changes) {
    // Another start means that counts from before the first one came in: all counts are new.
    const isNew = before === undefined || before.startTimeMs !== now.startTimeMs;
    const increase = isNew ? now : differenceOf(now, before, resolution, timeMs);
    if (hasIncrease(increase)) yield increase;
  }
}

/** The changes of a family since a snapshot, which may have been taken before the family was made. */
function seriesChanges(
  family: FamilySnapshot,
  before: FamilySnapshot | undefined,
  previous: Snapshot,
): Iterable<SeriesChange> {
  if (family === before) return [];
  const [origin, earlier] = [origins.get(family), before && origins.get(before)];
  const changes = origin && earlier && changesBetween(earlier.after, origin.after);
  if (changes !== undefined) return changes;
  // The family is younger than a snapshot without it, so all series that have ended since were its own.
  const from = before === undefined ? endings.get(previous) : undefined;
  const ended = origin && from ? endedBetween(from, origin.ended, origin.family) : [];
  return comparedSeries(family, before, ended);
}

/** Compares two snapshots that no chain of changes connects: one of them is a difference, or is the first. */
function* comparedSeries(
  family: FamilySnapshot,
  before: FamilySnapshot | undefined,
  ended: Iterable<SeriesSnapshot>,
): Generator<SeriesChange> {
  const earlier = before?.series ?? [];
  // All states of a series share their attributes.
  const placeOf = placesIn(earlier, ({ attributes }) => attributes);
  for (const [place, now] of family.series.entries()) {
    const earlierPlace = placeOf(now.attributes);
    const then = earlierPlace === undefined ? undefined : earlier[earlierPlace];
    if (then !== now) yield { place, before: then, now };
  }
  const { length: place } = family.series;
  for (const now of ended) yield { place, before: undefined, now };
}

function hasIncrease({ counts, rejected }: SeriesSnapshot): boolean {
  return counts.total > 0 || rejectedCount(rejected) > 0;
}
