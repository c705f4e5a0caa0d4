import type { Instruction } from './instructions.ts';
import { NotMeasured } from './not-measured.ts';
import type { Term, Terms } from './terms.ts';

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

/** What is in a register or in the memory. */
export type Value = Term | Pointer;

export function isPointer(value: Value): value is Pointer {
  // Terms are alike for the engine, and pointers are not, so this is several times faster than to ask for `kind`.
  return (value as Partial<Term>).op === undefined;
}

export function isInteger(value: Value): value is Term {
  return !isPointer(value);
}

/** A name that only equal addresses have. */
export function nameOfPointer({ kind, name, offset, key }: Pointer): string {
  const words = key?.map((word) => `${word.offset}:${word.term.id}`).join(',') ?? '';
  return `${kind} ${name} ${offset.id} ${words}`;
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
  /** Whether the program stores an integer without having loaded one, as the first count of an entry. */
  readonly isFirst: boolean;
}

/** Bytes of the stack that were stored together. */
export interface Cell {
  readonly size: number;
  readonly value: Value;
}

/** A function that runs. */
export interface Frame {
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

const DEEPEST_CALL = 8;
const FRAME_POINTER = 10;

/** The place in a map from which an input was loaded. */
export interface Load {
  readonly pointer: Pointer;
  readonly offset: Term;
  readonly size: number;
}

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

/** Enters a function. */
export function enter(
  terms: Terms,
  run: Run,
  at: number,
  registers: (Value | undefined)[],
  returnTo: number,
): void {
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
