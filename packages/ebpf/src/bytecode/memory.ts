import type { MapTarget } from './leading.ts';
import { NotMeasured } from './not-measured.ts';
import {
  type Cell,
  isPointer,
  type KeyWord,
  type Load,
  type MapFacts,
  nameOfPointer,
  type Pointer,
  type ProgramCode,
  type Run,
  type Value,
} from './run.ts';
import { clearStack, loadStack } from './stack.ts';
import { HALF, isConstant, isZero, type Term, type Terms } from './terms.ts';

/** Size of the stack of a function. Source: Linux, `MAX_BPF_STACK`. */
const STACK_BYTES = 512;

/** What memory needs of the machine that uses it. */
export interface MemoryUser {
  /** An input that the present instruction reads. */
  input(kind: string, bits?: number): Term;
  /** The same value, after the machine has seen that it was made. */
  noted(value: Value): Value;
}

/** The part of `Following` that memory needs. */
export interface MemoryFollowing {
  readonly code: ProgramCode;
  readonly terms: Terms;
  /** The maps whose additions matter. */
  readonly target: MapTarget;
  /** Inputs that were loaded from maps. */
  readonly loads: Map<Term, Load>;
}

/** The stack of a run, and the values of maps: what it loads from them, and what it adds to counters. */
export class Memory {
  readonly #run: Run;
  readonly #code: ProgramCode;
  readonly #terms: Terms;
  readonly #target: MapTarget;
  readonly #loads: Map<Term, Load>;
  readonly #machine: MemoryUser;

  constructor(run: Run, { code, terms, target, loads }: MemoryFollowing, machine: MemoryUser) {
    this.#run = run;
    this.#code = code;
    this.#terms = terms;
    this.#target = target;
    this.#loads = loads;
    this.#machine = machine;
  }

  /** What is at an address. */
  load(pointer: Pointer, by: number, size: number): Value {
    const terms = this.#terms;
    const offset = terms.make('add', pointer.offset, terms.integer(by));
    const { map, kind, key } = pointer;
    if (kind === 'stack') return this.#loadStack(pointer, offset, size);
    if (kind === 'context') return terms.input(`context@${offset.id},${size}`, 8 * size);
    if (kind === 'machine') return this.#machine.input('machine', 8 * size);
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
    const loaded = this.#machine.input(kind === 'value' && key !== undefined ? 'value' : 'memory', 8 * size);
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

  store(address: Pointer, by: number, size: number, value: Value): void {
    const offset = this.#terms.make('add', address.offset, this.#terms.integer(by));
    if (address.kind === 'stack') this.#storeStack(address, offset, size, value);
    if (address.kind === 'context') throw new NotMeasured('it writes to its context');
    if (address.kind !== 'value') return;
    const amount = isPointer(value) ? undefined : this.#addedBy(value, { pointer: address, offset, size });
    if (amount !== undefined) this.#add(address, offset, size, amount);
    else if (isPointer(value) || !isZero(value)) this.#replace(address, offset, size);
  }

  /** What a stored integer has more than the integer that was loaded from the same place. */
  #addedBy(value: Term, { pointer, offset, size }: Load): Term | undefined {
    const sum = wholeOf(value);
    if (sum.op !== 'add') return undefined;
    for (const [i, operand] of sum.args.entries()) {
      const load = this.#loads.get(operand);
      if (load === undefined || load.size !== size || load.offset !== offset) continue;
      if (nameOfPointer(load.pointer) === nameOfPointer(pointer)) return sum.args[1 - i]!;
    }
    return undefined;
  }

  #add({ map, key = [] }: Pointer, offset: Term, size: number, amount: Term, isFirst = false): void {
    if (map === undefined || !this.#target.isTarget(map)) return;
    this.#run.additions.push({ at: this.#run.at, map, key, offset, size, amount, isFirst });
  }

