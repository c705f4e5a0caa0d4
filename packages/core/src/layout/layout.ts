/** The family of a layout. */
export type LayoutKind =
  | 'hdr'
  | 'double'
  | 'exponential'
  | 'explicit'
  | 'linear'
  | 'log2'
  | 'log-linear'
  | 'decimal';

/**
 * Says which values share a slot. Every histogram of hdrscope is counts over a layout, and every conversion is a change of
 * layout. A layout never changes, so histograms of equal shape share one.
 *
 * Slots have numbers from 0 in ascending order of their values, and no gap between them.
 */
export interface Layout {
  /** The family of the layout, such as `'hdr'` or `'exponential'`. */
  readonly kind: LayoutKind;
  /** The number of slots, with open ones: at least 1. */
  readonly slotCount: number;
  /**
   * Whether the lower bound of a slot belongs to it. Equal for all slots of a layout, but for those of negative values in an
   * `ExponentialLayout`, where it is the other way round.
   */
  readonly lowerInclusive: boolean;
  /** Whether the upper bound of a slot belongs to it. In layouts of integers both bounds do. */
  readonly upperInclusive: boolean;
  /** The slot of a number; below 0 or at least `slotCount` when the layout has no slot for it. */
  slotOf(value: number): number;
  /** The lower bound of a slot; `-Infinity` when the slot is open downwards. */
  lower(slot: number): number;
  /** The upper bound of a slot; `Infinity` when the slot is open upwards. */
  upper(slot: number): number;
  /** The value that stands for a slot: its middle, or its finite bound when it is open. */
  midpoint(slot: number): number;
}
