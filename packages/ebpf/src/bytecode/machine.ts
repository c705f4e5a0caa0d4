import { ATOMIC, accessBytes, CALL_OF_PROGRAM, CLASS, type Instruction, WIDE } from './instructions.ts';
import { type Comparison, decide, HALF, isConstant, type Operation, type Term, type Terms } from './terms.ts';

/** What is known about a map that a program uses. */
export interface MapFacts {
  readonly id: number;
  readonly kind: 'array' | 'hash' | 'other';
  readonly isPerCpu: boolean;
  /** Whether its values are maps. */
  readonly holdsMaps: boolean;
  readonly keySize: number;
  readonly valueSize: number;
  /** The value of a map that no program may write, such as `.rodata`. @default its values may change */
  readonly constants?: Uint8Array;
}

/** What a call does, as far as it matters. */
export type CallKind = 'lookup' | 'entry' | 'update' | 'delete' | 'of the machine' | 'other';

/** A program with all that its instructions refer to. */
export interface ProgramCode {
  readonly instructions: readonly Instruction[];
  mapFacts(id: number): MapFacts;
  /** Facts of the maps in a map of maps. */
  innerFacts(outer: number): MapFacts;
  kindOfCall(instruction: Instruction): CallKind;
}

/**
 * An address. `map` is the map itself, `inside` a place in an array before an index was added, `entry` an entry of a hash
 * before the place of its value was added, `cell` a place that holds the address of a value or of a map.
 */
export interface Pointer {
  readonly kind: 'stack' | 'context' | 'map' | 'inside' | 'entry' | 'cell' | 'value' | 'function' | 'machine';
  /** Distinguishes addresses whose value is not known: the call that returned it. */
  readonly name: string;
  readonly offset: Term;
  /** The frame of a stack. */
  readonly frame?: number;
  readonly map?: MapFacts;
  /** The key of a value: each word of it, or the index of an array. */
  readonly key?: readonly KeyWord[];
  readonly mayBeNull?: boolean;
}

/** A part of a key. */
export interface KeyWord {
  readonly offset: number;
  readonly size: number;
  readonly term: Term;
}

type Value = Term | Pointer;

function isPointer(value: Value): value is Pointer {
  return 'kind' in value;
}

/** An addition to a counter in a map. */
export interface Addition {
  /** Where the program adds: the position of the instruction. */
  readonly at: number;
  readonly map: MapFacts;
  readonly key: readonly KeyWord[];
  readonly offset: Term;
  readonly size: number;
  readonly amount: Term;
  /** Whether it is the first count of an entry: the program stores an integer, and has loaded none. */
  readonly isFirst: boolean;
}

interface Cell {
  readonly size: number;
  readonly value: Value;
}

interface Frame {
  registers: (Value | undefined)[];
  readonly stack: Map<number, Cell>;
  readonly returnTo: number;
}

/** A run of a program, up to an instruction. */
export interface Run {
  at: number;
  frames: Frame[];
  /** Answers to comparisons that could go both ways. */
  decisions: Map<string, boolean>;
  conditions: Term[];
  additions: Addition[];
  /** How often each instruction has made an input. */
  visits: Map<number, number>;
}

/** A program that cannot be followed. */
export class NotMeasured extends Error {}

/** How many instructions may be followed. */
export class StepBudget {
  #left: number;
  readonly #whole: StepBudget | undefined;

  /** @param whole A budget that this one is a part of. */
  constructor(steps: number, whole?: StepBudget) {
    this.#left = steps;
    this.#whole = whole;
  }

