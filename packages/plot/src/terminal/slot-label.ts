import { placeSlots } from '../chart/slot-axis.ts';
import { timeTicks, type Zone } from '../chart/time-text.ts';
import { tickText } from '../chart/value-axis.ts';
import type { AxisSlot, HeatAxis } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { plain } from './text.ts';

/**
 * A label for each slot, empty for a slot without one. Slots with round bounds have their lower bounds: `100 µs`; `<0` when a slot is
 * open below, `≥2 s` when it is open above. Where bounds are not round, the slots of round values have these.
 *
 * @param most How many labels there should be at most, where values are chosen.
 * @param zone The time zone of times. @default UTC
 */
export function slotLabels(
  slots: readonly AxisSlot[],
  unit: HeatAxis['unit'],
  isAscii: boolean,
  most: number = slots.length / 2,
  zone?: Zone,
): string[] {
  if (unit === 'time') return timeLabels(slots, most, zone);
  const isRound = ({ lower }: AxisSlot): boolean => formatValue(lower, unit) === formatValue(lower, unit, 6);
  if (slots.every(isRound)) return slots.map((slot) => slotLabel(slot, unit, isAscii));
  const { places, labels } = placeSlots({ name: '', unit, slots }, Math.max(2, Math.floor(most)));
  const texts = slots.map(() => '');
  for (const { place, text } of labels) {
    const at = places.findIndex(([from, to]) => place >= from - 1e-9 && place < to - 1e-9);
    if (at >= 0 && texts[at] === '') texts[at] = plain(text, isAscii);
  }
  return texts;
}

function timeLabels(slots: readonly AxisSlot[], most: number, zone?: Zone): string[] {
  const texts = slots.map(() => '');
  for (const { timeMs, label } of timeTicks(slots[0]?.lower ?? 0, slots.at(-1)?.upper ?? 0, most, zone)) {
    const at = slots.findIndex(({ lower, upper }) => timeMs >= lower && timeMs < upper);
    if (at >= 0) texts[at] = label;
  }
  return texts;
}

function slotLabel(
  { lower, upper }: AxisSlot,
  unit: Exclude<HeatAxis['unit'], 'time'>,
  isAscii: boolean,
): string {
  const text = (bound: number): string => plain(tickText(bound, unit), isAscii);
  if (lower === Number.NEGATIVE_INFINITY)
    return upper === Number.POSITIVE_INFINITY ? 'all' : `<${text(upper)}`;
  return upper === Number.POSITIVE_INFINITY ? plain(`≥${text(lower)}`, isAscii) : text(lower);
}
