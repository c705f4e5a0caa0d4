import type { Bounds, Counted, HdrLayout, Layout, ReadonlyCounts, Resolution } from '@hdrscope/core';
import { intervalOfSlot, usedSlots } from '@hdrscope/core/internal';
import { type FamilyThresholds, firstThreshold } from './thresholds.ts';

/** The slots in which the values of one slot may lie, the own one among them. */
export interface SlotReach {
  /** The first slot. */
  readonly first: number;
  /** The last slot. */
  readonly last: number;
  /** Whether all values are above the thresholds in the first slot. @default not known */
  readonly startsAbove?: boolean | undefined;
  /** Whether all values are at most the thresholds in the last slot. @default not known */
  readonly endsWithin?: boolean | undefined;
}

/** How far the values of slots reach, by slot. The values of all other slots lie in them. */
export interface SlotReaches extends Iterable<readonly [slot: number, reach: SlotReach]> {
  /** The reach of a slot; `undefined` when its values lie in it. */
  get(slot: number): SlotReach | undefined;
  /** The slots, ascending. */
  keys(): Iterable<number>;
  /** How many slots there are. */
  readonly size: number;
}

/** Reaches in two lists, since a series may have hundreds of them: a map takes twice the memory. */
export class ReachList implements SlotReaches {
  /** Ascending. */
  readonly #slots: number[];
  readonly #reaches: SlotReach[];
  /** The place that was looked at last: most callers go from slot to slot. */
  #at = 0;

  /** @param others Reaches to begin with. @default none */
  constructor(others?: SlotReaches) {
    this.#slots = others === undefined ? [] : [...others.keys()];
    this.#reaches = this.#slots.map((slot) => others!.get(slot)!);
  }

  get size(): number {
    return this.#slots.length;
  }

  get(slot: number): SlotReach | undefined {
    const at = this.#placeFrom(slot);
    return this.#slots[at] === slot ? this.#reaches[at] : undefined;
  }

  keys(): Iterable<number> {
    return this.#slots.values();
  }

  *[Symbol.iterator](): Generator<readonly [slot: number, reach: SlotReach]> {
    for (const [at, slot] of this.#slots.entries()) yield [slot, this.#reaches[at]!];
  }

  /**
   * Notes that values of a slot may lie between two others. A slot that was widened before has both reaches.
   *
   * @param reach Contains the slot. It is kept, and may be shared.
   */
  widen(slot: number, reach: SlotReach): void {
    const at = this.#placeFrom(slot);
    if (at === this.#slots.length) {
      this.#slots.push(slot);
      this.#reaches.push(reach);
    } else if (this.#slots[at] !== slot) {
      this.#slots.splice(at, 0, slot);
      this.#reaches.splice(at, 0, reach);
    } else this.#reaches[at] = joined(this.#reaches[at]!, reach);
  }

  /** The place of the lowest slot from `slot` on. */
  #placeFrom(slot: number): number {
    const slots = this.#slots;
    let from = this.#at;
    let to = slots.length;
    if (from >= to || slots[from]! > slot) from = 0;
    else if (slots[from]! < slot) {
      from++;
      if (from < to && slots[from]! >= slot) to = from;
    } else to = from;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (slots[middle]! < slot) from = middle + 1;
      else to = middle;
    }
    this.#at = from;
    return from;
  }
}

/**
 * The reach of a slot whose values may lie between two others, or on either side of a threshold in the slot; `undefined` when they lie in
 * the slot, and on one side.
 */
export function reachBeyond(
  slot: number,
  reach: SlotReach,
  thresholds: FamilyThresholds,
): SlotReach | undefined {
  const { first, last, startsAbove, endsWithin } = reach;
  const isOneSlot = first >= slot && last <= slot;
  if (isOneSlot && (startsAbove || endsWithin || firstThreshold(slot, thresholds) < 0)) return undefined;
  return joined({ first: slot, last: slot }, reach);
}

/** Whether a known reach takes another one in without a change; not all that do are found. Series whose counts came by one plan share its reach. */
export function hasReach(known: SlotReach, reach: SlotReach): boolean {
  const isEndless = !known.startsAbove && !known.endsWithin;
  return known === reach || (isEndless && known.first <= reach.first && known.last >= reach.last);
}

