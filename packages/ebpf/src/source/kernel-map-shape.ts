import type { HdrscopeError } from '@hdrscope/core';
import type { BtfType } from '../bpf/btf.ts';
import { type ArrayField, type Field, fieldsOfBtf, sizeOfField } from '../bpf/fields.ts';
import { holdsMaps, isArray, type MapInfo, titleOfMap } from '../bpf/maps.ts';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { keyOfBpftrace } from './bpftrace-script.ts';
import { type CounterType, type CountsField, type MapShape, readShape } from './map-shape.ts';

/** A shape without gaps. */
export interface ResolvedShape {
  /** Where the index of a slot is: the key of an array, a field of the key, or the position in the value. */
  readonly slotIn: 'index' | 'key' | 'value';
  /** Fields of the key without the slot. */
  readonly attributes: readonly Field[];
  readonly slotField: Field | undefined;
  readonly counts: { readonly type: CounterType; readonly offset: number; readonly length: number };
  readonly sumIndex: number | undefined;
  readonly sumField: Field | undefined;
  readonly sumUnit: number;
  readonly valueAttributes: readonly Field[];
}

const NAMES_OF_SLOT = ['bucket', 'slot', 'le', 'key'];
const NAMES_OF_COUNTS = ['slots', 'buckets', 'counts', 'hist', 'histogram', 'count'];

/** Whether the shape needs no types. */
export function isComplete({ type }: MapInfo, shape: MapShape): boolean {
  const hasKey = shape.key !== undefined || (type !== undefined && isArray(type));
  if (!hasKey || shape.value !== undefined) return hasKey;
  const isPlace = shape.sum === 'after-last' || shape.sum === 'none';
  const names = [isPlace ? undefined : shape.sum, ...(shape.valueAttributes ?? [])];
  return shape.counts !== undefined && names.every((name) => typeof name !== 'string');
}

/**
 * Completes the shape of a map.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the shape cannot be found, or does not fit the map; `ERR_INVALID_OPTION` when an
 *   option of it is not allowed.
 */
export function resolveShape(
  info: MapInfo,
  shape: MapShape,
  layout: KernelLayout,
  types?: readonly BtfType[],
): ResolvedShape {
  if (info.type !== undefined && holdsMaps(info.type)) throw unclear(info, 'it holds maps, not counts');
  const { sumUnit } = readShape(shape);
  assertSizes(info, shape);
  const isIndexed = info.type !== undefined && isArray(info.type);
  if (isIndexed && (shape.key?.length ?? 0) > 1) {
    throw unclear(info, 'the key of an array is an index, which has no fields', 'key');
  }
  const valueFields = shape.value ?? fieldsOfValue(info, types);
  const counts = countsOf(info, shape, layout, valueFields);
  const keyFields = isIndexed ? [] : keyOf(info, shape, layout, types);
  const places = counts.length ?? (isIndexed ? info.maxEntries : Number.POSITIVE_INFINITY);
  const common = {
    counts: { type: counts.type, offset: counts.offset ?? 0, length: counts.length ?? 1 },
    ...sumOf(info, shape, layout, { valueFields, places }),
    sumUnit,
    valueAttributes: (shape.valueAttributes ?? nameOfTask(counts, valueFields)).map((field) =>
      besideKey(named(info, field, valueFields), keyFields),
    ),
  };
  for (const field of [
    ...keyFields,
    ...common.valueAttributes,
    ...(common.sumField ? [common.sumField] : []),
  ]) {
    assertFits(info, field, keyFields.includes(field) ? info.keySize : info.valueSize);
  }
  // A type may state that the counts begin within a byte.
  if (!Number.isInteger(common.counts.offset)) {
    throw unclear(info, 'its counts do not begin at a byte', 'counts');
  }
  if (common.counts.offset + common.counts.length * sizeOfField(counts) > info.valueSize) {
    throw unclear(
      info,
      `its values of ${info.valueSize} bytes do not hold the counts of \`shape\``,
      'counts',
    );
  }
  if (counts.length !== undefined) {
    const index: readonly Field[] = info.maxEntries === 1 ? [] : [{ name: 'key', type: 'u32', offset: 0 }];
    return { ...common, slotIn: 'value', attributes: isIndexed ? index : keyFields, slotField: undefined };
  }
  if (isIndexed) return { ...common, slotIn: 'index', attributes: [], slotField: undefined };
  const slotField = slotOf(info, shape, keyFields);
  return {
    ...common,
    slotIn: 'key',
    attributes: keyFields.filter((field) => field !== slotField),
    slotField,
  };
}

