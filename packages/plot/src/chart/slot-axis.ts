import { largestOf } from '../data/largest.ts';
import type { AxisSlot, HeatAxis } from '../plot.ts';
import type { OptionPart } from './option.ts';
import { boundText } from './slot-text.ts';
import type { Theme } from './theme.ts';
import { timeAxis } from './time-chart.ts';
import { timeAxisName } from './time-text.ts';

/** The places of an axis's slots, by their true bounds. */
export interface SlotAxis {
  /** The begin and the end of each slot on the axis. */
  readonly places: readonly (readonly [from: number, to: number])[];
  readonly min: number;
  readonly max: number;
  /** The bounds that are labelled, each with its place. */
  readonly labels: readonly { readonly place: number; readonly text: string }[];
  readonly isTime: boolean;
}

// An axis is logarithmic when its widest slot is more than this many times as wide as its narrowest.
const EVEN = 1.6;

/**
 * Places slots by their bounds: linearly when all slots are about equally wide, otherwise by the logarithm of their bounds. A
 * bound that has no place there, such as infinity, or zero on a logarithmic axis, is one usual slot away from its neighbour.
 *
 * @param most The largest number of labelled bounds.
 */
export function placeSlots({ slots, unit }: HeatAxis, most: number): SlotAxis {
  if (unit === 'time') return placeTimes(slots);
  const bounds = boundsOf(slots);
  const places = placeBounds(bounds);
  const placeOf = new Map(bounds.map((bound, i) => [bound, places[i]!]));
  const every = Math.max(1, Math.ceil((bounds.length - 1) / most));
  return {
    // A slot of integers reaches to the next slot: no value lies in the gap between them.
    places: slots.map(({ lower, upper }, i) => [
      placeOf.get(lower)!,
      placeOf.get(slots[i + 1]?.lower ?? upper)!,
    ]),
    min: places[0] ?? 0,
    max: places.at(-1) ?? 1,
    labels: bounds
      .map((bound, i) => ({ place: places[i]!, text: boundText(bound, unit) }))
      .filter((_, i) => i % every === 0),
    isTime: false,
  };
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

function placeBounds(bounds: readonly number[]): number[] {
  const finite = bounds.filter(Number.isFinite);
  const widths = differences(finite);
  const isEven = largestOf(widths) <= EVEN * -largestOf(widths.map((width) => -width));
  const placeOf = isEven ? (bound: number) => bound : Math.log2;
  const known = bounds.map((bound) => {
    const place = placeOf(bound);
    return Number.isFinite(place) ? place : undefined;
  });
  const usual = median(differences(known.filter((place) => place !== undefined))) || 1;
  const first = known.findIndex((place) => place !== undefined);
  const last = known.findLastIndex((place) => place !== undefined);
  if (first < 0) return bounds.map((_, i) => i);
  return known.map((place, i) => {
    if (place !== undefined) return place;
    return i < first ? known[first]! - (first - i) * usual : known[last]! + (i - last) * usual;
  });
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, i) => value - values[i]!);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** An axis of slots, labelled at their bounds. */
export function slotAxis(axis: HeatAxis, placed: SlotAxis, theme: Theme, more: OptionPart = {}): OptionPart {
  const { min, max, labels } = placed;
  const shared = { min, max, splitLine: { show: false }, name: axis.name, ...more };
  if (placed.isTime) {
    const name = timeAxisName(min, max - 1);
    return timeAxis(theme, { ...shared, name: axis.name === 'time' ? name : `${axis.name}: ${name}` });
  }
  const texts = new Map(labels.map(({ place, text }) => [place, text]));
  const ticks = labels.map(({ place }) => place);
  return {
    type: 'value',
    axisLine: { show: true, onZero: false, lineStyle: { color: theme.axis } },
    axisTick: { show: true, customValues: ticks },
    axisLabel: {
      color: theme.text,
      customValues: ticks,
      hideOverlap: true,
      formatter: (place: number) => texts.get(place) ?? '',
    },
    nameTextStyle: { color: theme.mutedText },
    ...shared,
  };
}
