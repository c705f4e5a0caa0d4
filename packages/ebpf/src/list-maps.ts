import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { custom, optional, readOptions } from '@hdrscope/core/internal';
import type { BtfType } from './bpf/btf.ts';
import { idsAfter } from './bpf/call.ts';
import { type MapInfo, mapIds, mapInfo, openMapById, openPinnedMap } from './bpf/maps.ts';
import { loadBpf } from './bpf/syscall.ts';
import { errnoOf } from './errors.ts';
import { mapName, typesOf } from './source/kernel-map-plan.ts';
import { LoadedPrograms } from './source/loaded-programs.ts';
import { findEvidence, type LayoutGuess, type MapEvidence } from './source/map-layout.ts';
import type { KnownLayout } from './source/map-shape.ts';
import { findVariableArray } from './source/variable-array.ts';
import { foldersBelow, readMounts } from './system-files.ts';

/** A kernel map that this user can see. */
export interface VisibleMap {
  /** Id of the map, which is the same in all processes. */
  readonly id: number;
  /** Type, such as `percpu_array`; `undefined` when maps of its type hold no histograms. */
  readonly type: string | undefined;
  /** Its name. The kernel keeps 15 bytes of it, and the types of the map may have the rest. */
  readonly name: string;
  /** Size of a key, in bytes. */
  readonly keySize: number;
  /** Size of a value, in bytes; for each CPU in maps with values per CPU. */
  readonly valueSize: number;
  /** How many entries the map can hold. */
  readonly maxEntries: number;
  /** The names of the loaded programs that use it: the first 15 bytes of each, sorted. */
  readonly programs: readonly string[];
  /** Paths of its pins in every bpffs that this process sees. */
  readonly pins: readonly string[];
  /** Layout of its histograms, and what shows it; `undefined` when it is unknown. */
  readonly known: KnownLayout | undefined;
  /** Layouts that fit the sizes of a map with an unknown layout; empty when it does not look like a histogram. */
  readonly guesses: readonly LayoutGuess[];
  /** Why the layout is unknown; empty when it is known. */
  readonly why: string;
}

/** The maps that this user can see. */
export interface MapList {
  /** Maps, ascending by id. */
  readonly maps: readonly VisibleMap[];
  /** Why there may be other maps: without CAP_SYS_ADMIN only pinned maps are found. `undefined` when the list is complete. */
  readonly incomplete: HdrscopeError | undefined;
}

/**
 * Lists the maps that this user can see, with their layouts or with guesses of them. It opens each map for reading only. Following the
 * programs that fill them may take seconds, in slices between which other work of the process runs.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is wrong, `ERR_KERNEL` when bpf(2) cannot be called at all. Once the signal
 *   is aborted, it throws the reason of the signal.
 */
