import { createHash } from 'node:crypto';

/** A side of a comparison. */
export type SideName = 'before' | 'after';

/**
 * The order of both sides in a pair of runs. Two pairs are mirror images, ABBA or BAAB, so that a machine that becomes steadily slower
 * harms both sides alike; the seed decides which.
 *
 * @param pair From 0.
 */
export function orderOfPair(pair: number, seed: number): readonly [SideName, SideName] {
  const [bit = 0] = createHash('sha256')
    .update(`${seed} ${pair >> 1}`)
    .digest();
  return ((bit & 1) === 0) === (pair % 2 === 0) ? ['before', 'after'] : ['after', 'before'];
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
