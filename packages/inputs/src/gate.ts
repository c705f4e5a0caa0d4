import type { BuildChanges, RunsComparison } from '@hdrscope/core';
import type { PercentileChange } from '@hdrscope/core/internal';

/** What a comparison says to a gate. */
export type GateVerdict = 'worse' | 'not worse' | 'cannot be judged';

/**
 * The verdict on two sides: worse when a percentile is.
 *
 * @param mustExclude The relative increase above which the intervals must exclude all others. @default none must be excluded
 */
export function judgeComparison(
  { percentiles }: RunsComparison,
  mustExclude: number = Number.POSITIVE_INFINITY,
): GateVerdict {
  const has = (wanted: PercentileChange['change']): boolean =>
    percentiles.some(({ change }) => change === wanted);
  if (has('worse')) return 'worse';
  const isUnknown = has('cannot be judged') || percentiles.some((row) => mayExceed(row, mustExclude));
  return isUnknown ? 'cannot be judged' : 'not worse';
}

/** Whether the interval of a change has larger increases than a relative one. */
export function mayExceed({ relativeInterval }: PercentileChange, increase: number): boolean {
  return increase !== Number.POSITIVE_INFINITY && !(relativeInterval.upper <= increase);
}

/**
 * The verdict on a series of builds: worse when a percentile is since its last change.
 *
 * @param builds The names of all builds, in their order.
 */
export function judgeChanges(
  found: BuildChanges,
  percentiles: readonly number[],
  builds: readonly string[],
): GateVerdict {
  const isWorse = percentiles.some((percentile) => lastChange(found, percentile)?.change === 'worse');
  if (isWorse) return 'worse';
  const { alone, leftOut, unjudged, leastBuilds } = found;
  const newest = builds.at(-1);
  const isSlowAlone = alone.some(({ name, value, usual }) => name === newest && value > usual);
  const isUnknown = isSlowAlone || leftOut.some((name) => name === newest) || unjudged.length > 0;
  return isUnknown || builds.length - leftOut.length < leastBuilds ? 'cannot be judged' : 'not worse';
}

/** The last change of a percentile, which still stands. */
export function lastChange({ changes }: BuildChanges, percentile: number): PercentileChange | undefined {
  return changes
    .flatMap((change) => change.percentiles)
    .findLast((row) => row.percentile === percentile && isShownChange(row));
}

/** Whether a change is one. */
export function isShownChange({ change }: PercentileChange): boolean {
  return change !== 'no significant difference' && change !== 'cannot be judged';
}

/** A look at the runs so far, and the confidence that its intervals need. */
export interface Look {
  /** After how many runs of each side. */
  readonly runs: number;
  readonly confidence: number;
}

/**
 * When the runs so far are compared. Each look has a part of the error, and all parts together are the error of the confidence, so a
 * comparison that may stop early is wrong as seldom as one that does not (C. Bonferroni's inequality).
 *
 * @param runs How many runs each side has at most.
 * @param least How many it needs at least for a verdict.
 */
export function planLooks(runs: number, least: number, confidence: number): Look[] {
  const stops = [Math.ceil(runs / 2), Math.ceil((3 * runs) / 4)].filter(
    (stop) => stop >= least && stop < runs,
  );
  const early = [...new Set(stops)];
  // Half of the error is for the last look: most comparisons need all runs.
  const share = early.length === 0 ? 1 : 0.5;
  const error = 1 - confidence;
  return [
    ...early.map((stop) => ({ runs: stop, confidence: 1 - (error * (1 - share)) / early.length })),
    { runs, confidence: 1 - error * share },
  ];
}
