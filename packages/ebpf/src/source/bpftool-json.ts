import { HdrscopeError } from '@hdrscope/core';
import { isObject, type JsonObject } from '@hdrscope/kit';
import { MAP_TYPES, type MapType } from '../bpf/commands.ts';
import { isPerCpu, type MapInfo } from '../bpf/maps.ts';

/** What `bpftool map dump` gives, in the form in which the kernel gives it. */
export interface DumpedEntries {
  readonly keys: Uint8Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly cpuCount: number;
  readonly stride: number;
}

/**
 * Understands `bpftool -j map show` of one map.
 *
 * @throws HdrscopeError `ERR_KERNEL` where it tells of several, or of none.
 */
export function infoOfShow(text: string, which: readonly string[]): MapInfo {
  const shown = parse(text);
  if (Array.isArray(shown)) {
    const ids = shown.map((map: { id?: unknown } | null) => map?.id);
    throw new HdrscopeError(
      'ERR_KERNEL',
      `${ids.length} maps are called ${JSON.stringify(which[1])}: name one by its id (${ids.join(', ')})`,
    );
  }
  const { id, type, name = '', bytes_key, bytes_value, max_entries } = objectOf(shown);
  if (typeof name !== 'string') throw notUnderstood(text);
  return {
    type: Object.keys(MAP_TYPES).includes(String(type)) ? (type as MapType) : undefined,
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
 * Understands `bpftool -j map dump`. It takes the bytes, and nothing of what is `formatted`: that is there for maps with
 * types only, and JSON.parse rounds its numbers above 2^53.
 *
 * @throws HdrscopeError `ERR_KERNEL`
 */
export function entriesOfDump(text: string, { id, name, type, keySize, valueSize }: MapInfo): DumpedEntries {
  const dumped = parse(text);
  if (type === undefined) {
    throw new HdrscopeError('ERR_KERNEL', `map ${id} (${name}) is of a type that holds no histograms`);
  }
  if (!Array.isArray(dumped)) throw notUnderstood(text);
  const entries = dumped.map(objectOf).filter((entry) => !isGone(entry));
  const isSplit = isPerCpu(type);
  const cpuCount = isSplit ? cpusOf(entries[0]) : 1;
  const stride = isSplit ? Math.ceil(valueSize / 8) * 8 : valueSize;
  const keys = new Uint8Array(entries.length * keySize);
  const values = new Uint8Array(entries.length * cpuCount * stride);
  for (const [at, entry] of entries.entries()) {
    keys.set(bytesOf(entry.key, keySize), at * keySize);
    const parts = isSplit ? entry.values : [entry];
    if (!Array.isArray(parts) || parts.length !== cpuCount) throw notUnderstood(JSON.stringify(entry));
    for (const [cpu, part] of parts.entries()) {
      values.set(bytesOf(objectOf(part).value, valueSize), (at * cpuCount + cpu) * stride);
    }
  }
  return { keys, values, count: entries.length, cpuCount, stride };
}

/** How many parts a value has. A map without entries has none to tell it by, and no counts to part. */
function cpusOf(entry: JsonObject | undefined): number {
  if (entry === undefined) return 1;
  if (!Array.isArray(entry.values) || entry.values.length === 0) throw notUnderstood(JSON.stringify(entry));
  return entry.values.length;
}

/** Whether it was deleted between its key and its value. */
function isGone({ value }: JsonObject): boolean {
  if (typeof value !== 'object' || value === null || !('error' in value)) return false;
  if (/No such (file|entry)|Entry not found/i.test(String(value.error))) return true;
  throw new HdrscopeError('ERR_KERNEL', `bpftool cannot read a value: ${value.error}`);
}

const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 256 }, (_, byte) => [`0x${byte.toString(16).padStart(2, '0')}`, byte]),
);

function bytesOf(texts: unknown, size: number): readonly number[] {
  if (!Array.isArray(texts) || texts.length !== size) throw notUnderstood(JSON.stringify(texts));
  return texts.map((text) => {
    const byte = BYTES.get(text);
    if (byte === undefined) throw notUnderstood(JSON.stringify(texts));
    return byte;
  });
}

function integerOf(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw notUnderstood(String(value));
  return value as number;
}

function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw notUnderstood(String(value));
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notUnderstood(text);
  }
}

function notUnderstood(text = ''): HdrscopeError {
  const shown = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return new HdrscopeError(
    'ERR_KERNEL',
    `bpftool printed what cannot be understood: ${JSON.stringify(shown)}`,
  );
}
