import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import type { Budget } from '@hdrscope/kit';
import { kernelError } from '../errors.ts';
import { Attr, call, readInfo } from './call.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from './memory.ts';
import type { Bpf } from './syscall.ts';

/** A type of BTF, as keys and values need it. Its id is its position in the list of types. */
export type BtfType =
  | { readonly kind: 'int'; readonly size: number; readonly isSigned: boolean; readonly isBool: boolean }
  | {
      readonly kind: 'enum';
      readonly size: number;
      readonly isSigned: boolean;
      readonly names: ReadonlyMap<bigint, string>;
    }
  | { readonly kind: 'array'; readonly element: number; readonly length: number }
  | {
      readonly kind: 'struct';
      /** Empty for an anonymous struct. */
      readonly name: string;
      readonly size: number;
      readonly members: readonly BtfMember[];
    }
  | { readonly kind: 'pointer'; readonly type: number }
  /** Another name of a type, or its `const` or `volatile` form. */
  | { readonly kind: 'alias'; readonly name: string; readonly type: number }
  /** A global variable of the program. Its maps are variables in the section `.maps`. */
  | { readonly kind: 'variable'; readonly name: string; readonly type: number }
  /** Global variables of the program, with their places: the value of its map `.bss`, for example. */
  | {
      readonly kind: 'section';
      readonly name: string;
      readonly size: number;
      readonly variables: readonly { readonly type: number; readonly offset: number }[];
    }
  /** A type of which only the size matters: a union or a floating-point number. */
  | { readonly kind: 'opaque'; readonly size: number };

export interface BtfMember {
  /** Empty for an anonymous struct within a struct, whose members belong to the outer one. */
  readonly name: string;
  readonly type: number;
  readonly bitOffset: number;
  /** Width of a bit-field; 0 for other members. */
  readonly bitSize: number;
}

/** First two bytes of BTF. Source of this and of all offsets: Linux, `Documentation/bpf/btf.rst`. */
const BTF_MAGIC = 0xeb9f;

// The limits of the kernel. Sources: Linux, `BTF_MAX_SIZE`, `BTF_MAX_TYPE`, `KSYM_NAME_LEN`, `MAX_RESOLVE_DEPTH`. BTF of a whole kernel has
// a third of them.
const MOST_BYTES = 2 ** 24;
const MOST_TYPES = 2 ** 20;
const LONGEST_NAME = 512;
export const DEEPEST_TYPE = 32;

const KINDS = [
  'void',
  'int',
  'ptr',
  'array',
  'struct',
  'union',
  'enum',
  'fwd',
  'typedef',
  'volatile',
  'const',
  'restrict',
  'func',
  'func_proto',
  'var',
  'datasec',
  'float',
  'decl_tag',
  'type_tag',
  'enum64',
] as const;

/** Kinds whose names say something about a map. */
const NAMED: ReadonlySet<string> = new Set(['struct', 'typedef', 'var', 'datasec']);

/** How many bytes follow a type of each kind; `n` is its number of members. No bytes follow other kinds. */
const TRAILERS: Readonly<Record<string, (n: number) => number>> = {
  int: () => 4,
  array: () => 12,
  struct: (n) => 12 * n,
  union: (n) => 12 * n,
  enum: (n) => 8 * n,
  func_proto: (n) => 8 * n,
  var: () => 4,
  datasec: (n) => 12 * n,
  decl_tag: () => 4,
  enum64: (n) => 12 * n,
};

/**
 * Parses BTF: all types, by their ids.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the bytes are not BTF, or contain an unknown kind of type; `ERR_TOO_LARGE` when there
 *   are more bytes or types than the kernel takes.
 */
