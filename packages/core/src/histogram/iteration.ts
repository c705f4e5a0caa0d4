import type { Counted } from '../counted.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { type HdrLayout, LARGEST_VALUE } from '../layout/hdr.ts';
import { plus, type SlotValues, times } from './slot-values.ts';

/** One step of an iteration. The names are HdrHistogram's. */
export interface IterationStep<V = number> {
  /** The highest value that this step covers. */
  readonly valueIteratedTo: V;
  /** Where the step before ended; 0 in the first. */
  readonly valueIteratedFrom: V;
  /** The count of the slot in which the step ends. */
  readonly countAtValueIteratedTo: number;
  /** Values counted since the step before. */
  readonly countAddedInThisIterationStep: number;
  /** Values counted up to here. */
  readonly totalCountToThisValue: number;
  /** The sum of those values, each taken as the upper bound of its slot. */
  readonly totalValueToThisValue: V;
  /** The percentage of all values counted up to here. `NaN` where there is none. */
  readonly percentile: number;
  /** The percentage that the step was after: below `percentile` where a slot holds more than one step. */
  readonly percentileLevelIteratedTo: number;
}

/** The steps of an iteration, made as they are asked for. */
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
 * Steps of a percentage that shrinks as 100 % comes nearer: `ticksPerHalfDistance` steps, then the distance to 100 %
 * is half of what it was. A slot that holds several steps is repeated, and a last step stands for 100 % itself.
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
    // Rounding may make a percentage 100 before the last slot, and less in it: there the counts decide.
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

/** The level one step on: 100 where the step is too small to tell from none. */
function nextPercentileLevel(level: number, ticksPerHalfDistance: number): number {
  const halvings = Math.floor(Math.log(100 / (100 - level)) / Math.LN2);
  const next = level + 100 / (ticksPerHalfDistance * 2 ** (halvings + 1));
  return next === level ? 100 : next;
}

/** Steps of equal width: `width`, `2 * width`, … */
export function linearSteps<V extends number | bigint>(
  source: Counted<HdrLayout>,
  values: SlotValues<V>,
  width: V,
): Steps<V> {
  assertInteger('width', width);
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
  first: V,
  base: number,
): Steps<V> {
  assertInteger('first', first);
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
 * Steps that end where they are told to, whether anything was counted in them or not: each in the slot that holds the
 * value before its end, or in the last one. They go on until all counts were seen, and then to the end of the slot
 * reached; `threshold` says what of an end must lie in that slot for its step to be taken too.
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

/** The slot of a value that may lie beyond all that have one. */
function slotWithin<V extends number | bigint>(layout: HdrLayout, values: SlotValues<V>, value: V): number {
  return value > layout.largestValue ? layout.slotCount - 1 : values.slotOf(layout, value);
}

function assertInteger(what: string, value: number | bigint): void {
  const isInteger = typeof value === 'bigint' ? value <= LARGEST_VALUE : Number.isSafeInteger(value);
  if (!isInteger || value < 1) {
    throw mustBe('ERR_INVALID_OPTION', what, 'an integer of at least 1', value);
  }
}

// Slots that are read at a time.
const RUN = 512;

/** How far an iteration has come. */
class Cursor<V extends number | bigint> {
  readonly #layout: HdrLayout;
  readonly #counts: ReadonlyCounts;
  readonly #values: SlotValues<V>;
  readonly #total: number;
  /** The counts from slot `#runStart` upwards. */
  readonly #run = new Float64Array(RUN);
  #runStart = -RUN;
  /** The first slot that was not passed yet. */
  #next = 0;
  #countUpTo = 0;
  #valueUpTo: V;
  /** Where the step before ended, and what was counted up to there. */
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

  /** Passes slots until so many values, at most the total, were counted in them; returns the last of them. */
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

  /** Passes slots up to `last`, or until so many values were counted; returns the last that was passed. */
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
