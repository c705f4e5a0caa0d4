import type { Layout, ReadonlyCounts } from '@hdrscope/core';
import type { ThresholdCounts } from '@hdrscope/core/internal';
import { divideSlot, mustBe, thresholdSlots } from '@hdrscope/core/internal';
import type { FamilySettings } from './family-options.ts';

/** The thresholds of a family, for its series. */
export interface FamilyThresholds {
  /** Ascending, in the family's unit. */
  readonly values: readonly number[];
  /** The slot of each threshold. */
  readonly slots: Int32Array;
  /**
   * The number of the first threshold of a slot, from 1, by the lower bits of the slot, and 0 where there is no threshold. Slots
   * share marks, as a layout may have millions of slots.
   */
  readonly marks: Uint8Array;
}

/** The bits of a slot that number its mark. */
export const LAST_MARK: number = 2 ** 10 - 1;
const LARGEST_NUMBER = 2 ** 8 - 1;
const NO_MARKS = /* @__PURE__ */ new Uint8Array(LAST_MARK + 1);

export function familyThresholds({
  thresholds: values,
  unitLayout,
}: Pick<FamilySettings, 'thresholds' | 'unitLayout'>): FamilyThresholds {
  const slots = thresholdSlots(values, unitLayout);
  const marks = values.length === 0 ? NO_MARKS : new Uint8Array(LAST_MARK + 1);
  for (let i = slots.length - 1; i >= 0; i--) marks[slots[i]! & LAST_MARK] = Math.min(i + 1, LARGEST_NUMBER);
  return { values, slots, marks };
}

/** The index of the first threshold of a slot; -1 when no threshold has this slot. */
export function firstThreshold(slot: number, { slots, marks }: FamilyThresholds): number {
  const mark = marks[slot & LAST_MARK]!;
  if (mark === 0) return -1;
  return slots[mark - 1] === slot ? mark - 1 : slots.indexOf(slot);
}

/**
 * Counts values at the thresholds of their slot.
 *
 * @param atThresholds Takes the count: see `SeriesSnapshot.atThresholds`.
 * @param first The index of the first threshold of the slot.
 */
export function countAtThresholds(
  atThresholds: number[],
  first: number,
  value: number,
  count: number,
  { values, slots }: FamilyThresholds,
): void {
  const slot = slots[first];
  for (let i = first; i < slots.length && slots[i] === slot; i++) {
    if (value > values[i]!) continue;
    atThresholds[i]! += count;
    return;
  }
}

/** The count of the slot of each threshold. */
export function countsAt({ slots }: FamilyThresholds, counts: ReadonlyCounts): number[] {
  return Array.from(slots, (slot) => counts.at(slot));
}

/**
 * Counts values at thresholds that were added to whole slots.
 *
 * @param atThresholds Takes the counts.
 * @param added The count that was added to the slot of each threshold.
 * @param division How the added counts divide. Left out, the middle of its slot decides for each count.
 */
export function divideAdded(
  atThresholds: number[],
  added: readonly number[],
  division: ThresholdCounts | undefined,
  thresholds: FamilyThresholds,
  unitLayout: Layout,
): void {
  const divisionSlots = division && thresholdSlots(division.thresholds, unitLayout);
  for (const [i, slot] of thresholds.slots.entries()) {
    const count = added[i]!;
    if (count === 0 || thresholds.slots[i - 1] === slot) continue;
    const take = (value: number, part: number): void =>
      countAtThresholds(atThresholds, i, value, part, thresholds);
    const first = divisionSlots?.indexOf(slot) ?? -1;
    if (first < 0) take(unitLayout.midpoint(slot), count);
    else divideSlot(division!, unitLayout, first, count, take);
  }
}

/**
 * The slots whose added counts may lie on the other side of a threshold than `divideAdded` has counted them.
 *
 * @param added The count that was added to the slot of each threshold.
 */
export function undividedSlots(
  added: readonly number[],
  division: ThresholdCounts | undefined,
  { values, slots }: FamilyThresholds,
  unitLayout: Layout,
): number[] {
  const isDivided = (threshold: number, slot: number): boolean =>
    threshold >= unitLayout.upper(slot) || division?.thresholds.includes(threshold) === true;
  return [...slots].filter((slot, i) => added[i]! > 0 && !isDivided(values[i]!, slot));
}

/**
 * Makes sure that counts at thresholds are a division of the counts of slots.
 *
 * @param unitLayout The slots, in the unit of the thresholds.
 * @throws HdrscopeError `ERR_INVALID_COUNT` when a slot would have parts that are more than its count.
 */
export function assertDivides(
  { thresholds, counts }: ThresholdCounts,
  unitLayout: Layout,
  countOf: (slot: number) => number,
): void {
  const slots = thresholdSlots(thresholds, unitLayout);
  let left = 0;
  for (const [i, slot] of slots.entries()) {
    if (slots[i - 1] !== slot) left = countOf(slot);
    const part = counts[i];
    if (!Number.isSafeInteger(part) || part! < 0 || part! > left) {
      throw mustBe('ERR_INVALID_COUNT', `atThresholds.counts[${i}]`, `an integer from 0 to ${left}`, part);
    }
    left -= part!;
  }
}