/** The name of a task beside an array of slots labels the histogram, as in libbpf-tools. */
function nameOfTask({ length }: CountsField, valueFields: readonly Field[]): readonly Field[] {
  if (length === undefined) return [];
  return valueFields.filter(({ name, type }) => name === 'comm' && type.startsWith('char'));
}

/** The fields of the values of a map. A map without types has no known fields. */
export function fieldsOfValue(
  info: MapInfo,
  types: readonly BtfType[] | undefined,
): readonly (Field | ArrayField)[] {
  if (types === undefined || info.valueTypeId === 0) return [];
  return fieldsOfBtf(types, info.valueTypeId, 'value');
}

/** The fields of the keys of a map. The key of an array has no fields, and a map without types no known fields. */
export function fieldsOfKey(info: MapInfo, types: readonly BtfType[] | undefined): readonly Field[] {
  if (types === undefined || info.keyTypeId === 0 || (info.type !== undefined && isArray(info.type)))
    return [];
  return fieldsOfBtf(types, info.keyTypeId, 'key');
}

/** @throws HdrscopeError `ERR_KERNEL` when the shape describes a key or a value of another size. */
function assertSizes(info: MapInfo, shape: MapShape): void {
  for (const [what, described, actual] of [
    ['keys', shape.keySize, info.keySize],
    ['values', shape.valueSize, info.valueSize],
  ] as const) {
    if (described === undefined || described === actual) continue;
    throw unclear(info, `its ${what} have ${actual} bytes, and the shape describes ${described}`, what);
  }
}

function countsOf(
  info: MapInfo,
  { counts }: MapShape,
  { slots, firstIndex, keys }: KernelLayout,
  valueFields: readonly (Field | ArrayField)[],
): CountsField {
  if (counts !== undefined) return counts;
  const counters = valueFields.filter(isCounter);
  const arrays = counters.filter(isArrayField);
  const candidates = arrays.length > 0 ? arrays : counters;
  const hasUsualName = ({ name }: Field) => NAMES_OF_COUNTS.includes(lastPart(name));
  const found = candidates.length === 1 ? candidates[0] : candidates.find(hasUsualName);
  if (found !== undefined) {
    const { offset } = found;
    const type = found.type as CounterType;
    return isArrayField(found) ? { type, offset, length: found.length } : { type, offset };
  }
  if (valueFields.length > 0) throw unclear(info, 'no field of its values has a usual name of counts');
  if (info.valueSize === 4) return { type: 'u32' };
  if (info.valueSize === 8) return { type: 'u64' };
  const length =
    keys === undefined
      ? firstIndex + slots.slotCount
      : keys.reduce((most, key) => Math.max(most, key), 0) + 1;
  if (info.valueSize === length * 8) return { type: 'u64', length };
  if (info.valueSize === length * 4) return { type: 'u32', length };
  throw unclear(info, `its values have ${info.valueSize} bytes, and no readable types`, 'value');
}

function keyOf(
  info: MapInfo,
  { key }: MapShape,
  layout: KernelLayout,
  types: readonly BtfType[] | undefined,
): readonly Field[] {
  if (key !== undefined) return key;
  if (layout.name.startsWith('bpftrace-') && info.keySize >= 8) return keyOfBpftrace(info.keySize, undefined);
  const known = fieldsOfKey(info, types);
  if (known.length > 0) return known;
  if (info.keySize === 4) return [{ name: 'key', type: 'u32', offset: 0 }];
  if (info.keySize === 8) return [{ name: 'key', type: 'u64', offset: 0 }];
  throw unclear(info, `its keys have ${info.keySize} bytes, and no readable types`, 'key');
}

