import type { AxisSlot, HeatAxis } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { timeText } from './time-text.ts';

/** A bound of a slot, as people read it. */
export function boundText(bound: number, unit: HeatAxis['unit']): string {
  return unit === 'time' && Number.isFinite(bound)
    ? timeText(bound)
    : formatValue(bound, unit === 'time' ? 'none' : unit);
}

/** A slot as people read it: `2–4` or `65+` without a unit, `1.02 µs – 2.05 µs` or `from 65 ms` with one. */
export function slotText({ lower, upper }: AxisSlot, unit: HeatAxis['unit'], isInteger = false): string {
  const [from, to] = [boundText(lower, unit), boundText(upper, unit)];
  if (isInteger && lower === upper) return from;
  if (upper === Number.POSITIVE_INFINITY)
    return lower === Number.NEGATIVE_INFINITY ? 'all' : openText(from, unit);
  if (lower === Number.NEGATIVE_INFINITY) return `below ${to}`;
  return unit === 'none' ? `${from}–${to}` : `${from} – ${to}`;
}

function openText(from: string, unit: HeatAxis['unit']): string {
  return unit === 'none' ? `${from}+` : `from ${from}`;
}
