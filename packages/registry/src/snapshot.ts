import { canonicalText } from './attributes.ts';
import type { FamilySnapshot } from './family.ts';
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

/** Makes a snapshot, and freezes its parts. */
export function createSnapshot(
  timeMs: number,
  families: readonly FamilySnapshot[],
  errors: readonly SourceFailure[],
): Snapshot {
  return Object.freeze({
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
        const series = seriesSince(family, before.get(familyKey(family)), previous.timeMs);
        yield { family, series };
      }
    },
  });
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
  sinceMs: number,
): Generator<SeriesSnapshot> {
  if (family === before) return;
  const earlier = earlierStates(before);
  for (let place = 0; place < family.series.length; place++) {
    const now = family.series[place]!;
    // A series that has not changed has the same state.
    if (before?.series[place] === now) continue;
    const then = earlier(now, place);
    // Another start means another series with the same attributes, whose counts are all new.
    const isNew = then === undefined || then.startTimeMs !== now.startTimeMs;
    const increase = isNew ? now : differenceOf(now, then, family.resolution, sinceMs);
    if (hasIncrease(increase)) yield increase;
  }
}

/** Finds the earlier state of a series. Nearly always it stands in the same place. */
function earlierStates(
  before: FamilySnapshot | undefined,
): (now: SeriesSnapshot, place: number) => SeriesSnapshot | undefined {
  let byText: Map<string, SeriesSnapshot> | undefined;
  return ({ attributes }, place) => {
    const same = before?.series[place];
    if (before === undefined || same?.attributes === attributes) return same;
    byText ??= new Map(before.series.map((series) => [canonicalText(series.attributes), series]));
    return byText.get(canonicalText(attributes));
  };
}

function hasIncrease({ counts, rejected }: SeriesSnapshot): boolean {
  return counts.total > 0 || rejectedCount(rejected) > 0;
}