  /** @throws NotMeasured when no step is left, in this budget or in the whole one. */
  take(): void {
    this.#whole?.take();
    if (--this.#left < 0) throw new NotMeasured('following it takes too many steps');
  }
}

const DEEPEST_CALL = 8;
const MOST_VISITS = 2000;
const FRAME_POINTER = 10;
/** The code of a load of 64 bits, which takes the room of two instructions. */
const LOAD_WIDE = 0x18;
/** Size of the stack of a function. Source: Linux, `MAX_BPF_STACK`. */
const STACK_BYTES = 512;
const UNKNOWN_INSTRUCTION = 'it has an unknown instruction';

/** A run at the beginning of a program. */
export function firstRun(terms: Terms): Run {
  const context: Pointer = { kind: 'context', name: 'context', offset: terms.constant(0n) };
  const run: Run = {
    at: 0,
    frames: [],
    decisions: new Map(),
    conditions: [],
    additions: [],
    visits: new Map(),
  };
  enter(terms, run, 0, [undefined, context], -1);
  return run;
}

function enter(terms: Terms, run: Run, at: number, registers: (Value | undefined)[], returnTo: number): void {
  const frame = run.frames.length;
  if (frame >= DEEPEST_CALL) throw new NotMeasured('its functions call each other too deeply');
  registers[FRAME_POINTER] = { kind: 'stack', name: `stack ${frame}`, frame, offset: terms.constant(0n) };
  run.frames.push({ registers, stack: new Map(), returnTo });
  run.at = at;
}

/** A copy of a run that goes its own way. */
export function copyRun(run: Run): Run {
  return {
    at: run.at,
    frames: run.frames.map(({ registers, stack, returnTo }) => ({
      registers: [...registers],
      stack: new Map(stack),
      returnTo,
    })),
    decisions: new Map(run.decisions),
    conditions: [...run.conditions],
    additions: [...run.additions],
    visits: new Map(run.visits),
  };
}

/** The place in a map from which an input was loaded. */
export interface Load {
  readonly pointer: Pointer;
  readonly offset: Term;
  readonly size: number;
}

/** The maps whose counters are looked for, and the instructions from which a program may come to them. */
export interface MapTarget {
  isTarget(map: MapFacts): boolean;
  readonly leading: ReadonlySet<number>;
}

/** Finds the instructions from which a program may come to one that names the map. */
export function findLeading(code: ProgramCode, isTarget: (map: MapFacts) => boolean): ReadonlySet<number> {
  const { instructions } = code;
  const before = new Map<number, number[]>();
  const pending: number[] = [];
  const lead = (from: number, to: number) => before.set(to, [...(before.get(to) ?? []), from]);
  for (const [at, { code: operation, from, offset, value }] of instructions.entries()) {
    const isWide = operation === LOAD_WIDE;
    const isJump = [CLASS.JMP, CLASS.JMP32].some((jump) => jump === (operation & 7));
    const kind = isJump ? operation >> 4 : undefined;
    if (isWide && from === WIDE.FUNCTION) pending.push(at);
    if (isWide && (from === WIDE.MAP || from === WIDE.MAP_VALUE) && mentions(value)) pending.push(at);
    if (kind === 9) continue;
    if (kind === 8 && from === CALL_OF_PROGRAM) lead(at, at + 1 + distanceOfCall(offset, value));
    else if (kind !== undefined && kind !== 8) {
      lead(at, at + 1 + ((operation & 7) === CLASS.JMP32 && kind === 0 ? value : offset));
      if (kind === 0) continue;
    }
    lead(at, at + (isWide ? 2 : 1));
  }
  const leading = new Set<number>();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (leading.has(at)) continue;
    leading.add(at);
    pending.push(...(before.get(at) ?? []));
  }
  return leading;

  function mentions(id: number): boolean {
    const map = code.mapFacts(id);
    return isTarget(map) || (map.holdsMaps && isTarget(code.innerFacts(id)));
  }
}

