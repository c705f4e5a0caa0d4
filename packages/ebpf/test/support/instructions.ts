import { atOnce } from '@hdrscope/kit';
import { decodeInstructions } from '../../src/bytecode/instructions.ts';
import type { CallKind, MapFacts, ProgramCode } from '../../src/bytecode/run.ts';

/** Instructions that tests write: the operation, and what it is applied to. */
export type Line =
  | readonly [
      operation: keyof typeof CODES,
      to: number,
      operand: number,
      /** The offset of a load, store or jump. */
      offset?: number,
    ]
  | readonly ['map', to: number, id: number]
  | readonly ['call', CallName]
  /** Calls a function of the program, so many instructions further. */
  | readonly ['function', distance: number]
  | readonly ['exit'];

type CallName = keyof typeof CALLS;

/** Numbers of helpers, as a program has them before the kernel loads it. */
const CALLS = { lookup: 1, time: 5, cpu: 8 } as const;

/** Codes of instructions. `=r` has a register as operand, and `=` an integer. */
const CODES = {
  '=': 0xb7,
  '=r': 0xbf,
  '+=': 0x07,
  '+=r': 0x0f,
  '-=r': 0x1f,
  '/=': 0x37,
  '&=': 0x57,
  '|=r': 0x4f,
  '^=r': 0xaf,
  '<<=': 0x67,
  '>>=': 0x77,
  load64: 0x79,
  load32: 0x61,
  store64: 0x7b,
  store32: 0x63,
  add64: 0xdb,
  or64: 0xdb,
  'jump==': 0x15,
  'jump>': 0x25,
  'jump<=': 0xb5,
  'jump>=r': 0x3d,
  'jump==r': 0x1d,
  'jump!=r': 0x5d,
  jump: 0x05,
} as const;
/** Operations whose operand is a register. */
const OF_REGISTERS: readonly string[] = [
  'jump>=r',
  'jump==r',
  'jump!=r',
  '=r',
  '+=r',
  '-=r',
  '|=r',
  '^=r',
  'load64',
  'load32',
  'store64',
  'store32',
  'add64',
  'or64',
];

/** Writes instructions as a program has them. */
export function assemble(lines: readonly Line[]): Uint8Array {
  const bytes: number[] = [];
  const emit = (code: number, to: number, from: number, offset: number, value: number) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setUint8(0, code);
    view.setUint8(1, to | (from << 4));
    view.setInt16(2, offset, true);
    view.setInt32(4, value, true);
    bytes.push(...new Uint8Array(view.buffer));
  };
  for (const line of lines) {
    if (line[0] === 'exit') emit(0x95, 0, 0, 0, 0);
    else if (line[0] === 'call') emit(0x85, 0, 0, 0, CALLS[line[1]]);
    else if (line[0] === 'function') emit(0x85, 0, 1, 0, line[1]);
    else if (line[0] === 'map') {
      emit(0x18, line[1], 1, 0, line[2]);
      emit(0, 0, 0, 0, 0);
    } else {
      const [operation, to, operand, offset = 0] = line;
      const isRegister = OF_REGISTERS.includes(operation);
      // An atomic instruction has its operation in the value.
      const value = operation === 'or64' ? 0x40 : isRegister ? 0 : operand;
      emit(CODES[operation], to, isRegister ? operand : 0, offset, value);
    }
  }
  return Uint8Array.from(bytes);
}

/** The map 7 of `codeOf`: 64 counters of 8 bytes. */
export const COUNTERS: MapFacts = {
  ...{ id: 7, kind: 'array', isPerCpu: false, holdsMaps: false, keySize: 4, valueSize: 8 },
};

const KINDS: Readonly<Record<number, CallKind>> = {
  [CALLS.lookup]: 'lookup',
  [CALLS.cpu]: 'of the machine',
};

/** A program whose maps are like `COUNTERS`, and whose calls have the numbers of helpers. */
export function codeOf(program: Uint8Array, map: MapFacts = COUNTERS): ProgramCode {
  return {
    instructions: atOnce(decodeInstructions(program)),
    mapFacts: (id) => ({ ...map, id }),
    innerFacts: (outer) => ({ ...map, id: -outer }),
    kindOfCall: ({ value }) => KINDS[value] ?? 'other',
  };
}

/** Adds 1 to the counter of the map 7 whose index is in r7. */
export const COUNT_R7: readonly Line[] = [
  ['store32', 10, 7, -4],
  ['=r', 2, 10],
  ['+=', 2, -4],
  ['map', 1, 7],
  ['call', 'lookup'],
  ['jump==', 0, 0, 2],
  ['=', 1, 1],
  ['add64', 0, 1],
  ['=', 0, 0],
  ['exit'],
];
