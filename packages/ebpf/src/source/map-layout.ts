import type { HdrscopeError } from '@hdrscope/core';
import type { BtfType } from '../bpf/btf.ts';
import type { ArrayField } from '../bpf/fields.ts';
import { holdsMaps, isArray, type MapInfo, mapDetails, titleOfMap } from '../bpf/maps.ts';
import { kernelError } from '../errors.ts';
import { isOfSingleIntegers, type KernelLayout } from '../layout/kernel-layout.ts';
import { inspektorGadgetLayout } from '../layout/presets.ts';
import {
  isHistogram,
  keyOfBpftrace,
  layoutOfScriptMap,
  scriptMapOf,
  titleOfScriptMap,
} from './bpftrace-script.ts';
import { fieldsOfKey, fieldsOfValue, isArrayField, isCounter, lastPart } from './kernel-map-shape.ts';
import type { KnownLayout, MapShape } from './map-shape.ts';
import { layoutByPrograms, type ProgramQuestion } from './program-layout.ts';

/** A layout that a map may have, as options. */
export interface LayoutGuess {
  /** A text for `parseKernelLayout`. */
  readonly layout: string;
  /** A text for `parseMapShape`, when the map has no types. */
  readonly shape?: string;
  /** `'after-last'` when the index after the last slot may hold the sum of the values; left out otherwise. */
  readonly sum?: 'after-last';
}

/** What is known about the layout of a map. The kernel does not know which values a slot holds. */
export interface MapEvidence {
  /** `undefined` when types, script and programs do not show the layout. */
  readonly known: KnownLayout | undefined;
  /** Layouts that fit the sizes of a map with an unknown layout. No guess appears for a map that looks like no histogram. */
  readonly guesses: readonly LayoutGuess[];
  /** Why the layout is unknown; empty when it is known. */
  readonly why: string;
}

/**
 * Finds the layout of a map: by a type that states it, by the script of bpftrace that fills it, or by the instructions of the programs
 * that count in it.
 *
 * @param types Its types; `undefined` when it has no types, or this user may not read them.
 */
export async function findEvidence(
  info: MapInfo,
  types: readonly BtfType[] | undefined,
  question: ProgramQuestion,
): Promise<MapEvidence> {
  const stated = statedEvidence(info, types);
  // A map of bpftrace without guesses holds something else, by its script or its sizes.
  const isSettled = stated.known !== undefined || (isOfBpftrace(info) && stated.guesses.length === 0);
  if (isSettled || info.type === undefined || holdsMaps(info.type)) return stated;
  const found = await layoutByPrograms(info, types, question);
  if ('why' in found) return { ...stated, why: `${stated.why}, and ${found.why}` };
  // Counters by number, such as those of system calls, are no histogram unless they look like one, and every count() of bpftrace does.
  const isDoubtful = stated.guesses.length === 0 || isOfBpftrace(info);
  if (isDoubtful && isOfSingleIntegers(found.layout)) {
    return { ...stated, why: `${stated.why}, and its program counts each integer by itself` };
  }
  return { known: found, guesses: [], why: '' };
}

/**
 * What the type of a map or its script of bpftrace states. Names of maps, structs and fields state no layout:
 * `struct hist { u32 slots[20]; }` may hold powers of two or equal steps.
 *
 * @param types Its types; `undefined` when it has no types, or this user may not read them.
 */
export function statedEvidence(info: MapInfo, types: readonly BtfType[] | undefined): MapEvidence {
  return isOfBpftrace(info) ? evidenceOfScript(info) : evidenceOfTypes(info, types);
}

function evidenceOfTypes(info: MapInfo, types: readonly BtfType[] | undefined): MapEvidence {
  const known = byTypes(info, types);
  if (known !== undefined) return { known, guesses: [], why: '' };
  const guesses = guessesFor(info, types);
  return unknown(
    guesses.length > 0 ? 'nothing states which values its slots hold' : 'it does not look like a histogram',
    guesses,
  );
}

/** Whether bpftrace made the map: it writes `AT_` in place of `@`. */
export function isOfBpftrace({ name }: Pick<MapInfo, 'name'>): boolean {
  return name.startsWith('AT_');
}

/**
 * The shape of a map whose layout was given. A map of bpftrace gets the keys of its script.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the layout contradicts the script of bpftrace.
 */
