import { Histogram, increase } from '@hdrscope/core';
import { fromTicks, type Resolution } from '@hdrscope/core/internal';
import { canonicalText } from './attributes.ts';
import type { FamilySnapshot } from './family.ts';
import type { Scope } from './family-options.ts';
import { type Extremes, extremesBetween } from './intervals.ts';
import { rejectedCount, rejectedSince } from './rejected.ts';
import { intervalsAfter, type SeriesSnapshot } from './series.ts';

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
      const before = new Map(previous.families.map((family) => [familyKey(family), family]));
      const differences = families.map((family) =>
        difference(family, before.get(familyKey(family)), previous.timeMs),
      );
      return createSnapshot(timeMs, differences, errors);
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

function difference(
  family: FamilySnapshot,
  before: FamilySnapshot | undefined,
  sinceMs: number,
): FamilySnapshot {
  const earlier = new Map(before?.series.map((series) => [canonicalText(series.attributes), series]));
  const series = family.series.flatMap((now) => {
    const then = earlier.get(canonicalText(now.attributes));
    // Another start means another series with the same attributes, whose counts are all new.
    if (then === undefined || then.startTimeMs !== now.startTimeMs) return hasIncrease(now) ? [now] : [];
    const delta = seriesDifference(now, then, family.resolution, sinceMs);
    return hasIncrease(delta) ? [delta] : [];
  });
  return Object.freeze({ ...family, series: Object.freeze(series) });
}

function seriesDifference(
  now: SeriesSnapshot,
  then: SeriesSnapshot,
  resolution: Resolution,
  sinceMs: number,
): SeriesSnapshot {
  const histogram = histogramSince(now, then);
  const { min, max } = extremesOf(now, then) ?? {
    min: Math.max(now.min, fromTicks(resolution, histogram.min)),
    max: Math.min(now.max, fromTicks(resolution, histogram.max)),
  };
  const isEmpty = histogram.totalCount === 0;
  return Object.freeze({
    attributes: now.attributes,
    startTimeMs: sinceMs,
    histogram,
    sum: now.sum - then.sum,
    // Adding 0 turns -0 into 0.
    min: isEmpty ? 0 : min + 0,
    max: isEmpty ? 0 : max + 0,
    rejected: rejectedSince(now.rejected, then.rejected),
    exemplars: Object.freeze(now.exemplars.filter(({ timeMs }) => timeMs >= sinceMs)),
  });
}

function histogramSince(now: SeriesSnapshot, then: SeriesSnapshot): Histogram {
  const { layout, startTimeMs, endTimeMs, tag } = now.histogram;
  const { counts } = increase(now.histogram, then.histogram, { resets: 'never' });
  const histogram = new Histogram({ layout, storage: 'sparse' });
  histogram.add({ layout, counts, startTimeMs, endTimeMs });
  histogram.tag = tag;
  return histogram;
}

/** The exact extremes; `undefined` when one of both is itself a difference. */
function extremesOf(now: SeriesSnapshot, then: SeriesSnapshot): Extremes | undefined {
  const [from, to] = [intervalsAfter.get(then), intervalsAfter.get(now)];
  return from && to && extremesBetween(from, to);
}

function hasIncrease({ histogram, rejected }: SeriesSnapshot): boolean {
  return histogram.totalCount > 0 || rejectedCount(rejected) > 0;
}
