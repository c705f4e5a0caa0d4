import { mustBe } from '../errors.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { assertInteger } from './checks.ts';
import { assertApart, type EdgeLayout, edgeLayout, type InclusiveBound, STEP } from './edges.ts';

/** Options of a log2 layout. */
export interface Log2LayoutOptions {
  /** A number that is subtracted from values first: the lower bound of the first slot of full width. @default 0 */
  readonly min?: number;
  /** The width of the first slot; the slots after it end at twice, four times, … that much. Above 0. @default 1 */
  readonly quantum?: number;
  /** How many slots lie between the open slots below and above: an integer from 1 to 1024. */
  readonly slots: number;
  /**
   * `'lower'` rounds the logarithm down (`[2, 4)` share a slot), `'upper'` rounds it up (`(2, 4]` do).
   * @default 'lower'
   */
  readonly inclusive?: InclusiveBound;
}

const OWNER: OptionsOwner<Log2LayoutOptions> = {
  name: 'log2Layout',
  names: {
    min: true,
    quantum: STEP,
    slots: true,
    inclusive: true,
  },
};

/**
 * Slots that double in width: below `min`, from `min` to `min + quantum`, on to `min + 2 * quantum`, `min + 4 * quantum` and so
 * on, and one slot for all values above.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { log2Layout } from '@hdrscope/core';
 *
 * const layout = log2Layout({ quantum: 1000, slots: 2 });
 * [500, 999, 1000, 1500, 10_000].map((value) => layout.slotOf(value)); //=> [1, 1, 2, 2, 3]
 * ```
 */
export function log2Layout(options: Log2LayoutOptions): EdgeLayout {
  assertOptions(options, OWNER);
  const { min = 0, quantum = 1, slots, inclusive = 'lower' } = options;
  if (!Number.isFinite(min)) throw mustBe('ERR_INVALID_OPTION', 'min', 'a finite number', min);
  assertInteger('slots', slots, 1, 1024);
  const edges = [min, ...Array.from({ length: slots }, (_, i) => min + quantum * 2 ** i)];
  assertApart('quantum', quantum, edges);
  return edgeLayout('log2', edges, inclusive);
}
