import { isPointer, nameOfPointer, type Pointer, type Value } from './run.ts';
import { type Comparison, decide, isZero, type Term, type Terms } from './terms.ts';

/** When a program jumps. */
export interface Condition {
  readonly comparison: Comparison;
  /** Whether the right operand is compared with the left one. */
  readonly isReversed?: boolean;
  /** Whether it jumps when the answer is no. */
  readonly isNegated?: boolean;
}

/** By the number of the operation: the code of the instruction without its lowest four bits. */
export const CONDITIONS: Readonly<Record<number, Condition>> = {
  1: { comparison: 'equal' },
  2: { comparison: 'below', isReversed: true },
  3: { comparison: 'below', isNegated: true },
  4: { comparison: 'common bits' },
  5: { comparison: 'equal', isNegated: true },
  6: { comparison: 'signed below', isReversed: true },
  7: { comparison: 'signed below', isNegated: true },
  10: { comparison: 'below' },
  11: { comparison: 'below', isReversed: true, isNegated: true },
  12: { comparison: 'signed below' },
  13: { comparison: 'signed below', isNegated: true, isReversed: true },
};

/** What is compared: two integers, or two values of which one is an address at least. */
export type Operands = readonly [Value, Value];

/**
 * The operands of a jump in the order in which they are compared, cut to their lower half where that is compared. Compilers ask whether
 * two times are equal instead of whether their difference is 0: then the difference and 0 are compared.
 */
export function orderOperands(
  terms: Terms,
  { comparison, isReversed = false }: Condition,
  left: Value,
  right: Value,
  is32: boolean,
): Operands {
  if (isPointer(left) || isPointer(right)) return [left, right];
  const difference = comparison === 'equal' && !is32 ? terms.findDifference(left, right) : undefined;
  if (difference !== undefined) return [difference, terms.constant(0n)];
  const sized = (term: Term) =>
    !is32 ? term : comparison === 'signed below' ? terms.signed(term, 32) : terms.low(term, 32);
  return isReversed ? [sized(right), sized(left)] : [sized(left), sized(right)];
}

/** The answer to a comparison; `undefined` when it could go both ways, as that of addresses may. */
export function answerTo(comparison: Comparison, operands: Operands): boolean | undefined {
  const [left, right] = operands;
  if (!isPointer(left) && !isPointer(right)) return decide(comparison, left, right);
  const pointer = findComparedWithNull(comparison, operands);
  return pointer === undefined || pointer.mayBeNull ? undefined : false;
}

/** A name that only equal comparisons have. */
export function nameOfComparison(comparison: Comparison, operands: Operands): string {
  const pointer = findComparedWithNull(comparison, operands);
  if (pointer !== undefined) return `null ${nameOfPointer(pointer)}`;
  const [a, b] = operands.map((value) => (isPointer(value) ? nameOfPointer(value) : value.id));
  return `${comparison} ${a} ${b}`;
}

/** The address that is compared with null; `undefined` when something else is compared. */
function findComparedWithNull(comparison: Comparison, [left, right]: Operands): Pointer | undefined {
  const [pointer, other] = isPointer(left) ? [left, right] : [right, left];
  const isWithNull = comparison === 'equal' && !isPointer(other) && isZero(other);
  return isWithNull && isPointer(pointer) ? pointer : undefined;
}
