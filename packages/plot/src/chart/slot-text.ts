import type { AxisSlot, HeatAxis } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { timeText, UTC, type Zone } from './time-text.ts';

/** A bound of a slot, as people read it. */
export function boundText(bound: number, unit: HeatAxis['unit'], digits?: number, zone: Zone = UTC): string {
  return unit === 'time' && Number.isFinite(bound)
    ? timeText(bound, zone)
    : formatValue(bound, unit === 'time' ? 'none' : unit, digits);
}

/** A slot as people read it: `2–4` or `65+` without a unit, `1.02 µs – 2.05 µs` or `from 65 ms` with one. */
export function slotText(
  { lower, upper }: AxisSlot,
  unit: HeatAxis['unit'],
  isInteger = false,
  zone: Zone = UTC,
): string {
  const [from, to] = distinctTexts([lower, upper], unit, zone) as [string, string];
  if (isInteger && lower === upper) return from;
  if (upper === Number.POSITIVE_INFINITY)
    return lower === Number.NEGATIVE_INFINITY ? 'all' : openText(from, unit);
  if (lower === Number.NEGATIVE_INFINITY) return `below ${to}`;
  return unit === 'none' ? `${from}–${to}` : `${from} – ${to}`;
}

const MOST_DIGITS = 12;

/** Ascending bounds as texts, with as many digits as different bounds need for different texts. */
export function distinctTexts(bounds: readonly number[], unit: HeatAxis['unit'], zone: Zone = UTC): string[] {
  for (let digits = 3; ; digits++) {
    const texts = bounds.map((bound) => boundText(bound, unit, digits, zone));
    const differ = texts.every((text, i) => i === 0 || text !== texts[i - 1] || bounds[i] === bounds[i - 1]);
    if (differ || digits >= MOST_DIGITS) return texts;
  }
}

function openText(from: string, unit: HeatAxis['unit']): string {
  return unit === 'none' ? `${from}+` : `from ${from}`;
}
