import type { IntegerLayout } from '@hdrscope/core';
import {
  assertFollows,
  custom,
  integer,
  integerLayout,
  listOf,
  mustBe,
  number,
  type OptionRule,
  type OptionRules,
  optional,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';

/**
 * The slots of a histogram in the kernel, and the indices at which a program counts them. All programs count integers, but
 * the same value has another index with each tool.
 */
export interface KernelLayout {
  /** Name in options and output. */
  readonly name: string;
  /** Which integers share a slot. Upper bounds are inclusive, and the last slot is open upwards. */
  readonly slots: IntegerLayout;
  /** Index of the first slot. The indices of the other slots follow it, unless there are `keys`. */
  readonly firstIndex: number;
  /** Index of each slot, when the indices have gaps. */
  readonly keys?: readonly number[];
}

/** Options of `explicitKernelLayout` besides the bounds. */
export interface KernelLayoutOptions {
  /** Name in options and output. @default 'explicit' */
  readonly name?: string;
  /** Index of the first slot. @default 0 */
  readonly firstIndex?: number;
  /**
   * Smallest integer that is counted. With `-Infinity`, the first slot holds all integers up to its bound.
   * @default 0, or -Infinity when the first bound is negative
   */
  readonly lowest?: number;
  /** Index of each slot, the last slot included. @default the integers from `firstIndex` on */
  readonly keys?: readonly number[];
}

/** The slot of an index; `undefined` when the layout has no slot for it. */
export function slotOfIndex({ slots, firstIndex, keys }: KernelLayout, index: number): number | undefined {
  const slot = keys === undefined ? index - firstIndex : keys.indexOf(index);
  return Number.isInteger(slot) && slot >= 0 && slot < slots.slotCount ? slot : undefined;
}

/** Whether each slot but the last holds one integer. */
export function isOfSingleIntegers({ slots }: KernelLayout): boolean {
  return slots.bounds.every((bound, slot) => bound === slots.lower(slot));
}

/** Whether the slots of two layouts hold the same integers, wherever the programs count them. */
export function hasSameSlots({ slots: a }: KernelLayout, { slots: b }: KernelLayout): boolean {
  return a === b || (a.lower(0) === b.lower(0) && a.bounds.join() === b.bounds.join());
}

/**
 * A kernel layout from inclusive upper bounds. It has one more slot, for all integers above them.
 *
 * @param bounds At least one integer, ascending.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, the bounds do not ascend, `lowest` is above the
 *   first bound, or `keys` are not one different integer for each slot.
 * @example
 * ```ts
 * import { explicitKernelLayout } from '@hdrscope/ebpf';
 *
 * const depths = explicitKernelLayout([0, 1, 4, 8, 16, 32, 64]);
 * depths.slots.slotOf(3); //=> 2
 * [depths.slots.lower(2), depths.slots.upper(2)]; //=> [2, 4]
 * [depths.slots.lower(7), depths.slots.upper(7)]; //=> [65, Infinity]
 * ```
 */
export function explicitKernelLayout(
  bounds: readonly number[],
  options: KernelLayoutOptions = {},
): KernelLayout {
  assertFollows('bounds', listOf(number(), 'numbers'), bounds);
  const { name, firstIndex, lowest, keys } = readOptions(options, EXPLICIT_KERNEL_LAYOUT);
  if (bounds.length === 0) throw mustBe('ERR_INVALID_OPTION', 'bounds', 'at least one integer', bounds);
  const slots = integerLayout(bounds, lowest ?? ((bounds[0] ?? 0) < 0 ? Number.NEGATIVE_INFINITY : 0));
  if (keys === undefined) return { name, slots, firstIndex };
  if (keys.length !== slots.slotCount || new Set(keys).size < keys.length) {
    throw mustBe('ERR_INVALID_OPTION', 'keys', `${slots.slotCount} different integers`, keys);
  }
  return { name, slots, firstIndex: keys[0]!, keys: [...keys] };
}

const EXPLICIT_KERNEL_LAYOUT = {
  name: 'explicitKernelLayout',
  rules: {
    name: withDefault(text, 'explicit'),
    firstIndex: withDefault(integer(), 0),
    // The bounds decide which integers it may be.
    lowest: optional(custom<number>('an integer, or -Infinity', (lowest) => typeof lowest === 'number')),
    keys: optional(listOf(integer(), 'integers')),
  } satisfies OptionRules<KernelLayoutOptions>,
  call: 'explicitKernelLayout([1, 2, 4], { firstIndex: 1 })',
};

/** The rule of a layout. */
export const kernelLayout: OptionRule<KernelLayout> = custom('a kernel layout', (value) => {
  const { slots, firstIndex } = value as KernelLayout;
  return typeof slots.slotCount === 'number' && typeof firstIndex === 'number';
});
