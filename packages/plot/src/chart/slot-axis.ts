import { largestOf } from '../data/largest.ts';
import type { AxisSlot, HeatAxis } from '../plot.ts';
import type { AxisLabel } from './frame.ts';
import { distinctTexts } from './slot-text.ts';
import { linearTicks, logTicks } from './ticks.ts';
import { timeAxisName, UTC, type Zone } from './time-text.ts';
import { tickText } from './value-axis.ts';

/** The places of an axis's slots, by their true bounds. */
export interface SlotAxis {
  /** The begin and the end of each slot on the axis. */
  readonly places: readonly (readonly [from: number, to: number])[];
  readonly min: number;
  readonly max: number;
  /** The labelled values, each with its place; those of a time axis depend on its width. */
  readonly labels: readonly AxisLabel[];
  readonly isTime: boolean;
}

/** The name of an axis. An axis of times also has the date that its labels leave out. */
export function axisName({ name, unit, slots }: HeatAxis, zone: Zone = UTC): string {
  const [first, last] = [slots[0], slots.at(-1)];
  if (unit !== 'time' || first === undefined || last === undefined) return name;
  // The last moment before the end, which may be midnight.
  const time = timeAxisName(first.lower, last.upper - 1, zone);
  return name === 'time' ? time : `${name}: ${time}`;
}

// An axis is logarithmic when its widest slot is more than this many times as wide as its narrowest.
const EVEN = 1.6;

/**
 * Places slots by their bounds: linearly when all slots are about equally wide, otherwise by the logarithm of their bounds. A
 * bound that has no place there, such as infinity, or zero on a logarithmic axis, is one usual slot away from its neighbour.
 *
 * @param most The largest number of labelled values.
 */
export function placeSlots({ slots, unit }: HeatAxis, most: number): SlotAxis {
  if (unit === 'time') return placeTimes(slots);
  const bounds = boundsOf(slots);
  const { places, isEven, isKnown } = placeBounds(bounds);
  const placeOf = new Map(bounds.map((bound, i) => [bound, places[i]!]));
  const known = bounds.filter((_, i) => isKnown[i]);
  const [least, greatest] = [known[0] ?? 0, known.at(-1) ?? 1];
  const ticks = isEven ? linearTicks(least, greatest, unit, most) : logTicks(least, greatest, unit, most);
  const round = ticks.map((value) => ({
    place: isEven ? value : Math.log2(value),
    text: tickText(value, unit),
  }));
  // A few slots have their bounds as labels, and so has a bound that no round value is near.
  const isFew = bounds.length <= FEW || round.length < 2;
  const texts = isFew ? distinctTexts(bounds, unit) : bounds.map((bound) => tickText(bound, unit));
  const own = bounds.flatMap((bound, i) => {
    const isEnd = !isKnown[i] && Number.isFinite(bound);
    return isFew || isEnd ? [{ place: places[i]!, text: bound === 0 ? '0' : texts[i]! }] : [];
  });
  return {
    // A slot of integers reaches to the next slot: no value lies in the gap between them.
    places: slots.map(({ lower, upper }, i) => [
      placeOf.get(lower)!,
      placeOf.get(slots[i + 1]?.lower ?? upper)!,
    ]),
    min: places[0] ?? 0,
    max: places.at(-1) ?? 1,
    labels: isFew ? thinned(own, most) : [...own, ...round],
    isTime: false,
  };
}

const FEW = 7;

function thinned(labels: readonly AxisLabel[], most: number): AxisLabel[] {
  const every = Math.max(1, Math.ceil(labels.length / most));
  return labels.filter((_, i) => i % every === 0);
}

function placeTimes(slots: readonly AxisSlot[]): SlotAxis {
  const places = slots.map(({ lower, upper }) => [lower, upper] as const);
  return { places, min: places[0]?.[0] ?? 0, max: places.at(-1)?.[1] ?? 1, labels: [], isTime: true };
}

/** The lower bounds of all slots, and the upper bound of the last slot. */
function boundsOf(slots: readonly AxisSlot[]): number[] {
  const last = slots.at(-1);
  const bounds = slots.map(({ lower }) => lower);
  if (last !== undefined) bounds.push(last.upper > last.lower ? last.upper : last.lower + 1);
  return bounds;
}

function placeBounds(bounds: readonly number[]): { places: number[]; isEven: boolean; isKnown: boolean[] } {
  const finite = bounds.filter(Number.isFinite);
  const widths = differences(finite);
  const isEven = largestOf(widths) <= EVEN * -largestOf(widths.map((width) => -width));
  const placeOf = isEven ? (bound: number) => bound : Math.log2;
  const known = bounds.map((bound) => {
    const place = placeOf(bound);
    return Number.isFinite(place) ? place : undefined;
  });
  const isKnown = known.map((place) => place !== undefined);
  const usual = median(differences(known.filter((place) => place !== undefined))) || 1;
  const first = known.findIndex((place) => place !== undefined);
  const last = known.findLastIndex((place) => place !== undefined);
  if (first < 0) return { places: bounds.map((_, i) => i), isEven, isKnown };
  const places = known.map((place, i) => {
    if (place !== undefined) return place;
    return i < first ? known[first]! - (first - i) * usual : known[last]! + (i - last) * usual;
  });
  return { places, isEven, isKnown };
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, i) => value - values[i]!);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
