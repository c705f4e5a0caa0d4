import { readlinkSync, unlinkSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { Attr, call } from './attr.ts';
import { MAP_TYPES, type MapType, READ_ONLY } from './commands.ts';
import { ERRNO } from './errno.ts';
import { errnoOf } from './errors.ts';
import { allocate, cString, LITTLE_ENDIAN, textUntilNul, viewOf } from './memory.ts';
import type { Bpf } from './syscall.ts';

/** What the kernel says of a map. */
export interface MapInfo {
  /** `undefined` for a type that holds no histograms. */
  readonly type: MapType | undefined;
  readonly id: number;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  /** The first 15 bytes of its name. */
  readonly name: string;
  /** The BTF that has the types of its keys and values; 0 where there is none. */
  readonly btfId: number;
  readonly keyTypeId: number;
  readonly valueTypeId: number;
}

export interface NewMap {
  readonly type: MapType;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  /** Cut to 15 bytes. */
  readonly name?: string;
  /** `BPF_F_*`. @default 0 */
  readonly flags?: number;
  /** The types of its keys and values. @default unknown */
  readonly types?: { readonly btfFd: number; readonly keyTypeId: number; readonly valueTypeId: number };
}

const TYPE_NAMES: ReadonlyMap<number, MapType> = new Map(
  Object.entries(MAP_TYPES).map(([name, number]) => [number, name as MapType]),
);

/** The longest name that the kernel keeps. */
const NAME_BYTES = 15;

/** Whether each CPU has a value of its own. */
export function isPerCpu(type: MapType): boolean {
  return type.includes('percpu');
}

/** Whether keys are indices from 0 on. */
export function isArray(type: MapType): boolean {
  return type === 'array' || type === 'percpu_array';
}

/**
 * Opens the map that is pinned at a path, for reading only: that takes no capability where the mode is 0444.
 *
 * @returns A file descriptor, to be given back by `bpf.close`.
 * @throws HdrscopeError `ERR_KERNEL`
 */
export function openPinnedMap(
  bpf: Bpf,
  path: string,
  { flags = READ_ONLY }: { readonly flags?: number } = {},
): number {
  // Its open(2) stops at a NUL, and would open something else.
  if (path.includes('\0')) throw new HdrscopeError('ERR_KERNEL', 'the path of a pin holds a NUL');
  const attr = new Attr(bpf, 16).pointer(0, cString(path)).u32(12, flags);
  const fd = call(bpf, 'OBJ_GET', attr, { object: path });
  const kind = kindOf(fd);
  if (kind === undefined || kind === 'map') return fd;
  bpf.close(fd);
  throw new HdrscopeError('ERR_KERNEL', `${path} is the pin of a ${kind}, not of a map`);
}

/** `map`, `prog` or `link`: all of them answer to the same calls, with other numbers. */
function kindOf(fd: number): string | undefined {
  try {
    return /bpf[-_](\w+)/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
  } catch {
    return undefined;
  }
}

/** Opens a map by its id, which takes CAP_SYS_ADMIN. */
export function openMapById(bpf: Bpf, id: number): number {
  const attr = new Attr(bpf, 12).u32(0, id).u32(8, READ_ONLY);
  return call(bpf, 'MAP_GET_FD_BY_ID', attr, { object: `map ${id}` });
}

/** The ids of all maps, which takes CAP_SYS_ADMIN. */
export function mapIds(bpf: Bpf): readonly number[] {
  const ids: number[] = [];
  const object = 'the list of maps';
  for (let id = 0; ; ids.push(id)) {
    const attr = new Attr(bpf, 12).u32(0, id);
    if (call(bpf, 'MAP_GET_NEXT_ID', attr, { object, answers: [ERRNO.ENOENT] }) < 0) return ids;
    id = attr.getU32(4);
  }
}

/**
 * The map of a name, and there must be one only: names are cut to 15 bytes, and nothing keeps two programs from taking
 * the same.
 *
 * @returns Its id.
 * @throws HdrscopeError `ERR_KERNEL` where there is none, or more than one.
 */
export function findMapByName(bpf: Bpf, name: string): number {
  const cut = textUntilNul(new TextEncoder().encode(name).subarray(0, NAME_BYTES));
  const ids = mapIds(bpf).filter((id) => nameOfMap(bpf, id) === cut);
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return id;
  const called = cut === name ? `"${name}"` : `"${cut}", which is what the kernel keeps of "${name}"`;
  if (id === undefined)
    throw new HdrscopeError('ERR_KERNEL', `no map is called ${called}: is the program loaded?`);
  throw new HdrscopeError(
    'ERR_KERNEL',
    `${ids.length} maps are called ${called}: name one by its id (${ids.join(', ')})`,
  );
}

function nameOfMap(bpf: Bpf, id: number): string | undefined {
  let fd: number;
  try {
    fd = openMapById(bpf, id);
  } catch (error) {
    // Gone since it was listed.
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return mapInfo(bpf, fd).name;
  } finally {
    bpf.close(fd);
  }
}

/** What the kernel says of an open map. Source of the offsets: `struct bpf_map_info`. */
export function mapInfo(bpf: Bpf, fd: number): MapInfo {
  const info = allocate(88);
  const attr = new Attr(bpf, 16).u32(0, fd).u32(4, info.length).pointer(8, info);
  call(bpf, 'OBJ_GET_INFO_BY_FD', attr, { object: 'what is known of a map' });
  const view = viewOf(info);
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

/**
 * Makes a map, which lives until its descriptor is closed and nothing else holds it.
 *
 * @returns Its file descriptor.
 */
export function createMap(
  bpf: Bpf,
  { type, keySize, valueSize, maxEntries, name = '', flags = 0, types }: NewMap,
): number {
  const attr = new Attr(bpf, 72)
    .u32(0, MAP_TYPES[type])
    .u32(4, keySize)
    .u32(8, valueSize)
    .u32(12, maxEntries)
    .u32(16, flags)
    .name(28, name);
  if (types !== undefined) attr.u32(48, types.btfFd).u32(52, types.keyTypeId).u32(56, types.valueTypeId);
  return call(bpf, 'MAP_CREATE', attr, { object: `a new map of type ${type}` });
}

/** Sets one value: of a map with values for each CPU, those of all CPUs, each in multiples of 8 bytes. */
export function updateElement(bpf: Bpf, fd: number, key: Uint8Array, value: Uint8Array): void {
  const attr = new Attr(bpf, 32).u32(0, fd).pointer(8, ownCopy(key)).pointer(16, ownCopy(value));
  call(bpf, 'MAP_UPDATE_ELEM', attr, { object: 'a value of a map' });
}

/** Takes one value out. */
export function deleteElement(bpf: Bpf, fd: number, key: Uint8Array): void {
  const attr = new Attr(bpf, 32).u32(0, fd).pointer(8, ownCopy(key));
  call(bpf, 'MAP_DELETE_ELEM', attr, { object: 'a value of a map' });
}

/** Gives a map or a program a path in a bpffs, which keeps it. */
export function pin(bpf: Bpf, fd: number, path: string): void {
  call(bpf, 'OBJ_PIN', new Attr(bpf, 16).pointer(0, cString(path)).u32(8, fd), { object: path });
}

/** Takes a path back. */
export function unpin(path: string): void {
  unlinkSync(path);
}

/** Memory that stays where it is. */
function ownCopy(bytes: Uint8Array): Uint8Array {
  const copy = allocate(bytes.length);
  copy.set(bytes);
  return copy;
}
