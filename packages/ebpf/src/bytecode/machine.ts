import type { Steps } from '@hdrscope/kit';
import { type CalculationKind, calculate, UNKNOWN_INSTRUCTION } from './calculate.ts';
import {
  answerTo,
  CONDITIONS,
  type Condition,
  nameOfComparison,
  type Operands,
  orderOperands,
} from './conditions.ts';
import {
  ATOMIC,
  accessBytes,
  CALL_OF_PROGRAM,
  CLASS,
  distanceOfCall,
  type Instruction,
  LOAD_WIDE,
  WIDE,
} from './instructions.ts';
import { Memory, type MemoryFollowing, type MemoryUser } from './memory.ts';
import { NotMeasured } from './not-measured.ts';
import {
  type CallKind,
  copyRun,
  enter,
  type Frame,
  isInteger,
  isPointer,
  type MapFacts,
  nameOfPointer,
  type Pointer,
  type ProgramCode,
  type Run,
  type Value,
} from './run.ts';
import type { StepBudget } from './step-budget.ts';
import { HALF, isConstant, type Term, type Terms } from './terms.ts';
import { Ways } from './ways.ts';

const MOST_VISITS = 2000;

/** How the runs of a program are followed. */
export interface Following extends MemoryFollowing {
  readonly budget: StepBudget;
  /** Stops a run after the instruction that makes one of these terms. */
  readonly until?: ReadonlySet<Term>;
  /** Whether a comparison of the measured value alone, which could go both ways, ends everything. */
  readonly isStrict?: boolean;
  /** Called with a run at its end. Following ends when it returns true. */
  onEnd(run: Run): boolean | undefined;
  /** Called with a run that has made a term of `until`. */
  onStop?(run: Run, term: Term): void;
}

/** Thrown when the measured value must be restricted more, for a comparison to have one answer. It comes often, so it has no stack. */
export const UNDECIDED: Error = new Error('undecided');

/** Follows a run and, at each comparison that could go both ways, both ways. */
export function* follow(start: Run, following: Following): Steps<void> {
  const ways = new Ways(start, following.terms);
  for (let run = ways.pending.pop(); run !== undefined; run = ways.pending.pop()) {
    if ((yield* new Machine(run, following, ways).runToEnd()) === 'done') return;
  }
}

/** When more runs than this come to a comparison in different states, what differs is no longer known. */
const MOST_STATES = 200;

/** The same for runs that stop where they make the measured value. What came before it hardly matters. */
const MOST_STOPS = 2;

/** What an instruction does to its run, besides letting it go on. */
type Outcome = 'end' | 'pruned' | 'forked' | undefined;

/** One run of a program. */
class Machine implements MemoryUser {
  readonly #run: Run;
  readonly #following: Following;
  readonly #terms: Terms;
  readonly #code: ProgramCode;
  readonly #ways: Ways;
  readonly #memory: Memory;
  #made: Term | undefined;

  constructor(run: Run, following: Following, ways: Ways) {
    this.#run = run;
    this.#following = following;
    this.#terms = following.terms;
    this.#code = following.code;
    this.#ways = ways;
    this.#memory = new Memory(run, following, this);
  }

  *runToEnd(): Steps<'done' | 'next'> {
    const run = this.#run;
    const { budget, onEnd, onStop } = this.#following;
    for (;;) {
      if (budget.take()) yield;
      const instruction = this.#code.instructions[run.at];
      if (instruction === undefined) throw new NotMeasured('it goes on behind its last instruction');
      const step = this.#step(instruction);
      if (step === 'forked' || step === 'pruned') {
        // Comparing and copying a run takes time and memory for all that it has decided. Half a step each is about its time.
        budget.takeCopy(Math.ceil((run.decisions.size + run.conditions.length) / 2));
        yield;
      }
      if (step === 'pruned') return 'next';
      if (step === 'end') return onEnd(run) === true ? 'done' : 'next';
      if (this.#made !== undefined) {
        this.#ways.widen(run, MOST_STOPS);
        if (!this.#ways.isSeen(run)) onStop?.(run, this.#made);
        return 'next';
      }
    }
  }

  #step(instruction: Instruction): Outcome {
    const { code } = instruction;
    switch (code & 7) {
      case CLASS.ALU:
      case CLASS.ALU64:
        this.#calculate(instruction);
        this.#run.at++;
        return;
      case CLASS.LD:
        this.#loadWide(instruction);
        return;
      case CLASS.LDX:
        this.#load(instruction);
        this.#run.at++;
        return;
      case CLASS.ST:
        this.#store(instruction, this.#constant(instruction.value));
        this.#run.at++;
        return;
      case CLASS.STX:
        if (code >> 5 === 6) this.#atomic(instruction);
        else this.#store(instruction, this.#read(instruction.from));
        this.#run.at++;
        return;
      default:
        return this.#jump(instruction);
    }
  }

