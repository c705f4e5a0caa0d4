import { nextDown, nextUp } from '../double.ts';
import type { Layout } from './layout.ts';

/** The value, or the next double inside the slot where the value is a bound that the slot excludes. */
export function valueInside(layout: Layout, slot: number, value: number): number {
  const actual = layout.slotOf(value);
  if (actual === slot) return value;
  return actual < slot ? nextUp(value) : nextDown(value);
}
