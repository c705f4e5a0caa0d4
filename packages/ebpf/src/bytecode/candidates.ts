import type { Steps } from '@hdrscope/kit';
import { isMultiple, type Target } from './places.ts';
import type { Addition, Run } from './run.ts';
import { HALF, inputsOf, isConstant, type Term } from './terms.ts';

const MOST_CANDIDATES = 12;

/**
 * The terms that may be the measured value, the most likely first: those on which a slot depends alone, and then those of the last
 * comparisons before a count. A term comes before what is computed from it.
 */
export function* listCandidates(runs: readonly Run[], target: Target): Steps<readonly Term[]> {
  const weights = new Map<Term, number>();
  const weigh = (terms: Iterable<Term>, weight: number) => {
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  // Runs share most of their terms.
  const known = new Map<Term | undefined, readonly Term[]>();
  const cutsOf = (term: Term | undefined) => {
    const cuts = known.get(term) ?? findCuts(term);
    known.set(term, cuts);
    return cuts;
  };
  for (const { additions, conditions } of runs) {
    weigh(new Set(additions.flatMap((addition) => cutsOf(findSlotTerm(addition, target)))), OF_SLOT);
    const last = new Map<Term, number>();
    for (const [i, term] of conditions.entries()) {
      for (const cut of cutsOf(term)) last.set(cut, i + 1);
      yield;
    }
    for (const [term, position] of last) weigh([term], position / conditions.length);
  }
  return [...weights]
    .filter(([term]) => mayBeValue(term))
    .sort(([a, weightOfA], [b, weightOfB]) => weightOfB - weightOfA || a.id - b.id)
    .slice(0, MOST_CANDIDATES)
    .map(([term]) => term);
}

/** The weight of a term on which a slot depends. A comparison weighs less than 1. */
const OF_SLOT = 10;

/** The term that may be the slot: a place in the value, or else a word of the key. */
function findSlotTerm({ key, offset }: Addition, { slotOffset, elementBytes }: Target): Term | undefined {
  const isPlace =
    !isConstant(offset) && partsOfSum(offset).some((term) => !isMultiple(term, BigInt(elementBytes)));
  if (isPlace) return offset;
  const words = key.filter(({ term, offset }) => !isConstant(term) && (slotOffset ?? offset) === offset);
  return words.at(-1)?.term;
}

/** The terms of a sum that are not constant. */
function partsOfSum(sum: Term): readonly Term[] {
  const parts: Term[] = [];
  const pending = [sum];
  for (let term = pending.pop(); term !== undefined; term = pending.pop()) {
    // Bounded: two operands.
    if (term.op === 'add') pending.push(...term.args);
    else if (!isConstant(term)) parts.push(term);
  }
  return parts;
}

/** Inputs that say who runs the program or where, which is no measurement. */
const NO_MEASUREMENT = /^(?:machine|address|register|merged)@/;

/**
 * Whether a term may be a measured value: an input, the difference of two terms, or that with fewer bits. A slot that is computed from
 * several inputs in another way is not one of a histogram.
 */
function mayBeValue(term: Term): boolean {
  const { op, args } = term;
  if (op.includes('@')) return !NO_MEASUREMENT.test(op);
  // A remainder is the difference of an integer and a part of itself.
  if (op === 'sub') return [...inputsOf(args[0]!)].every((input) => !inputsOf(args[1]!).has(input));
  if (op === 'and') return args[1]!.min === HALF && args[1]!.max === HALF && mayBeValue(args[0]!);
  return op === 'sext' && mayBeValue(args[0]!);
}

const MOST_TERMS = 2000;

/** The terms through which every way from a term to its inputs leads. */
function findCuts(root: Term | undefined): readonly Term[] {
  if (root === undefined || isConstant(root)) return [];
  // In descending order of age, a term is a cut when no term that is still pending is beside it.
  const cuts: Term[] = [];
  const pending = new Set([root]);
  for (let count = 0; pending.size > 0 && count < MOST_TERMS; count++) {
    let youngest: Term | undefined;
    for (const term of pending) if (youngest === undefined || term.id > youngest.id) youngest = term;
    pending.delete(youngest!);
    if (pending.size === 0) cuts.push(youngest!);
    for (const arg of youngest!.args) if (!isConstant(arg)) pending.add(arg);
  }
  return cuts;
}