function joined(known: SlotReach, { first, last, startsAbove, endsWithin }: SlotReach): SlotReach {
  return {
    first: Math.min(first, known.first),
    last: Math.max(last, known.last),
    startsAbove: ofFarther(known.first - first, startsAbove, known.startsAbove),
    endsWithin: ofFarther(last - known.last, endsWithin, known.endsWithin),
  };
}

/** Where the values of slots may lie that were counted at two places. */
export function joinReaches(a: SlotReaches | undefined, b: SlotReaches | undefined): SlotReaches | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b;
  const both = new ReachList(a);
  for (const [slot, reach] of b) both.widen(slot, reach);
  return both;
}

/** What a family has to know of its slots and thresholds. */
interface ReachedSlots {
  readonly layout: HdrLayout;
  readonly resolution: Resolution;
  readonly thresholds: Pick<FamilyThresholds, 'slots' | 'values'>;
}

/**
 * The slots of values that lie between two numbers of ticks, not rounded.
 *
 * @param isAboveLower Whether no value is at the lower one.
 */
export function reachBetween(
  { layout, resolution, thresholds: { slots, values } }: ReachedSlots,
  { lower, upper }: Bounds,
  isAboveLower: boolean,
): SlotReach {
  // Values count at the nearest tick.
  const [first, last] = [slotWithin(layout, Math.round(lower)), slotWithin(layout, Math.round(upper))];
  // NaN, from which nothing follows, where the slot has no threshold.
  const ticksAt = (at: number): number => (values[at]! * resolution.ticksPerUnit) / resolution.unitsPerTick;
  const [low, high] = [ticksAt(slots.lastIndexOf(first)), ticksAt(slots.indexOf(last))];
  const startsAbove = areClose(lower, low) ? isAboveLower && low > 0 : lower > low;
  const endsWithin = upper < high || areClose(upper, high);
  return { first, last, startsAbove: startsAbove || undefined, endsWithin: endsWithin || undefined };
}

/** The slots of values that were counted in slots of another layout. */
export function* reachesIn(
  slots: HdrLayout,
  { layout, counts, placedFrom }: Counted<HdrLayout>,
): Generator<[slot: number, reach: SlotReach]> {
  for (const [slot, count] of usedSlots(counts)) {
    const { lower, upper } = intervalOfSlot(layout, slot, count, placedFrom);
    const [first, last] = [slotWithin(slots, lower), slotWithin(slots, upper)];
    yield [slots.slotOf(layout.lower(slot)), { first, last }];
  }
}

/** The slot of a number of ticks, or the nearest slot that there is. */
function slotWithin(layout: HdrLayout, ticks: number): number {
  if (!(ticks > 0)) return 0;
  return ticks > layout.highestTrackableValue ? layout.slotCount - 1 : layout.slotOf(Math.floor(ticks));
}

/** Whether two numbers of ticks differ by the rounding of a product and a quotient only. */
function areClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 2 ** -50 * b;
}

/** What is known at the end that reaches farther: by how many slots the added one does. */
function ofFarther(by: number, added: boolean | undefined, known: boolean | undefined): boolean | undefined {
  return by > 0 ? added : by < 0 ? known : added && known;
}

/**
 * What `Counted.placedFrom` says of counts whose slots reach into others: a layout whose slots contain these reaches. Slots of a layout
 * ascend, so a slot begins no later than those above it, and ends no earlier than those below it.
 */
export function placedFromReaches(
  layout: HdrLayout,
  counts: ReadonlyCounts,
  reaches: SlotReaches | undefined,
): readonly Layout[] | undefined {
  const used = [...(reaches ?? [])].filter(([slot]) => counts.at(slot) > 0);
  if (used.length === 0) return undefined;
  const end = layout.slotCount - 1;
  return [
    {
      kind: 'explicit',
      slotCount: layout.slotCount,
      lowerInclusive: true,
      upperInclusive: true,
      slotOf: (value) => layout.slotOf(value),
      lower: (slot) =>
        layout.lower(
          used.reduce((first, [at, reach]) => (at < slot ? first : Math.min(first, reach.first)), slot),
        ),
      upper: (slot) => {
        const last = used.reduce((most, [at, reach]) => (at > slot ? most : Math.max(most, reach.last)), -1);
        // A reach without an end is one to the last slot.
        return last === end ? Number.POSITIVE_INFINITY : layout.upper(Math.max(last, slot));
      },
      midpoint: (slot) => layout.midpoint(slot),
    },
  ];
}