export async function listMaps(
  options: {
    /** Ends the list early. @default it goes on to the last map */
    readonly signal?: AbortSignal;
  } = {},
): Promise<MapList> {
  const { signal } = readOptions(options, LIST_MAPS);
  const bpf = await loadBpf();
  const found = new Map<number, Omit<VisibleMap, 'pins'> & { readonly pins: string[] }>();
  const typesById = new Map<number, readonly BtfType[] | undefined>();
  const add = async (fd: number, pin?: string): Promise<void> => {
    try {
      const info = mapInfo(bpf, fd);
      const known = found.get(info.id) ?? { ...(await visibleMap(info, typesIn(info), programs)), pins: [] };
      if (pin !== undefined) known.pins.push(pin);
      found.set(info.id, known);
    } finally {
      bpf.close(fd);
    }
  };
  const typesIn = (info: MapInfo): readonly BtfType[] | undefined => {
    if (!typesById.has(info.btfId))
      typesById.set(
        info.btfId,
        unlessRefused(() => typesOf(bpf, info), undefined),
      );
    return typesById.get(info.btfId);
  };
  const programs = new LoadedPrograms(bpf, signal);
  let incomplete: HdrscopeError | undefined;
  try {
    for (const id of mapIds(bpf)) {
      const fd = unlessRefused(() => openMapById(bpf, id), ['ENOENT']);
      if (fd !== undefined) await add(fd);
      // Reading the types of a map takes a millisecond.
      await nextTurn();
      signal?.throwIfAborted();
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    incomplete = error;
  }
  for (const pin of pathsInBpffs()) {
    // Programs and links have pins too, and this user may not read every map.
    const fd = unlessRefused(() => openPinnedMap(bpf, pin), undefined);
    if (fd !== undefined) await add(fd, pin);
  }
  const maps = [...found.values()]
    .sort((a, b) => a.id - b.id)
    .map((map): VisibleMap => ({ ...map, pins: map.pins.sort() }));
  return { maps, incomplete };
}

const LIST_MAPS = {
  name: 'listMaps',
  rules: { signal: optional(custom<AbortSignal>('an AbortSignal', (value) => value instanceof AbortSignal)) },
  call: 'listMaps({ signal: AbortSignal.timeout(10_000) })',
};

async function visibleMap(
  info: MapInfo,
  types: readonly BtfType[] | undefined,
  programs: LoadedPrograms,
): Promise<Omit<VisibleMap, 'pins'>> {
  const { id, type, keySize, valueSize, maxEntries } = info;
  const evidence = await evidenceFor(info, types, programs);
  const { known, guesses = [], why = '' } = evidence ?? {};
  const users = [...new Set(programs.namesFor(id).filter((one) => one !== ''))].sort();
  const name = mapName(info, types);
  return { id, type, name, keySize, valueSize, maxEntries, programs: users, known, guesses, why };
}

/** @returns `undefined` when the kernel refuses what shows the layout. */
async function evidenceFor(
  info: MapInfo,
  types: readonly BtfType[] | undefined,
  programs: LoadedPrograms,
): Promise<MapEvidence | undefined> {
  try {
    const variable = findVariableArray(info, types);
    const question = { programs, ...(variable !== undefined && { variable }) };
    return await findEvidence(variable?.info ?? info, types, question);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    return undefined;
  }
}

/** @param expected Errnos that are not failures; `undefined` accepts all of them. */
function unlessRefused<Value>(ask: () => Value, expected: readonly string[] | undefined): Value | undefined {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    if (expected === undefined || expected.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function pathsInBpffs(): readonly string[] {
  const bpffs = readMounts().filter(({ type }) => type === 'bpf');
  return [...new Set(bpffs.flatMap(({ path }) => filesBelow(path)))];
}

const MOST_PINS = 100_000;

/** The files of a folder and of the folders in it. No folder is listed when there are so many. */
function filesBelow(root: string): readonly string[] {
  const files: string[] = [];
  for (const { path, entries } of foldersBelow(root)) {
    // Every bpffs has these two iterators.
    const pins = entries.filter((entry) => entry.isFile() && !/^(maps|progs)\.debug$/.test(entry.name));
    for (const { name } of pins) files.push(join(path, name));
    if (files.length >= MOST_PINS) break;
  }
  return files;
}

/**
 * The largest id of a map. The kernel numbers maps in the order in which it makes them, so a map with a larger id than this
 * one was made later, and so were all its counts. Looking through ids takes CAP_SYS_ADMIN.
 *
 * @param after An id that this function has returned. It looks through larger ids only.
 * @returns `after` when there is no larger one; `undefined` when this user may not look through ids.
 */
export async function newestMapId(after = 0): Promise<number | undefined> {
  try {
    const bpf = await loadBpf();
    let newest = after;
    for (const id of idsAfter(bpf, 'MAP_GET_NEXT_ID', after)) newest = id;
    return newest;
  } catch (error) {
    if (error instanceof HdrscopeError) return undefined;
    throw error;
  }
}

/** The ids of all maps, ascending. @returns `undefined` when this user may not look through them, which takes CAP_SYS_ADMIN. */
export async function visibleMapIds(): Promise<readonly number[] | undefined> {
  const bpf = await loadBpf();
  return unlessRefused(() => mapIds(bpf), undefined);
}
