import { assertOptions, type OptionsOwner } from '../options.ts';
import { assertInteger } from './checks.ts';
import { type EdgeLayout, edgeLayout, type InclusiveBound } from './edges.ts';

/** Options of a decimal layout. */
export interface DecimalLayoutOptions {
  /** How many leading decimal digits the values of a slot share: an integer from 1 to 4. @default 2 */
  readonly digits?: number;
  /** The power of ten of the lowest edge: an integer from −300 to 300. −3 begins at 0.001. */
  readonly lowestPower: number;
  /** How many decades follow the lowest edge: an integer from 1 to 100. */
  readonly decades: number;
  /**
   * Whether `[lower, upper)` share a slot, or `(lower, upper]`.
   * @default 'lower'
   */
  readonly inclusive?: InclusiveBound;
}

const OWNER: OptionsOwner<DecimalLayoutOptions> = {
  name: 'decimalLayout',
  names: { digits: true, lowestPower: true, decades: true, inclusive: true },
};

/**
 * Decades cut at round numbers: with one digit at 1, 2, 3, … 9, 10, 20, …, with two digits at 1.0, 1.1, … 9.9, 10, 11, …. A slot
 * is at most `10 ** (1 - digits)` of its lower bound wide. One slot holds all values below the lowest edge, and one all values from the
 * highest on. With two digits, the slots of positive values are those of
 * [circllhist](https://arxiv.org/abs/2001.06561) (section 2).
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { decimalLayout } from '@hdrscope/core';
 *
 * const layout = decimalLayout({ digits: 1, lowestPower: -1, decades: 2 });
 * layout.edges.slice(0, 12); //=> [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2, 3]
 * [0.05, 0.3, 0.35, 9.99, 10].map((value) => layout.slotOf(value)); //=> [0, 3, 3, 18, 19]
 * ```
 */
export function decimalLayout(options: DecimalLayoutOptions): EdgeLayout {
  assertOptions(options, OWNER);
  const { digits = 2, lowestPower, decades, inclusive = 'lower' } = options;
  assertInteger('digits', digits, 1, 4);
  assertInteger('lowestPower', lowestPower, -300, 300);
  // Above 1e308 there are no numbers.
  assertInteger('decades', decades, 1, Math.min(100, 308 - lowestPower));
  const first = 10 ** (digits - 1);
  const edges: number[] = [];
  for (let decade = lowestPower; decade < lowestPower + decades; decade++) {
    // Parsed, because 3 * 0.1 is not 0.3.
    for (let leading = first; leading < 10 * first; leading++)
      edges.push(Number(`${leading}e${decade - digits + 1}`));
  }
  edges.push(Number(`1e${lowestPower + decades}`));
  return edgeLayout('decimal', edges, inclusive);
}
