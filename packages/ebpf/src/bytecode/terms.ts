import { NotMeasured } from './not-measured.ts';

/** What computes a term from its operands. Integers are unsigned and have 64 bits; results are taken modulo 2^64. */
export type Operation =
  | 'add'
  | 'sub'
  | 'mul'
  | 'div'
  | 'mod'
  | 'and'
  | 'or'
  | 'xor'
  | 'shl'
  | 'lshr'
  | 'ashr'
  | 'sdiv'
  | 'smod'
  | 'sext'
  | 'swap';

/**
 * An integer in a run of a program: a constant, an unknown input, or the result of an operation on terms. The range and the bits
 * are certain; they need not be all that could be known.
 */
export interface Term {
  readonly id: number;
  /** The name of an input, such as `load@12`; the operation otherwise. Constants are `''`. */
  readonly op: Operation | '' | `${string}@${string}`;
  readonly args: readonly Term[];
  /** Smallest and largest integer that it can be. A term is constant when they are equal. */
  min: bigint;
  max: bigint;
  /** Bits that are certainly set. */
  ones: bigint;
  /** Bits that are not known. */
  unknown: bigint;
  /** Whether it is the measured value, or depends on it. */
  isMeasured: boolean;
  /** Whether it depends on an input other than the measured value. */
  isOther: boolean;
}

export const WORD: bigint = 2n ** 64n - 1n;
export const HALF: bigint = 2n ** 32n - 1n;
const SIGN = 2n ** 63n;
/** The integer whose lowest bits are set, and no other ones, by their number. */
const LOWEST: readonly bigint[] = Array.from({ length: 65 }, (_, bits) => (1n << BigInt(bits)) - 1n);

export function isConstant({ min, max }: Term): boolean {
  return min === max;
}

export function isZero(term: Term): boolean {
  return isConstant(term) && term.min === 0n;
}

/** The inputs from which a term is computed. */
export function inputsOf(term: Term): ReadonlySet<Term> {
  const inputs = new Set<Term>();
  const seen = new Set<Term>();
  const pending = [term];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.args.length === 0 && next.op !== '') inputs.add(next);
    // Bounded: two operands.
    pending.push(...next.args);
  }
  return inputs;
}

/**
 * Makes the terms of the runs of one program. Equal computations are one term, so the same condition has the same answer
 * everywhere on a path.
 */
export class Terms {
  readonly #constants = new Map<bigint, Term>();
  /** Constants of instructions, which come often. */
  readonly #integers = new Map<number, Term>();
  readonly #inputs = new Map<string, Term>();
  readonly #results = new ResultTable();
  /** Terms of the measured value. They are made anew when the value has another range. */
  readonly #ofMeasured = new ResultTable();
  #measured: { readonly term: Term; readonly min: bigint; readonly max: bigint } | undefined;
  #count = 0;

  constant(value: bigint): Term {
    return this.#constant(value & WORD);
  }

