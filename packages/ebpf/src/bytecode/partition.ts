import { namesOf, type Places } from './places.ts';
import { NotMeasured } from './run.ts';

/** The first integer of a range of words that is negative when the word has a sign. */
export function firstNegative(max: bigint): bigint {
  return (max + 1n) / 2n;
}

const MOST_SLOTS = 4200;

const USUAL_VALUES = [0n, 1n, 10n, 1000n, 10n ** 6n];

const PROBES = 5;

const LARGE = 2n ** 20n;

/**
 * Asks about some values before all of them are divided into slots, which takes long where the value is another one.
 *
 * @throws NotMeasured when all have the same slot, or when neighbours have different ones all over the range.
 */
export function assertSomeSlots(
  evaluate: (from: bigint, to: bigint) => Places | undefined,
  max: bigint,
): void {
  const nameAt = (value: bigint) => namesOf(evaluate(value, value)!);
  // The smallest and the largest values have different slots, unless neither is counted.
  const values = [...USUAL_VALUES.filter((value) => value <= max), firstNegative(max) - 1n, max];
  if (new Set(values.map(nameAt)).size === 1) throw new NotMeasured('all values are counted in one slot');
  if (max < LARGE) return;
  const probes = Array.from({ length: PROBES }, (_, i) => (max / BigInt(PROBES)) * BigInt(i) + 12_345n);
  if (probes.every((probe) => nameAt(probe) !== nameAt(probe + 1n))) {
    throw new NotMeasured('neighbours are counted in different slots over the whole range');
  }
}

export interface Part {
  readonly from: bigint;
  readonly to: bigint;
  readonly places: Places;
  readonly name: string;
}

/** Divides a range into the largest parts whose values are counted in the same places. */
export function partition(
  evaluate: (from: bigint, to: bigint) => Places | undefined,
  lo: bigint,
  hi: bigint,
): readonly Part[] {
  const parts: Part[] = [];
  const seen = new Set<string>();
  const sign = firstNegative(hi);
  let width = 1n;
  for (let from = lo; from <= hi; ) {
    const end = from < sign ? sign - 1n : hi;
    const places = evaluate(from, from)!;
    const name = namesOf(places);
    const before = parts.at(-1);
    if (name !== before?.name && seen.has(name) && from < sign) {
      throw new NotMeasured('larger values are counted in slots of smaller ones again');
    }
    const holds = (to: bigint) => {
      const others = evaluate(from, to);
      return others !== undefined && namesOf(others) === name;
    };
    const to = lastThatHolds(holds, from, end, width);
    if (name === before?.name && before.to + 1n === from && from !== sign) {
      parts[parts.length - 1] = { ...before, to };
    } else {
      parts.push({ from, to, places, name });
    }
    if (parts.length > MOST_SLOTS) throw new NotMeasured(`it has more than ${MOST_SLOTS} slots`);
    seen.add(name);
    width = to - from + 1n;
    from = to + 1n;
  }
  return parts;
}

/** The end of the part that begins at an integer. Slots are often as wide as the one before, or twice as wide. */
function lastThatHolds(holds: (to: bigint) => boolean, from: bigint, end: bigint, width: bigint): bigint {
  if (holds(end)) return end;
  let [good, bad] = [from, end];
  for (const guess of [from + width - 1n, from + 2n * width - 1n]) {
    if (guess <= good || guess >= bad) continue;
    if (!holds(guess)) {
      bad = guess;
      break;
    }
    good = guess;
    if (!holds(guess + 1n)) return good;
  }
  for (let step = width; good + step < bad; step *= 2n) {
    if (!holds(good + step)) {
      bad = good + step;
      break;
    }
    good += step;
  }
  while (bad - good > 1n) {
    const middle = (good + bad) / 2n;
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
