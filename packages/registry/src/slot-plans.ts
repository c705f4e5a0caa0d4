import { type HdrLayout, type Layout, type Resolution, rebucket } from '@hdrscope/core';
import {
  edgesBelow,
  isExponentialLayout,
  type KnownRange,
  placeSlot,
  type SlotPlacement,
} from '@hdrscope/core/internal';
import { reachBetween, reachBeyond, type SlotReach } from './reach.ts';
import { type FamilyThresholds, firstThreshold } from './thresholds.ts';

/** What the plans of a family depend on. */
interface PlanTarget {
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
  readonly resolution: Resolution;
  readonly thresholds: FamilyThresholds;
}

/** What the series of a family do with the counts of one slot of another layout. */
export interface SlotPlan extends SlotPlacement {
  /** The slot of the family that takes the counts; -1 where `ticks` is `undefined`. */
  readonly slot: number;
  /** The index of the first threshold of that slot; -1 when no threshold has it. */
  readonly firstThreshold: number;
  /** Where the values may lie, the own slot among them; `undefined` when they lie in the slot. */
  readonly reach: SlotReach | undefined;
  /** Whether the slot reaches beyond the one that takes its counts. */
  readonly straddles: boolean;
  /** The bounds of the slot of the other layout. A range that contains them does not change the plan. */
  readonly lower: number;
  readonly upper: number;
}

/** Counts over a layout, as far as the plans of its slots depend on them. */
interface PlannedCounts {
  readonly layout: Layout;
  readonly placedFrom?: readonly Layout[] | undefined;
}

// Neighbouring slots are looked up together.
const BLOCK_BITS = 6;
const SLOT_IN_BLOCK = 2 ** BLOCK_BITS - 1;
// 16,384 slots, of about 300 bytes each: senders may choose their buckets, and must not fill the memory with plans.
const MOST_BLOCKS = 256;

type Block = (SlotPlan | undefined)[];
type Blocks = Map<number, Block>;

/**
 * The plans of a family for slots of other layouts. Each is made once and then looked up, as to make one takes a microsecond. A bucket of
 * exponential layouts has one plan, whatever other buckets its layout has.
 */
export class SlotPlans {
  readonly #target: PlanTarget;
  #byLayout = new WeakMap<Layout, Blocks>();
  readonly #byScale = new Map<string, Blocks>();
  #blockCount = 0;

  constructor(target: PlanTarget) {
    this.#target = target;
  }

  /** Returns a function that finds the plans for counts whose values lie in a range, best in the order of their slots. */
  finder(counted: PlannedCounts, range: KnownRange): (slot: number) => SlotPlan {
    const { layout, placedFrom } = counted;
    const target = this.#target;
    if (placedFrom !== undefined && placedFrom.length > 0)
      return (slot) => planSlot(counted, slot, target, range);
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range;
    // Nothing is narrowed. A smallest value that is known may be the lower end of its bucket, whatever it is.
    const [parity, wide] = range.min === undefined ? [0, ANY_RANGE] : [1, ANY_MIN];
    const { blocks, first, last, shift } = this.#tableFor(layout);
    let number = Number.NaN;
    let block: Block = [];
    return (slot) => {
      if (slot < first || slot > last) return planSlot(counted, slot, target, range);
      const place = slot + shift;
      const found = ((place >> BLOCK_BITS) << 1) | parity;
      if (found !== number) {
        number = found;
        block = this.#blockIn(blocks, number);
      }
      const at = place & SLOT_IN_BLOCK;
      let plan = block[at];
      if (plan === undefined) {
        plan = planSlot(counted, slot, target, wide);
        block[at] = plan;
      }
      return min <= plan.lower && max >= plan.upper ? plan : planSlot(counted, slot, target, range, plan);
    };
  }

  /** The blocks for the slots of a layout, the first and the last slot that they may have, and the place of slot 0. */
  #tableFor(layout: Layout): {
    readonly blocks: Blocks;
    readonly first: number;
    readonly last: number;
    readonly shift: number;
  } {
    if (!isExponentialLayout(layout)) {
      const blocks = this.#byLayout.get(layout) ?? new Map<number, Block>();
      this.#byLayout.set(layout, blocks);
      return { blocks, first: 0, last: layout.slotCount - 1, shift: 0 };
    }
    const { scale, zeroThreshold, minIndex, zeroSlot, slotCount } = layout;
    const key = `${scale} ${zeroThreshold}`;
    const blocks = this.#byScale.get(key) ?? new Map<number, Block>();
    this.#byScale.set(key, blocks);
    // The bounds of the slots beside the buckets depend on the layout, and values below 0 are rejected.
    return { blocks, first: zeroSlot + 1, last: slotCount - 2, shift: minIndex - zeroSlot - 1 };
  }

  #blockIn(blocks: Blocks, number: number): Block {
    const known = blocks.get(number);
    if (known !== undefined) return known;
    if (this.#blockCount === MOST_BLOCKS) {
      this.#byLayout = new WeakMap();
      this.#byScale.clear();
      this.#blockCount = 0;
    }
    this.#blockCount++;
    const block: Block = new Array(SLOT_IN_BLOCK + 1).fill(undefined);
    blocks.set(number, block);
    return block;
  }
}

const ANY_RANGE: KnownRange = {};
const ANY_MIN: KnownRange = { min: Number.NEGATIVE_INFINITY };

/** @param wide The plan of the slot in any range, when it is known. */
function planSlot(
  counted: PlannedCounts,
  slot: number,
  target: PlanTarget,
  range: KnownRange,
  wide?: SlotPlan,
): SlotPlan {
  const { layout } = counted;
  const placement = placeSlot(counted, slot, target, range);
  const { ticks } = placement;
  const { value, isOpen, inside, within } = placement;
  const own = ticks === undefined ? -1 : slotFor(ticks, inside, target);
  const isAboveLower = !layout.lowerInclusive && range.min === undefined;
  return {
    value,
    isOpen,
    ticks,
    inside,
    within,
    slot: own,
    firstThreshold: own < 0 ? -1 : firstThreshold(own, target.thresholds),
    reach:
      own < 0 ? undefined : reachBeyond(own, reachBetween(target, within, isAboveLower), target.thresholds),
    straddles: wide?.straddles ?? rebucket(layout, target.unitLayout).straddles(slot),
    lower: layout.lower(slot),
    upper: layout.upper(slot),
  };
}

/** The slot of ticks. Rounding may have put them beyond the slot of a threshold that the value is not beyond. */
function slotFor(
  ticks: number,
  value: number,
  { layout, thresholds: { values, slots } }: PlanTarget,
): number {
  const below = edgesBelow(values, value);
  const [least, most] = [slots[below - 1] ?? 0, slots[below] ?? layout.slotCount];
  return Math.min(Math.max(layout.slotOf(ticks), least), most);
}