  /** @param bits An unsigned integer. */
  #constant(bits: bigint): Term {
    const known = this.#constants.get(bits);
    if (known !== undefined) return known;
    const term = this.#term('', [], { min: bits, max: bits, ones: bits, unknown: 0n });
    this.#constants.set(bits, term);
    return term;
  }

  /** The constant of a signed integer. */
  integer(value: number): Term {
    const known = this.#integers.get(value);
    if (known !== undefined) return known;
    const term = this.constant(BigInt(value));
    this.#integers.set(value, term);
    return term;
  }

  /** @param bits Width: the input is below 2^bits. */
  input(name: `${string}@${string}`, bits = 64): Term {
    const known = this.#inputs.get(name);
    if (known !== undefined) return known;
    const max = (1n << BigInt(bits)) - 1n;
    const term = this.#term(name, [], { min: 0n, max, ones: 0n, unknown: max });
    term.isOther = true;
    this.#inputs.set(name, term);
    return term;
  }

  /** Makes a term the measured value. Its range stays that of the term until `restrict`. */
  measure(term: Term): void {
    this.endMeasuring();
    this.#measured = { term, min: term.min, max: term.max };
    term.isMeasured = true;
    term.isOther = false;
  }

  /** The measured value, when it is the difference of two terms: they are equal when it is 0. */
  findDifference(a: Term, b: Term): Term | undefined {
    const term = this.#measured?.term;
    return term?.op === 'sub' && a !== b && term.args.includes(a) && term.args.includes(b) ? term : undefined;
  }

  /** Restricts the measured value to a range. Terms that were made from it before are void. */
  restrict(min: bigint, max: bigint): void {
    const { term } = this.#measured!;
    this.#ofMeasured.clear();
    Object.assign(term, { min, max }, bitsBetween(min, max));
  }

  endMeasuring(): void {
    if (this.#measured === undefined) return;
    const { term, min, max } = this.#measured;
    this.restrict(min, max);
    term.isMeasured = false;
    term.isOther = true;
    this.#measured = undefined;
  }

  make(op: Operation, left: Term, right: Term): Term {
    const plain = simplified(op, left, right);
    if (plain !== undefined) return plain;
    // Compilers cut and extend integers by two shifts.
    if (left.op === 'shl' && left.args[1] === right && isConstant(right)) {
      const bits = 64 - Number(right.min);
      if (op === 'lshr') return this.low(left.args[0]!, bits);
      if (op === 'ashr' && [8, 16, 32].includes(bits)) return this.signed(left.args[0]!, bits);
    }
    if (op === 'sub' && left === right) return this.constant(0n);
    if (op === 'xor' && left === right) return this.constant(0n);
    if (isConstant(left) && isConstant(right)) return this.#constant(compute(op, left.min, right.min));
    const isMeasured = left.isMeasured || right.isMeasured;
    const table = isMeasured ? this.#ofMeasured : this.#results;
    const known = table.get(op, left, right);
    if (known !== undefined) return known;
    const facts = factsOf(op, left, right);
    if (facts.min === facts.max) return this.#constant(facts.min);
    const term = this.#term(op, [left, right], facts);
    term.isMeasured = isMeasured;
    term.isOther = left.isOther || right.isOther;
    table.add(op, term);
    return term;
  }

  /** The lowest bits of a term. */
  low(term: Term, bits: number): Term {
    return term.max <= LOWEST[bits]! ? term : this.make('and', term, this.#constant(LOWEST[bits]!));
  }

  /** The lowest bits of a term as a signed integer. */
  signed(term: Term, bits: number): Term {
    return bits >= 64 ? term : this.make('sext', this.low(term, bits), this.constant(BigInt(bits)));
  }

  #term(op: Term['op'], args: readonly Term[], facts: Facts): Term {
    if (this.#count === MOST_TERMS) throw new NotMeasured('following it takes too many terms');
    return { id: this.#count++, op, args, ...facts, isMeasured: false, isOther: false };
  }
}

/** Terms by what they were computed from. */
class ResultTable {
  readonly #terms = new Map<Operation, Map<number, Term>>();

  get(op: Operation, left: Term, right: Term): Term | undefined {
    return this.#terms.get(op)?.get(keyOf(left, right));
  }

  add(op: Operation, term: Term): void {
    const [left, right] = term.args;
    const terms = this.#terms.get(op) ?? new Map<number, Term>();
    this.#terms.set(op, terms);
    terms.set(keyOf(left!, right!), term);
  }

  clear(): void {
    for (const terms of this.#terms.values()) terms.clear();
  }
}

/** As many as have pairs with distinct numbers that are safe integers. */
const MOST_TERMS = 2 ** 26;

function keyOf(left: Term, right: Term): number {
  return left.id * MOST_TERMS + right.id;
}

type Facts = Pick<Term, 'min' | 'max' | 'ones' | 'unknown'>;

const LEAVE_WITH_ZERO: ReadonlySet<Operation> = new Set(['add', 'sub', 'or', 'xor', 'shl', 'lshr', 'ashr']);

/** The operand that an operation leaves as it is. */
function simplified(op: Operation, left: Term, right: Term): Term | undefined {
  if (isConstant(right)) {
    const by = right.min;
    if (op === 'and') return ((left.ones | left.unknown) & ~by) === 0n ? left : undefined;
    if (op === 'sext') return left.max < 1n << (by - 1n) ? left : undefined;
    if (by === 0n && LEAVE_WITH_ZERO.has(op)) return left;
    if (by === 1n && (op === 'mul' || op === 'div')) return left;
  }
  if (isConstant(left) && left.min === 0n && (op === 'add' || op === 'or' || op === 'xor')) return right;
  return undefined;
}

/** Computes with constants. Source: Linux, `Documentation/bpf/standardization/instruction-set.rst`. */
function compute(op: Operation, a: bigint, b: bigint): bigint {
  switch (op) {
    case 'add':
      return (a + b) & WORD;
    case 'sub':
      return (a - b) & WORD;
    case 'mul':
      return (a * b) & WORD;
    case 'div':
      return b === 0n ? 0n : a / b;
    case 'mod':
      return b === 0n ? a : a % b;
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    case 'shl':
      return (a << (b & 63n)) & WORD;
    case 'lshr':
      return a >> (b & 63n);
    case 'ashr':
      return BigInt.asUintN(64, BigInt.asIntN(64, a) >> (b & 63n));
    case 'sdiv':
      return b === 0n ? 0n : BigInt.asUintN(64, BigInt.asIntN(64, a) / BigInt.asIntN(64, b));
    case 'smod':
      return b === 0n ? a : BigInt.asUintN(64, BigInt.asIntN(64, a) % BigInt.asIntN(64, b));
    case 'sext':
      return BigInt.asUintN(64, BigInt.asIntN(Number(b), a));
    case 'swap': {
      let swapped = 0n;
      for (let byte = 0n; byte < b; byte += 8n) swapped = (swapped << 8n) | ((a >> byte) & 0xffn);
      return swapped;
    }
  }
}

const ANYTHING: Facts = { min: 0n, max: WORD, ones: 0n, unknown: WORD };

/** What is certain about the result of an operation. */
function factsOf(op: Operation, a: Term, b: Term): Facts {
  return agreed(rangeOf(op, a, b), bitsOf(op, a, b));
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

type Range = Pick<Facts, 'min' | 'max'>;
type Bits = Pick<Facts, 'ones' | 'unknown'>;

/** Ranges restrict bits, and bits restrict ranges. */
function agreed(range: Range, bits: Bits): Facts {
  const min = larger(range.min, bits.ones);
  const most = bits.ones | bits.unknown;
  const max = smaller(range.max, most);
  const shared = bitsBetween(min, max);
  return { min, max, ones: bits.ones | shared.ones, unknown: bits.unknown & shared.unknown };
}

/** The bits that all integers of a range share: those above the highest bit in which its ends differ. */
function bitsBetween(min: bigint, max: bigint): Bits {
  const differing = min ^ max;
  const high = Number(differing >> 32n);
  const unknown = LOWEST[high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(Number(differing))]!;
  return { ones: min & ~unknown, unknown };
}

function rangeOf(op: Operation, a: Term, b: Term): Range {
  switch (op) {
    case 'add':
      return wrapped(a.min + b.min, a.max + b.max);
    case 'sub':
      return a.min >= b.max
        ? { min: a.min - b.max, max: a.max - b.min }
        : wrapped(a.min - b.max, a.max - b.min);
    case 'mul':
      return wrapped(a.min * b.min, a.max * b.max);
    case 'div':
      return b.min === 0n ? { min: 0n, max: a.max } : { min: a.min / b.max, max: a.max / b.min };
    case 'mod':
      if (b.min > a.max) return a;
      return b.min === 0n ? { min: 0n, max: a.max } : { min: 0n, max: smaller(a.max, b.max - 1n) };
    case 'and':
      return { min: 0n, max: smaller(a.max, b.max) };
    case 'or':
      return { min: larger(a.min, b.min), max: WORD };
    case 'shl':
      return b.max < 64n ? wrapped(a.min << b.min, a.max << b.max) : ANYTHING;
    case 'lshr':
      return b.max < 64n ? { min: a.min >> b.max, max: a.max >> b.min } : { min: 0n, max: a.max };
    case 'ashr':
      if (a.max < SIGN) return rangeOf('lshr', a, b);
      return ANYTHING;
    case 'sext': {
      const half = 1n << (b.min - 1n);
      if (a.max < half) return a;
      const above = WORD - ((1n << b.min) - 1n);
      return a.min >= half ? { min: a.min + above, max: a.max + above } : ANYTHING;
    }
    case 'sdiv':
      return a.max < SIGN && b.max < SIGN ? rangeOf('div', a, b) : ANYTHING;
    case 'smod':
      return a.max < SIGN && b.max < SIGN ? rangeOf('mod', a, b) : ANYTHING;
    case 'xor':
    case 'swap':
      return ANYTHING;
  }
}

/** A range modulo 2^64; anything when it lies on both sides of a multiple of that. */
function wrapped(min: bigint, max: bigint): Range {
  if (max - min >= WORD) return ANYTHING;
  const [low, high] = [min & WORD, max & WORD];
  return low <= high ? { min: low, max: high } : ANYTHING;
}

/** Source: Linux, `kernel/bpf/tnum.c`. */
function bitsOf(op: Operation, a: Term, b: Term): Bits {
  switch (op) {
    case 'add':
      return addBits(a, b);
    case 'sub':
      return subtractBits(a, b);
    case 'and': {
      const possible = (a.ones | a.unknown) & (b.ones | b.unknown);
      const ones = a.ones & b.ones;
      return { ones, unknown: possible & ~ones };
    }
    case 'or': {
      const ones = a.ones | b.ones;
      return { ones, unknown: (a.unknown | b.unknown) & ~ones };
    }
    case 'xor': {
      const unknown = a.unknown | b.unknown;
      return { ones: (a.ones ^ b.ones) & ~unknown, unknown };
    }
    case 'shl':
      if (!isConstant(b)) return ANYTHING;
      return { ones: compute('shl', a.ones, b.min), unknown: compute('shl', a.unknown, b.min) };
    case 'lshr':
      if (!isConstant(b)) return ANYTHING;
      return { ones: compute('lshr', a.ones, b.min), unknown: compute('lshr', a.unknown, b.min) };
    case 'ashr':
      if (!isConstant(b)) return ANYTHING;
      return arithmeticShift(a, b.min);
    case 'mul': {
      const zeros = trailingZeros(a) + trailingZeros(b);
      return zeros >= 64n ? { ones: 0n, unknown: 0n } : { ones: 0n, unknown: (WORD << zeros) & WORD };
    }
    case 'swap':
      return { ones: compute('swap', a.ones, b.min), unknown: compute('swap', a.unknown, b.min) };
    default:
      return ANYTHING;
  }
}

function addBits(a: Bits, b: Bits): Bits {
  const ones = a.ones + b.ones;
  const carries = a.unknown + b.unknown + ones;
  const unknown = ((carries ^ ones) | a.unknown | b.unknown) & WORD;
  return { ones: ones & WORD & ~unknown, unknown };
}

function subtractBits(a: Bits, b: Bits): Bits {
  const ones = (a.ones - b.ones) & WORD;
  const highest = (ones + a.unknown) & WORD;
  const lowest = (ones - b.unknown) & WORD;
  const unknown = (highest ^ lowest) | a.unknown | b.unknown;
  return { ones: ones & ~unknown, unknown };
}

function arithmeticShift({ ones, unknown }: Bits, by: bigint): Bits {
  const shifted = (bits: bigint) => compute('ashr', bits, by);
  const possible = shifted(ones | unknown);
  const certain = shifted(ones);
  // An unknown sign is copied as unknown.
  return { ones: certain & ~(shifted(unknown) & WORD), unknown: (possible & ~certain) | shifted(unknown) };
}

function trailingZeros({ ones, unknown }: Bits): bigint {
  const possible = ones | unknown;
  if (possible === 0n) return 64n;
  return BigInt((possible & -possible).toString(2).length - 1);
}

/** A comparison of two terms. */
export type Comparison = 'equal' | 'below' | 'signed below' | 'common bits';

/** The answer to a comparison; `undefined` when it is not certain. */
export function decide(comparison: Comparison, a: Term, b: Term): boolean | undefined {
  switch (comparison) {
    case 'equal':
      if (a === b) return true;
      if (isConstant(a) && isConstant(b)) return a.min === b.min;
      if (a.max < b.min || b.max < a.min) return false;
      return ((a.ones ^ b.ones) & ~a.unknown & ~b.unknown) !== 0n ? false : undefined;
    case 'below':
      if (a === b) return false;
      if (a.max < b.min) return true;
      return a.min >= b.max ? false : undefined;
    case 'signed below': {
      if (a === b) return false;
      const [x, y] = [signedRange(a), signedRange(b)];
      if (x.max < y.min) return true;
      return x.min >= y.max ? false : undefined;
    }
    case 'common bits': {
      if ((a.ones & b.ones) !== 0n) return true;
      const possible = (a.ones | a.unknown) & (b.ones | b.unknown);
      return possible === 0n ? false : undefined;
    }
  }
}

function signedRange({ min, max }: Range): Range {
  if (min < SIGN && max >= SIGN) return { min: -SIGN, max: SIGN - 1n };
  return { min: BigInt.asIntN(64, min), max: BigInt.asIntN(64, max) };
}