  /** Something that is no sum takes the place of an integer: as an addition of something that is not known. */
  #replace(pointer: Pointer, offset: Term, size: number): void {
    this.#add(pointer, offset, size, this.#machine.input('stored'), true);
  }

  /**
   * Changes an integer in memory.
   *
   * @param amount What is added; `undefined` for other changes.
   */
  change(address: Pointer, by: number, size: number, amount: Term | undefined): void {
    const offset = this.#terms.make('add', address.offset, this.#terms.integer(by));
    if (address.kind === 'value' && amount !== undefined) {
      this.#add(address, offset, size, this.#terms.low(amount, 8 * size));
    } else if (address.kind === 'value') this.#replace(address, offset, size);
    if (address.kind === 'stack') {
      this.#storeStack(address, offset, size, this.#machine.input('memory', 8 * size));
    }
  }

  #stackOf({ frame }: Pointer): Map<number, Cell> {
    return this.#run.frames[frame!]?.stack ?? new Map();
  }

  #loadStack(pointer: Pointer, offset: Term, size: number): Value {
    if (!isConstant(offset)) return this.#machine.input('stack', 8 * size);
    const known = loadStack(this.#terms, this.#stackOf(pointer), placeIn(offset), size);
    return known ?? this.#machine.input('stack', 8 * size);
  }

  #storeStack(pointer: Pointer, offset: Term, size: number, value: Value): void {
    if (!isConstant(offset)) throw new NotMeasured('it writes to a place of its stack that is not known');
    const at = placeIn(offset);
    if (at < -STACK_BYTES || at >= 0) throw new NotMeasured('it writes outside of its stack');
    const stack = this.#stackOf(pointer);
    clearStack(this.#terms, stack, at, size);
    const kept = isPointer(value) && size !== 8 ? this.#machine.input('stack', 8 * size) : value;
    stack.set(at, {
      size,
      value: isPointer(kept) ? kept : this.#machine.noted(this.#terms.low(kept, 8 * size)),
    });
  }

  /** What is at an address that a helper reads. */
  wordsAt(address: Value | undefined, size: number): readonly KeyWord[] {
    if (address === undefined || !isPointer(address) || !isConstant(address.offset)) {
      return [{ offset: 0, size, term: this.#machine.input('memory') }];
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
    const read = this.load(address, by, size);
    return isPointer(read) ? this.#terms.input(`address@${nameOfPointer(read)}`) : read;
  }

  /** An update with a sum of the loaded value adds the rest of the sum; one with an integer begins an entry. */
  update(map: MapFacts, key: Value | undefined, value: Value | undefined): void {
    if (!this.#target.isTarget(map) || (map.valueSize !== 8 && map.valueSize !== 4)) return;
    const words = this.wordsAt(key, map.keySize);
    const [stored] = this.wordsAt(value, map.valueSize);
    if (stored === undefined || isZero(stored.term)) return;
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

  /** A call may write to the parts of the stack, and of values of maps, that it gets. */
  clobber(registers: readonly (Value | undefined)[]): void {
    for (let register = 1; register <= 5; register++) {
      const value = registers[register];
      if (value === undefined || !isPointer(value)) continue;
      const length = registers[register + 1];
      const size = length !== undefined && !isPointer(length) && isConstant(length) ? length.min : undefined;
      if (value.kind === 'stack' && isConstant(value.offset)) this.#clobberStack(value, size);
      if (value.kind === 'value')
        this.#replace(value, value.offset, Number(size ?? value.map?.valueSize ?? 0));
    }
  }

  /** @param given Without a size that is possible, the stack may be written up to the end of the frame. */
  #clobberStack(pointer: Pointer, given: bigint | undefined): void {
    const at = placeIn(pointer.offset);
    const isSize = given !== undefined && given <= STACK_BYTES;
    const size = isSize ? Math.min(Math.max(Number(given), 8), -at) : -at;
    // What the call was given to fill is one integer, where it has the size of one.
    const filled = isSize ? Math.min(Number(given), size) : size;
    for (let done = 0; done < size; ) {
      const bytes = largestWord(at + done, (done < filled ? filled : size) - done);
      const offset = this.#terms.constant(BigInt(at + done));
      this.#storeStack(pointer, offset, bytes, this.#machine.input('written', 8 * bytes));
      done += bytes;
    }
  }
}

/** The sum of which a term is the lower half, as in counters of 32 bits. */
function wholeOf(term: Term): Term {
  return term.op === 'and' && term.args[1]!.min === HALF && isConstant(term.args[1]!) ? term.args[0]! : term;
}

/** A constant distance from the end of a stack or the begin of a value, in bytes. */
function placeIn({ min }: Term): number {
  return Number(BigInt.asIntN(64, min));
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
