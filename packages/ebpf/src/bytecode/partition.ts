import type { Steps } from '@hdrscope/kit';
import { NotMeasured } from './not-measured.ts';
import { namesOf, type Places } from './places.ts';

/** The first integer of a range of words that is negative when the word has a sign. */
export function firstNegative(max: bigint): bigint {
  return (max + 1n) / 2n;
}

const MOST_SLOTS = 4200;

const USUAL_VALUES = [1n, 10n, 1000n, 10n ** 6n];

const PROBES = 5;

const LARGE = 2n ** 20n;

/** Where a program counts the values of a range; `undefined` when that differs within the range. */
export type Evaluate = (from: bigint, to: bigint) => Steps<Places | undefined>;

/**
 * Asks about some values before all of them are divided into slots, which takes long where the value is another one.
 *
 * @throws NotMeasured when all have the same slot, or when neighbours have different ones all over the range.
 */
export function* assertSomeSlots(evaluate: Evaluate, max: bigint): Steps<void> {
  // The smallest and the largest values have different slots, unless neither is counted.
  const others = [max, firstNegative(max) - 1n, ...USUAL_VALUES.filter((value) => value <= max)];
  const smallest = yield* nameAt(evaluate, 0n);
  const areSame = yield* isTrueOfAll(others, function* (value) {
    return (yield* nameAt(evaluate, value)) === smallest;
  });
  if (areSame) throw new NotMeasured('all values are counted in one slot');
  if (max < LARGE) return;
  const probes = Array.from({ length: PROBES }, (_, i) => (max / BigInt(PROBES)) * BigInt(i) + 12_345n);
  const differ = yield* isTrueOfAll(probes, function* (probe) {
    return (yield* nameAt(evaluate, probe)) !== (yield* nameAt(evaluate, probe + 1n));
  });
  if (differ) throw new NotMeasured('neighbours are counted in different slots over the whole range');
}

function* isTrueOfAll(
  values: readonly bigint[],
  isTrueOf: (value: bigint) => Steps<boolean>,
): Steps<boolean> {
  for (const value of values) if (!(yield* isTrueOf(value))) return false;
  return true;
}

function* nameAt(evaluate: Evaluate, value: bigint): Steps<string> {
  return namesOf((yield* evaluate(value, value))!);
}

export interface Part {
  readonly from: bigint;
  readonly to: bigint;
  readonly places: Places;
  readonly name: string;
}

/** Divides a range into the largest parts whose values are counted in the same places. */
export function* partition(evaluate: Evaluate, lo: bigint, hi: bigint): Steps<readonly Part[]> {
  const parts: Part[] = [];
  const seen = new Set<string>();
  const sign = firstNegative(hi);
  let width = 1n;
  let behind: Places | undefined;
  for (let from = lo; from <= hi; from += width) {
    const end = from < sign ? sign - 1n : hi;
    const places = behind ?? (yield* evaluate(from, from))!;
    const name = namesOf(places);
    const last = parts.at(-1);
    if (name !== last?.name && seen.has(name) && from < sign) {
      throw new NotMeasured('larger values are counted in slots of smaller ones again');
    }
    const isMore = name === last?.name && from !== sign;
    const widths = isMore ? [2n * width, width] : likelyWidths(parts);
    const piece = yield* findPiece(evaluate, { from, end, name, isMore }, widths);
    const { to } = piece;
    if (isMore) parts[parts.length - 1] = { ...last!, to };
    else parts.push({ from, to, places, name });
    if (parts.length > MOST_SLOTS) throw new NotMeasured(`it has more than ${MOST_SLOTS} slots`);
    seen.add(name);
    width = to - from + 1n;
    behind = piece.behind;
  }
  return parts;
}

/** Slots are often as wide as the one before, or twice as wide, and most often again what the last one was. */
function likelyWidths(parts: readonly Part[]): readonly bigint[] {
  const [width = 1n, before] = [parts.at(-1), parts.at(-2)].map((part) => part && part.to - part.from + 1n);
  return before !== undefined && width === 2n * before ? [2n * width, width] : [width, 2n * width];
}

/** A part from its begin on, or from where the piece before has ended. */
interface PieceBegin {
  readonly from: bigint;
  /** The part ends there or before. */
  readonly end: bigint;
  readonly name: string;
  /** Whether there was a piece before. */
  readonly isMore: boolean;
}

/**
 * Finds a piece of a part. Where it is not the rest of the part, no piece that begins there is twice as long. A guess that is right takes
 * two questions, and finds the places of the integer behind the piece.
 */
function* findPiece(
  evaluate: Evaluate,
  { from, end, name, isMore }: PieceBegin,
  widths: readonly bigint[],
): Steps<{ readonly to: bigint; readonly behind?: Places }> {
  const holds = function* (to: bigint): Steps<boolean> {
    if (to === from) return true;
    const places = yield* evaluate(from, to);
    return places !== undefined && namesOf(places) === name;
  };
  let [good, bad] = [from, end + 1n];
  let behind: Places | undefined;
  for (const width of widths) {
    const guess = from + width > end ? end : from + width - 1n;
    if (guess < good || guess >= bad) continue;
    if (!(yield* holds(guess))) {
      bad = guess;
      continue;
    }
    if (guess === end) return { to: end };
    good = guess;
    behind = (yield* evaluate(good + 1n, good + 1n))!;
    if (namesOf(behind) !== name) return { to: good, behind };
  }
  if (behind !== undefined) return !isMore && (yield* holds(end)) ? { to: end } : { to: good, behind };
  while (bad - good > 1n) {
    const middle = (good + bad) / 2n;
    if (yield* holds(middle)) good = middle;
    else bad = middle;
  }
  return { to: good };
}
