import type { HdrLayout } from '@hdrscope/core';
import { WHY_PERCENTILES } from '../question.ts';
import type { RowSide } from './row-reader.ts';

/** Values that are larger by less are no change that somebody looks for: as in `explainChange`. */
export const LEAST_GROWTH = 1.05;

/** How many values lie beyond a limit, and how many there are. */
export interface Beyond {
  readonly beyond: number;
  readonly count: number;
}

/** Values of a row that have become larger or smaller. */
export interface Shift {
  /** Whether values have become larger. */
  readonly isUp: boolean;
  /** The percentile at which the evidence is largest. */
  readonly percentile: number;
  /** Values above this slot are beyond the limit: 5 % more than the percentile of the side whose values are smaller. */
  readonly limit: number;
  readonly before: Beyond;
  readonly after: Beyond;
  /** The evidence against equal shares beyond the limit, in nats, if values are independent. */
  readonly evidence: number;
}

/**
 * The shift with the most evidence, at the percentiles that the page explains; `undefined` when no share has grown. Where values lie in
 * wide buckets, the shares are those that make the shift smallest.
 *
 * @param before Has values, as `after` has.
 */
export function measureShift(before: RowSide, after: RowSide, layout: HdrLayout): Shift | undefined {
  let best: Shift | undefined;
  for (const isUp of [true, false]) {
    const [small, large] = isUp ? [before, after] : [after, before];
    for (const { percentile, limit } of findLimits(small, layout)) {
      const [few, many] = [countBeyond(small, limit, true), countBeyond(large, limit, false)];
      if (many.beyond * few.count <= few.beyond * many.count) continue;
      const evidence = evidenceOfDifference(few, many);
      if (best !== undefined && evidence <= best.evidence) continue;
      best = { isUp, percentile, limit, evidence, ...sides(isUp, few, many) };
    }
  }
  return best;
}

/** How many values of the later time are beyond the limit that would not be there if nothing had changed; negative when fewer are. */
export function countMoved({ before, after }: Pick<Shift, 'before' | 'after'>): number {
  return after.beyond - (after.count * before.beyond) / before.count;
}

function sides(isUp: boolean, few: Beyond, many: Beyond): Pick<Shift, 'before' | 'after'> {
  return isUp ? { before: few, after: many } : { before: many, after: few };
}

const ASCENDING = [...WHY_PERCENTILES].sort((a, b) => a - b);

function findLimits({ last }: RowSide, layout: HdrLayout): { percentile: number; limit: number }[] {
  const largest = layout.upper(layout.slotCount - 1);
  const found: { percentile: number; limit: number }[] = [];
  for (const percentile of ASCENDING) {
    const slot = last.slotAt((percentile / 100) * last.count);
    const top = Math.ceil(layout.upper(slot) * LEAST_GROWTH);
    if (top < largest) found.push({ percentile, limit: layout.slotOf(top) });
  }
  return found;
}

/** @param isMost Whether values of wide buckets count as beyond where they may be, and not only where they must be. */
function countBeyond({ first, last }: RowSide, limit: number, isMost: boolean): Beyond {
  return { beyond: (isMost ? last : first).countAbove(limit), count: first.count };
}

/** Half of the likelihood ratio of two shares against one: https://en.wikipedia.org/wiki/G-test */
export function evidenceOfDifference(a: Beyond, b: Beyond): number {
  const share = (a.beyond + b.beyond) / (a.count + b.count);
  return likelihood(a, share) + likelihood(b, share);
}

function likelihood({ beyond, count }: Beyond, share: number): number {
  const term = (part: number, expected: number): number =>
    part === 0 ? 0 : part * Math.log(part / (count * expected));
  return term(beyond, share) + term(count - beyond, 1 - share);
}

/**
 * How many times more the share beyond a limit varies from one stretch of time to the next than that of independent values: the most that
 * it may be, with 95 % confidence. Requests that wait for the same stall are not independent, so they count as so many fewer. `Infinity`
 * for less than two stretches.
 *
 * @param weight The most values that one stands for, as in a sample: it varies so many times more at least.
 */
export function measureDispersion(stretches: readonly Beyond[], weight: number): number {
  const used = stretches.filter(({ count }) => count > 0);
  const free = used.length - 1;
  if (free < 1) return Number.POSITIVE_INFINITY;
  const count = used.reduce((sum, one) => sum + one.count, 0);
  const beyond = used.reduce((sum, one) => sum + one.beyond, 0);
  // Half a value more: a share of 0 would have no variance.
  const share = (beyond + 0.5) / (count + 1);
  let squares = 0;
  for (const one of used) {
    squares += (one.beyond - share * one.count) ** 2 / (share * (1 - share) * one.count);
  }
  return Math.max(weight, squares / free) / leastOfVariance(free);
}

/** The fifth percentile of a variance that is estimated from so many free stretches, by Wilson and Hilferty. */
function leastOfVariance(free: number): number {
  const width = 2 / (9 * free);
  return Math.max(0, 1 - width - 1.645 * Math.sqrt(width)) ** 3;
}
