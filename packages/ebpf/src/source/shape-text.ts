import { mustBe } from '@hdrscope/core/internal';
import { type ArrayField, type Field, type IntegerType, sizeOfField } from '../bpf/fields.ts';
import type { MapShape } from './kernel-map-shape.ts';

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
