import type { Steps } from '@hdrscope/kit';
import { LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';

/** One instruction of 8 bytes. Source: Linux, `Documentation/bpf/standardization/instruction-set.rst`. */
export interface Instruction {
  readonly code: number;
  readonly to: number;
  readonly from: number;
  readonly offset: number;
  readonly value: number;
}

/** Divides a program into its instructions. Bytes after the last whole instruction are left out. */
export function* decodeInstructions(code: Uint8Array): Steps<readonly Instruction[]> {
  const view = viewOf(code);
  const instructions: Instruction[] = [];
  for (let at = 0; at + 8 <= code.length; at += 8) {
    const registers = view.getUint8(at + 1);
    const [low, high] = [registers & 0xf, registers >> 4];
    instructions.push({
      code: view.getUint8(at),
      to: LITTLE_ENDIAN ? low : high,
      from: LITTLE_ENDIAN ? high : low,
      offset: view.getInt16(at + 2, LITTLE_ENDIAN),
      value: view.getInt32(at + 4, LITTLE_ENDIAN),
    });
    yield;
  }
  return instructions;
}

/** The lowest three bits of a code. */
export const CLASS = { LD: 0, LDX: 1, ST: 2, STX: 3, ALU: 4, JMP: 5, JMP32: 6, ALU64: 7 } as const;

/** What the source register of a wide load says about its constant: `BPF_PSEUDO_…`. */
export const WIDE = { MAP: 1, MAP_VALUE: 2, FUNCTION: 4 } as const;

/** What the source register of a call says: the function is in the program (1), or in the kernel (2), or a helper (0). */
export const CALL_OF_PROGRAM = 1;

/** The code of a load of 64 bits, which takes the room of two instructions. */
export const LOAD_WIDE = 0x18;

/** The kernel keeps the distance of a function in the offset once it has compiled it, and in the value before. */
export function distanceOfCall({ offset, value }: Pick<Instruction, 'offset' | 'value'>): number {
  return offset !== 0 ? offset : value;
}

/** What an atomic instruction does, by its value. */
export const ATOMIC = {
  FETCH: 1,
  COMPARE_EXCHANGE: 0xf1,
  LOAD_ACQUIRE: 0x100,
  STORE_RELEASE: 0x110,
} as const;

/** The size of a load or store, in bytes. */
export function accessBytes(code: number): 1 | 2 | 4 | 8 {
  return ([4, 2, 1, 8] as const)[(code >> 3) & 3]!;
}
