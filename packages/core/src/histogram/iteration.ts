import type { ReadonlyCounts } from '../counts/counts.ts';
import { mustBe } from '../errors.ts';
import type { HdrLayout } from '../layout/hdr.ts';

/** Counts over an HDR layout: all that reading needs. */
export interface HdrCounts {
  readonly layout: HdrLayout;
  readonly counts: ReadonlyCounts;
}

/** One step of an iteration. The names are HdrHistogram's. */
export interface IterationStep {
  /** The highest value that this step covers. */
  readonly valueIteratedTo: number;
  /** Where the step before ended; 0 in the first. */
  readonly valueIteratedFrom: number;
  /** The count of the slot in which the step ends. */
  readonly countAtValueIteratedTo: number;
  /** Values counted since the step before. */
  readonly countAddedInThisIterationStep: number;
  /** Values counted up to here. */
  readonly totalCountToThisValue: number;
  /** The sum of those values, each taken as the upper bound of its slot. */
  readonly totalValueToThisValue: number;
  /** The percentage of all values counted up to here. */
  readonly percentile: number;
  /** The percentage that the step was after: below `percentile` where a slot holds more than one step. */
  readonly percentileLevelIteratedTo: number;
}

/** One step for every used slot. */
export function* recordedSteps({ layout, counts }: HdrCounts): Generator<IterationStep, void, undefined> {
  let from = 0;
  let countBefore = 0;
  let valueSum = 0;
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    const count = counts.at(slot);
    const to = layout.upper(slot);
    valueSum += count * to;
    const percentile = (100 * (countBefore + count)) / counts.total;
    yield {
      valueIteratedTo: to,
      valueIteratedFrom: from,
      countAtValueIteratedTo: count,
      countAddedInThisIterationStep: count,
      totalCountToThisValue: countBefore + count,
      totalValueToThisValue: valueSum,
      percentile,
      percentileLevelIteratedTo: percentile,
    };
    from = to;
    countBefore += count;
  }
}

/**
 * Steps of a percentage that shrinks as 100 % comes nearer: `ticksPerHalfDistance` steps, then the distance to 100 %
 * is half of what it was. A slot that holds several steps is repeated, and a last step stands for 100 % itself.
 */
export function* percentileSteps(
  { layout, counts }: HdrCounts,
  ticksPerHalfDistance: number,
): Generator<IterationStep, void, undefined> {
  if (!Number.isSafeInteger(ticksPerHalfDistance) || ticksPerHalfDistance < 1) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'ticksPerHalfDistance',
      'an integer of at least 1',
      ticksPerHalfDistance,
    );
  }
  let from = 0;
  let level = 0;
  let countBefore = 0;
  for (const slot of recordedSteps({ layout, counts })) {
    const { valueIteratedTo, totalCountToThisValue, percentile } = slot;
    const isLast = totalCountToThisValue === counts.total;
    // Rounding may make a percentage 100 before the last slot, and less in it: there the counts decide.
    while (isLast || (level < 100 && percentile >= level)) {
      yield {
        ...slot,
        valueIteratedFrom: from,
        countAddedInThisIterationStep: totalCountToThisValue - countBefore,
        percentileLevelIteratedTo: level,
      };
      from = valueIteratedTo;
      countBefore = totalCountToThisValue;
      level = nextLevel(level, ticksPerHalfDistance);
      if (isLast) {
        yield {
          ...slot,
          valueIteratedFrom: from,
          countAddedInThisIterationStep: 0,
          percentileLevelIteratedTo: 100,
        };
        return;
      }
    }
  }
}

/** The level one step on: 100 where the step is too small to tell from none. */
function nextLevel(level: number, ticksPerHalfDistance: number): number {
  const halvings = Math.floor(Math.log(100 / (100 - level)) / Math.LN2);
  const next = level + 100 / (ticksPerHalfDistance * 2 ** (halvings + 1));
  return next === level ? 100 : next;
}
