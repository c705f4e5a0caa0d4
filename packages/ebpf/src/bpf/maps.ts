import { readlinkSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { errnoOf, kernelError } from '../errors.ts';
import { readTextFile } from '../system-files.ts';
import { type BtfType, readBtf, resolveBtf } from './btf.ts';
import { Attr, call, idsAfter, readInfo } from './call.ts';
import { allocate, cString, keptName, LITTLE_ENDIAN, textUntilNul } from './memory.ts';
import type { Bpf } from './syscall.ts';
import { MAP_TYPES, type MapType, READ_ONLY } from './uapi.ts';

/** Facts about a map, from the kernel. */
export interface MapInfo {
  /** `undefined` when maps of its type hold no histograms. */
  readonly type: MapType | undefined;
  readonly id: number;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  /** The first 15 bytes of its name. */
  readonly name: string;
  /** Id of the BTF with the types of its keys and values; 0 when the map has no types. */
  readonly btfId: number;
  readonly keyTypeId: number;
  readonly valueTypeId: number;
}

/** How a map is made. */
export interface NewMap {
  readonly type: MapType;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  /** Cut to 15 bytes. @default no name */
  readonly name?: string;
  /** `BPF_F_*`. @default 0 */
  readonly flags?: number;
  /** Descriptor of a map like those that it will hold. @default it holds no maps */
  readonly innerMapFd?: number;
  /** Types of its keys and values. @default no types */
  readonly types?: { readonly btfFd: number; readonly keyTypeId: number; readonly valueTypeId: number };
}

const TYPE_NAMES: ReadonlyMap<number, MapType> = new Map(
  Object.entries(MAP_TYPES).map(([name, number]) => [number, name as MapType]),
);

/** A map as messages name it: `map 42 (queue_hist)`. */
export function titleOfMap({ id, name }: Pick<MapInfo, 'id' | 'name'>): string {
  return `map ${id} (${name})`;
}

/** The details of errors about a map. */
export function mapDetails({ id, name }: Pick<MapInfo, 'id' | 'name'>): Pick<MapInfo, 'id' | 'name'> {
  return { id, name };
}

/** Builds the error for a map whose type holds no histograms. */
export function notOfHistograms({ id, name }: MapInfo): HdrscopeError {
  return kernelError(`${titleOfMap({ id, name })} has a type that holds no histograms`, { id, name });
}

/** Whether each CPU has its own values in maps of this type. */
export function isPerCpu(type: MapType): boolean {
  return type.includes('percpu');
}

/** Whether a full map drops the entries that were not used for longest. */
export function isLossy({ type }: Pick<MapInfo, 'type'>): boolean {
  return type?.startsWith('lru') ?? false;
}

/** Whether the values of maps of this type are maps. */
export function holdsMaps(type: MapType): boolean {
  return type === 'array_of_maps' || type === 'hash_of_maps';
}

/** Whether the keys of maps of this type are indices from 0 on. */
export function isArray(type: MapType): boolean {
  return type === 'array' || type === 'percpu_array';
}

/**
 * Opens the map that is pinned at a path, for reading only. This takes no capability when the pin has mode 0444.
 *
 * @param flags `BPF_F_*`. The default is `READ_ONLY`.
 * @returns A file descriptor, which the caller closes with `bpf.close`.
 * @throws HdrscopeError `ERR_KERNEL` when the path is not the pin of a map, or the kernel refuses to open it.
 */
export function openPinnedMap(
  bpf: Bpf,
  path: string,
  { flags = READ_ONLY }: { readonly flags?: number } = {},
): number {
  // The kernel reads the path up to the first NUL, and would open another file.
  if (path.includes('\0')) throw kernelError('the path of a pin must not contain a NUL', { path });
  const attr = new Attr(bpf, 16).pointer(0, cString(path)).u32(12, flags);
  const fd = call(bpf, 'OBJ_GET', attr, { object: path, path });
  const kind = kindOf(fd);
  if (kind === undefined || kind === 'map') return fd;
  bpf.close(fd);
  throw kernelError(`${path} must be the pin of a map, and is the pin of a ${kind}`, { path });
}

/** `map`, `prog` or `link`. All of them answer the same calls, with different data. */
function kindOf(fd: number): string | undefined {
  try {
    return /bpf[-_](\w+)/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Opens a map by its id, for reading only. This takes CAP_SYS_ADMIN.
 *
 * @returns A file descriptor, which the caller closes with `bpf.close`.
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses to open it.
 */
export function openMapById(bpf: Bpf, id: number): number {
  const attr = new Attr(bpf, 12).u32(0, id).u32(8, READ_ONLY);
  return call(bpf, 'MAP_GET_FD_BY_ID', attr, { object: `map ${id}`, id });
}

/** Lists the ids of all maps. This takes CAP_SYS_ADMIN. */
export function mapIds(bpf: Bpf): readonly number[] {
  return [...idsAfter(bpf, 'MAP_GET_NEXT_ID')];
}

/**
 * Finds the only map that has a name. The kernel cuts names to 15 bytes, and the types of a map may have the rest. Two programs
 * may use the same name.
 *
 * @returns The id of the map.
 * @throws HdrscopeError `ERR_KERNEL` when no map has the name, or more than one has it.
 */
export function findMapByName(bpf: Bpf, name: string): number {
  const cut = keptName(name);
  const alike = mapIds(bpf).flatMap((id) => {
    const info = infoOf(bpf, id);
    return info?.name === cut ? [info] : [];
  });
  const isOnly = alike.length === 1 && cut === name;
  const maps = isOnly ? alike : ofName(alike, name, (map) => nameInTypes(bpf, map));
  const [map] = maps;
  if (map !== undefined && maps.length === 1) return map.id;
  const called = cut === name ? `"${name}"` : `"${name}", or "${cut}" as the kernel cuts it`;
  if (map === undefined) {
    throw kernelError(`no map is called ${called}: is the program loaded?`, { name, errno: 'ENOENT' });
  }
  const ids = maps.map(({ id }) => id);
  throw kernelError(`${ids.length} maps are called ${called}: choose one by its id (${ids.join(', ')})`, {
    name,
    ids,
  });
}

/** The maps with a whole name, or else those whose whole name is unknown. */
function ofName(
  maps: readonly MapInfo[],
  name: string,
  wholeName: (map: MapInfo) => string | undefined,
): readonly MapInfo[] {
  const named = maps.map((map) => ({ map, whole: wholeName(map) }));
  const exact = named.filter(({ whole }) => whole === name);
  const fitting = exact.length > 0 ? exact : named.filter(({ whole }) => whole === undefined);
  return fitting.map(({ map }) => map);
}

function nameInTypes(bpf: Bpf, map: MapInfo): string | undefined {
  try {
    return map.btfId === 0 ? undefined : mapNameInBtf(readBtf(bpf, map.btfId), map);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    return undefined;
  }
}

/** Opens a map by its id; `undefined` when it was removed since it was listed. */
export function openMapIfThere(bpf: Bpf, id: number): number | undefined {
  try {
    return openMapById(bpf, id);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function infoOf(bpf: Bpf, id: number): MapInfo | undefined {
  const fd = openMapIfThere(bpf, id);
  if (fd === undefined) return undefined;
  try {
    return mapInfo(bpf, fd);
  } finally {
    bpf.close(fd);
  }
}

/** Asks the kernel about an open map. Source of the offsets: `struct bpf_map_info`. */
export function mapInfo(bpf: Bpf, fd: number): MapInfo {
  const info = allocate(88);
  const view = readInfo(bpf, fd, info, 'the facts about a map');
  const at = (offset: number) => view.getUint32(offset, LITTLE_ENDIAN);
  return {
    type: TYPE_NAMES.get(at(0)),
    id: at(4),
    keySize: at(8),
    valueSize: at(12),
    maxEntries: at(16),
    name: textUntilNul(info.subarray(24, 40)),
    btfId: at(64),
    keyTypeId: at(68),
    valueTypeId: at(72),
  };
}

/** `BPF_F_RDONLY_PROG` */
const PROGRAMS_ONLY_READ = 128;
const MOST_CONSTANT_BYTES = 2 ** 20;

/**
 * The constants of programs (`.rodata`): the value of an array that neither a program nor a process may write.
 *
 * @returns `undefined` when the map is another one.
 */
export function readConstants(
  bpf: Bpf,
  fd: number,
  { type, maxEntries, valueSize }: MapInfo,
): Uint8Array | undefined {
  if (type !== 'array' || maxEntries !== 1 || valueSize > MOST_CONSTANT_BYTES) return undefined;
  const flags = readInfo(bpf, fd, allocate(88), 'the facts about a map').getUint32(20, LITTLE_ENDIAN);
  const isFrozen = /^frozen:\s*1$/m.test(readTextFile(`/proc/self/fdinfo/${fd}`));
  if ((flags & PROGRAMS_ONLY_READ) === 0 || !isFrozen) return undefined;
  const value = allocate(valueSize);
  const attr = new Attr(bpf, 32).u32(0, fd).pointer(8, allocate(4)).pointer(16, value);
  call(bpf, 'MAP_LOOKUP_ELEM', attr, { object: 'the constants of a program' });
  return value;
}

/**
 * Makes a map. It lives until its descriptor is closed and nothing else holds it.
 *
 * @returns Its file descriptor.
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses to make it.
 */
export function createMap(
  bpf: Bpf,
  { type, keySize, valueSize, maxEntries, name = '', flags = 0, innerMapFd = 0, types }: NewMap,
): number {
  const attr = new Attr(bpf, 72)
    .u32(0, MAP_TYPES[type])
    .u32(4, keySize)
    .u32(8, valueSize)
    .u32(12, maxEntries)
    .u32(16, flags)
    .u32(20, innerMapFd)
    .name(28, name);
  if (types !== undefined) attr.u32(48, types.btfFd).u32(52, types.keyTypeId).u32(56, types.valueTypeId);
  return call(bpf, 'MAP_CREATE', attr, { object: `a new map of type ${type}` });
}

/** Sets one value. In a per-CPU map it consists of the values of all CPUs, each padded to a multiple of 8 bytes. */
export function updateElement(bpf: Bpf, fd: number, key: Uint8Array, value: Uint8Array): void {
  const attr = new Attr(bpf, 32).u32(0, fd).pointer(8, ownCopy(key)).pointer(16, ownCopy(value));
  call(bpf, 'MAP_UPDATE_ELEM', attr, { object: 'a value of a map' });
}

/** Deletes one entry of a hash, which must exist. */
export function deleteElement(bpf: Bpf, fd: number, key: Uint8Array): void {
  const attr = new Attr(bpf, 32).u32(0, fd).pointer(8, ownCopy(key));
  call(bpf, 'MAP_DELETE_ELEM', attr, { object: 'an entry of a map' });
}

/** Pins a map or program to a path in a bpffs, which keeps it alive. */
export function pin(bpf: Bpf, fd: number, path: string): void {
  call(bpf, 'OBJ_PIN', new Attr(bpf, 16).pointer(0, cString(path)).u32(8, fd), { object: path, path });
}

/** A copy in memory whose address stays the same. */
function ownCopy(bytes: Uint8Array): Uint8Array {
  const copy = allocate(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Facts about a map that distinguish it from other maps of its program. */
export interface MapInBtf {
  /** The first 15 bytes of its name. */
  readonly name: string;
  readonly keyTypeId: number;
  readonly valueTypeId: number;
  readonly maxEntries: number;
}

/**
 * The whole name of a map, of which the kernel keeps 15 bytes: the variable of its program in the section `.maps`.
 *
 * @returns `undefined` when no variable fits, or several do.
 */
export function mapNameInBtf(types: readonly BtfType[], map: MapInBtf): string | undefined {
  const inMaps = types.flatMap((type) =>
    type.kind === 'section' && type.name === '.maps' ? type.variables : [],
  );
  const called = inMaps.flatMap(({ type }) => {
    const variable = types[type];
    return variable?.kind === 'variable' && keptName(variable.name) === map.name ? [variable] : [];
  });
  const fitting = called.filter(({ type }) => hasTypes(types, type, map));
  if (fitting.length < 2) return fitting[0]?.name;
  // A loader may set another number of entries, so it matters only where the types do not decide.
  const sized = fitting.filter(({ type }) => entriesOf(types, type) === map.maxEntries);
  return sized.length === 1 ? sized[0]!.name : undefined;
}

/** The number of entries in the definition of a map: `__uint(max_entries, N)` is a pointer to an array of that length. */
function entriesOf(types: readonly BtfType[], definition: number): number | undefined {
  const type = resolveBtf(types, definition);
  const member = type.kind === 'struct' ? type.members.find(({ name }) => name === 'max_entries') : undefined;
  const pointer = member === undefined ? undefined : resolveBtf(types, member.type);
  const array = pointer?.kind === 'pointer' ? resolveBtf(types, pointer.type) : undefined;
  return array?.kind === 'array' ? array.length : undefined;
}

/** Whether the definition of a map, `struct { __type(key, …); __type(value, …); }`, has the types of a map. */
function hasTypes(types: readonly BtfType[], definition: number, map: MapInBtf): boolean {
  const type = resolveBtf(types, definition);
  if (type.kind !== 'struct') return false;
  return type.members.every(({ name, type: member }) => {
    if (name !== 'key' && name !== 'value') return true;
    const pointer = resolveBtf(types, member);
    return pointer.kind === 'pointer' && pointer.type === (name === 'key' ? map.keyTypeId : map.valueTypeId);
  });
}