export function shapeFor(info: MapInfo, layout: KernelLayout, shape: MapShape): MapShape {
  if (!isOfBpftrace(info)) return shape;
  const { known, guesses, why } = evidenceOfScript(info);
  if (known === undefined && guesses.length === 0) throw noHistogram(info, why);
  if (known === undefined) return shape;
  if (isSameLayout(known.layout, layout)) return { ...known.shape, ...shape };
  const message = `the layout ${layout.name} cannot be right for ${titleOfMap(info)}: ${known.ground}`;
  throw kernelError(message, mapDetails(info));
}

/** Whether two layouts have the same slots. One of them may have more slots for large integers. */
function isSameLayout({ slots, firstIndex }: KernelLayout, other: KernelLayout): boolean {
  const length = Math.min(slots.bounds.length, other.slots.bounds.length);
  return (
    firstIndex === other.firstIndex &&
    slots.lower(0) === other.slots.lower(0) &&
    slots.bounds.slice(0, length).every((bound, i) => bound === other.slots.bounds[i])
  );
}

/** Builds the error for a map that holds something else. */
export function noHistogram(info: MapInfo, why: string): HdrscopeError {
  return kernelError(`${titleOfMap(info)} is no histogram: ${why}`, mapDetails(info));
}

const unknown = (why: string, guesses: readonly LayoutGuess[] = []): MapEvidence => ({
  known: undefined,
  guesses,
  why,
});

/** bpftrace keeps `hist()`, `lhist()`, and with keys also `count()` and `sum()`, in maps that differ in nothing. */
function evidenceOfScript(info: MapInfo): MapEvidence {
  if (info.type !== 'percpu_hash' || info.valueSize !== 8 || info.keySize < 8) {
    return unknown('it is a map of bpftrace that holds no hist() and no lhist()');
  }
  const finding = scriptMapOf(info.id, info.name);
  if ('why' in finding) {
    const same = 'bpftrace keeps hist(), lhist(), count() and sum() in maps that look the same';
    return unknown(`${same}, and ${finding.why}`, BPFTRACE_GUESSES);
  }
  const { map } = finding;
  if (!isHistogram(map))
    return unknown(`the script of bpftrace has ${titleOfScriptMap(map)}, which is no histogram`);
  const layout = layoutOfScriptMap(map);
  if (layout === undefined) {
    return unknown(
      `the script of bpftrace has ${titleOfScriptMap(map)}, whose arguments are not integers`,
      BPFTRACE_GUESSES,
    );
  }
  const shape: MapShape = {
    key: keyOfBpftrace(info.keySize, map.keys),
    slot: 'slot',
    counts: { type: 'u64' },
  };
  return {
    known: { layout, shape, ground: `the script of bpftrace has ${titleOfScriptMap(map)}` },
    guesses: [],
    why: '',
  };
}

const BPFTRACE_GUESSES: readonly LayoutGuess[] = [
  { layout: 'bpftrace-hist' },
  { layout: 'bpftrace-lhist:MIN:MAX:STEP' },
];

/** Inspektor Gadget gives its slots a type of their own, which states how they count. Source: its `gadget/histogram.h`. */
const GADGET_SLOT = /^gadget_histogram_slot__u(32|64)$/;
const LOG_LINEAR_SLOTS = 496;

function byTypes(info: MapInfo, types: readonly BtfType[] | undefined): KnownLayout | undefined {
  if (types === undefined) return undefined;
  const isGadget = ({ elementType = '' }: ArrayField) => GADGET_SLOT.test(elementType);
  const [slots, ...others] = fieldsOfValue(info, types).filter(isArrayField).filter(isGadget);
  if (slots === undefined || others.length > 0 || slots.length < 2 || slots.length > 65) return undefined;
  const { type, offset, length, elementType } = slots;
  return {
    layout: inspektorGadgetLayout(length),
    shape: { counts: { type: type.endsWith('64') ? 'u64' : 'u32', offset, length } },
    ground: `its slots are ${elementType}, as of Inspektor Gadget`,
  };
}

const NAMES_OF_HISTOGRAMS = /hist|dist|lat|slot|bucket/i;
const NAMES_OF_INDEX: readonly string[] = ['bucket', 'slot', 'le'];
/** Numbers of slots that tools use. */
const USUAL_SLOTS: ReadonlySet<number> = new Set([8, 64, 65, LOG_LINEAR_SLOTS, LOG_LINEAR_SLOTS + 1]);

function isUsual(slots: number): boolean {
  return USUAL_SLOTS.has(slots) || (slots >= 20 && slots <= 37);
}