  // Registers

  get #frame(): Frame {
    return this.#run.frames.at(-1)!;
  }

  #read(register: number): Value {
    return this.#frame.registers[register] ?? this.input('register');
  }

  /** A value as an integer. An address as an integer is an input. */
  #number(value: Value): Term {
    return isPointer(value) ? this.#terms.input(`address@${nameOfPointer(value)}`) : value;
  }

  #write(register: number, value: Value): void {
    this.#frame.registers[register] = this.noted(value);
  }

  noted(value: Value): Value {
    const { until } = this.#following;
    if (until === undefined || isPointer(value)) return value;
    for (const term of until) if (isSameTerm(value, term)) this.#made = term;
    return value;
  }

  #constant(value: number): Term {
    return this.#terms.integer(value);
  }

  /** An input that this instruction reads. It is the same in all runs that come here equally often. */
  input(kind: string, bits = 64): Term {
    const { at, visits, frames } = this.#run;
    const visit = (visits.get(at) ?? 0) + 1;
    if (visit > MOST_VISITS) throw new NotMeasured('one of its loops takes too long');
    visits.set(at, visit);
    const calls = frames.map(({ returnTo }) => returnTo).join(',');
    return this.#terms.input(`${kind}@${calls},${at}#${visit}`, bits);
  }

  // Calculations

  #calculate({ code, to, from, offset, value }: Instruction): void {
    const is64 = (code & 7) === CLASS.ALU64;
    const isRegister = (code & 8) !== 0;
    const operation = code >> 4;
    const right = isRegister ? this.#read(from) : this.#constant(value);
    if (operation === 13) this.#swapBytes(code, to, value, is64);
    else if (operation === 11) this.#write(to, this.#moved(right, offset, is64));
    else {
      const isSum = is64 && (operation === 0 || operation === 1);
      const left = this.#read(to);
      const address = isSum ? this.#addressPlus(operation, left, right) : undefined;
      this.#write(to, address ?? this.#result(operation, left, right, { is64, isSigned: offset === 1 }));
    }
  }

  #result(operation: number, left: Value, right: Value, kind: CalculationKind): Term {
    return calculate(this.#terms, operation, this.#number(left), this.#number(right), kind);
  }

  #moved(value: Value, offset: number, is64: boolean): Value {
    const terms = this.#terms;
    // An address of this CPU: `BPF_ADDR_PERCPU`. An address of an arena has 1.
    if (offset === -1 && is64) {
      return isPointer(value) ? value : { kind: 'machine', name: 'this CPU', offset: terms.constant(0n) };
    }
    if (isPointer(value) && is64 && offset === 0) return value;
    const number = this.#number(value);
    const isSigned = offset === 8 || offset === 16 || offset === 32;
    const moved = isSigned ? terms.signed(number, offset) : number;
    return is64 ? moved : terms.low(moved, 32);
  }

  #swapBytes(code: number, to: number, bits: number, is64: boolean): void {
    if (bits !== 16 && bits !== 32 && bits !== 64) throw new NotMeasured(UNKNOWN_INSTRUCTION);
    const low = this.#terms.low(this.#number(this.#read(to)), bits);
    // `BPF_TO_LE` of a little-endian machine only cuts; the other one, and those of 64 bits, swap.
    const isSwap = is64 || (code & 8) !== 0;
    this.#write(to, isSwap ? this.#terms.make('swap', low, this.#constant(bits)) : low);
  }

  /** The sum or difference of an address and an integer; `undefined` when none is an address. */
  #addressPlus(operation: number, left: Value, right: Value): Value | undefined {
    if (isPointer(left) && isPointer(right)) return undefined;
    const [pointer, amount] = isPointer(left) ? [left, right as Term] : [right, left as Term];
    if (!isPointer(pointer)) return undefined;
    if (operation === 1) {
      if (!isPointer(left)) return undefined;
      return this.#advanced(left, this.#terms.make('sub', this.#terms.constant(0n), amount));
    }
    return this.#advanced(pointer, amount);
  }

  #advanced(pointer: Pointer, by: Term): Pointer {
    const { kind, map } = pointer;
    const offset = this.#terms.constant(0n);
    // Programs cannot add to the address of a map. The kernel does, where it has replaced a lookup: its array of values begins there.
    if (kind === 'map') return { ...pointer, offset, kind: 'inside' };
    if (kind === 'inside' && map !== undefined) {
      const isCell = map.isPerCpu || map.holdsMaps;
      const term = this.#indexIn(by, isCell ? 8 : elementBytes(map));
      return { ...pointer, offset, kind: isCell ? 'cell' : 'value', key: [{ offset: 0, size: 4, term }] };
    }
    if (kind === 'entry' && map !== undefined) {
      return { ...pointer, offset, kind: map.isPerCpu || map.holdsMaps ? 'cell' : 'value', mayBeNull: false };
    }
    return { ...pointer, offset: this.#terms.make('add', pointer.offset, by) };
  }

  /** The index from the distance of an element to the first one. */
  #indexIn(distance: Term, size: number): Term {
    const bytes = BigInt(size);
    // Nothing is known about a map that has gone.
    if (size === 0) throw new NotMeasured('one of its maps has ended');
    if (isConstant(distance)) return this.#terms.constant(distance.min / bytes);
    const [index, factor] = distance.args;
    const isMultiple =
      factor !== undefined &&
      isConstant(factor) &&
      ((distance.op === 'mul' && factor.min === bytes) ||
        (distance.op === 'shl' && 1n << factor.min === bytes));
    return isMultiple ? index! : this.#terms.make('div', distance, this.#terms.constant(bytes));
  }

  // Memory

  #loadWide({ code, to, from, value }: Instruction): void {
    const run = this.#run;
    if (code !== LOAD_WIDE) {
      // A load from a packet.
      this.#write(0, this.input('packet'));
      run.at++;
      return;
    }
    const high = this.#code.instructions[run.at + 1];
    if (high === undefined) throw new NotMeasured('its last instruction is cut off');
    const zero = this.#terms.constant(0n);
    const wide = (BigInt(high.value) << 32n) | (BigInt(value) & HALF);
    if (from === WIDE.MAP) {
      this.#write(to, { kind: 'map', name: '', offset: zero, map: this.#code.mapFacts(value) });
    } else if (from === WIDE.MAP_VALUE) {
      const offset = this.#terms.constant(BigInt(high.value) & HALF);
      const key = [{ offset: 0, size: 4, term: zero }];
      this.#write(to, { kind: 'value', name: '', offset, map: this.#code.mapFacts(value), key });
    } else if (from === WIDE.FUNCTION) {
      this.#write(to, { kind: 'function', name: String(value), offset: zero });
    } else {
      this.#write(to, this.#terms.constant(wide));
    }
    run.at += 2;
  }

  #load({ code, to, from, offset }: Instruction): void {
    const size = accessBytes(code);
    const address = this.#read(from);
    const loaded = isPointer(address)
      ? this.#memory.load(address, offset, size)
      : this.input('memory', 8 * size);
    // `BPF_MEMSX`
    this.#write(to, code >> 5 === 4 && !isPointer(loaded) ? this.#terms.signed(loaded, 8 * size) : loaded);
  }

  #store({ code, to, offset }: Instruction, value: Value): void {
    const address = this.#read(to);
    if (isPointer(address)) this.#memory.store(address, offset, accessBytes(code), value);
  }

  #atomic(instruction: Instruction): void {
    const { code, from, value } = instruction;
    if (value === ATOMIC.LOAD_ACQUIRE) this.#load(instruction);
    else if (value === ATOMIC.STORE_RELEASE) this.#store(instruction, this.#read(from));
    else {
      this.#change(instruction);
      const hasResult = (value & ATOMIC.FETCH) !== 0;
      const result = value === ATOMIC.COMPARE_EXCHANGE ? 0 : from;
      if (hasResult) this.#write(result, this.input('memory', 8 * accessBytes(code)));
    }
  }

  /** Only additions to counters matter. */
  #change({ code, to, from, offset, value }: Instruction): void {
    const address = this.#read(to);
    if (!isPointer(address)) return;
    const isAddition = (value & ~ATOMIC.FETCH) === 0;
    const amount = isAddition ? this.#number(this.#read(from)) : undefined;
    this.#memory.change(address, offset, accessBytes(code), amount);
  }

  // Jumps

  #jump(instruction: Instruction): Outcome {
    const { code, offset, value } = instruction;
    const run = this.#run;
    const is32 = (code & 7) === CLASS.JMP32;
    const operation = code >> 4;
    if (operation === 0) {
      run.at += 1 + (is32 ? value : offset);
      return undefined;
    }
    if (operation === 8) return this.#call(instruction);
    if (operation === 9) return this.#return();
    const kind = CONDITIONS[operation];
    if (kind === undefined) throw new NotMeasured(UNKNOWN_INSTRUCTION);
    return this.#branch(instruction, kind, is32);
  }

  #branch({ code, to, from, offset, value }: Instruction, condition: Condition, is32: boolean): Outcome {
    const { comparison, isNegated = false } = condition;
    const right = (code & 8) !== 0 ? this.#read(from) : this.#constant(value);
    const operands = orderOperands(this.#terms, condition, this.#read(to), right, is32);
    const lengthOf = (answer: boolean) => (answer === isNegated ? 1 : 1 + offset);
    const answer = answerTo(comparison, operands);
    if (answer === undefined) return this.#choose(nameOfComparison(comparison, operands), operands, lengthOf);
    this.#run.at += lengthOf(answer);
    return undefined;
  }

  /** Goes the way that the run has decided before, or else both ways. */
  #choose(name: string, operands: Operands, lengthOf: (answer: boolean) => number): Outcome {
    const run = this.#run;
    const take = (way: Run, answer: boolean) => {
      way.decisions.set(name, answer);
      way.at += lengthOf(answer);
    };
    const integers = operands.some(isPointer) ? [] : operands.filter(isInteger);
    // Bounded: two.
    run.conditions.push(...integers.filter((term) => !isConstant(term)));
    const known = run.decisions.get(name);
    if (known !== undefined) {
      take(run, known);
      return undefined;
    }
    const isOfMeasured =
      integers.some(({ isMeasured }) => isMeasured) && !integers.some(({ isOther }) => isOther);
    if (isOfMeasured && this.#following.isStrict) throw UNDECIDED;
    if (!this.#isLeading()) return 'end';
    this.#ways.widen(run, MOST_STATES);
    if (this.#ways.isSeen(run)) return 'pruned';
    const other = copyRun(run);
    this.#ways.pending.push(other);
    // The runs with an address come first: most programs do nothing else without one.
    const answer = integers.length > 0;
    take(run, answer);
    take(other, !answer);
    return 'forked';
  }

  /** Whether the run may still add to the map. */
  #isLeading(): boolean {
    const { at, frames } = this.#run;
    const { isTarget, leading } = this.#following.target;
    if (leading.has(at) || frames.some(({ returnTo }) => leading.has(returnTo))) return true;
    const leads = (value: Value | undefined) =>
      value !== undefined &&
      isPointer(value) &&
      value.map !== undefined &&
      (isTarget(value.map) || value.map.holdsMaps);
    return frames.some(
      ({ registers, stack }) =>
        registers.some(leads) || [...stack.values()].some(({ value }) => leads(value)),
    );
  }

  #return(): 'end' | undefined {
    const run = this.#run;
    const [result, { returnTo }] = [this.#read(0), this.#frame];
    if (run.frames.length === 1) return 'end';
    run.frames.pop();
    this.#frame.registers[0] = result;
    for (let scratch = 1; scratch <= 5; scratch++) this.#frame.registers[scratch] = undefined;
    run.at = returnTo;
    return undefined;
  }

  #call(instruction: Instruction): undefined {
    const run = this.#run;
    const { from, offset, value } = instruction;
    if (from === CALL_OF_PROGRAM) {
      const distance = distanceOfCall({ offset, value });
      const args = [undefined, ...this.#frame.registers.slice(1, 6)];
      enter(this.#terms, run, run.at + 1 + distance, args, run.at + 1);
      return;
    }
    const result = this.#resultOf(this.#code.kindOfCall(instruction));
    for (let scratch = 1; scratch <= 5; scratch++) this.#frame.registers[scratch] = undefined;
    this.#write(0, result);
    run.at++;
  }

  #resultOf(kind: CallKind): Value {
    const { registers } = this.#frame;
    const [, map, key, value] = registers;
    const facts = map !== undefined && isPointer(map) && map.kind === 'map' ? map.map : undefined;
    switch (kind) {
      case 'lookup':
      case 'entry':
        if (facts === undefined) return this.input('call');
        return this.#found(facts, key, kind);
      case 'update':
        if (facts !== undefined) this.#memory.update(facts, key, value);
        return this.input('call');
      case 'delete':
        return this.input('call');
      case 'of the machine':
        return this.input('machine');
      case 'other':
        if (
          registers.slice(1, 6).some((one) => one !== undefined && isPointer(one) && one.kind === 'function')
        ) {
          throw new NotMeasured('the kernel calls a function of it');
        }
        this.#memory.clobber(registers);
        return this.input('call');
    }
  }

  #found(map: MapFacts, key: Value | undefined, kind: 'lookup' | 'entry'): Pointer {
    const words = this.#memory.wordsAt(key, map.keySize);
    const name = String(this.input('call').id);
    const found = { name, offset: this.#terms.constant(0n), map, key: words, mayBeNull: true };
    if (kind === 'entry') return { ...found, kind: 'entry' };
    return map.holdsMaps
      ? { ...found, kind: 'map', map: this.#code.innerFacts(map.id) }
      : { ...found, kind: 'value' };
  }
}

/** Whether two terms are one computation. Those of a measured value are made anew for each of its ranges. */
function isSameTerm(one: Term, other: Term): boolean {
  if (one === other) return true;
  const { op, args } = other;
  return one.isMeasured && one.op === op && args.length === 2 && args.every((arg, i) => arg === one.args[i]);
}

/** Elements of an array take a multiple of 8 bytes. */
function elementBytes({ valueSize }: MapFacts): number {
  return Math.ceil(valueSize / 8) * 8;
}
