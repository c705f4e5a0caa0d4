import { type Counted, type CounterOptions, HdrscopeError, increase } from '@hdrscope/core';
import { counterIncrease, fromTicks, type Resolution, type ScaledLayout } from '@hdrscope/core/internal';
import type { Rejected } from '../rejected.ts';
import type { CountedFacts } from '../series.ts';
import type { KeptReading } from './memory.ts';
import type { Reading } from './reading.ts';

/** What a reading adds to its series. */
export interface Step {
  readonly counted: Counted;
  readonly facts: CountedFacts;
  /** Whether the counter began anew since it was read last. */
  readonly isReset: boolean;
}

/** All of a reading, as nothing of its life was known before. */
export function wholeOf({ counted, sum, min, max, within = { min, max }, ...more }: Reading): Step {
  const { rejected, exemplars, counter } = more;
  const facts = { sum: asSum(sum), min, max, within, rejected, exemplars, startTimeMs: counter?.startTimeMs };
  return { counted, facts, isReset: false };
}

/**
 * What a counter has counted between two readings. A sum is exact to the rounding of one subtraction. The smallest and the largest new value
 * are exact where they are new extremes of all values; otherwise the slots bound them, within the known extremes.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when counts have fallen that never do.
 */
export function stepSince(
  last: KeptReading,
  now: Reading,
  resets: NonNullable<CounterOptions['resets']>,
): Step {
  const { counterBits = 64, startTimeMs } = now.counter ?? {};
  const { isReset, layout, counts } = increase(now.counted, last.counted, { resets, counterBits });
  if (resets === 'never') assertNotLess(last, now);
  const rejected = now.rejected && rejectedSince(last.rejected, now.rejected);
  if (last.counted.counts.total === 0 || (isReset && resets !== 'apart')) {
    const { counted, facts } = wholeOf(now);
    return { counted, facts: { ...facts, rejected }, isReset };
  }
  const { min, max, within = { min, max } } = now;
  const facts: CountedFacts = {
    sum: sumSince(last.sum, now, { isReset, counterBits }),
    min: min !== undefined && last.min !== undefined && min < last.min ? min : undefined,
    max: max !== undefined && last.max !== undefined && max > last.max ? max : undefined,
    within,
    rejected,
    exemplars: now.exemplars,
    startTimeMs,
  };
  return { counted: { layout, counts }, facts, isReset };
}

/** Whether a step has anything to add. */
export function isNothing({ counted, facts: { sum = 0, rejected } }: Step): boolean {
  return counted.counts.total === 0 && sum === 0 && (rejected === undefined || areNone(rejected));
}

function sumSince(
  before: number | undefined,
  { sum: now, counted: { layout } }: Reading,
  { isReset, counterBits }: { readonly isReset: boolean; readonly counterBits: 32 | 64 },
): number | undefined {
  if (before === undefined || now === undefined) return undefined;
  // A sum turns where its ticks do. Rounding makes them whole again.
  const resolution = 'inTicks' in layout ? (layout as ScaledLayout).resolution : ONE_TICK;
  const { ticksPerUnit, unitsPerTick } = resolution;
  const [from, to] = [before, now].map((sum) => Math.round((sum * ticksPerUnit) / unitsPerTick)) as [
    number,
    number,
  ];
  if (to >= from) return asSum(now - before);
  if (counterBits === 32 && !isReset) return fromTicks(resolution, counterIncrease(to, from, counterBits));
  // Counters that began anew have a new sum. Otherwise negative values made it fall, and it says nothing about the new ones.
  return isReset ? asSum(now) : undefined;
}

const ONE_TICK: Resolution = { ticksPerUnit: 1, unitsPerTick: 1 };

/** @throws HdrscopeError `ERR_INCOMPATIBLE` */
function assertNotLess(last: KeptReading, now: KeptReading): void {
  const facts = ({ sum = 0, rejected = NONE }: KeptReading): Record<string, number> => {
    const { largest: _, ...tallies } = rejected;
    return { 'the sum': sum, ...tallies };
  };
  const before = facts(last);
  for (const [what, value] of Object.entries(facts(now))) {
    if (value < before[what]!) {
      const message = `${what} must not be less than before, got ${value} after ${before[what]}`;
      throw new HdrscopeError('ERR_INCOMPATIBLE', message, {
        details: { what, got: value, before: before[what] },
      });
    }
  }
}

const NONE: Rejected = { notANumber: 0, negative: 0, tooLarge: 0, largest: 0, overflowing: 0 };

/** A sum below 0 has values in it that a series rejects. */
function asSum(sum: number | undefined): number | undefined {
  return sum !== undefined && sum >= 0 && Number.isFinite(sum) ? sum : undefined;
}

function rejectedSince(before: Rejected | undefined, now: Rejected): Rejected {
  if (before === undefined) return now;
  const since = (reason: keyof Rejected): number => counterIncrease(now[reason], before[reason]);
  return {
    notANumber: since('notANumber'),
    negative: since('negative'),
    tooLarge: since('tooLarge'),
    largest: now.largest,
    overflowing: since('overflowing'),
  };
}

function areNone({
  notANumber = 0,
  negative = 0,
  tooLarge = 0,
  overflowing = 0,
}: Partial<Rejected>): boolean {
  return notANumber + negative + tooLarge + overflowing === 0;
}
