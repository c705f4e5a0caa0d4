import { NotMeasured } from './not-measured.ts';
import type { Operation, Term, Terms } from './terms.ts';

export const UNKNOWN_INSTRUCTION = 'it has an unknown instruction';

export interface CalculationKind {
  /** Whether it is one of 64 bits, and not of the lower 32. */
  readonly is64: boolean;
  readonly isSigned: boolean;
}

/** The result of an operation, by its number: the code of the instruction without its lowest four bits. */
export function calculate(
  terms: Terms,
  operation: number,
  a: Term,
  b: Term,
  { is64, isSigned }: CalculationKind,
): Term {
  if (operation === 8) return calculate(terms, 1, terms.constant(0n), a, { is64, isSigned });
  const op = (isSigned ? SIGNED_OPERATIONS[operation] : undefined) ?? OPERATIONS[operation];
  if (op === undefined) throw new NotMeasured(UNKNOWN_INSTRUCTION);
  const isShift = op === 'shl' || op === 'lshr' || op === 'ashr';
  if (is64) return terms.make(op, a, isShift ? terms.low(b, 6) : b);
  const isOfSigned = op === 'ashr' || op === 'sdiv' || op === 'smod';
  const left = isOfSigned ? terms.signed(a, 32) : terms.low(a, 32);
  const right = isShift ? terms.low(b, 5) : isOfSigned ? terms.signed(b, 32) : terms.low(b, 32);
  return terms.low(terms.make(op, left, right), 32);
}

const OPERATIONS: Readonly<Record<number, Operation>> = {
  0: 'add',
  1: 'sub',
  2: 'mul',
  3: 'div',
  4: 'or',
  5: 'and',
  6: 'shl',
  7: 'lshr',
  9: 'mod',
  10: 'xor',
  12: 'ashr',
};

const SIGNED_OPERATIONS: Readonly<Record<number, Operation>> = { 3: 'sdiv', 9: 'smod' };
