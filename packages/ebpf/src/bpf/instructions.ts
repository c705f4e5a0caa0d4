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
export class Assembler {
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
