import { type Cell, isPointer, type Value } from './run.ts';
import type { Term, Terms } from './terms.ts';

/** What a function has stored on its stack, by the distance from its end. */
type Stack = Map<number, Cell>;

/** What is on a part of the stack; `undefined` when that is not known. */
export function loadStack(terms: Terms, stack: Stack, at: number, size: number): Value | undefined {
  const cell = stack.get(at);
  if (cell?.size === size) return cell.value;
  return partOfCell(terms, stack, at, size) ?? compose(terms, stack, at, size);
}

/** A part of what one store has written: the low bits of an integer stay recognisable as that. */
function partOfCell(terms: Terms, stack: Stack, at: number, size: number): Term | undefined {
  for (let begin = at; begin > at - 8; begin--) {
    const cell = stack.get(begin);
    if (cell === undefined || begin + cell.size < at + size || isPointer(cell.value)) continue;
    const shifted = terms.make('lshr', cell.value, terms.constant(BigInt(8 * (at - begin))));
    return terms.low(shifted, 8 * size);
  }
  return undefined;
}

/** Bytes of the stack that several stores have written, or parts of them. */
function compose(terms: Terms, stack: Stack, at: number, size: number): Term | undefined {
  let whole = terms.constant(0n);
  for (let byte = 0; byte < size; byte++) {
    const part = partOfCell(terms, stack, at + byte, 1);
    if (part === undefined) return undefined;
    whole = terms.make('or', whole, terms.make('shl', part, terms.constant(BigInt(8 * byte))));
  }
  return whole;
}

/** Removes what is in a part of the stack. The other bytes of a larger store stay. */
export function clearStack(terms: Terms, stack: Stack, at: number, size: number): void {
  // Stores do not overlap, so the same one again takes the place of nothing else.
  if (stack.get(at)?.size === size) return;
  for (let begin = at - 7; begin < at + size; begin++) {
    const cell = stack.get(begin);
    if (cell === undefined || begin + cell.size <= at) continue;
    const isInside = begin >= at && begin + cell.size <= at + size;
    const rest = isInside ? [] : Array.from({ length: cell.size }, (_, i) => begin + i);
    const bytes = rest
      .filter((byte) => byte < at || byte >= at + size)
      .map((byte) => [byte, partOfCell(terms, stack, byte, 1)] as const);
    stack.delete(begin);
    for (const [byte, value] of bytes) if (value !== undefined) stack.set(byte, { size: 1, value });
  }
}
