import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { type HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import { plus, type SlotValues, times } from './slot-values.ts';

/** One step of an iteration, with the property names of HdrHistogram. */
export interface IterationStep<V = number> {
  /** The highest value that this step covers. */
  readonly valueIteratedTo: V;
  /** The value at which the step before ended; 0 in the first step. */
  readonly valueIteratedFrom: V;
  /** The count of the slot in which the step ends. */
  readonly countAtValueIteratedTo: number;
  /** How many values were counted since the step before. */
  readonly countAddedInThisIterationStep: number;
  /** How many values were counted up to here. */
  readonly totalCountToThisValue: number;
  /** The sum of those values, each taken as the upper bound of its slot. */
  readonly totalValueToThisValue: V;
  /** The percentage of all values counted up to here; `NaN` in an empty histogram. */
  readonly percentile: number;
  /** The percentage that the step aimed at. It is below `percentile` when several steps end in one slot. */
  readonly percentileLevelIteratedTo: number;
}

/** The steps of an iteration, each computed when it is asked for. */
export type Steps<V> = Generator<IterationStep<V>, void, undefined>;

/** One step for every used slot. */
export function* recordedSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
): Steps<V> {
  const { layout, counts } = source;
  const cursor = new Cursor(source, values);
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    yield cursor.stepTo(slot, values.upper(layout, slot));
  }
}

/** One step for every slot, used or not. */
export function* allSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
): Steps<V> {
  const cursor = new Cursor(source, values);
  for (let slot = 0; slot < source.counts.length; slot++) {
    yield cursor.stepTo(slot, values.upper(source.layout, slot));
  }
}

/**
 * Steps of percentages that get smaller towards 100 %: after `ticksPerHalfDistance` steps the distance to 100 % has halved.
 * A slot in which several steps end comes several times, and the last step is 100 % itself.
 */
export function percentileSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
  ticksPerHalfDistance: number,
): Steps<V> {
  if (!Number.isSafeInteger(ticksPerHalfDistance) || ticksPerHalfDistance < 1) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'ticksPerHalfDistance',
      'an integer of at least 1',
      ticksPerHalfDistance,
    );
  }
  return shrinkingSteps(source, values, ticksPerHalfDistance);
}

function* shrinkingSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
  ticksPerHalfDistance: number,
): Steps<V> {
  const { layout, counts } = source;
  const cursor = new Cursor(source, values);
  let level = 0;
  while (!cursor.isAtEnd) {
    const slot = cursor.advanceToCount(countOfLevel(level, counts.total));
    // Rounding can make a percentage 100 before the last slot, and less than 100 in it: there the counts decide.
    while (cursor.isAtEnd || (level < 100 && cursor.percentile >= level)) {
      const to = values.upper(layout, slot);
      yield cursor.stepTo(slot, to, level);
      level = nextPercentileLevel(level, ticksPerHalfDistance);
      if (cursor.isAtEnd) {
        yield cursor.stepTo(slot, to, 100);
        return;
      }
    }
  }
}

/** The smallest count, from 1 to `total`, whose percentage is at least `level` as rounded; all counts for 100 %. */
function countOfLevel(level: number, total: number): number {
  if (level >= 100) return total;
  let count = Math.min(Math.max(1, Math.ceil((level / 100) * total)), total);
  while (count > 1 && percentileOf(count - 1, total) >= level) count--;
  while (count < total && percentileOf(count, total) < level) count++;
  return count;
}

function percentileOf(count: number, total: number): number {
  return (100 * count) / total;
}

/** The next level; 100 when the step is too small to change the double. */
function nextPercentileLevel(level: number, ticksPerHalfDistance: number): number {
  const halvings = Math.floor(Math.log(100 / (100 - level)) / Math.LN2);
  const next = level + 100 / (ticksPerHalfDistance * 2 ** (halvings + 1));
  return next === level ? 100 : next;
}

/** Steps of equal width: `width`, `2 * width`, … */
export function linearSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
  given: number | bigint,
): Steps<V> {
  const width = integerFrom('width', given, values);
  function* ends(): Generator<V, never, undefined> {
    for (let end = width; ; end = plus(end, width)) yield end;
  }
  const minusOne = values.of(-1);
  return levelSteps(source, values, ends(), (end) => plus(end, minusOne));
}

/** Steps of growing width: `first`, `first * base`, `first * base ** 2`, … */
export function logarithmicSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
  given: number | bigint,
  base: number,
): Steps<V> {
  const first = integerFrom('first', given, values);
  if (!(typeof base === 'number' && base > 1 && base < Number.POSITIVE_INFINITY)) {
    throw mustBe('ERR_INVALID_OPTION', 'base', 'a finite number above 1', base);
  }
  function* ends(): Generator<V, never, undefined> {
    for (let end = Number(first); ; end *= base) {
      yield values.of(Math.trunc(Math.min(end, Number(LARGEST_VALUE))));
    }
  }
  const { layout } = source;
  return levelSteps(source, values, ends(), (end) => values.lower(layout, values.slotOf(layout, end)));
}

