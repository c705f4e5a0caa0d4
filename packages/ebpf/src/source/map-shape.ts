import { HdrscopeError } from '@hdrscope/core';
import {
  assertText,
  custom,
  integer,
  listOf,
  mustBe,
  number,
  type OptionRules,
  type OptionTable,
  object,
  oneOf,
  optional,
  optionsIn,
  type RulesFor,
  readOptions,
  type Settings,
  type SettingsOf,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { type ArrayField, type Field, type IntegerType, sizeOfField } from '../bpf/fields.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';

/**
 * Position of the histograms in a map. An option that is left out comes from the types (BTF) of the map, which only
 * CAP_SYS_ADMIN may read, or else from the sizes of its keys and values.
 *
 * A map has one of three shapes:
 * - An array whose values are single counters. Its indices are the slots.
 * - A hash whose values are single counters. One field of the key is the slot, and the other fields are attributes.
 * - Values that are arrays of all slots. Each key is one histogram, and its fields are attributes.
 */
export interface MapShape {
  /** Fields of the key. The key of an array has no fields. @default the fields of its type */
  readonly key?: readonly Field[];
  /** Size of the key that these fields describe, in bytes. A map with keys of another size is refused. @default any size */
  readonly keySize?: number;
  /** Fields of the value. @default the fields of its type */
  readonly value?: readonly (Field | ArrayField)[];
  /** Size of the value that these fields describe, in bytes. A map with values of another size is refused. @default any size */
  readonly valueSize?: number;
  /** Name of the key field that is the slot. @default the field called bucket, slot, le or key, or else the last field */
  readonly slot?: string;
  /** Counters in a value: one counter, or with a `length` the counters of all slots. @default found by type or size */
  readonly counts?: CountsField;
  /**
   * Position of the sum of the values: an index, or a field of the value. The name of a field suffices when the map has
   * types. `'after-last'` is the index after the last slot, as with ebpf_exporter; an array that ends before it has no
   * sum. `'none'` when the field called sum is another number. @default the field called sum
   */
  readonly sum?: 'after-last' | 'none' | number | string | Field;
  /**
   * Size of one unit of the sum, in units of the slots: the step of a program that divides values before it counts and adds
   * them. @default 1
   */
  readonly sumUnit?: number;
  /** Constant fields of the value that are attributes, taken from the first CPU that has set them. @default no fields */
  readonly valueAttributes?: readonly (string | Field)[];
}

/** The C type of a counter. */
export type CounterType = 'u32' | 'u64' | 's32' | 's64';

/** A counter, or an array of counters. */
export interface CountsField {
  /** The C type of a counter: 32 or 64 bits. A negative count is an error. */
  readonly type: CounterType;
  /** Offset in the value, in bytes. @default 0 */
  readonly offset?: number;
  /** Number of counters in the array. @default one counter, no array */
  readonly length?: number;
}

/** The layout of a map, and what shows it. */
export interface KnownLayout {
  /** The slots of its histograms. */
  readonly layout: KernelLayout;
  /** The part of its shape that its types do not show. */
  readonly shape: MapShape;
  /** What shows the layout: `measured from program 41 (handle_exit): it counts as libbpf-tools:27`. */
  readonly ground: string;
}

const FIELD = custom<Field>('a field', (field) => object<Field>().accepts(field) && text.accepts(field.name));

const COUNTS = {
  name: 'counts',
  rules: {
    type: oneOf<CounterType>(['u32', 'u64', 's32', 's64']),
    offset: optional(integer({ from: 0 })),
    length: optional(integer({ from: 1 })),
  } satisfies OptionRules<CountsField>,
};

const SHAPE = {
  name: 'shape',
  rules: {
    key: optional(listOf(FIELD, 'fields')),
    keySize: optional(integer({ from: 1 })),
    value: optional(listOf(FIELD, 'fields')),
    valueSize: optional(integer({ from: 1 })),
    slot: optional(text),
    counts: optional(optionsIn<CountsField>(COUNTS)),
    sum: optional(
      custom<string | number | Field>(
        "'after-last', 'none', an index, or a field",
        (sum) => typeof sum === 'string' || integer().accepts(sum) || FIELD.accepts(sum),
      ),
    ),
    sumUnit: withDefault(number({ above: 0 }), 1),
    valueAttributes: optional(
      listOf(
        custom<string | Field>('a field', (one) => text.accepts(one) || FIELD.accepts(one)),
        'fields',
      ),
    ),
  } satisfies OptionRules<MapShape>,
  call: "kernelMap({ path, layout, shape: { slot: 'bucket' } })",
};

/** A checked shape. */
export type ShapeSettings = Settings<MapShape, Exclude<keyof MapShape, 'sumUnit'>>;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function readShape(shape: MapShape): ShapeSettings {
  return readOptions(shape, SHAPE, 'shape.');
}

/** Options that choose a map, and describe it. */
interface MapOptions {
  readonly path?: string;
  readonly id?: number;
  readonly name?: string;
  readonly shape?: MapShape;
  readonly histogram?: string;
}

/** The rules that all sources of maps have in common. */
export const MAP_RULES: RulesFor<MapOptions, keyof MapOptions> = {
  path: optional(text),
  id: optional(integer({ from: 1 })),
  name: optional(text),
  shape: optional(object<MapShape>()),
  histogram: optional(text),
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` also when not exactly one option chooses the map. */
export function readMapOptions<Options extends MapOptions, Rules extends OptionRules<Options>>(
  options: Options,
  table: OptionTable<Rules>,
): SettingsOf<Options, Rules> {
  const settings = readOptions<Options, Rules>(options, table);
  const { path, id, name, shape } = options;
  if ([path, id, name].filter((which) => which !== undefined).length !== 1) {
    throw new HdrscopeError('ERR_INVALID_OPTION', 'a map must be named by one of path, id and name');
  }
  if (shape !== undefined) readShape(shape);
  return settings;
}

/** Describes the texts that `parseMapShape` takes, for help texts and errors. */
export const MAP_SHAPE_SYNTAX = "C structs, such as 'key { char comm[16]; u64 slot; } value { u64 count; }'";

/** Names of integers in C, on machines with 64 bits. `__u32` and `uint32_t` are `u32`. */
const C_INTEGERS: Readonly<Record<string, IntegerType>> = {
  int: 's32',
  unsigned: 'u32',
  'unsigned int': 'u32',
  long: 's64',
  'long long': 's64',
  'unsigned long': 'u64',
  'unsigned long long': 'u64',
};

const LONGEST = 10_000;

/**
 * Parses the types of the keys and values of a map, as people write them in C: `key { char comm[16]; u64 slot; } value { u64 count; }`.
 * Each of both may be left out, and then comes from the types of the map. C aligns a field to its own size, and so does this.
 * `char name[16]` is a text, `u8 bytes[16]` is shown in hexadecimal, and `u32 slots[26]` is an array of counters.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the text is not such a description.
 * @example
 * ```ts
 * import { parseMapShape } from '@hdrscope/ebpf';
 *
 * const { value } = parseMapShape('value { u64 latency; u32 slots[26]; }');
 * value!.map(({ name, type, offset }) => `${name} ${type} ${offset}`); //=> ['latency u64 0', 'slots u32 8']
 * ```
 */
export function parseMapShape(text: string): MapShape {
  assertText('the text', text);
  const plain = text.length > LONGEST ? '' : withSingleSpaces(text);
  const [, key, value] = /^(?:key ?\{([^{}]*)\})? ?(?:value ?\{([^{}]*)\})?$/.exec(plain) ?? [];
  if (key === undefined && value === undefined) {
    throw mustBe('ERR_INVALID_OPTION', 'the shape', MAP_SHAPE_SYNTAX, text.slice(0, 200));
  }
  const keyStruct = key === undefined ? undefined : structOf(key);
  const valueStruct = value === undefined ? undefined : structOf(value);
  return {
    ...(keyStruct !== undefined && { key: keyStruct.fields, keySize: keyStruct.size }),
    ...(valueStruct !== undefined && { value: valueStruct.fields, valueSize: valueStruct.size }),
  };
}

function structOf(members: string): {
  readonly fields: readonly (Field | ArrayField)[];
  readonly size: number;
} {
  const fields: (Field | ArrayField)[] = [];
  let end = 0;
  let alignment = 1;
  for (const member of members.split(/[;,]/)) {
    const plain = withSingleSpaces(member);
    if (plain === '') continue;
    const [, type = '', name = '', length] = /^([a-z_][\w ]*?) (\w+) ?(?:\[(\d{1,6})\])?$/.exec(plain) ?? [];
    const field = fieldOf(member, type, name, length === undefined ? undefined : Number(length));
    const size = 'length' in field ? sizeOfField(field) * field.length : sizeOfField(field);
    const aligned = /^(char|bytes)/.test(field.type) ? 1 : sizeOfField(field);
    const offset = Math.ceil(end / aligned) * aligned;
    fields.push({ ...field, offset });
    end = offset + size;
    alignment = Math.max(alignment, aligned);
  }
  if (fields.length === 0)
    throw mustBe('ERR_INVALID_OPTION', 'a struct of the shape', 'at least one field', members);
  return { fields, size: Math.ceil(end / alignment) * alignment };
}

/** So that expressions need no repetitions of spaces beside each other, which take long for hostile texts. */
function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function fieldOf(member: string, type: string, name: string, length: number | undefined): Field | ArrayField {
  if (type === 'bool' && length === undefined) return { name, type: 'bool', offset: 0 };
  if (type === 'char' || (type === 'u8' && length !== undefined)) {
    return { name, type: `${type === 'char' ? 'char' : 'bytes'}[${length ?? 1}]`, offset: 0 };
  }
  const [, sign, bits] = /^(?:__)?([us])(8|16|32|64)$/.exec(type) ?? [];
  const [, unsigned, cBits] = /^(u?)int(8|16|32|64)_t$/.exec(type) ?? [];
  const integer =
    sign !== undefined
      ? (`${sign}${bits}` as IntegerType)
      : cBits !== undefined
        ? (`${unsigned === 'u' ? 'u' : 's'}${cBits}` as IntegerType)
        : Object.hasOwn(C_INTEGERS, type)
          ? C_INTEGERS[type]
          : undefined;
  if (integer === undefined || length === 0) {
    const allowed = 'a type and a name: u8 to u64, s8 to s64, char name[16], bool, or an array of integers';
    throw mustBe('ERR_INVALID_OPTION', 'a field of the shape', allowed, member.trim());
  }
  return { name, type: integer, offset: 0, ...(length !== undefined && { length }) };
}
