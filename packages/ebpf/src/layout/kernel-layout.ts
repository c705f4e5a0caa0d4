import { type IntegerLayout, integerLayout, mustBe } from '@hdrscope/core';

/**
 * How a program in the kernel numbers the slots of a histogram. All of them count integers, and all differ: the same
 * value has another index with each tool. Here each is a layout of explicit bounds, and the index of its first slot.
 */
export interface KernelLayout {
  /** What it is called in options, and in what is printed of it. */
  readonly name: string;
  /** Slots of integers; upper bounds belong to their slots. The last one is open upwards. */
  readonly slots: IntegerLayout;
  /** The index that the program gives to the first slot; those of the others follow, unless there are `keys`. */
  readonly firstIndex: number;
  /** The index of each slot, where they are no run of integers. */
  readonly keys?: readonly number[];
}

/** What a layout of one's own has besides its bounds. */
export interface KernelLayoutOptions {
  /** @default 'explicit' */
  readonly name?: string;
  /** The index that the program gives to the first slot. @default 0 */
  readonly firstIndex?: number;
  /**
   * The smallest integer that is counted: `-Infinity` where the first slot takes all that is below its bound.
   * @default 0, and -Infinity where the first bound is negative
   */
  readonly lowest?: number;
  /** The index of each slot, the last one included, where they are no run of integers. */
  readonly keys?: readonly number[];
}

/** The slot for an index of the program; `undefined` where the layout has none. */
export function slotOfIndex({ slots, firstIndex, keys }: KernelLayout, index: number): number | undefined {
  const slot = keys === undefined ? index - firstIndex : keys.indexOf(index);
  return Number.isInteger(slot) && slot >= 0 && slot < slots.slotCount ? slot : undefined;
}

/**
 * A layout of one's own: upper bounds, inclusive, and one slot more for all that is above them.
 *
 * @param bounds Ascending integers, at least one.
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts
 * import { explicitKernelLayout, slotOfIndex } from '@hdrscope/ebpf';
 *
 * const depths = explicitKernelLayout([0, 1, 4, 8, 16, 32, 64]);
 * slotOfIndex(depths, 2); //=> 2
 * [depths.slots.lower(2), depths.slots.upper(2)]; //=> [2, 4]
 * [depths.slots.lower(7), depths.slots.upper(7)]; //=> [65, Infinity]
 * ```
 */
export function explicitKernelLayout(
  bounds: readonly number[],
  { name = 'explicit', firstIndex = 0, lowest, keys }: KernelLayoutOptions = {},
): KernelLayout {
  if (!Number.isSafeInteger(firstIndex)) {
    throw mustBe('ERR_INVALID_OPTION', 'firstIndex', 'an integer', firstIndex);
  }
  if (bounds.length === 0) throw mustBe('ERR_INVALID_OPTION', 'bounds', 'at least one integer', bounds);
  const slots = integerLayout(bounds, lowest ?? ((bounds[0] ?? 0) < 0 ? Number.NEGATIVE_INFINITY : 0));
  if (keys === undefined) return { name, slots, firstIndex };
  const isKeyed = keys.length === slots.slotCount && keys.every(Number.isSafeInteger);
  if (!isKeyed || new Set(keys).size < keys.length) {
    throw mustBe('ERR_INVALID_OPTION', 'keys', `${slots.slotCount} different integers`, keys);
  }
  return { name, slots, firstIndex: keys[0]!, keys: [...keys] };
}
