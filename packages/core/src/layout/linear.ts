import { assertOptions, number, type OptionsOwner } from '../options.ts';
import { assertInteger } from './checks.ts';
import { assertApart, type EdgeLayout, edgeLayout, type InclusiveBound, STEP } from './edges.ts';

/** Options of a linear layout. */
export interface LinearLayoutOptions {
  /** The lower bound of the first slot of full width. @default 0 */
  readonly min?: number;
  /** The width of a slot: above 0. */
  readonly width: number;
  /** How many slots have that width: an integer from 1 to 2^20. The open slots below and above come on top. */
  readonly slots: number;
  /** The bound that belongs to a slot. @default 'lower' */
  readonly inclusive?: InclusiveBound;
}

const MOST_SLOTS = 2 ** 20;

const OWNER: OptionsOwner<LinearLayoutOptions> = {
  name: 'linearLayout',
  names: {
    min: /* @__PURE__ */ number(),
    width: STEP,
    slots: true,
    inclusive: true,
  },
};

/**
 * Slots of equal width, with an underflow slot before and an overflow slot after them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { linearLayout } from '@hdrscope/core';
 *
 * const layout = linearLayout({ min: 100, width: 50, slots: 2 });
 * [99, 100, 175, 1000].map((value) => layout.slotOf(value)); //=> [0, 1, 2, 3]
 * ```
 */
export function linearLayout(options: LinearLayoutOptions): EdgeLayout {
  assertOptions(options, OWNER);
  const { min = 0, width, slots, inclusive = 'lower' } = options;
  assertInteger('slots', slots, 1, MOST_SLOTS);
  const edges = Array.from({ length: slots + 1 }, (_, i) => min + i * width);
  assertApart('width', width, edges);
  return edgeLayout('linear', edges, inclusive);
}