export function parseBtf(data: Uint8Array): readonly BtfType[] {
  assertSize(data.length);
  const view = viewOf(data);
  const u32 = (offset: number) => view.getUint32(offset, LITTLE_ENDIAN);
  if (data.length < 24 || view.getUint16(0, LITTLE_ENDIAN) !== BTF_MAGIC)
    throw malformed('it does not begin with the magic number of BTF');
  const header = u32(4);
  const begin = header + u32(8);
  const end = begin + u32(12);
  const strings = header + u32(16);
  if (end > data.length || strings > data.length) throw malformed('it is cut off');
  const decoder = new TextDecoder();
  const text = (offset: number) => {
    const bytes = data.subarray(strings + offset, strings + offset + LONGEST_NAME);
    const length = bytes.indexOf(0);
    if (length < 0) throw malformed(`the name at ${offset} does not end`);
    return decoder.decode(bytes.subarray(0, length));
  };
  const types: BtfType[] = [{ kind: 'opaque', size: 0 }];
  for (let at = begin; at < end; ) {
    if (at + 12 > end) throw malformed('it is cut off');
    if (types.length > MOST_TYPES)
      throw mustBe('ERR_TOO_LARGE', 'BTF', `at most ${MOST_TYPES} types`, types.length);
    const info = u32(at + 4);
    const count = info & 0xffff;
    const kind = KINDS[(info >>> 24) & 0x1f];
    if (kind === undefined) throw malformed(`type ${types.length} has an unknown kind`);
    const trailer = TRAILERS[kind]?.(count) ?? 0;
    if (at + 12 + trailer > end) throw malformed('it is cut off');
    const raw = {
      kind,
      name: NAMED.has(kind) ? text(u32(at)) : '',
      sizeOrType: u32(at + 8),
      hasFlag: info >>> 31 === 1,
      count,
      at: at + 12,
    };
    types.push(typeOf(raw, u32, text));
    at += 12 + trailer;
  }
  return types;
}

interface RawType {
  readonly kind: (typeof KINDS)[number];
  /** Empty unless it is of a kind in `NAMED`. */
  readonly name: string;
  readonly sizeOrType: number;
  /** Whether a struct has bit-fields, or an enum is signed. */
  readonly hasFlag: boolean;
  readonly count: number;
  /** Offset of the bytes that follow the type. */
  readonly at: number;
}

function typeOf(
  { kind, name, sizeOrType, hasFlag, count, at }: RawType,
  u32: (offset: number) => number,
  text: (offset: number) => string,
): BtfType {
  switch (kind) {
    case 'int': {
      const encoding = (u32(at) >>> 24) & 0xf;
      return { kind: 'int', size: sizeOrType, isSigned: (encoding & 1) !== 0, isBool: (encoding & 4) !== 0 };
    }
    case 'array':
      return { kind: 'array', element: u32(at), length: u32(at + 8) };
    case 'struct':
      return {
        kind: 'struct',
        name,
        size: sizeOrType,
        members: Array.from({ length: count }, (_, i) => memberAt(at + 12 * i)),
      };
    case 'enum':
    case 'enum64': {
      const width = kind === 'enum' ? 8 : 12;
      const names = Array.from({ length: count }, (_, i): [bigint, string] => {
        const entry = at + width * i;
        const high = kind === 'enum64' ? BigInt(u32(entry + 8)) << 32n : 0n;
        const bits = high | BigInt(u32(entry + 4));
        const integer = hasFlag ? BigInt.asIntN(kind === 'enum' ? 32 : 64, bits) : bits;
        return [integer, text(u32(entry))];
      });
      // When a value has two names, the first one counts.
      return { kind: 'enum', size: sizeOrType, isSigned: hasFlag, names: new Map(names.reverse()) };
    }
    case 'ptr':
      return { kind: 'pointer', type: sizeOrType };
    case 'typedef':
    case 'volatile':
    case 'const':
    case 'restrict':
    case 'type_tag':
      return { kind: 'alias', name, type: sizeOrType };
    case 'var':
      return { kind: 'variable', name, type: sizeOrType };
    case 'datasec':
      return {
        kind: 'section',
        name,
        size: sizeOrType,
        variables: Array.from({ length: count }, (_, i) => ({
          type: u32(at + 12 * i),
          offset: u32(at + 12 * i + 4),
        })),
      };
    case 'union':
    case 'float':
      return { kind: 'opaque', size: sizeOrType };
    default:
      return { kind: 'opaque', size: 0 };
  }

  function memberAt(member: number): BtfMember {
    const offset = u32(member + 8);
    return {
      name: text(u32(member)),
      type: u32(member + 4),
      bitOffset: hasFlag ? offset & 0xffffff : offset,
      bitSize: hasFlag ? offset >>> 24 : 0,
    };
  }
}

/** A type that is not another name of a type. */
export type ResolvedBtfType = Exclude<BtfType, { readonly kind: 'alias' | 'variable' }>;

const MOST_ALIASES = 2 * DEEPEST_TYPE;

/**
 * Follows aliases to the type that they stand for.
 *
 * @throws HdrscopeError `ERR_KERNEL` when there is no such type.
 */