/**
 * Steps with given ends, whether they hold counts or not. Each ends in the slot of the value before its end, or in the last
 * slot. They go on until all counts were passed, and then to the end of the slot that was reached: a step is taken when
 * `threshold(end)` still lies in that slot.
 * Source: HdrHistogram (Java), `LinearIterator` and `LogarithmicIterator`.
 */
function* levelSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
  ends: Iterator<V, never>,
  threshold: (end: V) => V,
): Steps<V> {
  const { layout, counts } = source;
  const cursor = new Cursor(source, values);
  const minusOne = values.of(-1);
  let slot = 0;
  for (let end = ends.next().value; ; end = ends.next().value) {
    if (cursor.isAtEnd && !(threshold(end) < values.lower(layout, slot + 1))) return;
    const to = plus(end, minusOne);
    slot = Math.max(slot, Math.min(slotWithin(layout, values, to), counts.length - 1));
    yield cursor.stepTo(slot, to);
  }
}

/** The slot of a value, or the last slot for a value above the range. */
function slotWithin<V extends number | bigint>(layout: HdrLayout, values: SlotValues<V>, value: V): number {
  return value > layout.largestValue ? layout.slotCount - 1 : values.slotOf(layout, value);
}

function integerFrom<V extends number | bigint>(
  what: string,
  given: number | bigint,
  values: SlotValues<V>,
): V {
  const isInteger = typeof given === 'bigint' ? given <= LARGEST_VALUE : Number.isSafeInteger(given);
  if (isInteger && given >= 1) {
    const value = values.of(given);
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return value;
  }
  const most = typeof values.of(1) === 'bigint' ? '2^63 - 1' : '2^53 - 1';
  throw mustBe('ERR_INVALID_OPTION', what, `an integer from 1 to ${most}`, given);
}

// How many slots are read at a time.
const RUN = 512;

/** The position of an iteration. */
class Cursor<V extends number | bigint> {
  readonly #layout: HdrLayout;
  readonly #counts: ReadonlyCounts;
  readonly #values: SlotValues<V>;
  readonly #total: number;
  /** The counts from slot `#runStart` upwards. */
  readonly #run = new Float64Array(RUN);
  #runStart = -RUN;
  /** The first slot that the cursor has not passed. */
  #next = 0;
  #countUpTo = 0;
  #valueUpTo: V;
  /** The end of the step before, and the count up to there. */
  #from: V;
  #countBefore = 0;

  constructor({ layout, counts }: Counted<HdrLayout>, values: SlotValues<V>) {
    this.#layout = layout;
    this.#counts = counts;
    this.#values = values;
    this.#total = counts.total;
    this.#from = values.of(0);
    this.#valueUpTo = this.#from;
  }

  get isAtEnd(): boolean {
    return this.#countUpTo === this.#total;
  }

  get percentile(): number {
    return percentileOf(this.#countUpTo, this.#total);
  }

  /** Passes slots until they hold `count` values, at most the total; returns the last slot passed. */
  advanceToCount(count: number): number {
    return this.#pass(this.#counts.length - 1, count);
  }

  stepTo(slot: number, to: V, level?: number): IterationStep<V> {
    this.#pass(slot, this.#total);
    const { percentile } = this;
    const step = {
      valueIteratedTo: to,
      valueIteratedFrom: this.#from,
      countAtValueIteratedTo: this.#counts.at(slot),
      countAddedInThisIterationStep: this.#countUpTo - this.#countBefore,
      totalCountToThisValue: this.#countUpTo,
      totalValueToThisValue: this.#valueUpTo,
      percentile,
      percentileLevelIteratedTo: level ?? percentile,
    };
    this.#from = to;
    this.#countBefore = this.#countUpTo;
    return step;
  }

  /** Passes slots up to `last`, or until they hold `count` values; returns the last slot passed. */
  #pass(last: number, count: number): number {
    const [layout, counts, values, run] = [this.#layout, this.#counts, this.#values, this.#run];
    if (counts.total !== this.#total) {
      throw new HdrscopeError(
        'ERR_CONCURRENT_MODIFICATION',
        `a histogram must not change while it is iterated, got ${counts.total} values in place of ${this.#total}`,
      );
    }
    let slot = this.#next;
    let countUpTo = this.#countUpTo;
    let valueUpTo = this.#valueUpTo;
    while (slot <= last && countUpTo < count) {
      if (slot >= this.#runStart + RUN) {
        slot = Math.max(slot, counts.next(slot));
        this.#runStart = slot;
        counts.read(slot, run);
        continue;
      }
      const added = run[slot - this.#runStart]!;
      if (added !== 0) {
        countUpTo += added;
        valueUpTo = plus(valueUpTo, times(values.of(added), values.upper(layout, slot)));
      }
      slot++;
    }
    this.#next = slot;
    this.#countUpTo = countUpTo;
    this.#valueUpTo = valueUpTo;
    return slot - 1;
  }
}
