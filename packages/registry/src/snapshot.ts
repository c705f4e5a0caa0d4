import { Histogram, increase } from '@hdrscope/core';
import { fromTicks, type Resolution } from '@hdrscope/core/internal';
import { canonicalText } from './attributes.ts';
import type { FamilySnapshot, Scope } from './family.ts';
import { extremesBetween } from './intervals.ts';
import { intervalsAfter, type Rejected, type SeriesSnapshot } from './series.ts';

/** A source that failed while it was asked. */
export interface SourceFailure {
  readonly source: string;
  readonly error: unknown;
}

/** Everything that a registry held at one moment: plain, immutable, cumulative. */
export interface Snapshot {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly families: readonly FamilySnapshot[];
  /** Sources whose part is missing or stale. */
  readonly errors: readonly SourceFailure[];
  /**
   * What was counted since `previous`, an earlier snapshot of the same registry, its minimum and maximum included.
   * Series without a new value are left out.
   */
  since(previous: Snapshot): Snapshot;
}

/** Puts a snapshot together. */
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

/** A snapshot from before anything was counted: what the first interval is the difference to. */
export const EMPTY_SNAPSHOT: Snapshot = /* @__PURE__ */ createSnapshot(0, [], []);

/**
 * What tells families of one registry apart. Names are compared without regard to case, as those of instruments are:
 * https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax
 */
export function familyKey({
  name,
  scope,
}: {
  readonly name: string;
  readonly scope?: Scope | undefined;
}): string {
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
    // Another start means another series under the same attributes: all it has is new.
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
    // Plus 0, or -0 would show.
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

/** The exact extremes; `undefined` where a snapshot is not of a series, but a difference itself. */
function extremesOf(now: SeriesSnapshot, then: SeriesSnapshot): ReturnType<typeof extremesBetween> {
  const [from, to] = [intervalsAfter.get(then), intervalsAfter.get(now)];
  return from && to && extremesBetween(from, to);
}

function rejectedSince(now: Rejected, then: Rejected): Rejected {
  return Object.freeze({
    notANumber: now.notANumber - then.notANumber,
    negative: now.negative - then.negative,
    tooLarge: now.tooLarge - then.tooLarge,
    largest: now.tooLarge === then.tooLarge ? 0 : now.largest,
    overflowing: now.overflowing - then.overflowing,
  });
}

function hasIncrease({ histogram, rejected }: SeriesSnapshot): boolean {
  return (
    histogram.totalCount > 0 ||
    rejected.notANumber + rejected.negative + rejected.tooLarge + rejected.overflowing > 0
  );
}
