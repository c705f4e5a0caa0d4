import { type Cell, isPointer, type Value } from './run.ts';
import type { Term, Terms } from './terms.ts';

/** What a function has stored on its stack, by the distance from its end. */
type Stack = Map<number, Cell>;

/** What is on a part of the stack; `undefined` when that is not known. */
export function loadStack(terms: Terms, stack: Stack, at: number, size: number): Value | undefined {
  const cell = stack.get(at);
  return cell?.size === size ? cell.value : compose(terms, stack, at, size);
}

/** Bytes of the stack that several stores have written, or parts of them. */
function compose(terms: Terms, stack: Stack, at: number, size: number): Term | undefined {
  let whole = terms.constant(0n);
  for (let byte = 0; byte < size; byte++) {
    const part = readByte(terms, stack, at + byte);
    if (part === undefined) return undefined;
    whole = terms.make('or', whole, terms.make('shl', part, terms.constant(BigInt(8 * byte))));
  }
  return whole;
}

function readByte(terms: Terms, stack: Stack, at: number): Term | undefined {
  for (let begin = at; begin > at - 8; begin--) {
    const cell = stack.get(begin);
    if (cell === undefined || begin + cell.size <= at) continue;
    if (isPointer(cell.value)) return undefined;
    const shifted = terms.make('lshr', cell.value, terms.constant(BigInt(8 * (at - begin))));
    return terms.low(shifted, 8);
  }
  return undefined;
}

/** Removes what is in a part of the stack. The other bytes of a larger store stay. */
export function clearStack(terms: Terms, stack: Stack, at: number, size: number): void {
  for (let begin = at - 7; begin < at + size; begin++) {
    const cell = stack.get(begin);
    if (cell === undefined || begin + cell.size <= at) continue;
    const isInside = begin >= at && begin + cell.size <= at + size;
    const rest = isInside ? [] : Array.from({ length: cell.size }, (_, i) => begin + i);
    const bytes = rest
      .filter((byte) => byte < at || byte >= at + size)
      .map((byte) => [byte, readByte(terms, stack, byte)] as const);
    stack.delete(begin);
    for (const [byte, value] of bytes) if (value !== undefined) stack.set(byte, { size: 1, value });
  }
}
