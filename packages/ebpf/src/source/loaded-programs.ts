import { HdrscopeError } from '@hdrscope/core';
import { inSlices, Slices, type Steps } from '@hdrscope/kit';
import {
  holdsMaps,
  isArray,
  isPerCpu,
  type MapInfo,
  mapInfo,
  openMapIfThere,
  readConstants,
} from '../bpf/maps.ts';
import { listPrograms, type ProgramInfo, readInstructions } from '../bpf/programs.ts';
import { type KernelSymbols, readKernelSymbols } from '../bpf/symbols.ts';
import type { Bpf } from '../bpf/syscall.ts';
import { describeCode } from '../bytecode/describe-code.ts';
import { decodeInstructions } from '../bytecode/instructions.ts';
import { type MatchedLayout, matchLayout } from '../bytecode/match-layout.ts';
import { NotMeasured } from '../bytecode/not-measured.ts';
import type { Target } from '../bytecode/places.ts';
import type { CallKind, MapFacts, ProgramCode } from '../bytecode/run.ts';
import { measureSlots, type SlotSteps } from '../bytecode/slot-steps.ts';
import { StepBudget } from '../bytecode/step-budget.ts';
import { errnoOf } from '../errors.ts';

/** How a program counts in a map. */
export interface MeasuredLayout extends MatchedLayout {
  readonly program: ProgramInfo;
  readonly measured: SlotSteps;
}

/** What the loaded programs show about the layout of a map. */
export type ProgramFinding = { readonly found: MeasuredLayout } | { readonly why: string };

/** A map whose layout is measured. */
export interface MeasuredMap {
  readonly info: MapInfo;
  /** Id of the map of maps that it was found in. @default programs use the map itself */
  readonly outerId?: number;
  /** Size of the values, or of the elements of the variable in the value, in bytes. */
  readonly elementBytes: number;
  /** Offset of the field of the key that is the slot, in bytes. @default the last part of the key that changes */
  readonly slotOffset?: number;
  /**
   * The same place in the first element of the variable, by an offset in bytes; `undefined` outside of the variable.
   *
   * @default all places are in the value
   */
  readonly placeInFirst?: (offset: number) => number | undefined;
  /** Where the array begins in which a counter is, by its offset in bytes. @default where the smallest value counts */
  readonly beginOf?: (counter: number) => number | undefined;
  /** See `Target`. */
  readonly isSlotAt?: (offset: number) => boolean;
  /** A text that only maps share whose `isSlotAt` is the same. */
  readonly slotPlaces: string;
}

type ProgramListing = { readonly programs: readonly ProgramInfo[] } | { readonly refusal: HdrscopeError };

/** Instructions that are followed of all programs together: ten seconds. */
const MOST_STEPS = 20_000_000;

/** The loaded programs. They are read once, when the first question is asked, and followed in slices. */
export class LoadedPrograms {
  readonly #bpf: Bpf;
  readonly #signal: AbortSignal | undefined;
  readonly #budget = new StepBudget(MOST_STEPS);
  readonly #slices = new Slices();
  #listed: ProgramListing | undefined;
  #symbols: KernelSymbols | undefined;
  readonly #codes = new Map<number, ProgramCode | string | undefined>();
  /** What programs show that were followed, or why they do not. A machine may have many that are alike. */
  readonly #followed = new Map<string, SlotSteps | NotMeasured | undefined>();
  /** A map of each map of maps: all of them are alike. */
  readonly #inner = new Map<number, MapInfo>();

  /** @param signal Ends `findLayout`, which then throws the reason of the signal. */
  constructor(bpf: Bpf, signal?: AbortSignal) {
    this.#bpf = bpf;
    this.#signal = signal;
  }

  /** The names of the programs that use a map. Without CAP_SYS_ADMIN no names are found. */
  namesFor(mapId: number): readonly string[] {
    const listed = this.#list();
    return 'refusal' in listed ? [] : usersOf(listed.programs, mapId).map(({ name }) => name);
  }

