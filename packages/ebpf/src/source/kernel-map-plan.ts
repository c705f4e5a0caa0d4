import { basename } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { inSlices, Slices, type Steps } from '@hdrscope/kit';
import { type BtfType, readBtf } from '../bpf/btf.ts';
import { type Field, readField } from '../bpf/fields.ts';
import { DEFAULT_MAX_BYTES, MapReader, type MapReaderOptions } from '../bpf/map-reader.ts';
import {
  holdsMaps,
  isLossy,
  type MapInfo,
  mapDetails,
  mapInfo,
  mapNameInBtf,
  openMapIfThere,
  titleOfMap,
} from '../bpf/maps.ts';
import { LITTLE_ENDIAN, mayBeCut, viewOf } from '../bpf/memory.ts';
import { originOfMap } from '../bpf/programs.ts';
import type { Bpf } from '../bpf/syscall.ts';
import { errnoOf, kernelError } from '../errors.ts';
import { parseKernelLayout } from '../layout/by-name.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { is64 } from './kernel-map-counters.ts';
import { HistogramMaker } from './kernel-map-histograms.ts';
import { fieldsOfKey, isComplete, type ResolvedShape, resolveShape } from './kernel-map-shape.ts';
import { LoadedPrograms } from './loaded-programs.ts';
import {
  findEvidence,
  isOfBpftrace,
  type LayoutGuess,
  type MapEvidence,
  noHistogram,
  shapeFor,
  titleOfGuess,
} from './map-layout.ts';
import { type KnownLayout, type MapShape, parseMapShape } from './map-shape.ts';
import type { Frame, KernelHistogram } from './source.ts';
import { isComparable, SumCheck, sumContradicts, withoutEmptySums } from './sum-check.ts';
import { findVariableArray, readElements, type VariableArray } from './variable-array.ts';

/** How a map is read. See the options of `kernelMap`. */
export interface MapPlanOptions extends MapReaderOptions {
  readonly path?: string;
  readonly layout?: KernelLayout;
  readonly shape?: MapShape;
  readonly histogram?: string;
  /** See `Frame`. @default the programs that use the map */
  readonly origin?: string;
  /** What a list of maps has found, which is not looked for again. @default what the map shows now */
  readonly known?: KnownLayout;
  /** @default the programs that are loaded now */
  readonly programs?: LoadedPrograms;
  /** Ends the planning, which then throws the reason of the signal. @default it ends by itself */
  readonly signal?: AbortSignal;
  /** Id of the map of maps that the map is in. @default it is in no other map */
  readonly outerId?: number;
}

/** How one map is read. */
export interface MapPlan {
  /** @throws HdrscopeError `ERR_KERNEL` when the map cannot be read, or contradicts its layout. */
  read(fd: number): Frame | Promise<Frame>;
}

/**
 * Plans how an open map is read.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the layout or the position of the counts is unknown, or cannot be right.
 */
export async function planMap(bpf: Bpf, fd: number, options: MapPlanOptions): Promise<MapPlan> {
  const info = mapInfo(bpf, fd);
  const types = lazily(() => typesOf(bpf, info));
  const {
    histogram: name = fullName(info, options.path, types),
    programs = new LoadedPrograms(bpf, options.signal),
    origin = originOfMap(programs.namesFor(info.id)),
  } = options;
  const map: PlannedMap = { bpf, info, types, name, origin, programs };
  if (info.type !== undefined && holdsMaps(info.type)) return new OuterMap(map, options);
  const readable = openReader(map, options);
  return new OneMap(readable, await chooseLayout(readable, fd, options), options.signal);
}

/** A map with what is known about it before its shape. */
interface PlannedMap {
  readonly bpf: Bpf;
  readonly info: MapInfo;
  readonly types: Types;
  readonly name: string;
  readonly origin: string;
  readonly programs: LoadedPrograms;
}

type Types = () => readonly BtfType[] | undefined;