function guessesFor(info: MapInfo, types: readonly BtfType[] | undefined): readonly LayoutGuess[] {
  const { type, name, keySize, valueSize, maxEntries } = info;
  if (type === undefined) return [];
  const fields = fieldsOfValue(info, types);
  const arrays = fields.filter(isArrayField).filter(isCounter);
  if (arrays.length > 0) {
    const isGuess =
      arrays.length === 1 && (!isOfVariables(info) || NAMES_OF_SLOTS.includes(lastPart(arrays[0]!.name)));
    return isGuess ? layoutsOf(arrays[0]!.length) : [];
  }
  const isOneCounter = fields.length === 0 ? valueSize === 8 || valueSize === 4 : fields.every(isCounter);
  if (isOneCounter && isArray(type)) {
    return isUsual(maxEntries) || NAMES_OF_HISTOGRAMS.test(name) ? layoutsOf(maxEntries) : [];
  }
  if (isOneCounter) {
    const keys = fieldsOfKey(info, types);
    const hasIndex = keys.some((field) => NAMES_OF_INDEX.includes(lastPart(field.name)));
    const isIntegers = keySize === 4 || keySize === 8 || keys.length > 0;
    return hasIndex || (isIntegers && NAMES_OF_HISTOGRAMS.test(name)) ? layoutsOf(undefined) : [];
  }
  return fields.length === 0 ? inOpaqueValue(valueSize) : [];
}

const NAMES_OF_SLOTS: readonly string[] = ['slots', 'hist', 'histogram', 'buckets'];

/** Whether a map holds the global variables of a program, which may be arrays of anything. */
function isOfVariables({ name }: MapInfo): boolean {
  return name.includes('.');
}

/** Layouts with a number of slots; `undefined` when the map does not show the number. */
function layoutsOf(slots: number | undefined): readonly LayoutGuess[] {
  if (slots === undefined) {
    const texts = [
      ...['queue-depth', 'bcc', 'libbpf-tools:64', 'inspektor-gadget:65'],
      ...['exporter-exp2:MAX', 'exporter-linear:MAX'],
    ];
    return texts.map((layout) => ({ layout }));
  }
  const within = (least: number, most: number) => slots >= least && slots <= most;
  const plain = [
    ...(slots === 8 ? ['queue-depth'] : []),
    ...(slots === LOG_LINEAR_SLOTS ? ['log-linear-8'] : []),
    ...(within(2, 64) ? [`libbpf-tools:${slots}`] : []),
    ...(within(3, 65) ? [`bcc:${slots}`] : []),
    ...(within(2, 65) ? [`inspektor-gadget:${slots}`, `exporter-exp2:${slots - 1}`] : []),
    ...(within(2, 4097) ? [`exporter-linear:${slots - 1}`] : []),
  ];
  const summed = [
    ...(slots === LOG_LINEAR_SLOTS + 1 ? ['log-linear-8'] : []),
    ...(within(3, 66) ? [`exporter-exp2:${slots - 2}`] : []),
  ];
  return [
    ...plain.map((layout) => ({ layout })),
    ...summed.map((layout) => ({ layout, sum: 'after-last' as const })),
  ];
}

/** Values without types: arrays of counters, and `struct hist` of libbpf-tools with the name of a task. */
function inOpaqueValue(valueSize: number): readonly LayoutGuess[] {
  const guesses: LayoutGuess[] = [];
  for (const [type, width] of [
    ['u32', 4],
    ['u64', 8],
  ] as const) {
    const slots = valueSize / width;
    const shape = `value { ${type} slots[${slots}]; }`;
    if (!Number.isInteger(slots) || !isUsual(slots)) continue;
    for (const guess of layoutsOf(slots)) guesses.push({ ...guess, shape });
  }
  const named = (valueSize - 16) / 4;
  if (Number.isInteger(named) && named >= 20 && named <= 36) {
    guesses.push({ layout: `libbpf-tools:${named}`, shape: `value { u32 slots[${named}]; char comm[16]; }` });
  }
  return guesses;
}

/** A guess as messages name it. */
export function titleOfGuess({ layout, shape, sum }: LayoutGuess): string {
  const also = [
    ...(shape === undefined ? [] : [`shape '${shape}'`]),
    ...(sum === undefined ? [] : [`sum ${sum}`]),
  ];
  return also.length === 0 ? layout : `${layout} (with ${also.join(', ')})`;
}
