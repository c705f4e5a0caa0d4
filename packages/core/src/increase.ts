import type { Counted } from './counted.ts';
import type { ReadonlyCounts } from './counts/readonly-counts.ts';
import { RunCounts } from './counts/run.ts';
import { SparseCounts } from './counts/sparse.ts';
import { usedSlots } from './counts/used-slots.ts';
import { PAGE_SLOTS } from './counts/words.ts';
import { HdrscopeError } from './errors.ts';
import { assertCounted } from './histogram/operands.ts';
import {
  type ExponentialLayout,
  exponentialIndex,
  exponentialLayout,
  type IndexRange,
  isExponentialLayout,
} from './layout/exponential.ts';
import { HdrLayout } from './layout/hdr.ts';
import type { Layout } from './layout/layout.ts';
import { assertOptions, custom, type OptionsOwner, oneOf } from './options.ts';
import { rebucket } from './rebucket.ts';

/** How counters behave that are read from time to time. */
export interface CounterOptions {
  /**
   * Whether all slots are set to 0 together, as by a restart, or single ones too, as when a kernel map loses an entry.
   * Counts that have fallen make all of `now` new when slots are reset together, and only the fallen slots otherwise. With
   * `'never'` they are refused, since one of the states must be broken. @default 'together'
   */
  readonly resets?: 'together' | 'apart' | 'never';
  /**
   * The width of a counter. One of 32 bits starts again at 0 after 2^32 − 1: a counter that was in its upper half and is in
   * its lower half has passed its largest value, unless another slot shows that counters were set to 0. @default 64
   */
  readonly counterBits?: 32 | 64;
  /**
   * The most that one counter can have counted between the two states: a number of at least 0. An increase beyond it is refused. A
   * counter of 32 bits that would have counted more was set to 0. Where it may also have passed its largest value, its slot adds
   * nothing and is `uncertain`. @default nothing is known, and a counter that may have passed its largest value has done so
   */
  readonly most?: number;
}

/** Counts that were added between two states of one counter. */
export interface Increase<L extends Layout = Layout> extends Counted<L> {
  /** Whether counters began anew between the two states. Counts from between the first state and the reset are lost. */
  readonly isReset: boolean;
  /**
   * Number of slots whose counter has either passed its largest value or been set to 0: see `CounterOptions.most`. None of their
   * counts is included. @default 0
   */
  readonly uncertain?: number;
}

/**
 * The counts between two cumulative states of one distribution. Nothing is ever negative, and no count appears twice.
 *
 * The layouts may differ as they do between states of one source. Exponential buckets of two scales are compared at the coarser
 * one, as https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram says. Slots of any other layout
 * are compared where each used slot of `before` lies within one slot of `now`; otherwise the counters began anew.
 *
 * @param before The earlier state. Left out, all of `now` is new.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when an argument is not counts over a layout, counts have fallen that never do, or a slot
 *   has counted more than `most`; `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { countedIn, explicitLayout, increase } from '@hdrscope/core';
 *
 * const layout = explicitLayout([0.1, 0.5]);
 * const [first, second, restarted] = [[5, 2, 0], [6, 2, 4], [1, 0, 0]].map((counts) => countedIn(layout, counts));
 * const { counts, isReset } = increase(second!, first);
 * [counts.at(0), counts.at(1), counts.at(2), isReset]; //=> [1, 0, 4, false]
 * increase(restarted!, second).isReset; //=> true
 * ```
 */
export function increase<L extends Layout>(
  now: Counted<L>,
  before: Counted | undefined,
  options: CounterOptions = {},
): Increase<L | ExponentialLayout> {
  assertCounted('increase', now);
  if (before !== undefined) assertCounted('increase', before);
  assertOptions(options, INCREASE);
  if (before === undefined) return allOf(now, false);
  const found = increaseSince(now, before, options);
  const { most } = options;
  // Not each slot: most increases have no limit.
  for (const [slot, got] of most === undefined ? [] : usedSlots(found.counts)) {
    if (got > most!) {
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `counts must grow by at most ${most}, got ${got} in slot ${slot}`,
      );
    }
  }
  return found;
}

function increaseSince<L extends Layout>(
  now: Counted<L>,
  before: Counted,
  options: CounterOptions,
): Increase<L | ExponentialLayout> {
  const { resets = 'together' } = options;
  if (before.counts.total === 0) return allOf(now, false);
  if (now.counts === before.counts) {
    return { layout: now.layout, counts: new SparseCounts(now.layout.slotCount), isReset: false };
  }
  const states = aligned(now, before, resets);
  const difference = states && countsSince(states.now.counts, states.before.counts, options);
  if (difference === undefined) {
    if (resets === 'never') throw new HdrscopeError('ERR_INCOMPATIBLE', FALLEN);
    return allOf(now, true);
  }
  return { layout: states!.now.layout, ...difference };
}

