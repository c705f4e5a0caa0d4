import type { HdrscopeError } from '@hdrscope/core';
import { Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import { isPerCpu, type MapInfo, notOfHistograms } from '../bpf/maps.ts';
import { MAP_TYPES, type MapType } from '../bpf/uapi.ts';
import { kernelError } from '../errors.ts';

/** The entries of `bpftool map dump`, in the form in which the kernel returns them. */
interface DumpedEntries {
  readonly keys: Uint8Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly cpuCount: number;
  readonly stride: number;
}

/**
 * Parses the output of `bpftool -j map show`.
 *
 * @param which The arguments that chose the map.
 * @throws HdrscopeError `ERR_KERNEL` when the output is malformed, or describes more than one map; `ERR_TOO_LARGE` when it is deeper or
 *   denser than any output of bpftool.
 */
export function infoOfShow(text: string, which: readonly string[]): MapInfo {
  const shown = parse(text);
  if (Array.isArray(shown)) {
    const ids = shown.map((map) => integerOf(objectOf(map).id));
    const name = which[1]!;
    const some = ids.slice(0, MOST_IDS).join(', ');
    const message = `${ids.length} maps are called ${JSON.stringify(name)}: choose one by its id (${some})`;
    throw kernelError(message, { name, ids });
  }
  const { id, type, name = '', bytes_key, bytes_value, max_entries } = objectOf(shown);
  if (typeof name !== 'string') throw malformed(text);
  return {
    type: typeof type === 'string' && Object.hasOwn(MAP_TYPES, type) ? (type as MapType) : undefined,
    id: integerOf(id),
    keySize: integerOf(bytes_key),
    valueSize: integerOf(bytes_value),
    maxEntries: integerOf(max_entries),
    name,
    btfId: 0,
    keyTypeId: 0,
    valueTypeId: 0,
  };
}

/**
 * Parses the output of `bpftool -j map dump`. It uses the bytes only: `formatted` is missing for maps without types, and
 * JSON.parse rounds its numbers above 2^53.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the output is malformed, or maps of this type hold no histograms.
 */
export function entriesOfDump(text: string, info: MapInfo): DumpedEntries {
  const { type, keySize, valueSize } = info;
  const dumped = parse(text);
  if (type === undefined) throw notOfHistograms(info);
  if (!Array.isArray(dumped)) throw malformed(text);
  const entries = dumped.map(objectOf).filter((entry) => !isGone(entry));
  const isSplit = isPerCpu(type);
  const cpuCount = isSplit ? cpusOf(entries[0]) : 1;
  const stride = isSplit ? Math.ceil(valueSize / 8) * 8 : valueSize;
  // Each byte takes more than one character.
  if (entries.length * (keySize + cpuCount * stride) > text.length + 8 * entries.length * cpuCount)
    throw malformed(text);
  const keys = new Uint8Array(entries.length * keySize);
  const values = new Uint8Array(entries.length * cpuCount * stride);
  for (const [at, entry] of entries.entries()) {
    keys.set(bytesOf(entry.key, keySize), at * keySize);
    const parts = isSplit ? entry.values : [entry];
    if (!Array.isArray(parts) || parts.length !== cpuCount) throw malformed(JSON.stringify(entry));
    for (const [cpu, part] of parts.entries()) {
      values.set(bytesOf(objectOf(part).value, valueSize), (at * cpuCount + cpu) * stride);
    }
  }
  return { keys, values, count: entries.length, cpuCount, stride };
}

/** Number of parts of a value. A map without entries does not show it, and has no counts that depend on it. */
function cpusOf(entry: JsonObject | undefined): number {
  if (entry === undefined) return 1;
  if (!Array.isArray(entry.values) || entry.values.length === 0) throw malformed(JSON.stringify(entry));
  return entry.values.length;
}

/** Whether the entry was deleted after bpftool had read its key. */
function isGone({ value }: JsonObject): boolean {
  if (typeof value !== 'object' || value === null || !('error' in value)) return false;
  const error = typeof value.error === 'string' ? value.error.slice(0, 200) : 'unknown error';
  if (/No such (file|entry)|Entry not found/i.test(error)) return true;
  throw kernelError(`bpftool cannot read a value: ${error}`, { program: 'bpftool' });
}

const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => [`0x${byte.toString(16).padStart(2, '0')}`, byte]),
);

function bytesOf(texts: unknown, size: number): readonly number[] {
  if (!Array.isArray(texts) || texts.length !== size) throw malformed(JSON.stringify(texts));
  return texts.map((text) => {
    const byte = BYTES.get(text);
    if (byte === undefined) throw malformed(JSON.stringify(texts));
    return byte;
  });
}

function integerOf(value: unknown): number {
  // The kernel has 32 bits for each of them.
  const isNumber = Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
  if (!isNumber) throw malformed(textOf(value));
  return value as number;
}

function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw malformed(textOf(value));
  return value;
}

/** A value of the output as text. An object may have no text of its own. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}

// A byte is `"0x00",`. Numbers of `formatted` are shorter, but do not come without their bytes.
const LEAST_ELEMENTS = 1000;
const CHARACTERS_PER_ELEMENT = 4;
const DEEPEST = 64;
const MOST_IDS = 20;

function parse(text: string): unknown {
  const elements = LEAST_ELEMENTS + Math.floor(text.length / CHARACTERS_PER_ELEMENT);
  const what = 'the output of bpftool';
  try {
    return parseJson(text, what, new Budget(what, { elements, depth: DEEPEST }));
  } catch (error) {
    if ((error as HdrscopeError).code === 'ERR_TOO_LARGE') throw error;
    throw malformed(text);
  }
}

function malformed(text = ''): HdrscopeError {
  const excerpt = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return kernelError(`the output of bpftool cannot be parsed: ${JSON.stringify(excerpt)}`, {
    program: 'bpftool',
  });
}
