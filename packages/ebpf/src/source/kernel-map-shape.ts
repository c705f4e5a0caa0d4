import { HdrscopeError } from '@hdrscope/core';
import type { BtfType } from '../bpf/btf.ts';
import { type ArrayField, type Field, fieldsOfBtf, sizeOfField } from '../bpf/fields.ts';
import { isArray, type MapInfo } from '../bpf/maps.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';

/**
 * Where in a map the histograms are. What is left out is found by the types (BTF) of the map where they may be read,
 * which takes CAP_SYS_ADMIN, and else by its sizes.
 *
 * There are three shapes. An array whose values are single counters: its indices are the slots. A hash whose values are
 * single counters: a field of its key is the slot, and the others are attributes. And values that hold all slots of a
 * histogram in an array: each key is a histogram, and its fields are attributes.
 */
export interface MapShape {
  /** The fields of the key. An array has none. */
  readonly key?: readonly Field[];
  /** Which field of the key is the slot. @default the one called bucket, slot, le or key, or else the last */
  readonly slot?: string;
  /** The counters in a value: one, or with a `length` those of all slots. */
  readonly counts?: CountsField;
  /**
   * Where the sum of the values is: at an index of its own, as after the last slot with ebpf_exporter, or in a field of
   * the value, by its name where there are types. @default the field called sum
   */
  readonly sum?: 'after-last' | number | string | Field;
  /** Fields of the value that are attributes, and never change: those of its first CPU that has counted. @default none */
  readonly valueAttributes?: readonly (string | Field)[];
}

/** A counter, or an array of them. */
export interface CountsField {
  readonly type: 'u32' | 'u64';
  /** Where in the value it begins. @default 0 */
  readonly offset?: number;
  /** How many there are, one after the other. */
  readonly length?: number;
}

/** A shape of which everything is known. */
export interface ResolvedShape {
  /** What the slot is: the key of an array, a field of the key, a position in the value. */
  readonly slotIn: 'index' | 'key' | 'value';
  /** In the key, but for the slot. */
  readonly attributes: readonly Field[];
  readonly slotField: Field | undefined;
  readonly counts: { readonly type: 'u32' | 'u64'; readonly offset: number; readonly length: number };
  readonly sumIndex: number | undefined;
  readonly sumField: Field | undefined;
  readonly valueAttributes: readonly Field[];
}

const NAMES_OF_SLOT = ['bucket', 'slot', 'le', 'key'];
const NAMES_OF_COUNTS = ['slots', 'buckets', 'counts', 'hist', 'histogram', 'count'];

/** Whether nothing is left to be learnt from types. */
export function isComplete({ type }: MapInfo, shape: MapShape): boolean {
  const names = [shape.sum === 'after-last' ? undefined : shape.sum, ...(shape.valueAttributes ?? [])];
  const hasKey = shape.key !== undefined || (type !== undefined && isArray(type));
  return hasKey && shape.counts !== undefined && names.every((name) => typeof name !== 'string');
}

/**
 * What a map looks like.
 *
 * @throws HdrscopeError `ERR_KERNEL` where it cannot be told, or does not fit the layout.
 */