/** The increase of one counter: see `CounterOptions.counterBits`. */
export function counterIncrease(now: number, before: number, counterBits: 32 | 64 = 64): number {
  if (now >= before) return now - before;
  return mayHaveTurned(now, before, counterBits) ? now - before + TURN : now;
}

const INCREASE: OptionsOwner<CounterOptions> = {
  name: 'increase',
  names: {
    resets: /* @__PURE__ */ oneOf(['together', 'apart', 'never']),
    counterBits: /* @__PURE__ */ custom('32 or 64', (value) => value === 32 || value === 64),
    most: /* @__PURE__ */ custom(
      'a number of at least 0',
      (value) => typeof value === 'number' && value >= 0,
    ),
  },
  call: "increase(now, before, { resets: 'apart' })",
};

const FALLEN = 'the earlier counts must be contained in the later ones: both must be states of one counter';

const TURN = 2 ** 32;
const HALF_TURN = 2 ** 31;

function mayHaveTurned(
  now: number,
  before: number,
  counterBits: 32 | 64,
  most = Number.POSITIVE_INFINITY,
): boolean {
  const isTurn = counterBits === 32 && before >= HALF_TURN && before < TURN && now < HALF_TURN;
  return isTurn && now - before + TURN <= most;
}

function allOf<L extends Layout>({ layout, counts }: Counted<L>, isReset: boolean): Increase<L> {
  return { layout, counts, isReset };
}

const nowPage = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);
const beforePage = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/** The difference of counts whose slots have the same numbers, a copy; `undefined` when all of them began anew. */
export function countsSince(
  now: ReadonlyCounts,
  before: ReadonlyCounts,
  { resets = 'together', counterBits = 64, most }: CounterOptions = {},
): { readonly counts: ReadonlyCounts; readonly isReset: boolean; readonly uncertain?: number } | undefined {
  const listed = now instanceof SparseCounts ? now.listedSince(before) : undefined;
  if (listed !== undefined) return { counts: listed, isReset: false };
  if (now instanceof RunCounts && before instanceof RunCounts) {
    const run = now.since(before);
    if (run !== undefined) return { counts: run, isReset: false };
  }
  let isReset = false;
  let uncertain = 0;
  const hasReset = (): boolean => {
    for (const [slot, count] of usedSlots(before)) {
      // The range was wider before: a histogram that has grown begins anew with the range that it had at first.
      if (slot >= now.length) return true;
      const at = now.at(slot);
      if (at < count && !mayHaveTurned(at, count, counterBits, most)) return true;
    }
    return false;
  };
  const counts = new SparseCounts(now.length);
  const last = Math.max(now.last, before.last);
  const first = Math.min(now.first, before.first);
  for (let from = first - (first % PAGE_SLOTS); from <= last; from += PAGE_SLOTS) {
    const isUsed = now.read(from, nowPage);
    if (!before.read(from, beforePage) && !isUsed) continue;
    for (let i = 0; i < PAGE_SLOTS; i++) {
      let count = nowPage[i]! - beforePage[i]!;
      if (count === 0) continue;
      if (count < 0) {
        if (!isReset && hasReset()) {
          if (resets !== 'apart') return undefined;
          isReset = true;
        }
        if (!isReset && most !== undefined) {
          uncertain++;
          continue;
        }
        count = isReset ? nowPage[i]! : count + TURN;
      }
      counts.add(from + i, count);
    }
  }
  return { counts, isReset, ...(uncertain > 0 && { uncertain }) };
}

/** Both states over one layout; `undefined` where their slots cannot be compared. */
function aligned<L extends Layout>(
  now: Counted<L>,
  before: Counted,
  resets: CounterOptions['resets'],
): { readonly now: Counted<L | ExponentialLayout>; readonly before: Counted } | undefined {
  if (haveSameSlots(now.layout, before.layout)) return { now, before };
  if (hasExponential(now) && hasExponential(before)) return alignedBuckets(now, before, resets);
  const plan = rebucket(before.layout, now.layout);
  const counts = new SparseCounts(now.layout.slotCount);
  for (const [slot, count] of usedSlots(before.counts)) {
    if (resets !== 'apart' && plan.straddles(slot)) return undefined;
    counts.add(plan.slotFor(slot), count);
  }
  return { now, before: { layout: now.layout, counts } };
}

