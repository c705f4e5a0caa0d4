import type { Steps } from '@hdrscope/kit';
import { NotMeasured } from './not-measured.ts';
import type { Part } from './partition.ts';
import { mayOverlap, nameOf, OTHER_THAN_ONE, type Place, type Places, type Target } from './places.ts';

/** Values that are counted in the same slot. */
export interface Step {
  /** The smallest and the largest value, as unsigned integers. */
  readonly from: bigint;
  readonly to: bigint;
  /** The number of the slot, or its offset in bytes; `undefined` when the values are not counted. */
  readonly slot: bigint | undefined;
}

/** Where in a map a program counts. */
export interface SlotPlace {
  /** What changes with the slot: a word of the key, or the place in the value. */
  readonly in: 'key' | 'value';
  /** The word of the key, or the smallest offset in the value, in bytes. */
  readonly offset: number;
  /** Size of the word of the key, or of a counter in the value. */
  readonly size: number;
  /** Offset in the value, of a counter whose slot is in the key. */
  readonly counterOffset: number;
  /** Size of a counter, in bytes. */
  readonly counterSize: number;
}

/** A number of a place: a word of its key, by position, or its offset in the value. */
type Coordinate = number | 'offset';

/** The slot of each part: the coordinate that the value decides. The others are labels, and depend on other inputs alone. */
export function* findSlots(
  measured: readonly Part[],
  { slotOffset }: Target,
): Steps<{ readonly steps: readonly Step[]; readonly place: SlotPlace }> {
  const parts = yield* alignWords(measured);
  const own = yield* withoutTotals(parts);
  const others = new Map<string, Place>();
  for (const { places } of parts) {
    for (const [name, place] of places) if (place.isOther) others.set(name, place);
    yield;
  }
  const all = own.flatMap(({ places }) => places);
  const [model] = all;
  if (model === undefined) throw new NotMeasured('all values are counted in one slot');
  for (const place of all) {
    if (!isAlike(place, model)) throw new NotMeasured('its slots are at places of different kinds');
    yield;
  }
  const filled = own.filter(({ places }) => places.length > 0);
  const changing: Coordinate[] = [];
  for (const coordinate of [...model.words.keys(), 'offset'] as const) {
    const first = namesAt(filled[0]!.places, coordinate);
    for (const { places } of filled) {
      yield;
      if (namesAt(places, coordinate) === first) continue;
      changing.push(coordinate);
      break;
    }
  }
  const [coordinate] = changing;
  if (coordinate === undefined) throw new NotMeasured('all values are counted in one slot');
  if (changing.length > 1)
    throw new NotMeasured('its slot depends on another input, or its slots differ in several ways');
  const slotsIn = (places: readonly Place[]) => [
    ...new Set(places.map((place) => numberAt(place, coordinate))),
  ];
  for (const other of others.values()) {
    if (all.some((place) => mayOverlap(other, place))) throw new NotMeasured(OTHER_THAN_ONE);
    yield;
  }
  const [zero, ...more] = slotsIn(own[0]!.places);
  const steps: Step[] = [];
  for (const { from, to, places } of own) {
    const slots = slotsIn(places);
    // A difference that would be negative counts as 0, whatever it is: the program compares its two terms.
    const isClamped = places.every((one) => one.isClamped || numberAt(one, coordinate) !== zero);
    const left =
      isClamped && more.length === 0 && slots.length === 2 ? slots.filter((slot) => slot !== zero) : slots;
    if (left.length > 1) throw new NotMeasured('its slot depends on more than the measured value');
    if (places.length > 0 && left[0] === undefined)
      throw new NotMeasured('its slot depends on another input');
    steps.push({ from, to, slot: left[0] });
    yield;
  }
  const offsets = all.map(({ offset }) => Number(offset));
  const counter = { counterOffset: offsets[0]!, counterSize: model.size };
  if (coordinate === 'offset') {
    const least = offsets.reduce((one, other) => Math.min(one, other));
    return { steps, place: { in: 'value', offset: least, size: model.size, ...counter } };
  }
  const { offset, size } = model.words[coordinate]!;
  const isLast = model.words.slice(coordinate + 1).every(({ value }, i) => {
    const after = coordinate + 1 + i;
    return value !== undefined && all.every(({ words }) => words[after]!.value === value);
  });
  const isLabel = slotOffset === undefined ? !isLast : slotOffset !== offset;
  if (isLabel || new Set(offsets).size > 1) throw new NotMeasured('a label depends on it, and no slot');
  return { steps, place: { in: 'key', offset, size, ...counter } };
}