/** How the runs of a program are followed. */
export interface Following {
  readonly code: ProgramCode;
  readonly terms: Terms;
  /** The maps whose additions matter. */
  readonly target: MapTarget;
  /** Inputs that were loaded from maps. */
  readonly loads: Map<Term, Load>;
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
export function follow(start: Run, following: Following): void {
  const ways: Ways = { pending: [start], seen: new Set(), joins: new Map() };
  for (let run = ways.pending.pop(); run !== undefined; run = ways.pending.pop()) {
    if (new Machine(run, following, ways).runToEnd() === 'done') return;
  }
}

/** The ways that runs have gone, and those that are left. */
interface Ways {
  readonly pending: Run[];
  /** States at comparisons. */
  readonly seen: Set<string>;
  /** How many runs have come to a comparison, and one that stands for all of them, by its place. */
  readonly joins: Map<string, { count: number; run: Run }>;
}

/** When more runs than this come to a comparison in different states, what differs is no longer known. */
const MOST_STATES = 200;

/** The same for runs that stop where they make the measured value. What came before it hardly matters. */
const MOST_STOPS = 2;

/** One run of a program. */
class Machine {
  readonly #run: Run;
  readonly #following: Following;
  readonly #terms: Terms;
  readonly #code: ProgramCode;
  readonly #ways: Ways;
  #made: Term | undefined;

  constructor(run: Run, following: Following, ways: Ways) {
    this.#run = run;
    this.#following = following;
    this.#terms = following.terms;
    this.#code = following.code;
    this.#ways = ways;
  }

  runToEnd(): 'done' | 'next' {
    const run = this.#run;
    const { budget, onEnd, onStop } = this.#following;
    for (;;) {
      budget.take();
      const instruction = this.#code.instructions[run.at];
      if (instruction === undefined) throw new NotMeasured('it goes on behind its last instruction');
      const step = this.#step(instruction);
      if (step === 'pruned') return 'next';
      if (step === 'end') return onEnd(run) === true ? 'done' : 'next';
      if (this.#made !== undefined) {
        this.#widen(MOST_STOPS);
        if (!this.#isSeen()) onStop?.(run, this.#made);
        return 'next';
      }
    }
  }

  #step(instruction: Instruction): 'end' | 'pruned' | undefined {
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
    return this.#frame.registers[register] ?? this.#input('register');
  }

  /** A value as an integer. An address as an integer is an input. */
  #number(value: Value): Term {
    return isPointer(value) ? this.#terms.input(`address@${this.#nameOf(value)}`) : value;
  }

