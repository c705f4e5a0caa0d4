import type { Counted } from '@hdrscope/core';
import type { RejectedCounts } from '@hdrscope/registry';
import type { ScrapeRefusalReason } from './scraped.ts';

/** Checked counts of one histogram. */
export interface CountedBuckets {
  readonly counted: Counted;
  readonly rejected?: RejectedCounts;
}

/** Why a histogram is left out: see `ScrapeRefusal`. */
export interface SeriesProblem {
  readonly reason: ScrapeRefusalReason;
  readonly problem: string;
}

export function malformed(problem: string): SeriesProblem {
  return { reason: 'malformed', problem };
}

export function unsupported(problem: string): SeriesProblem {
  return { reason: 'unsupported', problem };
}

export function countTooLarge(): SeriesProblem {
  return { reason: 'countTooLarge', problem: 'has a count above 2^53 - 1' };
}
