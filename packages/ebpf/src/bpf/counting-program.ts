import type { KernelLayout } from '../layout/kernel-layout.ts';
import { LITTLE_ENDIAN } from './memory.ts';

/** Registers: r0 is the result of a call, r1 to r5 are its arguments, a call keeps r6 to r9, r10 is the stack. */
export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

interface Operands {
  readonly to?: Register;
  readonly from?: Register;
  readonly offset?: number;
  readonly value?: number;
}

/** Codes of instructions. Source: Linux, `Documentation/bpf/standardization/instruction-set.rst`. */
const OPCODES = {
  addValue: 0x07,
  addRegister: 0x0f,
  loadWide: 0x18,
  load32: 0x61,
  store32: 0x63,
  load64: 0x79,
  store64: 0x7b,
  call: 0x85,
  exit: 0x95,
  moveValue: 0xb7,
  moveRegister: 0xbf,
  jumpIfZero: 0x15,
  jumpIfAtMost: 0xbd,
  jumpIfAtMostSigned: 0xdd,
} as const;

/** Builds a program, instruction by instruction. */
class Assembler {
  readonly #instructions: Uint8Array[] = [];
  readonly #jumps: { readonly at: number; readonly label: string }[] = [];
  readonly #labels = new Map<string, number>();

  emit(opcode: keyof typeof OPCODES, { to = 0, from = 0, offset = 0, value = 0 }: Operands = {}): this {
    const bytes = new Uint8Array(8);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, OPCODES[opcode]);
    view.setUint8(1, LITTLE_ENDIAN ? to | (from << 4) : (to << 4) | from);
    view.setInt16(2, offset, LITTLE_ENDIAN);
    view.setInt32(4, value, LITTLE_ENDIAN);
    this.#instructions.push(bytes);
    return this;
  }

  /** Loads 64 bits. The instruction takes the room of two. */
  loadWide(to: Register, value: bigint): this {
    this.emit('loadWide', { to, value: Number(BigInt.asIntN(32, value)) });
    return this.#second(Number(BigInt.asIntN(32, value >> 32n)));
  }

  /** Loads the address of a map that is open in this process. */
  loadMap(to: Register, mapFd: number): this {
    const isMapFd = 1;
    this.emit('loadWide', { to, from: isMapFd, value: mapFd });
    return this.#second(0);
  }

  jump(
    opcode: 'jumpIfZero' | 'jumpIfAtMost' | 'jumpIfAtMostSigned',
    operands: Operands,
    label: string,
  ): this {
    this.#jumps.push({ at: this.#instructions.length, label });
    return this.emit(opcode, operands);
  }

  label(name: string): this {
    this.#labels.set(name, this.#instructions.length);
    return this;
  }

  /** All instructions, with the offsets of the jumps filled in. */
  assemble(): Uint8Array {
    for (const { at, label } of this.#jumps) {
      const bytes = this.#instructions[at]!;
      new DataView(bytes.buffer).setInt16(2, this.#labels.get(label)! - at - 1, LITTLE_ENDIAN);
    }
    return Uint8Array.from(this.#instructions.flatMap((bytes) => [...bytes]));
  }

  #second(value: number): this {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setInt32(4, value, LITTLE_ENDIAN);
    this.#instructions.push(bytes);
    return this;
  }
}

/** Number of the helper `bpf_map_lookup_elem`. */
const LOOKUP = 1;

/** Values that a counting program counts, and their place. */
export interface CountingOptions {
  /** File descriptor of a `percpu_array` whose keys are the indices of the layout. */
  readonly mapFd: number;
  readonly layout: KernelLayout;
  /** Width of the counters. @default 'u64' */
  readonly counter?: 'u32' | 'u64';
  /** Number of the tracepoint argument that is counted. @default 0 */
  readonly argument?: number;
  /** The index at which the program sums up the values. @default no sum */
  readonly sumIndex?: number;
}

/**
 * A program for a raw tracepoint that counts one of its arguments in the slots of a layout, and returns the index of the
 * slot. It compares the value with one bound after the other. So it shows which values a slot holds, and says nothing
 * about the speed of such programs.
 */
export function countingProgram({
  mapFd,
  layout: { slots, firstIndex },
  counter = 'u64',
  argument = 0,
  sumIndex,
}: CountingOptions): Uint8Array {
  const assembler = new Assembler();
  const value: Register = 6;
  const index: Register = 7;
  assembler.emit('load64', { to: value, from: 1, offset: argument * 8 });
  // Values are signed when the layout has a slot for negative ones.
  const isSigned = slots.upper(0) < 0;
  const jump = isSigned ? 'jumpIfAtMostSigned' : 'jumpIfAtMost';
  for (let slot = 0; slot < slots.slotCount - 1; slot++) {
    assembler.emit('moveValue', { to: index, value: firstIndex + slot });
    assembler
      .loadWide(8, lastBefore(slots.lower(slot + 1), isSigned))
      .jump(jump, { to: value, from: 8 }, 'count');
  }
  assembler.emit('moveValue', { to: index, value: firstIndex + slots.slotCount - 1 }).label('count');
  const [load, store] =
    counter === 'u64' ? (['load64', 'store64'] as const) : (['load32', 'store32'] as const);
  emitLookup(assembler, mapFd, index, 'end');
  assembler
    .emit(load, { to: 1, from: 0 })
    .emit('addValue', { to: 1, value: 1 })
    .emit(store, { to: 0, from: 1 });
  if (sumIndex !== undefined) {
    assembler.emit('moveValue', { to: 9, value: sumIndex });
    emitLookup(assembler, mapFd, 9, 'end');
    assembler.emit(load, { to: 1, from: 0 }).emit('addRegister', { to: 1, from: value });
    assembler.emit(store, { to: 0, from: 1 });
  }
  return assembler.label('end').emit('moveRegister', { to: 0, from: index }).emit('exit').assemble();
}

/** The integer before a slot. The lower bound of a slot is exact above 2^53, where the integer before is not a double. */
function lastBefore(lower: number, isSigned: boolean): bigint {
  const largest = 2n ** (isSigned ? 63n : 64n) - 1n;
  const bound = BigInt(lower) - 1n;
  return bound > largest ? largest : bound;
}

/** Leaves the address of the value of a key in r0. */
function emitLookup(assembler: Assembler, mapFd: number, key: Register, ifAbsent: string): void {
  const onStack = -4;
  assembler
    .emit('store32', { to: 10, from: key, offset: onStack })
    .emit('moveRegister', { to: 2, from: 10 })
    .emit('addValue', { to: 2, value: onStack })
    .loadMap(1, mapFd)
    .emit('call', { value: LOOKUP })
    .jump('jumpIfZero', { to: 0 }, ifAbsent);
}