  #write(register: number, value: Value): void {
    this.#frame.registers[register] = this.#noted(value);
  }

  #noted(value: Value): Value {
    if (!isPointer(value) && this.#following.until?.has(value)) this.#made = value;
    return value;
  }

  #constant(value: number): Term {
    return this.#terms.constant(BigInt(value));
  }

  /** An input that this instruction reads. It is the same in all runs that come here equally often. */
  #input(kind: string, bits = 64): Term {
    const { at, visits, frames } = this.#run;
    const visit = (visits.get(at) ?? 0) + 1;
    if (visit > MOST_VISITS) throw new NotMeasured('one of its loops takes too long');
    visits.set(at, visit);
    const calls = frames.map(({ returnTo }) => returnTo).join(',');
    return this.#terms.input(`${kind}@${calls},${at}#${visit}`, bits);
  }

  #nameOf({ kind, name, offset, key }: Pointer): string {
    const words = key?.map((word) => `${word.offset}:${word.term.id}`).join(',') ?? '';
    return `${kind} ${name} ${offset.id} ${words}`;
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
      const address = isSum ? this.#addressPlus(operation, this.#read(to), right) : undefined;
      const [a, b] = [this.#number(this.#read(to)), this.#number(right)];
      this.#write(to, address ?? this.#calculated(operation, a, b, { is64, isSigned: offset === 1 }));
    }
  }

  #calculated(
    operation: number,
    a: Term,
    b: Term,
    { is64, isSigned }: { readonly is64: boolean; readonly isSigned: boolean },
  ): Term {
    const terms = this.#terms;
    if (operation === 8) return this.#calculated(1, terms.constant(0n), a, { is64, isSigned });
    const op = (isSigned ? SIGNED_OPERATIONS[operation] : undefined) ?? OPERATIONS[operation];
    if (op === undefined) throw new NotMeasured(UNKNOWN_INSTRUCTION);
    const isShift = op === 'shl' || op === 'lshr' || op === 'ashr';
    if (is64) return terms.make(op, a, isShift ? terms.low(b, 6) : b);
    const isOfSigned = op === 'ashr' || op === 'sdiv' || op === 'smod';
    const left = isOfSigned ? terms.signed(a, 32) : terms.low(a, 32);
    const right = isShift ? terms.low(b, 5) : isOfSigned ? terms.signed(b, 32) : terms.low(b, 32);
    return terms.low(terms.make(op, left, right), 32);
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
    const { map } = pointer;
    const atBegin = { ...pointer, offset: this.#terms.constant(0n) };
    // Programs cannot add to the address of a map. The kernel does, where it has replaced a lookup: its array of values begins there.
    if (pointer.kind === 'map') return { ...atBegin, kind: 'inside' };
    if (pointer.kind === 'inside' && map !== undefined) {
      const isCell = map.isPerCpu || map.holdsMaps;
      const term = this.#indexIn(by, isCell ? 8 : elementBytes(map));
      return { ...atBegin, kind: isCell ? 'cell' : 'value', key: [{ offset: 0, size: 4, term }] };
    }
    if (pointer.kind === 'entry' && map !== undefined) {
      return { ...atBegin, kind: map.isPerCpu || map.holdsMaps ? 'cell' : 'value', mayBeNull: false };
    }
    return { ...pointer, offset: this.#terms.make('add', pointer.offset, by) };
  }

  /** The index from the distance of an element to the first one. */
  #indexIn(distance: Term, size: number): Term {
    const bytes = BigInt(size);
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
      this.#write(0, this.#input('packet'));
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
      ? this.#loadFrom(address, offset, size)
      : this.#input('memory', 8 * size);
    // `BPF_MEMSX`
    this.#write(to, code >> 5 === 4 && !isPointer(loaded) ? this.#terms.signed(loaded, 8 * size) : loaded);
  }

  #loadFrom(pointer: Pointer, by: number, size: number): Value {
    const terms = this.#terms;
    const offset = terms.make('add', pointer.offset, this.#constant(by));
    const { map, kind, key } = pointer;
    if (kind === 'stack') return this.#loadStack(pointer, offset, size);
    if (kind === 'context') return terms.input(`context@${offset.id},${size}`, 8 * size);
    if (kind === 'machine') return this.#input('machine', 8 * size);
    if (kind === 'cell' && map !== undefined && size === 8) {
      const zero = terms.constant(0n);
      if (!map.holdsMaps) return { ...pointer, kind: 'value', offset: zero };
      return this.#innerMap(map);
    }
    if (kind === 'value' && map?.constants !== undefined && isConstant(offset)) {
      const at = Number(offset.min);
      const bytes = map.constants.subarray(at, at + size);
      if (bytes.length === size) return terms.constant(integerIn(bytes));
    }
    const loaded = this.#input(kind === 'value' && key !== undefined ? 'value' : 'memory', 8 * size);
    if (kind === 'value') this.#loads.set(loaded, { pointer, offset, size });
    return loaded;
  }

  #innerMap(outer: MapFacts): Pointer {
    const { at, visits } = this.#run;
    const visit = (visits.get(at) ?? 0) + 1;
    visits.set(at, visit);
    const map = this.#code.innerFacts(outer.id);
    return { kind: 'map', name: `${at}#${visit}`, offset: this.#terms.constant(0n), map, mayBeNull: true };
  }

  get #loads(): Map<Term, Load> {
    return this.#following.loads;
  }

  #store({ code, to, offset: by }: Pick<Instruction, 'code' | 'to' | 'offset'>, value: Value): void {
    const size = accessBytes(code);
    const address = this.#read(to);
    if (!isPointer(address)) return;
    const offset = this.#terms.make('add', address.offset, this.#constant(by));
    if (address.kind === 'stack') this.#storeStack(address, offset, size, value);
    if (address.kind !== 'value' || isPointer(value)) return;
    const amount = this.#addedBy(value, { pointer: address, offset, size });
    if (amount !== undefined) this.#add(address, offset, size, amount);
  }

  /** What a stored integer has more than the integer that was loaded from the same place. */
  #addedBy(value: Term, { pointer, offset, size }: Load): Term | undefined {
    const sum = wholeOf(value);
    if (sum.op !== 'add') return undefined;
    for (const [i, operand] of sum.args.entries()) {
      const load = this.#loads.get(operand);
      if (load === undefined || load.size !== size || load.offset !== offset) continue;
      if (this.#nameOf(load.pointer) === this.#nameOf(pointer)) return sum.args[1 - i]!;
    }
    return undefined;
  }

  #add({ map, key = [] }: Pointer, offset: Term, size: number, amount: Term): void {
    if (map === undefined || !this.#following.target.isTarget(map)) return;
    this.#run.additions.push({ at: this.#run.at, map, key, offset, size, amount, isFirst: false });
  }

  #atomic(instruction: Instruction): void {
    const { code, from, value } = instruction;
    if (value === ATOMIC.LOAD_ACQUIRE) this.#load(instruction);
    else if (value === ATOMIC.STORE_RELEASE) this.#store(instruction, this.#read(from));
    else {
      this.#change(instruction);
      const hasResult = (value & ATOMIC.FETCH) !== 0;
      const result = value === ATOMIC.COMPARE_EXCHANGE ? 0 : from;
      if (hasResult) this.#write(result, this.#input('memory', 8 * accessBytes(code)));
    }
  }

  /** Changes an integer in memory. Only additions to counters matter. */
  #change({ code, to, from, offset: by, value }: Instruction): void {
    const size = accessBytes(code);
    const address = this.#read(to);
    if (!isPointer(address)) return;
    const offset = this.#terms.make('add', address.offset, this.#constant(by));
    const isAddition = (value & ~ATOMIC.FETCH) === 0;
    if (address.kind === 'value' && isAddition) {
      this.#add(address, offset, size, this.#terms.low(this.#number(this.#read(from)), 8 * size));
    }
    if (address.kind === 'stack') {
      this.#storeStack(address, offset, size, this.#input('memory', 8 * size));
    }
  }

  // Stack

  #stackOf({ frame }: Pointer): Map<number, Cell> {
    return this.#run.frames[frame!]?.stack ?? new Map();
  }

  #loadStack(pointer: Pointer, offset: Term, size: number): Value {
    if (!isConstant(offset)) return this.#input('stack', 8 * size);
    const at = placeIn(offset);
    const cell = this.#stackOf(pointer).get(at);
    if (cell?.size === size) return cell.value;
    return this.#composed(pointer, at, size);
  }

  /** Bytes of the stack that several stores have written, or parts of them. */
  #composed(pointer: Pointer, at: number, size: number): Term {
    const terms = this.#terms;
    let whole = terms.constant(0n);
    for (let byte = 0; byte < size; byte++) {
      const part = this.#byteAt(pointer, at + byte);
      if (part === undefined) return this.#input('stack', 8 * size);
      whole = terms.make('or', whole, terms.make('shl', part, this.#constant(8 * byte)));
    }
    return whole;
  }

  #byteAt(pointer: Pointer, at: number): Term | undefined {
    const stack = this.#stackOf(pointer);
    for (let begin = at; begin > at - 8; begin--) {
      const cell = stack.get(begin);
      if (cell === undefined || begin + cell.size <= at) continue;
      if (isPointer(cell.value)) return undefined;
      const shifted = this.#terms.make('lshr', cell.value, this.#constant(8 * (at - begin)));
      return this.#terms.low(shifted, 8);
    }
    return undefined;
  }

  #storeStack(pointer: Pointer, offset: Term, size: number, value: Value): void {
    if (!isConstant(offset)) throw new NotMeasured('it writes to a place of its stack that is not known');
    const at = placeIn(offset);
    if (at < -STACK_BYTES || at >= 0) throw new NotMeasured('it writes outside of its stack');
    const stack = this.#stackOf(pointer);
    this.#clear(pointer, at, size);
    const kept = isPointer(value) && size !== 8 ? this.#input('stack', 8 * size) : value;
    stack.set(at, { size, value: isPointer(kept) ? kept : this.#noted(this.#terms.low(kept, 8 * size)) });
  }

  /** Removes what is in a part of the stack. The other bytes of a larger store stay. */
  #clear(pointer: Pointer, at: number, size: number): void {
    const stack = this.#stackOf(pointer);
    for (let begin = at - 7; begin < at + size; begin++) {
      const cell = stack.get(begin);
      if (cell === undefined || begin + cell.size <= at) continue;
      const isInside = begin >= at && begin + cell.size <= at + size;
      const rest = isInside ? [] : Array.from({ length: cell.size }, (_, i) => begin + i);
      const bytes = rest
        .filter((byte) => byte < at || byte >= at + size)
        .map((byte) => [byte, this.#byteAt(pointer, byte)] as const);
      stack.delete(begin);
      for (const [byte, value] of bytes) if (value !== undefined) stack.set(byte, { size: 1, value });
    }
  }

  /** What is at an address that a helper reads. */
  #wordsAt(address: Value | undefined, size: number): readonly KeyWord[] {
    if (address === undefined || !isPointer(address) || !isConstant(address.offset)) {
      return [{ offset: 0, size, term: this.#input('memory') }];
    }
    const begin = placeIn(address.offset);
    const words: KeyWord[] = [];
    for (let offset = 0; offset < size; ) {
      const cell = address.kind === 'stack' ? this.#stackOf(address).get(begin + offset) : undefined;
      const fits = cell !== undefined && offset + cell.size <= size && !isPointer(cell.value);
      const length = fits ? cell.size : largestWord(begin + offset, size - offset);
      const term = fits ? (cell.value as Term) : this.#wordAt(address, offset, length);
      words.push({ offset, size: length, term });
      offset += length;
    }
    return words;
  }

  #wordAt(address: Pointer, by: number, size: number): Term {
    const read = this.#loadFrom(address, by, size);
    return isPointer(read) ? this.#terms.input(`address@${this.#nameOf(read)}`) : read;
  }

  // Jumps

  #jump(instruction: Instruction): 'end' | 'pruned' | undefined {
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

  #branch(
    { code, to, from, offset, value }: Instruction,
    { comparison, isReversed = false, isNegated = false }: Condition,
    is32: boolean,
  ): 'end' | 'pruned' | undefined {
    const run = this.#run;
    const isRegister = (code & 8) !== 0;
    const [left, right] = [this.#read(to), isRegister ? this.#read(from) : this.#constant(value)];
    const terms = this.#terms;
    let answer: boolean | undefined;
    let name: string;
    let isOfMeasured = false;
    if (isPointer(left) || isPointer(right)) {
      [answer, name] = this.#compareAddresses(comparison, left, right);
    } else {
      const sized = (term: Term) =>
        !is32 ? term : comparison === 'signed below' ? terms.signed(term, 32) : terms.low(term, 32);
      const [a, b] = isReversed ? [sized(right), sized(left)] : [sized(left), sized(right)];
      answer = decide(comparison, a, b);
      name = `${comparison} ${a.id} ${b.id}`;
      isOfMeasured = (a.isMeasured || b.isMeasured) && !a.isOther && !b.isOther;
      if (answer === undefined) run.conditions.push(...[a, b].filter((term) => !isConstant(term)));
    }
    answer ??= run.decisions.get(name);
    if (answer === undefined) {
      if (isOfMeasured && this.#following.isStrict) throw UNDECIDED;
      if (!this.#isLeading()) return 'end';
      this.#widen(MOST_STATES);
      if (this.#isSeen()) return 'pruned';
      const other = copyRun(run);
      other.decisions.set(name, false);
      other.at += isNegated ? 1 + offset : 1;
      this.#ways.pending.push(other);
      run.decisions.set(name, true);
      answer = true;
    }
    run.at += answer !== isNegated ? 1 + offset : 1;
    return undefined;
  }

  #compareAddresses(comparison: Comparison, left: Value, right: Value): [boolean | undefined, string] {
    const [pointer, other] = isPointer(left) ? [left, right] : [right as Pointer, left];
    const isWithNull = !isPointer(other) && isConstant(other) && other.min === 0n;
    const name = `null ${this.#nameOf(pointer)}`;
    if (comparison === 'equal' && isWithNull) return [pointer.mayBeNull ? undefined : false, name];
    const names = [left, right].map((value) => (isPointer(value) ? this.#nameOf(value) : value.id));
    return [undefined, `${comparison} ${names.join(' ')}`];
  }

  /** All that decides how the run goes on. */
  #state(): string {
    const { at, frames, additions } = this.#run;
    const shownValue = (value: Value | undefined) =>
      value === undefined ? '' : isPointer(value) ? this.#nameOf(value) : value.id;
    const shown = frames.map(
      ({ registers, stack, returnTo }) =>
        `${returnTo}|${registers.map(shownValue).join(' ')}|${[...stack]
          .map(([offset, { size, value }]) => `${offset}:${size}:${shownValue(value)}`)
          .sort()
          .join(' ')}`,
    );
    const added = additions.map(({ at, offset, amount, key }) =>
      [at, offset.id, amount.id, ...key.map(({ term }) => term.id)].join(' '),
    );
    return [at, ...shown, ...added].join('/');
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

  /** Whether another run has come here in the same state: both go on as one. */
  #isSeen(): boolean {
    const state = this.#state();
    const { seen } = this.#ways;
    const isSeen = seen.has(state);
    seen.add(state);
    return isSeen;
  }

  /** Forgets what differs from other runs, where too many come. What is not known is an input. */
  #widen(most: number): void {
    const run = this.#run;
    const place = [run.at, ...run.frames.map(({ returnTo }) => returnTo)].join(',');
    const join = this.#ways.joins.get(place) ?? { count: 0, run };
    this.#ways.joins.set(place, join);
    if (join.count++ < most) return;
    for (const [i, frame] of run.frames.entries()) {
      const other = join.run.frames[i]!;
      for (const [register, value] of frame.registers.entries()) {
        const known = other.registers[register];
        if (canMerge(value, known)) frame.registers[register] = this.#merged(`${place},${i},${register}`, 64);
      }
      for (const [at, cell] of frame.stack) {
        const known = other.stack.get(at);
        if (known?.size !== cell.size || !canMerge(cell.value, known.value)) continue;
        const value = this.#merged(`${place},${i},${at}`, 8 * cell.size);
        frame.stack.set(at, { size: cell.size, value });
      }
    }
    join.run = copyRun(run);
  }

  #merged(place: string, bits: number): Term {
    return this.#terms.input(`merged@${place}`, bits);
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
      const distance = distanceOfCall(offset, value);
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
        if (facts === undefined) return this.#input('call');
        return this.#found(facts, key, kind);
      case 'update':
        if (facts !== undefined) this.#update(facts, key, value);
        return this.#input('call');
      case 'delete':
        return this.#input('call');
      case 'of the machine':
        return this.#input('machine');
      case 'other':
        if (
          registers.slice(1, 6).some((one) => one !== undefined && isPointer(one) && one.kind === 'function')
        ) {
          throw new NotMeasured('the kernel calls a function of it');
        }
        this.#clobber(registers);
        return this.#input('call');
    }
  }

  #found(map: MapFacts, key: Value | undefined, kind: 'lookup' | 'entry'): Pointer {
    const words = this.#wordsAt(key, map.keySize);
    const name = String(this.#input('call').id);
    const found = { name, offset: this.#terms.constant(0n), map, key: words, mayBeNull: true };
    if (kind === 'entry') return { ...found, kind: 'entry' };
    return map.holdsMaps
      ? { ...found, kind: 'map', map: this.#code.innerFacts(map.id) }
      : { ...found, kind: 'value' };
  }

  /** An update with a sum of the loaded value adds the rest of the sum; one with an integer begins an entry. */
  #update(map: MapFacts, key: Value | undefined, value: Value | undefined): void {
    if (!this.#following.target.isTarget(map) || (map.valueSize !== 8 && map.valueSize !== 4)) return;
    const words = this.#wordsAt(key, map.keySize);
    const [stored] = this.#wordsAt(value, map.valueSize);
    if (stored === undefined || (isConstant(stored.term) && stored.term.min === 0n)) return;
    const sum = wholeOf(stored.term);
    const isLoaded = (operand: Term): boolean => {
      const { map: from, key = [] } = this.#loads.get(operand)?.pointer ?? {};
      return (
        from?.id === map.id &&
        key.length === words.length &&
        key.every(({ term }, i) => term === words[i]!.term)
      );
    };
    const loaded = sum.op === 'add' ? sum.args.findIndex(isLoaded) : -1;
    this.#run.additions.push({
      at: this.#run.at,
      map,
      key: words,
      offset: this.#terms.constant(0n),
      size: map.valueSize,
      amount: loaded < 0 ? stored.term : sum.args[1 - loaded]!,
      isFirst: loaded < 0,
    });
  }

  /** A call may write to the parts of the stack that it gets. */
  #clobber(registers: readonly (Value | undefined)[]): void {
    for (let register = 1; register <= 5; register++) {
      const value = registers[register];
      if (value === undefined || !isPointer(value) || value.kind !== 'stack' || !isConstant(value.offset))
        continue;
      const length = registers[register + 1];
      const at = placeIn(value.offset);
      const isSize =
        length !== undefined && !isPointer(length) && isConstant(length) && length.min <= STACK_BYTES;
      // Without a size behind it, it may be written up to the end of the frame.
      const size = isSize ? Math.min(Math.max(Number(length.min), 8), -at) : -at;
      for (let done = 0; done < size; ) {
        const bytes = largestWord(at + done, size - done);
        const terms = this.#terms;
        this.#storeStack(value, terms.constant(BigInt(at + done)), bytes, this.#input('written', 8 * bytes));
        done += bytes;
      }
    }
  }
}

