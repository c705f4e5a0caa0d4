import { type Counted, HdrscopeError, increase, type Resolution } from '@hdrscope/core';
import { type CounterOptions, counterIncrease, fromTicks, type ScaledLayout } from '@hdrscope/core/internal';
import type { CountedFacts } from '../counted-facts.ts';
import { emptyTally, rejectedCount, rejectedSince } from '../rejected.ts';

import type { LastReading } from './memory.ts';
import type { Reading } from './reading.ts';

/** The part of a reading that its series does not have yet. */
export interface ReadingIncrease {
  readonly counted: Counted;
  readonly facts: CountedFacts;
  /** Whether the counter began anew since the reading before. */
  readonly isReset: boolean;
  /** Number of slots whose counter fell in a way that has two explanations: see `IngestHealth`. */
  readonly uncertain?: number | undefined;
}

/** All of a reading: the first one of its life, or one of a delta counter. */
export function wholeReading({
  counted,
  sum,
  min,
  max,
  within = { min, max },
  ...more
}: Reading): ReadingIncrease {
  const { rejected, exemplars, counter } = more;
  const facts = {
    sum: knownSum(sum),
    min,
    max,
    within,
    rejected,
    exemplars,
    startTimeMs: counter?.startTimeMs,
  };
  return { counted, facts, isReset: false };
}

/**
 * The values that a counter has counted between two readings.
 *
 * The sum is exact to the rounding of one subtraction. The smallest and the largest new value are exact when they are
 * new extremes of all values. Otherwise they are those of the slots, within the known extremes.
 *
 * @param elapsedMs Time between the readings. @default not known
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when a count or the sum has fallen although `resets` is `'never'`.
 */
export function readingIncrease(
  now: Reading,
  last: LastReading,
  resets: NonNullable<CounterOptions['resets']>,
  elapsedMs?: number,
): ReadingIncrease {
  const { counterBits = 64, mostPerSecond, startTimeMs } = now.counter ?? {};
  const isTimed = mostPerSecond !== undefined && elapsedMs !== undefined;
  const { isReset, layout, counts, uncertain } = increase(now.counted, last.counted, {
    ...{ resets, counterBits },
    // Some clocks advance in steps, so two readings may seem to be of one moment: they are a millisecond apart.
    ...(isTimed && { most: (mostPerSecond * Math.max(elapsedMs, 1)) / 1000 }),
  });
  if (resets === 'never') assertNotFallen(now, last);
  const rejected = now.rejected && last.rejected ? rejectedSince(now.rejected, last.rejected) : now.rejected;
  if (last.counted.counts.total === 0 || (isReset && resets !== 'apart')) {
    const { counted, facts } = wholeReading(now);
    return { counted, facts: { ...facts, rejected }, isReset };
  }
  const { min, max, within = { min, max }, exemplars } = now;
  const facts: CountedFacts = {
    // A sum has the values that an uncertain slot leaves out.
    sum: uncertain === undefined ? sumIncrease(now, last, { isReset, counterBits }) : undefined,
    min: min !== undefined && last.min !== undefined && min < last.min ? min : undefined,
    max: max !== undefined && last.max !== undefined && max > last.max ? max : undefined,
    within,
    rejected,
    exemplars,
    startTimeMs,
  };
  return { counted: { layout, counts, weight: now.counted.weight }, facts, isReset, uncertain };
}

/** Whether there is nothing to add. */
export function isEmpty({ counted, facts: { sum = 0, rejected = {} } }: ReadingIncrease): boolean {
  return counted.counts.total === 0 && sum === 0 && rejectedCount(rejected) === 0;
}

/** The sum of the new values; `undefined` when it is not known. */
function sumIncrease(
  { sum: now, counted: { layout } }: Reading,
  { sum: before }: LastReading,
  { isReset, counterBits }: { readonly isReset: boolean; readonly counterBits: 32 | 64 },
): number | undefined {
  if (now === undefined || before === undefined) return undefined;
  const resolution = 'inTicks' in layout ? (layout as ScaledLayout).resolution : ONE_TICK;
  const [from, to] = [ticksIn(before, resolution), ticksIn(now, resolution)];
  if (to >= from) return knownSum(now - before);
  // A sum of 32 bits starts again at 0 after 2^32 − 1 ticks.
  if (counterBits === 32 && !isReset) return fromTicks(resolution, counterIncrease(to, from, counterBits));
  // A counter that began anew has a new sum. Otherwise negative values made the sum fall, and the new part is unknown.
  return isReset ? knownSum(now) : undefined;
}

const ONE_TICK: Resolution = { ticksPerUnit: 1, unitsPerTick: 1 };

/** Whole ticks: the sum was a number of ticks before it was scaled to the unit. */
function ticksIn(sum: number, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return Math.round((sum * ticksPerUnit) / unitsPerTick);
}

/** @throws HdrscopeError `ERR_INCOMPATIBLE` */
function assertNotFallen(now: LastReading, last: LastReading): void {
  const [nowFacts, lastFacts] = [growingFacts(now), growingFacts(last)];
  for (const [what, got] of Object.entries(nowFacts)) {
    const before = lastFacts[what]!;
    if (got >= before) continue;
    const message = `${what} must not be less than before, got ${got} after ${before}`;
    throw new HdrscopeError('ERR_INCOMPATIBLE', message, { details: { what, got, before } });
  }
}

function growingFacts({ sum = 0, rejected = emptyTally() }: LastReading): Record<string, number> {
  const { largest: _, ...tallies } = rejected;
  return { 'the sum': sum, ...tallies };
}

/** A sum below 0 has values in it that a series rejects, so it says nothing about the others. */
function knownSum(sum: number | undefined): number | undefined {
  return sum !== undefined && sum >= 0 && Number.isFinite(sum) ? sum : undefined;
}