export function resolveShape(
  info: MapInfo,
  shape: MapShape,
  layout: KernelLayout,
  types?: readonly BtfType[],
): ResolvedShape {
  const isIndexed = info.type !== undefined && isArray(info.type);
  const valueFields = types === undefined ? [] : fieldsOfBtf(types, info.valueTypeId, 'value');
  const counts = countsOf(info, shape, layout, valueFields);
  const keyFields = isIndexed ? [] : keyOf(info, shape, types);
  const common = {
    counts: { type: counts.type, offset: counts.offset ?? 0, length: counts.length ?? 1 },
    ...sumOf(info, shape, layout, valueFields),
    valueAttributes: (shape.valueAttributes ?? []).map((field) => named(info, field, valueFields)),
  };
  for (const field of [
    ...keyFields,
    ...common.valueAttributes,
    ...(common.sumField ? [common.sumField] : []),
  ]) {
    assertFits(info, field, keyFields.includes(field) ? info.keySize : info.valueSize);
  }
  if (common.counts.offset + common.counts.length * sizeOfField(counts) > info.valueSize) {
    throw unclear(info, `its values of ${info.valueSize} bytes do not hold the counts that are described`);
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

function countsOf(
  info: MapInfo,
  { counts }: MapShape,
  { slots, firstIndex, keys }: KernelLayout,
  valueFields: readonly (Field | ArrayField)[],
): CountsField {
  if (counts !== undefined) return counts;
  const counters = valueFields.filter(({ type, bits }) => /^[us](32|64)$/.test(type) && bits === undefined);
  const arrays = counters.filter(isArrayField);
  const candidates = arrays.length > 0 ? arrays : counters;
  const called = (field: Field) => NAMES_OF_COUNTS.includes(field.name.split('.').at(-1)!);
  const found = candidates.length === 1 ? candidates[0] : candidates.find(called);
  if (found !== undefined) {
    const { type, offset } = found;
    const width = type.endsWith('64') ? 'u64' : 'u32';
    return isArrayField(found) ? { type: width, offset, length: found.length } : { type: width, offset };
  }
  if (valueFields.length > 0) throw unclear(info, 'its values have no field that is known as the counts');
  if (info.valueSize === 4) return { type: 'u32' };
  if (info.valueSize === 8) return { type: 'u64' };
  const length = keys === undefined ? firstIndex + slots.slotCount : Math.max(...keys) + 1;
  if (info.valueSize === length * 8) return { type: 'u64', length };
  if (info.valueSize === length * 4) return { type: 'u32', length };
  throw unclear(info, `its values have ${info.valueSize} bytes, and no types that may be read`);
}

function keyOf(info: MapInfo, { key }: MapShape, types: readonly BtfType[] | undefined): readonly Field[] {
  if (key !== undefined) return key;
  if (types !== undefined && info.keyTypeId !== 0) return fieldsOfBtf(types, info.keyTypeId, 'key');
  if (info.keySize === 4) return [{ name: 'key', type: 'u32', offset: 0 }];
  if (info.keySize === 8) return [{ name: 'key', type: 'u64', offset: 0 }];
  throw unclear(info, `its keys have ${info.keySize} bytes, and no types that may be read`);
}

function slotOf(info: MapInfo, { slot }: MapShape, keyFields: readonly Field[]): Field {
  const lastPart = ({ name }: Field) => name.split('.').at(-1)!;
  const found =
    slot === undefined
      ? (keyFields.findLast((field) => NAMES_OF_SLOT.includes(lastPart(field))) ?? keyFields.at(-1))
      : keyFields.find(({ name }) => name === slot);
  const names = keyFields.map(({ name }) => name).join(', ');
  if (found === undefined)
    throw unclear(info, `its key has no field ${slot ?? 'for the slot'}, only: ${names}`);
  if (!/^[us]\d/.test(found.type)) throw unclear(info, `the field ${found.name} of its key is no integer`);
  return found;
}

function sumOf(
  info: MapInfo,
  { sum }: MapShape,
  { slots, firstIndex, keys }: KernelLayout,
  valueFields: readonly Field[],
): Pick<ResolvedShape, 'sumIndex' | 'sumField'> {
  if (sum === 'after-last') {
    const last = keys?.at(-1) ?? firstIndex + slots.slotCount - 1;
    return { sumIndex: last + 1, sumField: undefined };
  }
  if (typeof sum === 'number') return { sumIndex: sum, sumField: undefined };
  if (sum !== undefined) return { sumIndex: undefined, sumField: named(info, sum, valueFields) };
  const own = valueFields.find(
    (field) => field.name === 'sum' && !isArrayField(field) && /^[us]\d/.test(field.type),
  );
  return { sumIndex: undefined, sumField: own };
}

function isArrayField(field: Field | ArrayField): field is ArrayField {
  return 'length' in field;
}

function named(info: MapInfo, field: string | Field, fields: readonly Field[]): Field {
  if (typeof field !== 'string') return field;
  const found = fields.find(({ name }) => name === field);
  if (found !== undefined) return found;
  const names = fields.map(({ name }) => name).join(', ') || 'none whose types may be read';
  throw unclear(info, `its values have no field ${field}, only: ${names}`);
}

function assertFits(info: MapInfo, field: Field, size: number): void {
  if (Number.isInteger(field.offset) && field.offset >= 0 && field.offset + sizeOfField(field) <= size)
    return;
  throw unclear(info, `the field ${field.name} ends beyond the ${size} bytes that there are`);
}

function unclear({ id, name }: MapInfo, why: string): HdrscopeError {
  return new HdrscopeError(
    'ERR_KERNEL',
    `it cannot be told where the counts of map ${id} (${name}) are: ${why}; describe its fields in \`shape\``,
  );
}