/** The sum of which a term is the lower half, as in counters of 32 bits. */
function wholeOf(term: Term): Term {
  return term.op === 'and' && term.args[1]!.min === HALF && isConstant(term.args[1]!) ? term.args[0]! : term;
}

/** Two integers that are not the same. */
function canMerge(one: Value | undefined, other: Value | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other && !isPointer(one) && !isPointer(other);
}

/** The kernel keeps the distance of a function in the offset once it has compiled it, and in the value before. */
function distanceOfCall(offset: number, value: number): number {
  return offset !== 0 ? offset : value;
}

/** A constant distance from the end of a stack or the begin of a value, in bytes. */
function placeIn({ min }: Term): number {
  return Number(BigInt.asIntN(64, min));
}

/** Elements of an array take a multiple of 8 bytes. */
function elementBytes({ valueSize }: MapFacts): number {
  return Math.ceil(valueSize / 8) * 8;
}

/** The largest aligned word that begins at an address and has at most so many bytes. */
function largestWord(at: number, most: number): number {
  return [8, 4, 2, 1].find((size) => size <= most && at % size === 0) ?? 1;
}

function integerIn(bytes: Uint8Array): bigint {
  let integer = 0n;
  for (const byte of [...bytes].reverse()) integer = (integer << 8n) | BigInt(byte);
  return integer;
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

interface Condition {
  readonly comparison: Comparison;
  readonly isReversed?: boolean;
  readonly isNegated?: boolean;
}

const CONDITIONS: Readonly<Record<number, Condition>> = {
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
