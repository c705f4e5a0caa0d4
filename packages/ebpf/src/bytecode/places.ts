import type { Steps } from '@hdrscope/kit';
import { type Following, follow, UNDECIDED } from './machine.ts';
import { NotMeasured } from './not-measured.ts';
import { type Addition, copyRun, type KeyWord, type MapFacts, type Run } from './run.ts';
import { inputsOf, isConstant, type Term } from './terms.ts';

/** What all runs of a program share. */
export type Common = Pick<Following, 'code' | 'terms' | 'budget' | 'loads' | 'target' | 'until'>;

/** Where the counters are in a map that is measured. */
export interface Target {
  isTarget(map: MapFacts): boolean;
  /** Size of the values of the map, or of the elements of a variable in it, in bytes. */
  readonly elementBytes: number;
  /** Offset of the word of the key that is the slot, in bytes. @default the last word that is not always the same */
  readonly slotOffset?: number;
  /** Whether a counter at a place of the value may be one of a slot, by the types of the map. @default all may be */
  isSlotAt?(offset: number): boolean;
}

export function isOne(amount: Term): boolean {
  return amount.min === 1n && amount.max === 1n;
}

/** A place where a program counts, for values of one range. */
export interface Place {
  /** The position of the instruction that adds. */
  readonly at: number;
  /** Whether something other than 1 is added or stored there. */
  readonly isOther: boolean;
  /** Whether all comparisons before it that could go both ways are of the terms of the measured difference. */
  readonly isClamped: boolean;
  readonly words: readonly {
    readonly offset: number;
    readonly size: number;
    readonly value: bigint | undefined;
  }[];
  readonly offset: bigint;
  readonly size: number;
}

export type Places = ReadonlyMap<string, Place>;

/** What is asked about a range of values. */
interface Question {
  readonly from: bigint;
  readonly to: bigint;
  readonly sums: ReadonlySet<number>;
  /** The inputs of the measured value. */
  readonly inputs: ReadonlySet<Term>;
}

export function isOfInputs(term: Term, inputs: ReadonlySet<Term>): boolean {
  const own = [...inputsOf(term)];
  return own.length > 0 && own.every((input) => inputs.has(input));
}

export function nameOf({ words, offset, size }: Pick<Place, 'words' | 'offset' | 'size'>): string {
  return `${words.map((word) => `${word.offset}:${word.size}=${word.value ?? '?'}`).join(',')}+${offset}:${size}`;
}

export function namesOf(places: Places): string {
  return [...places.keys()].sort().join(' ');
}

/** Where the program counts when the value is in a range; `undefined` when that differs within the range. */
export function* findPlaces(
  common: Common,
  target: Target,
  starts: readonly Run[],
  { from, to, sums, inputs }: Question,
): Steps<Places | undefined> {
  const places = new Map<string, Place>();
  common.terms.restrict(from, to);
  try {
    for (const start of starts) {
      yield* follow(copyRun(start), {
        ...common,
        isStrict: true,
        onEnd({ additions, conditions }) {
          if (additions.length === 0) return;
          const isClamped = conditions.length > 0 && conditions.every((term) => isOfInputs(term, inputs));
          for (const addition of additions) {
            const { at } = addition;
            const isOther = sums.has(at);
            if (!isOther) assertOne(addition);
            const place = findPlace(target, addition);
            const name = `${at} ${nameOf(place)}`;
            const before = places.get(name)?.isClamped ?? true;
            places.set(name, { ...place, at, isOther, isClamped: before && isClamped });
          }
        },
      });
    }
  } catch (error) {
    if (error !== UNDECIDED) throw error;
    if (from === to) throw new NotMeasured('its slot depends on more than the measured value');
    return undefined;
  }
  return places;
}

function assertOne({ at, amount }: Addition): void {
  if (isOne(amount)) return;
  if (amount.isMeasured) throw UNDECIDED;
  throw new OtherSite(at);
}

export const OTHER_THAN_ONE = 'it adds something other than 1';

/** An instruction that was taken for one that counts, and adds something other than 1. */
export class OtherSite extends NotMeasured {
  readonly at: number;

  constructor(at: number) {
    super(OTHER_THAN_ONE);
    this.at = at;
  }
}

function findPlace(
  target: Target,
  { key, offset, size }: Addition,
): Omit<Place, 'at' | 'isOther' | 'isClamped'> {
  const words = key.map((word) => ({ offset: word.offset, size: word.size, value: readWord(word) }));
  const distance = readOffset(offset, BigInt(target.elementBytes));
  return { words, offset: distance, size };
}

function readWord({ term }: KeyWord): bigint | undefined {
  if (isConstant(term)) return term.min;
  if (term.isMeasured) throw UNDECIDED;
  return undefined;
}

/** The known part of an offset. The rest selects an element, so it is a multiple of its size. */
export function readOffset(offset: Term, elementBytes: bigint): bigint {
  let known = 0n;
  const pending = [offset];
  for (let term = pending.pop(); term !== undefined; term = pending.pop()) {
    if (isConstant(term)) known += term.min;
    // Bounded: two operands.
    else if (term.op === 'add') pending.push(...term.args);
    else if (term.isMeasured) throw UNDECIDED;
    else if (!isMultiple(term, elementBytes)) throw new NotMeasured('its slot depends on another input');
  }
  return BigInt.asIntN(64, known);
}

export function isMultiple({ op, args, ones, unknown }: Term, of: bigint): boolean {
  const [, factor] = args;
  if (op === 'mul' && isConstant(factor!) && factor!.min % of === 0n) return true;
  const isPower = (of & (of - 1n)) === 0n;
  return isPower && ((ones | unknown) & (of - 1n)) === 0n;
}

/** Whether two places may have a byte in common. A word of a key that is not known may be any. */
export function mayOverlap(one: Place, other: Place): boolean {
  const isApart =
    one.offset + BigInt(one.size) <= other.offset || other.offset + BigInt(other.size) <= one.offset;
  const isOtherEntry = one.words.some(({ offset, size, value }, i) => {
    const word = other.words[i];
    const isSameWord = word?.offset === offset && word.size === size;
    return isSameWord && value !== undefined && word.value !== undefined && value !== word.value;
  });
  return !isApart && !isOtherEntry;
}