function lazily(read: Types): Types {
  let types: ReturnType<Types>;
  let isRead = false;
  return () => {
    if (!isRead) types = read();
    isRead = true;
    return types;
  };
}

/** The types of a map; `undefined` when it has no types, or this user may not read them. */
export function typesOf(bpf: Bpf, { btfId }: MapInfo): readonly BtfType[] | undefined {
  if (btfId === 0) return undefined;
  try {
    return readBtf(bpf, btfId);
  } catch (error) {
    if (errnoOf(error) === 'EPERM') return undefined;
    throw error;
  }
}

/** The name of a map, from its types when the kernel has cut it. */
export function mapName(info: MapInfo, types: readonly BtfType[] | undefined): string {
  if (!mayBeCut(info.name)) return info.name;
  return mapNameInBtf(types ?? [], info) ?? info.name;
}

/** The name of a map, or of its pin when the map has no name, or its types do not have the rest of it. */
function fullName(info: MapInfo, path: string | undefined, types: Types): string {
  const { id, name } = info;
  const pin = path === undefined ? '' : basename(path);
  if (name === '') return pin || `map_${id}`;
  if (!mayBeCut(name)) return name;
  const full = mapName(info, types());
  return full === name && pin.startsWith(name) ? pin : full;
}

/** A map with what reads its entries: `info` is about these. */
interface ReadableMap extends PlannedMap {
  readonly reader: MapReader;
  /** @default the entries are those of the map itself */
  readonly variable?: VariableArray;
}

/** @throws HdrscopeError `ERR_KERNEL` when the map cannot be read, `ERR_TOO_LARGE` when it is too large. */
function openReader(map: PlannedMap, options: MapPlanOptions): ReadableMap {
  const reader = new MapReader(map.bpf, map.info, options);
  const { counts, value } = options.shape ?? {};
  const isDescribed = counts !== undefined || value !== undefined;
  // A dot is in the names of maps of variables only, as in `runqlen.bss`.
  const mayHoldVariables = map.info.name.includes('.') && !isDescribed;
  const variable = mayHoldVariables ? findVariableArray(map.info, map.types()) : undefined;
  return variable === undefined ? { ...map, reader } : { ...map, reader, variable, info: variable.info };
}

function* readEntries(
  { reader, variable }: ReadableMap,
  fd: number,
): Steps<{ readonly entries: Parameters<HistogramMaker['make']>[0]; readonly count: number }> {
  const count = yield* reader.readSteps(fd);
  if (variable === undefined) return { entries: reader, count };
  return { entries: readElements(reader, variable), count: variable.info.maxEntries };
}

/** A read of more steps does not hold the event loop. Most maps take none. */
const MOST_STEPS_AT_ONCE = 32;

class OneMap implements MapPlan {
  readonly #map: ReadableMap;
  readonly #maker: HistogramMaker;
  readonly #shape: ResolvedShape;
  readonly #ground: string | undefined;
  readonly #sums: SumCheck;
  readonly #signal: AbortSignal | undefined;

  constructor(map: ReadableMap, { layout, shape, ground }: ChosenLayout, signal: AbortSignal | undefined) {
    const { info, name, types } = map;
    this.#map = map;
    this.#signal = signal;
    this.#ground = ground;
    // Types take a privilege, so they are read only when the shape has a gap, or for the evidence of the layout.
    const needsTypes = ground !== undefined || !isComplete(info, shape);
    this.#shape = resolveShape(info, shape, layout, needsTypes ? types() : undefined);
    this.#maker = new HistogramMaker({ name, info, shape: this.#shape, layout });
    this.#sums = new SumCheck(info, layout, this.#shape);
  }