function slotOf(info: MapInfo, { slot }: MapShape, keyFields: readonly Field[]): Field {
  const found = slot === undefined ? usualSlotField(keyFields) : keyFields.find(({ name }) => name === slot);
  const names = namesOf(keyFields);
  if (found === undefined)
    throw unclear(info, `its key has no field ${slot ?? 'for the slot'}, only: ${names}`, slot ?? 'slot');
  if (!/^[us]\d/.test(found.type))
    throw unclear(info, `the field ${found.name} of its key is not an integer`, found.name);
  return found;
}

/** The field of a key that is the slot when nothing else is stated. */
export function usualSlotField(keyFields: readonly Field[]): Field | undefined {
  return keyFields.findLast(({ name }) => NAMES_OF_SLOT.includes(lastPart(name))) ?? keyFields.at(-1);
}

function sumOf(
  info: MapInfo,
  { sum }: MapShape,
  { slots, firstIndex, keys }: KernelLayout,
  { valueFields, places }: { readonly valueFields: readonly Field[]; readonly places: number },
): Pick<ResolvedShape, 'sumIndex' | 'sumField'> {
  if (sum === 'after-last') {
    const afterLast = (keys?.at(-1) ?? firstIndex + slots.slotCount - 1) + 1;
    return { sumIndex: afterLast < places ? afterLast : undefined, sumField: undefined };
  }
  if (sum === 'none') return { sumIndex: undefined, sumField: undefined };
  if (typeof sum === 'number') return { sumIndex: sum, sumField: undefined };
  if (sum !== undefined) return { sumIndex: undefined, sumField: named(info, sum, valueFields) };
  const own = valueFields.find(
    (field) => field.name === 'sum' && !isArrayField(field) && /^[us]\d/.test(field.type),
  );
  return { sumIndex: undefined, sumField: own };
}

/** Whether a field may be a counter, or counters. */
export function isCounter({ type, bits }: Field): boolean {
  return /^[us](32|64)$/.test(type) && bits === undefined;
}

export function isArrayField(field: Field | ArrayField): field is ArrayField {
  return 'length' in field;
}

function named(info: MapInfo, field: string | Field, fields: readonly Field[]): Field {
  if (typeof field !== 'string') return field;
  const found = fields.find(({ name }) => name === field);
  if (found !== undefined) return found;
  const names = namesOf(fields) || 'fields without readable types';
  throw unclear(info, `its values have no field ${field}, only: ${names}`, field);
}

/** A field of the value is called `value.name` when the key has a field of that name: both are attributes. */
function besideKey(field: Field, keyFields: readonly Field[]): Field {
  const isTaken = keyFields.some(({ name }) => name === field.name);
  return isTaken ? { ...field, name: `value.${field.name}` } : field;
}

const MOST_NAMES = 20;

/** The names of the first fields, for a message. */
function namesOf(fields: readonly Field[]): string {
  const names = fields.slice(0, MOST_NAMES).map(({ name }) => name);
  return [...names, ...(fields.length > MOST_NAMES ? ['…'] : [])].join(', ');
}

function assertFits(info: MapInfo, field: Field, size: number): void {
  if (Number.isInteger(field.offset) && field.offset >= 0 && field.offset + sizeOfField(field) <= size)
    return;
  throw unclear(info, `the field ${field.name} does not fit its ${size} bytes`, field.name);
}

/** The last part of `outer.inner`. */
export function lastPart(name: string): string {
  return name.split('.').at(-1)!;
}

function unclear({ id, name }: MapInfo, reason: string, field?: string): HdrscopeError {
  return kernelError(
    `the position of the counts in ${titleOfMap({ id, name })} is unclear: ${reason}; describe its fields in \`shape\``,
    { id, name, ...(field !== undefined && { field }) },
  );
}
