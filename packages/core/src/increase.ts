import type { Counted } from './counted.ts';
import { RunCounts } from './counts/run.ts';
import { SparseCounts } from './counts/sparse.ts';
import type { ReadonlyCounts } from './counts/store.ts';
import { usedSlots } from './counts/used-slots.ts';
import { PAGE_SLOTS } from './counts/words.ts';
import { HdrscopeError } from './errors.ts';
import {
  type ExponentialLayout,
  exponentialIndex,
  exponentialLayout,
  type IndexRange,
} from './layout/exponential.ts';
import { HdrLayout } from './layout/hdr.ts';
import type { Layout } from './layout/layout.ts';
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
}

/** Counts that were added between two states of one counter. */
export interface Increase<L extends Layout = Layout> extends Counted<L> {
  /** Whether counters began anew between the two states. Counts from between the first state and the reset are lost. */
  readonly isReset: boolean;
}

/**
 * The counts between two cumulative states of one distribution. Nothing is ever negative, and no count appears twice.
 *
 * The layouts may differ as they do between states of one source. Exponential buckets of two scales are compared at the coarser
 * one, as https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram says. Slots of any other layout
 * are compared where each used slot of `before` lies within one slot of `now`; otherwise the counters began anew.
 *
 * @param before The earlier state. Left out, all of `now` is new.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when counts have fallen that never do.
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
  const { resets = 'together' } = options;
  if (before === undefined || before.counts.total === 0) return allOf(now, false);
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

const FALLEN = 'the earlier counts must be contained in the later ones: both must be states of one counter';

const TURN = 2 ** 32;
const HALF_TURN = 2 ** 31;

function mayHaveTurned(now: number, before: number, counterBits: 32 | 64): boolean {
  return counterBits === 32 && before >= HALF_TURN && before < TURN && now < HALF_TURN;
}

function allOf<L extends Layout>({ layout, counts }: Counted<L>, isReset: boolean): Increase<L> {
  return { layout, counts, isReset };
}

const nowPage = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);
const beforePage = /* @__PURE__ */ new Float64Array(PAGE_SLOTS);

/** The difference of counts whose slots are the same, a copy; `undefined` when all of them began anew. */
export function countsSince(
  now: ReadonlyCounts,
  before: ReadonlyCounts,
  { resets = 'together', counterBits = 64 }: CounterOptions = {},
): { readonly counts: SparseCounts; readonly isReset: boolean } | undefined {
  let isReset = false;
  const hasReset = (): boolean => {
    for (const [slot, count] of usedSlots(before)) {
      const at = now.at(slot);
      if (at < count && !mayHaveTurned(at, count, counterBits)) return true;
    }
    return false;
  };
  const counts = new SparseCounts(Math.max(now.length, before.length));
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
        count = isReset ? nowPage[i]! : count + TURN;
      }
      counts.add(from + i, count);
    }
  }
  return { counts, isReset };
}

/** Both states over one layout; `undefined` where their slots cannot be compared. */
function aligned<L extends Layout>(
  now: Counted<L>,
  before: Counted,
  resets: CounterOptions['resets'],
): { readonly now: Counted<L | ExponentialLayout>; readonly before: Counted } | undefined {
  if (haveSameSlots(now.layout, before.layout)) return { now, before };
  if (isExponential(now.layout) && isExponential(before.layout)) {
    const layout = commonLayout(now.layout, before.layout);
    return { now: movedTo(layout, now), before: movedTo(layout, before) };
  }
  const plan = rebucket(before.layout, now.layout);
  const counts = new SparseCounts(now.layout.slotCount);
  for (const [slot, count] of usedSlots(before.counts)) {
    if (resets !== 'apart' && plan.straddles(slot)) return undefined;
    counts.add(plan.slotFor(slot), count);
  }
  return { now, before: { layout: now.layout, counts } };
}

function haveSameSlots(a: Layout, b: Layout): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a instanceof HdrLayout) return b instanceof HdrLayout && a.sharesSlotsWith(b);
  if (a.slotCount !== b.slotCount || a.lowerInclusive !== b.lowerInclusive) return false;
  if (a.upperInclusive !== b.upperInclusive) return false;
  if (isExponential(a) && isExponential(b)) {
    const isAlike = a.scale === b.scale && a.minIndex === b.minIndex && a.zeroSlot === b.zeroSlot;
    return isAlike && a.zeroThreshold === b.zeroThreshold && a.negative?.minIndex === b.negative?.minIndex;
  }
  for (let slot = 0; slot < a.slotCount; slot++) {
    if (a.lower(slot) !== b.lower(slot) || a.upper(slot) !== b.upper(slot)) return false;
  }
  return true;
}

function isExponential(layout: Layout): layout is ExponentialLayout {
  return layout.kind === 'exponential' && 'zeroSlot' in layout;
}

/**
 * The layout at the coarser scale, with the larger zero threshold, that has the buckets of both. The bucket that the threshold
 * lies in counts as 0, since the zero slot of one of the states cannot be divided.
 */
function commonLayout(a: ExponentialLayout, b: ExponentialLayout): ExponentialLayout {
  const scale = Math.min(a.scale, b.scale);
  const zeroThreshold = Math.max(a.zeroThreshold, b.zeroThreshold);
  const lowest =
    a.zeroThreshold === b.zeroThreshold
      ? Number.NEGATIVE_INFINITY
      : exponentialIndex(scale, zeroThreshold) + 1;
  const range = (left: IndexRange | undefined, right: IndexRange | undefined): IndexRange | undefined => {
    const [one, other] = [left && atScale(left, a.scale - scale), right && atScale(right, b.scale - scale)];
    return one || other ? union(one ?? other!, other ?? one!, lowest) : undefined;
  };
  return exponentialLayout({
    scale,
    zeroThreshold,
    ...range(a, b)!,
    negative: range(a.negative, b.negative),
  });
}

function atScale({ minIndex, maxIndex }: IndexRange, shift: number): IndexRange {
  return { minIndex: minIndex >> shift, maxIndex: maxIndex >> shift };
}

function union(a: IndexRange, b: IndexRange, lowest: number): IndexRange {
  const minIndex = Math.max(Math.min(a.minIndex, b.minIndex), lowest);
  return { minIndex, maxIndex: Math.max(a.maxIndex, b.maxIndex, minIndex) };
}

/** The same counts in coarser exponential buckets, each of which holds whole ones of the finer scale. */
function movedTo(to: ExponentialLayout, { layout, counts }: Counted): Counted<ExponentialLayout> {
  const from = layout as ExponentialLayout;
  const shift = from.scale - to.scale;
  const moved = new Float64Array(to.slotCount);
  /** How far from the zero slot a bucket lies that was `distance` slots away from it. */
  const distanceFor = (distance: number, own: IndexRange, target: IndexRange): number =>
    Math.max(((own.minIndex + distance - 1) >> shift) - target.minIndex + 1, 0);
  const slotFor = (slot: number): number => {
    const distance = slot - from.zeroSlot;
    if (distance === 0) return to.zeroSlot;
    if (slot === from.slotCount - 1) return to.slotCount - 1;
    if (slot === 0) return 0;
    return distance > 0
      ? to.zeroSlot + distanceFor(distance, from, to)
      : to.zeroSlot - distanceFor(-distance, from.negative!, to.negative!);
  };
  for (const [slot, count] of usedSlots(counts)) moved[slotFor(slot)]! += count;
  return { layout: to, counts: new RunCounts(to.slotCount, 0, moved) };
}