/** Whether two layouts put every value into the same slot. */
export function haveSameSlots(a: Layout, b: Layout): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a instanceof HdrLayout) return b instanceof HdrLayout && a.sharesSlotsWith(b);
  if (a.slotCount !== b.slotCount || a.lowerInclusive !== b.lowerInclusive) return false;
  if (a.upperInclusive !== b.upperInclusive) return false;
  if (isExponentialLayout(a) && isExponentialLayout(b)) {
    const isAlike = a.scale === b.scale && a.minIndex === b.minIndex && a.zeroSlot === b.zeroSlot;
    return isAlike && a.zeroThreshold === b.zeroThreshold && a.negative?.minIndex === b.negative?.minIndex;
  }
  for (let slot = 0; slot < a.slotCount; slot++) {
    if (a.lower(slot) !== b.lower(slot) || a.upper(slot) !== b.upper(slot)) return false;
  }
  return true;
}

function hasExponential(counted: Counted): counted is Counted<ExponentialLayout> {
  return isExponentialLayout(counted.layout);
}

/**
 * Both states at the coarser scale and the larger zero threshold, over the buckets of `now`: a bucket that only `before` has
 * used has fallen. The bucket that the threshold lies in counts as 0, since the zero slot of one of the states cannot be divided.
 */
function alignedBuckets(
  now: Counted<ExponentialLayout>,
  before: Counted<ExponentialLayout>,
  resets: CounterOptions['resets'],
): { readonly now: Counted<ExponentialLayout>; readonly before: Counted } | undefined {
  const scale = Math.min(now.layout.scale, before.layout.scale);
  const zeroThreshold = Math.max(now.layout.zeroThreshold, before.layout.zeroThreshold);
  const isOneThreshold = now.layout.zeroThreshold === before.layout.zeroThreshold;
  const lowest = isOneThreshold ? Number.NEGATIVE_INFINITY : exponentialIndex(scale, zeroThreshold) + 1;
  const isKept = isOneThreshold && scale === now.layout.scale;
  const layout = isKept ? now.layout : coarserLayout(now.layout, scale, zeroThreshold, lowest);
  const counts = bucketsIn(layout, before, lowest, resets);
  if (counts === undefined) return undefined;
  return {
    now: isKept ? now : { layout, counts: bucketsIn(layout, now, lowest, resets)! },
    before: { layout, counts },
  };
}

function coarserLayout(
  { scale: finer, minIndex, maxIndex, negative }: ExponentialLayout,
  scale: number,
  zeroThreshold: number,
  lowest: number,
): ExponentialLayout {
  const highest = exponentialIndex(scale, Number.MAX_VALUE);
  const coarser = (range: IndexRange): IndexRange => {
    // A threshold in the highest bucket leaves no bucket above it: that one stays, and nothing counts there.
    const from = Math.min(Math.max(range.minIndex >> (finer - scale), lowest), highest);
    return { minIndex: from, maxIndex: Math.max(range.maxIndex >> (finer - scale), from) };
  };
  return exponentialLayout({
    scale,
    zeroThreshold,
    ...coarser({ minIndex, maxIndex }),
    negative: negative && coarser(negative),
  });
}

/**
 * The same counts in coarser exponential buckets, each of which holds whole ones of the finer scale. `undefined` when a used
 * bucket has no counterpart, unless slots are reset apart.
 *
 * @param lowest Index of the lowest bucket above the zero threshold: those below it count as 0.
 */
function bucketsIn(
  to: ExponentialLayout,
  { layout: from, counts }: Counted<ExponentialLayout>,
  lowest: number,
  resets: CounterOptions['resets'],
): RunCounts | undefined {
  const moved = new Float64Array(to.slotCount);
  for (const [slot, count] of usedSlots(counts)) {
    const target = bucketFor(slot, from, to, lowest);
    if (target === undefined && resets !== 'apart') return undefined;
    moved[target ?? to.zeroSlot]! += count;
  }
  return new RunCounts(to.slotCount, 0, moved);
}

function bucketFor(
  slot: number,
  from: ExponentialLayout,
  to: ExponentialLayout,
  lowest: number,
): number | undefined {
  if (slot === from.zeroSlot) return to.zeroSlot;
  const isNegative = slot < from.zeroSlot;
  const [own, range] = isNegative ? [from.negative!, to.negative] : [from, to];
  const finer = own.minIndex + Math.abs(slot - from.zeroSlot) - 1;
  // The slot beyond the buckets stays there.
  const index = finer > own.maxIndex ? Number.POSITIVE_INFINITY : finer >> (from.scale - to.scale);
  if (index < lowest) return to.zeroSlot;
  if (range === undefined || index < range.minIndex) return undefined;
  const distance = Math.min(index, range.maxIndex + 1) - range.minIndex + 1;
  return isNegative ? to.zeroSlot - distance : to.zeroSlot + distance;
}
