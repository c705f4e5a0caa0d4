import { mustBe } from '@hdrscope/core/internal';
import { Budget } from '@hdrscope/kit';
import { type BtfType, DEEPEST_TYPE, resolveBtf, sizeOfBtf, typedefOf } from './btf.ts';
import { LITTLE_ENDIAN, textUntilNul, viewOf } from './memory.ts';

/**
 * Type of a field: an integer of 8 to 64 bits, unsigned or signed; `bool`; `char[16]`, a text that ends at its first NUL;
 * or `bytes[6]`, which is shown in hexadecimal.
 */
export type FieldType = IntegerType | 'bool' | `char[${number}]` | `bytes[${number}]`;

/** An unsigned or signed integer, with its number of bits. */
export type IntegerType = 'u8' | 'u16' | 'u32' | 'u64' | 's8' | 's16' | 's32' | 's64';

/** A field of a key or value of a map. */
export interface Field {
  /** Name in C, by which options select the field. */
  readonly name: string;
  /** The C type, which states size and sign. */
  readonly type: FieldType;
  /** Offset in bytes. C aligns an integer to its own size. */
  readonly offset: number;
  /** Names of the values of an integer, as in an enum. @default values have no names */
  readonly names?: ReadonlyMap<bigint, string>;
  /** Which bits of the integer belong to the field, counted from the lowest bit. @default all bits */
  readonly bits?: { readonly from: number; readonly count: number };
}

/** An array of integers within a value. */
export interface ArrayField extends Field {
  /** The C type of one element. */
  readonly type: IntegerType;
  /** How many elements the array has. */
  readonly length: number;
  /** Name of the type of its elements, when that is a typedef. @default no name */
  readonly elementType?: string;
}

const NAME_OF_PADDING = /^_*pad(ding)?_*\d*$/i;

/**
 * Size of a field in bytes.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the type does not exist.
 */
export function sizeOfField({ type }: Pick<Field, 'type'>): number {
  if (type === 'bool') return 1;
  const [, length] = /^(?:char|bytes)\[(\d+)\]$/.exec(type) ?? [];
  if (length !== undefined) return Number(length);
  const [, bits] = /^[us](8|16|32|64)$/.exec(type) ?? [];
  if (bits === undefined) {
    const allowed = 'u8 to u64, s8 to s64, bool, char[…] or bytes[…]';
    throw mustBe('ERR_INVALID_OPTION', 'the type of a field', allowed, type);
  }
  return Number(bits) / 8;
}

/** Reads a field as the value of an attribute. An integer beyond 2^53 becomes a text, because a number would lose digits. */
export function readField(field: Field, bytes: Uint8Array, at = 0): string | number | boolean {
  const { type, offset, names } = field;
  const from = at + offset;
  const part = bytes.subarray(from, from + sizeOfField(field));
  if (type === 'bool') return part[0] !== 0;
  if (type.startsWith('char')) return textUntilNul(part);
  if (type.startsWith('bytes')) return Buffer.from(part).toString('hex');
  const integer = readInteger(field, bytes, at);
  const name = names?.get(integer);
  if (name !== undefined) return name;
  return BigInt(Number(integer)) === integer && Number.isSafeInteger(Number(integer))
    ? Number(integer)
    : String(integer);
}

/** Reads the integer of a field. */
export function readInteger({ type, offset, bits }: Field, bytes: Uint8Array, at = 0): bigint {
  const whole = readBits(viewOf(bytes), type as IntegerType, at + offset);
  if (bits === undefined) return whole;
  const shifted = whole >> BigInt(bits.from);
  return type.startsWith('s') ? BigInt.asIntN(bits.count, shifted) : BigInt.asUintN(bits.count, shifted);
}

// A table of functions would be slower: this runs for each key of a hash.
function readBits(view: DataView, type: IntegerType, from: number): bigint {
  switch (type) {
    case 'u8':
      return BigInt(view.getUint8(from));
    case 's8':
      return BigInt(view.getInt8(from));
    case 'u16':
      return BigInt(view.getUint16(from, LITTLE_ENDIAN));
    case 's16':
      return BigInt(view.getInt16(from, LITTLE_ENDIAN));
    case 'u32':
      return BigInt(view.getUint32(from, LITTLE_ENDIAN));
    case 's32':
      return BigInt(view.getInt32(from, LITTLE_ENDIAN));
    case 'u64':
      return view.getBigUint64(from, LITTLE_ENDIAN);
    case 's64':
      return view.getBigInt64(from, LITTLE_ENDIAN);
  }
}