export function resolveBtf(types: readonly BtfType[], id: number): ResolvedBtfType {
  let type = types[id];
  // A longer chain may be a circle.
  for (let steps = 0; isAlias(type) && steps < MOST_ALIASES; steps++) type = types[type.type];
  if (type === undefined || isAlias(type)) throw malformed(`there is no type ${id}`);
  return type;
}

function isAlias(type: BtfType | undefined): type is Exclude<BtfType, ResolvedBtfType> {
  return type?.kind === 'alias' || type?.kind === 'variable';
}

/** The first name that a type has as a typedef; empty when it has no such name. */
export function typedefOf(types: readonly BtfType[], id: number): string {
  let type = types[id];
  for (let steps = 0; type?.kind === 'alias' && steps < MOST_ALIASES; steps++) {
    if (type.name !== '') return type.name;
    type = types[type.type];
  }
  return '';
}

/**
 * Size of a type in bytes.
 *
 * @param budget Each level of arrays is a level of it.
 * @throws HdrscopeError `ERR_KERNEL`; `ERR_TOO_LARGE` when arrays are nested deeper than the budget, perhaps in a circle.
 */
export function sizeOfBtf(types: readonly BtfType[], id: number, budget: Budget): number {
  const type = resolveBtf(types, id);
  if (type.kind !== 'array') return type.kind === 'pointer' ? 8 : type.size;
  budget.enter();
  const size = type.length * sizeOfBtf(types, type.element, budget);
  budget.leave();
  return size;
}

/**
 * Reads BTF that the kernel holds. This takes CAP_SYS_ADMIN.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses, or the BTF cannot be parsed.
 */
export function readBtf(bpf: Bpf, id: number): readonly BtfType[] {
  const object = `BTF ${id}`;
  const fd = call(bpf, 'BTF_GET_FD_BY_ID', new Attr(bpf, 12).u32(0, id), { object });
  try {
    // The first call asks for the size, the second for the data. Source of the offsets: `struct bpf_btf_info`.
    const info = allocate(32);
    const view = readInfo(bpf, fd, info, object);
    const size = view.getUint32(8, LITTLE_ENDIAN);
    assertSize(size);
    const data = allocate(size);
    info.fill(0);
    view.setBigUint64(0, bpf.address(data), LITTLE_ENDIAN);
    view.setUint32(8, data.length, LITTLE_ENDIAN);
    readInfo(bpf, fd, info, object);
    return parseBtf(data);
  } finally {
    bpf.close(fd);
  }
}

function assertSize(bytes: number): void {
  if (bytes > MOST_BYTES) throw mustBe('ERR_TOO_LARGE', 'BTF', `at most ${MOST_BYTES} bytes`, bytes);
}

function malformed(reason: string): HdrscopeError {
  return kernelError(`the types of a map (BTF) cannot be parsed: ${reason}`);
}

/** The file in which the kernel shows its types (BTF), to every process. */
const KERNEL_TYPES = '/sys/kernel/btf/vmlinux';

/** Source: Linux, `Documentation/bpf/btf.rst`. */
const HEADER_BYTES = 24;

/** The types of the kernel: how large they are, or why a program cannot find them. */
export type KernelTypes =
  | { readonly sizeBytes: number }
  | { readonly problem: string; readonly cure: string };

/** Looks at the types of the kernel. Never throws. */
export function kernelTypes(path: string = KERNEL_TYPES): KernelTypes {
  const header = new Uint8Array(HEADER_BYTES);
  try {
    const fd = openSync(path, 'r');
    try {
      // A kernel that has no types shows no file, so an empty file is not the kernel's.
      const length = readSync(fd, header);
      if (length === 0) return { problem: `${path} is empty`, cure: HIDDEN };
      const isBtf = length === HEADER_BYTES && viewOf(header).getUint16(0, LITTLE_ENDIAN) === BTF_MAGIC;
      if (!isBtf) return { problem: `${path} does not begin as BTF does`, cure: HIDDEN };
      return { sizeBytes: fstatSync(fd).size };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: `${path} is missing`, cure: BUILT_WITHOUT };
    return { problem: `${path} cannot be read: ${code ?? message}`, cure: HIDDEN };
  }
}

const BUILT_WITHOUT = 'use a kernel that was built with CONFIG_DEBUG_INFO_BTF';
const HIDDEN =
  'something else, such as the mask of a container, lies over the file of the kernel: run outside of it, or let it see that file (-v /sys/kernel/btf:/sys/kernel/btf:ro)';
