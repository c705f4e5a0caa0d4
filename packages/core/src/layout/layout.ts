/** Which family a layout belongs to. */
export type LayoutKind = 'hdr' | 'double' | 'exponential' | 'explicit' | 'linear' | 'log2' | 'log-linear';

/**
 * Says which values share a slot. Everything that holds counts in hdrscope is counts over a layout, and every
 * conversion is a change of layout. Immutable: histograms of equal shape share one.
 *
 * Slots are numbered from 0 in ascending order of value, and leave no gap between them.
 */
export interface Layout {
  readonly kind: LayoutKind;
  /** How many slots there are, open ones included. At least 1. */
  readonly slotCount: number;
  /** Whether a value equal to a slot's lower bound belongs to that slot. The same for all slots of a layout. */
  readonly lowerInclusive: boolean;
  /** Whether a value equal to a slot's upper bound belongs to that slot. Both are true where values are integers. */
  readonly upperInclusive: boolean;
  /** The slot of `value`, a number; below 0 or at least `slotCount` where the layout has none for it. */
  slotOf(value: number): number;
  /** The lower bound of a slot: `-Infinity` where it is open downwards. */
  lower(slot: number): number;
  /** The upper bound of a slot: `Infinity` where it is open upwards. */
  upper(slot: number): number;
  /** The value that stands for a slot: its middle, or its finite bound where it is open. */
  midpoint(slot: number): number;
}