  /** Finds the layout by which programs count in a map. All programs that count in it must agree. */
  async findLayout(map: MeasuredMap): Promise<ProgramFinding> {
    const { info, outerId, elementBytes, slotOffset, beginOf, isSlotAt } = map;
    const listed = this.#list();
    if ('refusal' in listed) {
      const isForbidden = errnoOf(listed.refusal) === 'EPERM';
      return {
        why: isForbidden ? 'reading the programs that use it takes CAP_SYS_ADMIN' : listed.refusal.message,
      };
    }
    const users = usersOf(listed.programs, outerId ?? info.id);
    if (users.length === 0) return { why: 'no loaded program uses it' };
    if (outerId !== undefined) this.#inner.set(outerId, info);
    const target: Target = {
      elementBytes,
      ...(slotOffset !== undefined && { slotOffset }),
      ...(isSlotAt !== undefined && { isSlotAt }),
      isTarget: (map) => (outerId === undefined ? map.id === info.id : map.id === -outerId),
    };
    let found: MeasuredLayout | undefined;
    for (const program of users) {
      try {
        const code = await this.#codeOf(program);
        const steps = code && (await this.#measure(code, target, map.slotPlaces));
        if (steps === undefined) continue;
        const measured = inFirstElement(steps, map);
        const { place } = measured;
        const begin = place.in === 'value' ? beginOf?.(place.offset) : undefined;
        const matched = await this.#inSlices(matchLayout(measured, begin));
        const next: MeasuredLayout = { ...matched, program, measured };
        if (found !== undefined && !isSame(found, next)) {
          return { why: `${titleOf(found.program)} and ${titleOf(program)} count in it in different ways` };
        }
        found ??= next;
      } catch (error) {
        if (!(error instanceof NotMeasured)) throw error;
        return { why: `${titleOf(program)} does not show it: ${error.message}` };
      }
    }
    if (found !== undefined) return { found };
    return {
      why: `${users.map(titleOf).slice(0, 3).join(', ')} ${users.length === 1 ? 'uses' : 'use'} it without adding to its values`,
    };
  }

  /** @throws NotMeasured when the program does not show it. */
  async #measure(code: ProgramCode, target: Target, slotPlaces: string): Promise<SlotSteps | undefined> {
    const { elementBytes, slotOffset, isTarget } = target;
    const text = await this.#inSlices(describeCode(code, isTarget));
    const question = `${JSON.stringify([elementBytes, slotOffset, slotPlaces])} ${text}`;
    if (!this.#followed.has(question)) {
      const work = measureSlots(code, target, this.#budget);
      this.#followed.set(question, await this.#inSlices(work).catch(asNotMeasured));
    }
    const found = this.#followed.get(question);
    if (found instanceof NotMeasured) throw found;
    return found;
  }

  #inSlices<Result>(work: Steps<Result>): Promise<Result> {
    return inSlices(work, this.#slices, this.#signal);
  }

  #list(): ProgramListing {
    if (this.#listed !== undefined) return this.#listed;
    try {
      this.#listed = { programs: listPrograms(this.#bpf) };
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      this.#listed = { refusal: error };
    }
    return this.#listed;
  }

  /** @throws NotMeasured when its instructions are hidden. */
  async #codeOf({ id }: ProgramInfo): Promise<ProgramCode | undefined> {
    if (!this.#codes.has(id)) this.#codes.set(id, await this.#readCode(id));
    const code = this.#codes.get(id);
    if (typeof code === 'string') throw new NotMeasured(code);
    return code;
  }

  async #readCode(id: number): Promise<ProgramCode | string | undefined> {
    const bytes = readInstructions(this.#bpf, id);
    if (bytes === undefined) return undefined;
    if (bytes.length === 0) return 'the kernel hides its instructions';
    this.#symbols ??= await readKernelSymbols();
    const symbols = this.#symbols;
    const facts = new Map<number, MapFacts>();
    const mapFacts = (mapId: number): MapFacts => {
      const known = facts.get(mapId) ?? this.#factsOf(mapId);
      facts.set(mapId, known);
      return known;
    };
    return {
      instructions: await this.#inSlices(decodeInstructions(bytes)),
      mapFacts,
      innerFacts: (outer) => {
        const inner = this.#inner.get(outer);
        // Another id than that of any map.
        return { ...(inner === undefined ? UNKNOWN_MAP : factsFrom(inner)), id: -outer };
      },
      kindOfCall({ from, value }) {
        if (from !== 0) return 'other';
        const name = value === 0 ? undefined : symbols.nameOfCall(value);
        if (name === undefined) {
          throw new NotMeasured('the kernel hides which functions it calls (kernel.kptr_restrict)');
        }
        return kindOfFunction(name);
      },
    };
  }

  #factsOf(id: number): MapFacts {
    const fd = openMapIfThere(this.#bpf, id);
    if (fd === undefined) return { ...UNKNOWN_MAP, id };
    try {
      const info = mapInfo(this.#bpf, fd);
      const constants = readConstants(this.#bpf, fd, info);
      return { ...factsFrom(info), ...(constants !== undefined && { constants }) };
    } finally {
      this.#bpf.close(fd);
    }
  }
}

/** Slots of one element of a variable, as those of its first element: programs may count in one element each. */
function inFirstElement(measured: SlotSteps, { placeInFirst }: MeasuredMap): SlotSteps {
  const { steps, place, sum } = measured;
  if (placeInFirst === undefined || place.in === 'key') return measured;
  const first = placeInFirst(place.offset);
  if (first === undefined) throw new NotMeasured('it counts in another variable');
  const by = place.offset - first;
  return {
    ...measured,
    steps: steps.map((step) => ({
      ...step,
      slot: step.slot === undefined ? undefined : step.slot - BigInt(by),
    })),
    place: { ...place, offset: first, counterOffset: place.counterOffset - by },
    sum: sum !== undefined && 'offset' in sum ? { ...sum, offset: sum.offset - by } : sum,
  };
}

function asNotMeasured(error: unknown): NotMeasured {
  if (error instanceof NotMeasured) return error;
  throw error;
}

function usersOf(programs: readonly ProgramInfo[], mapId: number): readonly ProgramInfo[] {
  return programs.filter(({ mapIds }) => mapIds.includes(mapId));
}

/** A program as messages name it: `program 41 (handle_exit)`. */
export function titleOf({ id, name }: Pick<ProgramInfo, 'id' | 'name'>): string {
  return name === '' ? `program ${id}` : `program ${id} (${name})`;
}

function isSame(one: MeasuredLayout, other: MeasuredLayout): boolean {
  const nameOf = ({ text, divisor, measured: { place } }: MeasuredLayout) =>
    JSON.stringify([text, String(divisor), place]);
  return nameOf(one) === nameOf(other);
}

const UNKNOWN_MAP = { kind: 'other', isPerCpu: false, holdsMaps: false, keySize: 0, valueSize: 0 } as const;

function factsFrom({ id, type, keySize, valueSize }: MapInfo): MapFacts {
  if (type === undefined) return { ...UNKNOWN_MAP, id, keySize, valueSize };
  const isIndexed = isArray(type) || type === 'array_of_maps';
  return {
    ...{ id, keySize, valueSize, kind: isIndexed ? 'array' : 'hash' },
    ...{ isPerCpu: isPerCpu(type), holdsMaps: holdsMaps(type) },
  };
}

/** Results that say who runs a program, or where. */
const OF_MACHINE =
  /^bpf_(get_smp_processor_id|get_raw_cpu_id|get_numa_node_id|user_rnd_u32|get_prandom_u32|get_current_\w+|get_current_task|get_cgroup_classid)$/;

/**
 * What a function of the kernel does for a program. The kernel replaces helpers by the functions of the type of the map, such as
 * `htab_percpu_map_lookup_elem`.
 */
function kindOfFunction(name: string): CallKind {
  // It returns the entry of a hash, in which the program finds the value.
  if (name === '__htab_map_lookup_elem') return 'entry';
  if (/map_lookup(?:_percpu)?_elem$/.test(name)) return 'lookup';
  if (/map_update_elem$/.test(name)) return 'update';
  if (/map_delete_elem$/.test(name)) return 'delete';
  return OF_MACHINE.test(name) ? 'of the machine' : 'other';
}