/** The same parts, with words of keys that are alike: on each way, a program may fill a key by stores of other sizes. */
function* alignWords(parts: readonly Part[]): Steps<readonly Part[]> {
  const [model] = parts.flatMap(({ places }) => [...places.values()].slice(0, 1));
  if (model === undefined) return parts;
  let areSame = true;
  let shared: readonly number[] = model.words.map(({ offset }) => offset);
  for (const { places } of parts) {
    for (const place of places.values()) {
      if (haveSameWords(place, model)) continue;
      areSame = false;
      shared = shared.filter((begin) => place.words.some(({ offset }) => offset === begin));
    }
    yield;
  }
  if (areSame) return parts;
  const aligned: Part[] = [];
  for (const part of parts) {
    const places = new Map([...part.places].map(([name, place]) => [name, joinWords(place, shared)]));
    aligned.push({ ...part, places });
    yield;
  }
  return aligned;
}

/** A place with longer words of its key, which begin at some of their offsets. */
function joinWords(place: Place, offsets: readonly number[]): Place {
  const words = offsets.map((begin, i) => {
    const end = offsets[i + 1] ?? Number.POSITIVE_INFINITY;
    const within = place.words.filter(({ offset }) => offset >= begin && offset < end);
    if (within.length === 1) return within[0]!;
    return { offset: begin, size: within.reduce((sum, { size }) => sum + size, 0), value: joined(within) };
  });
  return { ...place, words };
}

/** The integer of several words, the lowest first; `undefined` when one of them is not known. */
function joined(words: Place['words']): bigint | undefined {
  const begin = words[0]!.offset;
  return words.reduce<bigint | undefined>((whole, { offset, value }) => {
    if (whole === undefined || value === undefined) return undefined;
    return whole | (value << BigInt(8 * (offset - begin)));
  }, 0n);
}

interface OwnPart {
  readonly from: bigint;
  readonly to: bigint;
  readonly places: readonly Place[];
}

/**
 * The parts without counters of all values: an instruction that always adds to the same place, beside one that adds to different
 * places and never to that one.
 */
function* withoutTotals(parts: readonly Part[]): Steps<readonly OwnPart[]> {
  const namesBySite = new Map<number, Set<string>>();
  for (const { places } of parts) {
    for (const place of counted(places)) {
      namesBySite.set(place.at, (namesBySite.get(place.at) ?? new Set()).add(nameOf(place)));
    }
    yield;
  }
  const isVaried = ({ at }: Place) => namesBySite.get(at)!.size > 1;
  const varied = new Set<string>();
  /** The words of keys that are a number where the places vary: one that is not known may be any slot. */
  const numbers = new Set<number>();
  /** The instructions that add for values of which none is counted at a place that varies. */
  const alone = new Set<number>();
  for (const { places } of parts) {
    const all = counted(places);
    const slotted = all.filter(isVaried);
    for (const place of slotted) {
      varied.add(nameOf(place));
      for (const [i, { value }] of place.words.entries()) if (value !== undefined) numbers.add(i);
    }
    if (slotted.length === 0) for (const { at } of all) alone.add(at);
    yield;
  }
  const isTotal = (place: Place) =>
    !isVaried(place) &&
    !alone.has(place.at) &&
    !varied.has(nameOf(place)) &&
    place.words.every(({ value }, i) => value !== undefined || !numbers.has(i));
  const own: OwnPart[] = [];
  for (const { from, to, places } of parts) {
    own.push({ from, to, places: counted(places).filter((place) => !isTotal(place)) });
    yield;
  }
  return own;
}

function counted(places: Places): readonly Place[] {
  return [...places.values()].filter(({ isOther }) => !isOther);
}

function isAlike(place: Place, model: Place): boolean {
  return place.size === model.size && haveSameWords(place, model);
}

function haveSameWords({ words }: Place, model: Place): boolean {
  return (
    words.length === model.words.length &&
    words.every(({ offset, size }, i) => offset === model.words[i]!.offset && size === model.words[i]!.size)
  );
}

function numberAt({ words, offset }: Place, coordinate: Coordinate): bigint | undefined {
  return coordinate === 'offset' ? offset : words[coordinate]!.value;
}

function namesAt(places: readonly Place[], coordinate: Coordinate): string {
  return [...new Set(places.map((place) => String(numberAt(place, coordinate))))].sort().join(' ');
}