  read(fd: number): Frame | Promise<Frame> {
    const work = this.#readSteps(fd);
    for (let step = 0; step < MOST_STEPS_AT_ONCE; step++) {
      const { done, value } = work.next();
      if (done) return value;
    }
    return inSlices(work, new Slices(), this.#signal);
  }

  *#readSteps(fd: number): Steps<Frame> {
    const { info, origin, reader } = this.#map;
    let histograms = yield* this.#make(fd);
    while (this.#sums.asksAgain(histograms)) histograms = yield* this.#make(fd);
    return {
      // No other map has had this id, and counts stay with their map when it gets another pin.
      generation: `map ${info.id}`,
      cpuCount: reader.cpuCount,
      isLossy: isLossy(info),
      counterBits: is64(this.#shape.counts.type) ? 64 : 32,
      origin,
      histograms: withoutEmptySums(histograms),
      ...(this.#ground !== undefined && { ground: this.#ground }),
    };
  }

  *#make(fd: number): Steps<readonly KernelHistogram[]> {
    const { entries, count } = yield* readEntries(this.#map, fd);
    return yield* this.#maker.make(entries, count);
  }
}

interface ChosenLayout {
  readonly layout: KernelLayout;
  readonly shape: MapShape;
  /** What shows the layout. @default it was given */
  readonly ground?: string;
}

/** The layout and shape by the options, or else by what the map shows. */
async function chooseLayout(
  map: ReadableMap,
  fd: number,
  { layout, shape = {}, known, outerId, signal }: MapPlanOptions,
): Promise<ChosenLayout> {
  const { info, types, programs, variable } = map;
  if (layout !== undefined) return { layout, shape: shapeFor(info, layout, shape) };
  if (known !== undefined) return { ...known, shape: { ...known.shape, ...shape } };
  const evidence = await findEvidence(info, types(), {
    programs,
    ...(variable !== undefined && { variable }),
    ...(outerId !== undefined && { outerId }),
  });
  if (evidence.known === undefined) throw await askForLayout(map, fd, evidence, { shape, signal });
  return { ...evidence.known, shape: { ...evidence.known.shape, ...shape } };
}

/** The error for a map that does not show its layout, with the guesses that fit its numbers. */
async function askForLayout(
  map: ReadableMap,
  fd: number,
  { guesses, why }: MapEvidence,
  { shape, signal }: { readonly shape: MapShape; readonly signal: AbortSignal | undefined },
): Promise<HdrscopeError> {
  const { info, types } = map;
  if (guesses.length === 0 && isOfBpftrace(info)) return noHistogram(info, why);
  const hidden = info.btfId !== 0 && types() === undefined ? '; reading its types takes CAP_SYS_ADMIN' : '';
  const reason = `the layout of ${titleOfMap(info)} is unknown: ${why}${hidden}`;
  const slices = new Slices();
  const { entries, count } = await inSlices(readEntries(map, fd), slices, signal);
  const fitting: LayoutGuess[] = [];
  for (const guess of guesses) if (await inSlices(isFitting(guess), slices, signal)) fitting.push(guess);
  const offer =
    fitting.length === 0
      ? 'state the `layout` (--layout) with which its program counts, such as upper bounds (0,1,4,8)'
      : `state the \`layout\` (--layout) with which its program counts; its numbers fit ${fitting.map(titleOfGuess).join(', ')}`;
  return kernelError(`${reason}; ${offer}`, mapDetails(info));

  function* isFitting({ layout, shape: described, sum }: LayoutGuess): Steps<boolean> {
    // A guess with a gap for the user.
    if (/[A-Z]/.test(layout)) return true;
    try {
      const guessed = parseKernelLayout(layout);
      const whole: MapShape = {
        ...(described === undefined ? {} : parseMapShape(described)),
        ...(sum === undefined ? {} : { sum }),
        ...shape,
      };
      const resolved = resolveShape(info, whole, guessed, types());
      const maker = new HistogramMaker({ name: info.name, info, shape: resolved, layout: guessed });
      const made = yield* maker.make(entries, count);
      return !(isComparable(info, resolved) && sumContradicts(made));
    } catch (error) {
      if (error instanceof HdrscopeError) return false;
      throw error;
    }
  }
}

/** An outer map holds no more maps than this. */
const MOST_INNER_MAPS = 4096;

/** A map of maps: its keys are attributes of the histograms in the maps that it holds. */
class OuterMap implements MapPlan {
  readonly #map: PlannedMap;
  readonly #reader: MapReader;
  readonly #keyFields: readonly Field[];
  readonly #options: MapPlanOptions;
  /** Plans by the id of the map that they read. */
  #plans = new Map<number, MapPlan>();

  constructor(map: PlannedMap, options: MapPlanOptions) {
    const { bpf, info } = map;
    this.#map = map;
    this.#options = options;
    this.#reader = new MapReader(bpf, info, options);
    this.#keyFields = keyOfOuter(info, map.types());
  }

  async read(fd: number): Promise<Frame> {
    const { info, origin } = this.#map;
    const count = this.#reader.read(fd);
    if (count > MOST_INNER_MAPS) {
      throw mustBe('ERR_TOO_LARGE', `the maps in ${titleOfMap(info)}`, `at most ${MOST_INNER_MAPS}`, count);
    }
    // All maps in it together take at most `maxBytes`.
    const maxBytes = Math.floor((this.#options.maxBytes ?? DEFAULT_MAX_BYTES) / Math.max(1, count));
    const { keys, values } = this.#reader;
    const view = viewOf(values);
    const before = this.#plans;
    this.#plans = new Map();
    const frames: Frame[] = [];
    for (let entry = 0; entry < count; entry++) {
      const inner = await this.#readInner(view.getUint32(entry * 4, LITTLE_ENDIAN), before, maxBytes);
      const at = entry * info.keySize;
      const fields = this.#keyFields.map((field) => [field.name, readField(field, keys, at)] as const);
      if (inner !== undefined) frames.push(withAttributes(inner, fields));
    }
    const [first] = frames;
    return {
      generation: `map ${info.id}`,
      // All maps in it have one type.
      cpuCount: first?.cpuCount ?? 1,
      counterBits: first?.counterBits ?? 64,
      origin,
      isLossy: frames.some(({ isLossy }) => isLossy),
      histograms: frames.flatMap(({ histograms }) => histograms),
      ...(first?.ground !== undefined && { ground: first.ground }),
    };
  }

  /** @returns `undefined` when the map was removed since it was listed. */
  async #readInner(
    id: number,
    before: ReadonlyMap<number, MapPlan>,
    maxBytes: number,
  ): Promise<Frame | undefined> {
    const { bpf, info, name, origin, programs } = this.#map;
    const fd = openMapIfThere(bpf, id);
    if (fd === undefined) return undefined;
    try {
      const options = { ...this.#options, histogram: name, origin, maxBytes, programs, outerId: info.id };
      const plan = this.#plans.get(id) ?? before.get(id) ?? (await planMap(bpf, fd, options));
      this.#plans.set(id, plan);
      return await plan.read(fd);
    } finally {
      bpf.close(fd);
    }
  }
}

function keyOfOuter(info: MapInfo, types: readonly BtfType[] | undefined): readonly Field[] {
  const known = fieldsOfKey(info, types);
  if (known.length > 0) return known;
  const type = info.keySize === 4 ? 'u32' : info.keySize === 8 ? 'u64' : (`bytes[${info.keySize}]` as const);
  return [{ name: 'key', type, offset: 0 }];
}

/** A field of the outer key whose name the inner key has too is called `outer.name`. */
function withAttributes(
  frame: Frame,
  fields: readonly (readonly [string, string | number | boolean])[],
): Frame {
  const histograms = frame.histograms.map((histogram): KernelHistogram => {
    const outer = fields.map(([name, value]) => [
      name in histogram.attributes ? `outer.${name}` : name,
      value,
    ]);
    return {
      ...histogram,
      generation: frame.generation,
      attributes: Object.freeze({ ...Object.fromEntries(outer), ...histogram.attributes }),
    };
  });
  return { ...frame, histograms };
}
