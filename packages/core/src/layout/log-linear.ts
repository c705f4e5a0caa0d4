import { mustBe } from '../errors.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { assertInteger } from './checks.ts';
import { assertApart, type EdgeLayout, edgeLayout, type InclusiveBound, STEP } from './edges.ts';

/** Options of a log-linear layout. */
export interface LogLinearLayoutOptions {
  /** The lower bound of the first slot of full width, from which octaves are counted. @default 0 */
  readonly min?: number;
  /** The width of the narrowest slots: above 0. @default 1 */
  readonly quantum?: number;
  /**
   * Into how many equal parts each octave is cut: an integer of at least 1. A slot is then at most this part of its lower
   * bound wide: 8 bound the error of a quantile to 12.5 %. A power of two makes octaves begin at powers of two.
   */
  readonly subBucketsPerOctave: number;
  /**
   * How many octaves follow the slots of one quantum: an integer from 0 to 1023. The highest edge is
   * `min + quantum * subBucketsPerOctave * 2 ** octaves`.
   */
  readonly octaves: number;
  /**
   * Whether `[lower, upper)` share a slot, or `(lower, upper]`.
   * @default 'lower'
   */
  readonly inclusive?: InclusiveBound;
}

const MOST_SLOTS = 2 ** 20;

const OWNER: OptionsOwner<LogLinearLayoutOptions> = {
  name: 'logLinearLayout',
  names: {
    min: true,
    quantum: STEP,
    subBucketsPerOctave: true,
    octaves: true,
    inclusive: true,
  },
};

/**
 * Octaves cut into equal parts. From `min` on, slots are one quantum wide, as many as an octave has parts; the octaves after them
 * have slots 1, 2, 4, … quanta wide. One slot holds all values below `min`, and one all values above the last octave. With one
 * part an octave this is a `log2Layout`. With 8 parts, as in the kernel's tools, integers up to 2^64 take 496 slots.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, or there would be more
 *   than 2^20 slots.
 * @example
 * ```ts
 * import { logLinearLayout } from '@hdrscope/core';
 *
 * const layout = logLinearLayout({ subBucketsPerOctave: 4, octaves: 2 });
 * layout.edges; //=> [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]
 * [-1, 0, 7, 9, 15, 16].map((value) => layout.slotOf(value)); //=> [0, 1, 8, 9, 12, 13]
 * ```
 */
export function logLinearLayout(options: LogLinearLayoutOptions): EdgeLayout {
  assertOptions(options, OWNER);
  const { min = 0, quantum = 1, subBucketsPerOctave: parts, octaves, inclusive = 'lower' } = options;
  if (!Number.isFinite(min)) throw mustBe('ERR_INVALID_OPTION', 'min', 'a finite number', min);
  assertInteger('octaves', octaves, 0, 1023);
  assertInteger('subBucketsPerOctave', parts, 1, Math.floor(MOST_SLOTS / (octaves + 1)));
  const edges = Array.from({ length: parts * (octaves + 1) + 1 }, (_, i) => {
    const octave = Math.max(0, Math.floor(i / parts) - 1);
    return min + quantum * (i - octave * parts) * 2 ** octave;
  });
  assertApart('quantum', quantum, edges);
  return edgeLayout('log-linear', edges, inclusive);
}