/**
 * The fields of a type, without padding. A field of a struct within a struct is named `outer.inner`.
 *
 * @param name The name of the only field, when the type is not a struct.
 * @throws HdrscopeError `ERR_KERNEL` when a type is missing; `ERR_TOO_LARGE` when there are more than 10,000 fields, or structs and
 *   arrays are nested deeper than 32 levels, perhaps in a circle.
 */
export function fieldsOfBtf(
  types: readonly BtfType[],
  id: number,
  name: string,
): readonly (Field | ArrayField)[] {
  const budget = new Budget('the types of a map (BTF)', { elements: MOST_FIELDS, depth: DEEPEST_TYPE });
  return within(types, id, { name: '', offset: 0, budget })
    .map((field) => (field.name === '' ? { ...field, name } : field))
    .filter((field) => !NAME_OF_PADDING.test(field.name.split('.').at(-1)!));
}

const MOST_FIELDS = 10_000;

/** Where a type begins. */
interface Place {
  readonly name: string;
  readonly offset: number;
  /** Each member is an element of it, each struct and array a level. */
  readonly budget: Budget;
}

function within(types: readonly BtfType[], id: number, place: Place): readonly (Field | ArrayField)[] {
  const { name, offset, budget } = place;
  const type = resolveBtf(types, id);
  switch (type.kind) {
    case 'int':
      return [{ name, type: type.isBool ? 'bool' : integerType(type), offset }];
    case 'enum':
      return [{ name, type: integerType(type), offset, names: type.names }];
    case 'pointer':
      return [{ name, type: 'u64', offset }];
    case 'array':
      return [arrayField(types, type, place)];
    case 'struct': {
      budget.enter();
      budget.takeElements(type.members.length);
      const fields = type.members.flatMap((member) => {
        const path = member.name === '' ? name : name === '' ? member.name : `${name}.${member.name}`;
        if (member.bitSize > 0) return bitField(types, member, path, offset);
        return within(types, member.type, { name: path, offset: offset + member.bitOffset / 8, budget });
      });
      budget.leave();
      return fields;
    }
    case 'section': {
      budget.enter();
      budget.takeElements(type.variables.length);
      const fields = type.variables.flatMap((variable) => {
        const { type: id, offset: at } = variable;
        const called = types[id]?.kind === 'variable' ? types[id].name : '';
        return within(types, id, { name: called, offset: offset + at, budget });
      });
      budget.leave();
      return fields;
    }
    case 'opaque':
      return type.size === 0 ? [] : [{ name, type: `bytes[${type.size}]`, offset }];
  }
}

function arrayField(
  types: readonly BtfType[],
  { element, length }: { readonly element: number; readonly length: number },
  { name, offset, budget }: Place,
): Field | ArrayField {
  const type = resolveBtf(types, element);
  if (type.kind === 'int' && type.size === 1) return { name, type: `char[${length}]`, offset };
  const elementType = typedefOf(types, element);
  if (type.kind === 'int')
    return { name, type: integerType(type), offset, length, ...(elementType && { elementType }) };
  return { name, type: `bytes[${length * sizeOfBtf(types, element, budget)}]`, offset };
}

/** A bit-field as bits of an integer of its type. C compilers keep a bit-field within one such integer. */
function bitField(
  types: readonly BtfType[],
  {
    type: id,
    bitOffset,
    bitSize,
  }: { readonly type: number; readonly bitOffset: number; readonly bitSize: number },
  name: string,
  offset: number,
): readonly Field[] {
  const type = resolveBtf(types, id);
  if (name === '' || (type.kind !== 'int' && type.kind !== 'enum')) return [];
  const unit = type.size * 8;
  const first = Math.floor(bitOffset / unit) * unit;
  const fromLow = bitOffset - first;
  // BTF counts bits from the first byte of the integer, which holds its highest bits on big-endian machines.
  const from = LITTLE_ENDIAN ? fromLow : unit - fromLow - bitSize;
  const field: Field = {
    name,
    type: integerType(type),
    offset: offset + first / 8,
    bits: { from, count: bitSize },
  };
  return [type.kind === 'enum' ? { ...field, names: type.names } : field];
}

function integerType({ size, isSigned }: { readonly size: number; readonly isSigned: boolean }): FieldType {
  if (![1, 2, 4, 8].includes(size)) return `bytes[${size}]`;
  return `${isSigned ? 's' : 'u'}${(size * 8) as 8 | 16 | 32 | 64}`;
}
