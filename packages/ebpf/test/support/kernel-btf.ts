import { Attr, call } from '../../src/bpf/call.ts';
import { allocate } from '../../src/bpf/memory.ts';
import type { Bpf } from '../../src/bpf/syscall.ts';

export interface TestMember {
  readonly name: string;
  readonly type: number;
  readonly bitOffset: number;
  readonly bitSize?: number;
}

/** Makes BTF as a compiler does. Each method returns the id of its type. */
export class BtfBuilder {
  readonly #words: number[] = [];
  #strings = '\0';
  #count = 0;

  int(size: number, { isSigned = false, isChar = false, isBool = false } = {}): number {
    const encoding = Number(isSigned) | (Number(isChar) << 1) | (Number(isBool) << 2);
    return this.#type('int', 1, 0, size, [(encoding << 24) | (size * 8)]);
  }

  array(element: number, length: number, index = element): number {
    return this.#type('', 3, 0, 0, [element, index, length]);
  }

  struct(size: number, members: readonly TestMember[], name = 's'): number {
    const hasBits = members.some(({ bitSize }) => bitSize !== undefined);
    const words = members.flatMap(({ name, type, bitOffset, bitSize = 0 }) => [
      this.#string(name),
      type,
      hasBits ? (bitSize << 24) | bitOffset : bitOffset,
    ]);
    return this.#type(name, 4, members.length, size, words, hasBits);
  }

  union(size: number, members: readonly TestMember[]): number {
    const words = members.flatMap(({ name, type }) => [this.#string(name), type, 0]);
    return this.#type('u', 5, members.length, size, words);
  }

  enum(size: number, values: Readonly<Record<string, number>>, isSigned = false): number {
    const words = Object.entries(values).flatMap(([name, value]) => [this.#string(name), value]);
    return this.#type('e', 6, words.length / 2, size, words, isSigned);
  }

  enum64(values: Readonly<Record<string, bigint>>, isSigned = false): number {
    const words = Object.entries(values).flatMap(([name, value]) => [
      this.#string(name),
      Number(value & 0xffffffffn),
      Number((value >> 32n) & 0xffffffffn),
    ]);
    return this.#type('e64', 19, words.length / 3, 8, words, isSigned);
  }

  pointer(type: number): number {
    return this.#type('', 2, 0, type, []);
  }

  /** A global variable. */
  variable(name: string, type: number): number {
    return this.#type(name, 14, 0, type, [1]);
  }

  /** Variables one after the other. */
  section(name: string, variables: readonly number[], sizes = variables.map(() => 32)): number {
    const offsetOf = (i: number) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0);
    const words = variables.flatMap((variable, i) => [variable, offsetOf(i), sizes[i]!]);
    return this.#type(name, 15, variables.length, offsetOf(sizes.length), words);
  }

  typedef(name: string, type: number): number {
    return this.#type(name, 8, 0, type, []);
  }

  volatile(type: number): number {
    return this.#type('', 9, 0, type, []);
  }

  const(type: number): number {
    return this.#type('', 10, 0, type, []);
  }

  build(): Uint8Array {
    const types = Buffer.from(Uint32Array.from(this.#words).buffer);
    const strings = Buffer.from(this.#strings);
    const header = Buffer.alloc(24);
    header.writeUInt16LE(0xeb9f, 0);
    header.writeUInt8(1, 2);
    header.writeUInt32LE(24, 4);
    header.writeUInt32LE(0, 8);
    header.writeUInt32LE(types.length, 12);
    header.writeUInt32LE(types.length, 16);
    header.writeUInt32LE(strings.length, 20);
    return new Uint8Array(Buffer.concat([header, types, strings]));
  }

  #type(name: string, kind: number, n: number, size: number, words: readonly number[], flag = false): number {
    this.#words.push(this.#string(name), ((flag ? 1 : 0) << 31) | (kind << 24) | n, size, ...words);
    this.#count++;
    return this.#count;
  }

  #string(text: string): number {
    if (text === '') return 0;
    const offset = this.#strings.length;
    this.#strings += `${text}\0`;
    return offset;
  }
}

/** Loads BTF into the kernel, which refuses invalid BTF. */
export function loadBtf(bpf: Bpf, btf: Uint8Array): number {
  const memory = allocate(btf.length);
  memory.set(btf);
  const attr = new Attr(bpf, 32).pointer(0, memory).u32(16, btf.length);
  return call(bpf, 'BTF_LOAD', attr, { object: 'types of a test' });
}
